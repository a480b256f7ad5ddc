#include "runtime/communicator.hpp"

#include <algorithm>
#include <numeric>

#include "runtime/devices.hpp"
#include "runtime/machine_found.hpp"
#include "runtime/nodes.hpp"
#include "runtime/process.hpp"
#include "runtime/roomy.hpp"

namespace tutti::runtime {

namespace {

constexpr std::size_t cache_bytes = std::size_t{16} << 20;

int delete_state(MPI_Comm, int, void* value, void*) {
  ++states_freed;
  auto* attached = static_cast<Attached*>(value);
  if (attached->served != nullptr && !is_finalizing()) attached->served->free_objects();
  delete attached;
  return MPI_SUCCESS;
}

int keyval() {
  static const int value = [] {
    int created = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_state, &created, nullptr);
    return created;
  }();
  return value;
}

Attached* attach(MPI_Comm comm) {
  int initialized = 0;
  PMPI_Initialized(&initialized);
  if (initialized == 0) return nullptr;
  start_process();
  auto* attached = new Attached;
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  PMPI_Comm_size(comm, &attached->p);
  PMPI_Comm_rank(comm, &attached->rank);
  if (is_inter == 0 && attached->p > 1) attached->native_calls = native_first();
  attached->reports = report_wanted();
  PMPI_Comm_set_attr(comm, keyval(), attached);
  return attached;
}

Attached* find_or_attach(MPI_Comm comm) {
  void* value = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm, keyval(), static_cast<void*>(&value), &found) != MPI_SUCCESS) {
    return nullptr;
  }
  return found != 0 ? static_cast<Attached*>(value) : attach(comm);
}

// Errors of a communicator are returned while this lives.
class ErrorsReturned {
 public:
  explicit ErrorsReturned(MPI_Comm comm) : comm_(comm) {
    PMPI_Comm_get_errhandler(comm, &users_);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~ErrorsReturned() {
    PMPI_Comm_set_errhandler(comm_, users_);
    PMPI_Errhandler_free(&users_);
  }
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler users_ = MPI_ERRHANDLER_NULL;
};

// The communicator's group, while this lives.
class Group {
 public:
  explicit Group(MPI_Comm comm) { PMPI_Comm_group(comm, &handle); }
  ~Group() { PMPI_Group_free(&handle); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  MPI_Group handle = MPI_GROUP_NULL;
};

// Whether all ranks were started together, and so all run on Tutti. Each finds the same.
bool is_of_one_world(const Group& group, int p) {
  const Group world(MPI_COMM_WORLD);
  std::vector<int> ranks(static_cast<std::size_t>(p)), in_world(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  PMPI_Group_translate_ranks(group.handle, p, ranks.data(), world.handle, in_world.data());
  return std::ranges::find(in_world, MPI_UNDEFINED) == in_world.end();
}

// Libraries have ids for some 2,000 communicators, and the program is to have most of them.
constexpr int most_served = 512;
std::atomic<int> served_now{0};

// What a rank says of itself before Tutti serves a communicator.
struct Vote {
  std::uint64_t node, settings, may_serve, profile_fits, world_rank, has_devices;
};

int world_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// Whether this rank says that the profile does not fit: of a communicator of all ranks, the first
// in the world of those whom it does not fit.
bool names_profile(const std::vector<Vote>& votes) {
  int ranks = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (profile_fits() || static_cast<int>(votes.size()) != ranks) return false;
  return std::ranges::none_of(votes, [me = world_rank()](const Vote& vote) {
    return vote.profile_fits == 0 && static_cast<int>(vote.world_rank) < me;
  });
}

std::vector<Vote> votes_of_ranks(MPI_Comm comm, int p) {
  const Vote mine{node_of_process(),
                  settings_fingerprint(),
                  served_now < most_served ? 1u : 0u,
                  profile_fits() ? 1u : 0u,
                  static_cast<std::uint64_t>(world_rank()),
                  may_have_devices() ? 1u : 0u};
  std::vector<Vote> all(static_cast<std::size_t>(p));
  constexpr int words = sizeof(Vote) / sizeof(std::uint64_t);
  PMPI_Allgather(&mine, words, MPI_UINT64_T, all.data(), words, MPI_UINT64_T, comm);
  return all;
}

// A communicator of the same ranks, made from the group, so that no attribute of the user's is
// copied. Null on all ranks where ids have run out on one.
MPI_Comm shadow_of(MPI_Comm comm, const Group& group) {
  MPI_Comm shadow = MPI_COMM_NULL;
  const ErrorsReturned until_made(comm);
  int made = PMPI_Comm_create(comm, group.handle, &shadow) == MPI_SUCCESS ? 1 : 0;
  const int here = made;
  PMPI_Allreduce(MPI_IN_PLACE, &made, 1, MPI_INT, MPI_MIN, comm);
  if (made == 0 && here != 0) PMPI_Comm_free(&shadow);
  if (made == 0) return MPI_COMM_NULL;
  PMPI_Comm_set_errhandler(shadow, MPI_ERRORS_RETURN);
  return shadow;
}

Inside inside(const NodeMemory* memory) {
  if (memory == nullptr) return Inside::messages;
  return memory->waits() == Waits::asleep ? Inside::crowded : Inside::memory;
}

std::unique_ptr<Communicator> make_served(const Attached& attached, MPI_Comm comm) {
  const Group group(comm);
  if (!is_of_one_world(group, attached.p)) return nullptr;
  const std::vector<Vote> votes = votes_of_ranks(comm, attached.p);
  const auto agrees = [&](const Vote& vote) { return vote.settings == votes[0].settings; };
  if (!std::ranges::all_of(votes, agrees)) {
    complain_of_settings(attached.rank);
    return nullptr;
  }
  if (!std::ranges::all_of(votes, &Vote::may_serve)) return nullptr;
  const MPI_Comm shadow = shadow_of(comm, group);
  if (shadow == MPI_COMM_NULL) return nullptr;
  std::vector<std::uint64_t> nodes;
  for (const Vote& vote : votes) nodes.push_back(vote.node);
  auto served = std::make_unique<Communicator>(attached.rank, attached.p, shadow, nodes);
  served->reports = report_wanted();
  served->near_devices = std::ranges::any_of(votes, &Vote::has_devices);
  // Ranks choose alike: all by the profile, or none.
  served->by_profile = std::ranges::all_of(votes, &Vote::profile_fits);
  if (names_profile(votes)) complain_of_profile();
  if (served->placement != nullptr && memory_is_wanted()) {
    served->memory = NodeMemory::share(shadow, attached.rank, nodes);
  }
  // Some nodes may have it and others not: ranks choose alike.
  if (served->is_on_one_node()) served->machine.inside = inside(served->memory.get());
  return served;
}

}  // namespace

std::atomic<std::uint64_t> states_freed{0};
constinit thread_local LastUsed last_used;

Attached* find_attached(MPI_Comm comm) {
  const std::uint64_t freed = states_freed.load(std::memory_order_acquire);
  Attached* const attached = find_or_attach(comm);
  last_used = {comm, attached, freed};
  return attached;
}

bool serves_from_now(Attached& attached, MPI_Comm comm) {
  if (attached.native_calls == Attached::never_served) return false;
  const auto make = [&] { attached.served = make_served(attached, comm); };
  with_room(make);
  if (attached.served == nullptr) attached.native_calls = Attached::never_served;
  return attached.served != nullptr;
}

Communicator::Communicator(int own_rank, int ranks, MPI_Comm own_messages,
                           const std::vector<std::uint64_t>& nodes)
    : rank(own_rank),
      p(ranks),
      shadow(own_messages),
      numbers(datatypes.find(MPI_INT64_T, shadow)),
      cache(cache_bytes),
      placement(placed_on(nodes)) {
  ++served_now;
  const Machine* known = known_machine();
  machine = known != nullptr ? *known : machine_found(shadow, nodes);
}

Communicator::~Communicator() { --served_now; }

void Communicator::free_objects() {
  forget_prepared();
  if (shadow != MPI_COMM_NULL) PMPI_Comm_free(&shadow);
}

void Communicator::forget_shapes() {
  shapes.clear();
  last = {};
  passed_on_ = {};
}

void Communicator::forget_prepared() {
  forget_shapes();
  cache.clear();
  agrees_ = {};
  native_for_all_sizes_ = {};
  agreements_ = {};
}

bool Communicator::find_agrees(Collective collective) const {
  return !info(collective).sizes_known() && !near_devices && wants_agreement(*this, collective);
}

bool Communicator::is_native_for_all_sizes(Collective collective, bool in_place) {
  std::optional<bool>& known =
      native_for_all_sizes_[static_cast<std::size_t>(collective)][in_place ? 1 : 0];
  if (!known) {
    const Call call{.collective = collective,
                    .p = p,
                    .layout = Layout(0, p),
                    .in_place = in_place,
                    .placement = placement};
    known = !info(collective).sizes_known() && !agrees(collective) &&
            (near_devices || choose(*this, call).algorithm == nullptr);
  }
  return *known;
}

}  // namespace tutti::runtime
