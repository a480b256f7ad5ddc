// What Tutti keeps for a communicator. It hangs on the communicator as an attribute and is freed
// with it.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "execute/agreeing.hpp"
#include "execute/cache.hpp"
#include "execute/recurring.hpp"
#include "runtime/arguments.hpp"
#include "runtime/datatype.hpp"
#include "runtime/node_memory.hpp"
#include "runtime/passed_on.hpp"
#include "runtime/prepared.hpp"
#include "runtime/watch.hpp"
#include "runtime/workspace.hpp"
#include "select/select.hpp"

namespace tutti::runtime {

// What ranks last agreed on for a collective, and when they will again.
struct Agreement {
  AgreeingNowAndThen pace;
  Heard heard;
};

// A call like which nothing has to be looked up: its datatypes and operator are predefined, so
// their handles keep their meaning.
struct Repeatable {
  Arguments arguments;
  std::shared_ptr<const Prepared> prepared{};  // null: no such call yet
};

class Communicator {
 public:
  // Of rank `rank` of p. `shadow` has the same ranks, and carries Tutti's messages alone;
  // free_objects() frees it.
  Communicator(int rank, int p, MPI_Comm shadow, const std::vector<std::uint64_t>& nodes);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  bool is_on_one_node() const { return placement != nullptr && placement->nodes() == 1; }

  // Whether ranks agree on sizes before this collective (Selector::wants_agreement).
  bool agrees(Collective collective) {
    std::optional<bool>& known = agrees_[static_cast<std::size_t>(collective)];
    if (!known) known = find_agrees(collective);
    return *known;
  }

  // Whether calls of this collective are native whatever their sizes, which no rank knows.
  bool is_native_for_all_sizes(Collective collective, bool in_place);
  // Whether that was found for calls in place and others, and nobody counts them: then nothing of a
  // call has to be looked at.
  bool is_always_native(Collective collective) const {
    const auto& known = native_for_all_sizes_[static_cast<std::size_t>(collective)];
    return known[0] == true && known[1] == true && !reports;
  }

  // A choice depends on whether the call is in place.
  Agreement& agreement(Collective collective, bool in_place) {
    return agreements_[static_cast<std::size_t>(collective)][in_place ? 1 : 0];
  }

  Repeatable& last_of(Collective collective) { return last[static_cast<std::size_t>(collective)]; }
  PassedOn& passed_on(Collective collective) {
    return passed_on_[static_cast<std::size_t>(collective)];
  }
  // Forgets which calls came before, in the same call on all ranks: with it what makes a rank not
  // ask.
  void forget_shapes();
  // Drops whatever was prepared: the next call of each shape chooses anew.
  void forget_prepared();
  // Frees MPI objects made for this communicator; not done when MPI itself is about to end.
  void free_objects();

  int rank;
  int p;
  MPI_Comm shadow;  // Tutti's messages; returns errors
  DatatypeTable datatypes;
  const Datatype* numbers;  // of 8 bytes, which ranks tell each other
  ScheduleCache<Prepared> cache;
  RecurringLayouts layouts;
  Workspaces workspaces;
  std::shared_ptr<const Placement> placement;  // null: every rank has a node of its own
  Machine machine = usual_machine();           // what choices are made for
  LengthTags length_tags = LengthTags::of_library();
  RecurringCalls shapes;                              // as far as all ranks know them
  std::array<Repeatable, collectives.size()> last{};  // of each collective
  bool reports = false;                               // calls are counted for the report
  bool near_devices = false;                          // a rank may pass memory of devices
  bool by_profile = true;                             // choices are, where the process has one
  std::unique_ptr<Selector> selector;                 // where not the process's own
  std::unique_ptr<NodeMemory> memory;                 // shared with ranks of its node; null: none

 private:
  bool find_agrees(Collective collective) const;

  std::array<std::optional<bool>, collectives.size()> agrees_{};
  std::array<std::array<std::optional<bool>, 2>, collectives.size()> native_for_all_sizes_{};
  std::array<std::array<Agreement, 2>, collectives.size()> agreements_{};
  std::array<PassedOn, collectives.size()> passed_on_{};
};

// What hangs on a communicator from its first collective on. Most are short-lived: Tutti serves it
// only once it has made some calls (serves_from_now).
struct Attached {
  int rank = 0;
  int p = 1;
  unsigned calls = 0;  // collectives so far, this one included; the same on all ranks
  unsigned native_calls = never_served;  // so many are native
  bool reports = false;                  // calls are counted for the report
  std::unique_ptr<Communicator> served;

  static constexpr unsigned never_served = ~0u;
};

// The communicator of this thread's last call, so that a run of calls asks MPI once.
struct LastUsed {
  MPI_Comm comm{};  // no handle: none yet
  Attached* attached = nullptr;
  std::uint64_t freed_before = 0;
};

// The model spares a function call; libtutti.so is loaded with the program, or needs these few
// bytes of what the loader keeps in reserve.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local LastUsed last_used;

// Counts states that went: what a thread remembers about a handle holds only as long as none did.
extern std::atomic<std::uint64_t> states_freed;

// What hangs on the communicator if this thread's last call was on it; null otherwise.
inline Attached* attached_to_last(MPI_Comm comm) {
  const bool is_same = last_used.comm == comm &&
                       last_used.freed_before == states_freed.load(std::memory_order_acquire);
  return is_same ? last_used.attached : nullptr;
}

// What hangs on the communicator, made when first asked for; local. Null where MPI is not
// initialised in the way Tutti needs.
Attached* find_attached(MPI_Comm comm);

inline Attached* attached_to(MPI_Comm comm) {
  Attached* const last = attached_to_last(comm);
  return last != nullptr ? last : find_attached(comm);
}

// Makes what Tutti needs to serve the communicator; collective over it, and waits for all ranks.
// False, on all ranks, if it stays native.
bool serves_from_now(Attached& attached, MPI_Comm comm);

}  // namespace tutti::runtime
