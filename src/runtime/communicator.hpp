// What Tutti keeps for a communicator. It hangs on the communicator as an attribute and is freed
// with it.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/agreeing.hpp"
#include "runtime/arguments.hpp"
#include "runtime/cache.hpp"
#include "runtime/datatype.hpp"
#include "runtime/kernels.hpp"
#include "runtime/passed_on.hpp"
#include "runtime/plan.hpp"
#include "runtime/recurring.hpp"
#include "runtime/transport.hpp"
#include "select/select.hpp"

namespace tutti::runtime {

// What an irregular call says of its blocks: counts, displacements, serial numbers of datatypes.
using Words = std::vector<std::int64_t>;

// What ranks have told this one of an irregular call whose sizes none of them knows alone.
struct Heard {
  // `numbers`, in bytes, begins with so many that all ranks were told (select/select.hpp), and ends
  // with the answers to the algorithm's question, if it was asked.
  std::ptrdiff_t agreed = 0;
  bool asked = false;
  Words numbers;

  void clear() {
    agreed = 0;
    asked = false;
    numbers.clear();
  }
};

// What ranks last agreed on for a collective, and when they will again.
struct Agreement {
  AgreeingNowAndThen pace;
  Heard heard;
};

// A call that began before its question was asked: its tags, and so many of its first steps.
struct Begun {
  int tag_base = 0;
  std::uint32_t steps = 0;
};

// The datatypes of a call's input and output; null: none.
using TypesOfSides = std::array<const Datatype*, 2>;

// One of them, as something was prepared for it.
struct TypeUsed {
  std::uint64_t serial = 0;
  MPI_Datatype handle = MPI_DATATYPE_NULL;
};

// What was prepared for a call: nothing, if the native collective serves it.
struct Prepared {
  // Run `windows` times, each time on the next slice of the message; then `last_plan`, if any.
  std::unique_ptr<Plan> plan, last_plan;
  Units windows = 1;
  std::array<MPI_Aint, 2> window_span{};  // bytes from one slice to the next: input, output
  const Algorithm* algorithm = nullptr;
  bool native_chosen = false;  // not for want of one that can
  // The plan is for the algorithm's question, and gives so many answers: numbers of 8 bytes. Before
  // it comes `lead`, if any: the first steps of the plan that will have the answers.
  std::optional<Units> answers{};
  std::unique_ptr<Plan> lead;
  int length_tag = 0;       // of a broadcast in parts (runtime/watch.hpp)
  Kernel kernel = nullptr;  // of a reduction's operator; null: the library's arithmetic
  Words blocks;             // what the call says of its blocks, where they differ
  // Data that travels packed: packed before the schedule runs, unpacked after it.
  Areas staged_in, staged_out;  // how they lie in the user's buffers
  MPI_Aint scratch_bytes = 0;
  MPI_Aint scratch_shift = 0;  // from the allocation to the address of element 0

  std::array<TypeUsed, 2> types{};  // of the input and the output

  std::size_t memory = 0;  // bytes: scratch, then the packed input, then the packed output
  bool is_packed = false;

  // Makes it serve other datatypes of the same shape. False if it cannot.
  bool serves_types(const TypesOfSides& now);

  std::size_t bytes() const {
    const auto bytes_of = [](const auto& each) { return each ? each->bytes() : 0; };
    return sizeof(Prepared) + bytes_of(plan) + bytes_of(last_plan) + bytes_of(lead);
  }
};

// A call like which nothing has to be looked up: its datatypes and operator are predefined, so
// their handles keep their meaning.
struct Repeatable {
  Arguments arguments;
  const Prepared* prepared = nullptr;  // null: no such call yet
};

class Communicator {
 public:
  // Of this rank in a communicator of p, which `made_of` its ranks is for Tutti's messages alone.
  Communicator(int rank, int p, MPI_Comm made_of, const std::vector<std::uint64_t>& nodes);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  // Memory for a call; grows, and is kept up to a bound.
  char* scratch(std::size_t bytes) {
    if (bytes > scratch_size_) grow_scratch(bytes);
    return scratch_.get();
  }
  void release_scratch() {
    if (scratch_size_ > kept_scratch) drop_scratch();
  }
  Slots slots(int count) {
    if (static_cast<int>(requests_.size()) < count) grow_slots(count);
    return {requests_.data(), statuses_.data()};
  }
  // Tags of consecutive calls differ, and of the schedules of a call. Ranks count alike, also a
  // call that one of them could not make.
  void start_call(unsigned number) {
    call_number_ = number;
    tag_base_ = number % 2 == 0 ? 0 : call_tag;
  }
  unsigned call_number() const { return call_number_; }
  int next_tag_base() { return tag_base_ ^= schedule_tag; }

  bool is_on_one_node() const { return placement != nullptr && placement->nodes() == 1; }

  // Whether ranks agree on sizes before this collective (Selector::wants_agreement).
  bool agrees(Collective collective) {
    std::optional<bool>& known = agrees_[static_cast<std::size_t>(collective)];
    if (!known) known = find_agrees(collective);
    return *known;
  }

  // Whether calls of this collective are native whatever their sizes, which no rank knows.
  bool is_native_for_all_sizes(Collective collective, bool in_place);

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
  ScheduleCache<Prepared> cache;
  RecurringLayouts layouts;
  // Of the call being served; kept so that calls do not allocate.
  Words words;
  Heard heard;
  std::optional<Begun> begun;
  std::vector<MPI_Request> early;              // messages of its first steps
  bool recurs = false;                         // its layout, in `layouts`
  Words numbers;                               // to be told to other ranks, or asked for
  std::shared_ptr<const Placement> placement;  // null: every rank has a node of its own
  Machine machine = usual_machine();           // what choices are made for
  LengthTags length_tags = LengthTags::of_library();
  RecurringCalls shapes;  // as far as all ranks know them
  std::vector<const Datatype*> in_types, out_types;
  std::array<Repeatable, collectives.size()> last{};  // of each collective
  bool reports = false;                               // calls are counted for the report
  std::unique_ptr<Selector> selector;                 // where not the process's own

 private:
  static constexpr std::size_t kept_scratch = std::size_t{1} << 20;  // bytes

  bool find_agrees(Collective collective) const;
  void grow_scratch(std::size_t bytes);
  void drop_scratch();
  void grow_slots(int count);

  std::array<std::optional<bool>, collectives.size()> agrees_{};
  std::array<std::array<std::optional<bool>, 2>, collectives.size()> native_for_all_sizes_{};
  std::array<std::array<Agreement, 2>, collectives.size()> agreements_{};
  std::array<PassedOn, collectives.size()> passed_on_{};
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
  std::unique_ptr<char[]> scratch_;
  std::size_t scratch_size_ = 0;
  unsigned call_number_ = 0;
  int tag_base_ = 0;
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
