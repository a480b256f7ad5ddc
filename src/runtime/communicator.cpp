#include "runtime/communicator.hpp"

#include "runtime/machine_found.hpp"
#include "runtime/nodes.hpp"
#include "runtime/process.hpp"

namespace tutti::runtime {

namespace {

constexpr std::size_t cache_bytes = std::size_t{16} << 20;

int delete_state(MPI_Comm, int, void* value, void*) {
  ++states_freed;
  auto* state = static_cast<Communicator*>(value);
  if (!is_finalizing()) state->free_objects();
  delete state;
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

Communicator* make_state(MPI_Comm comm) {
  int initialized = 0;
  PMPI_Initialized(&initialized);
  if (initialized == 0) return nullptr;
  start_process();
  auto* state = new Communicator(comm);
  state->reports = report_wanted();
  PMPI_Comm_set_attr(comm, keyval(), state);
  return state;
}

Communicator* find_or_make_state(MPI_Comm comm) {
  void* value = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm, keyval(), static_cast<void*>(&value), &found) != MPI_SUCCESS) {
    return nullptr;
  }
  return found != 0 ? static_cast<Communicator*>(value) : make_state(comm);
}

}  // namespace

std::atomic<std::uint64_t> states_freed{0};
constinit thread_local LastUsed last_used;

Communicator* find_state(MPI_Comm comm) {
  const std::uint64_t freed = states_freed.load(std::memory_order_acquire);
  Communicator* const state = find_or_make_state(comm);
  last_used = {comm, state, freed};
  return state;
}

Communicator::Communicator(MPI_Comm comm) : cache(cache_bytes) {
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  PMPI_Comm_size(comm, &p);
  PMPI_Comm_rank(comm, &rank);
  if (is_inter != 0 || p == 1) return;
  // Made from the group, so that no attribute of the user's is copied.
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_create(comm, group, &shadow);
  PMPI_Group_free(&group);
  if (shadow == MPI_COMM_NULL) return;
  PMPI_Comm_set_errhandler(shadow, MPI_ERRORS_RETURN);
  const std::vector<std::uint64_t> nodes = nodes_of_ranks(shadow);
  placement = placed_on(nodes);
  const Machine* known = known_machine();
  machine = known != nullptr ? *known : machine_found(shadow, nodes);
}

Communicator::~Communicator() = default;

void Communicator::free_objects() {
  forget_prepared();
  if (shadow != MPI_COMM_NULL) PMPI_Comm_free(&shadow);
}

void Communicator::forget_prepared() {
  cache.clear();
  last = {};
  passed_on_ = {};
  agrees_ = {};
  agreements_ = {};
}

bool Communicator::find_agrees(Collective collective) const {
  return !info(collective).sizes_known() && wants_agreement(*this, collective);
}

void Communicator::grow_scratch(std::size_t bytes) {
  scratch_.reset(new char[bytes]);
  scratch_size_ = bytes;
}

void Communicator::drop_scratch() {
  scratch_.reset();
  scratch_size_ = 0;
}

void Communicator::grow_slots(int count) {
  requests_.resize(static_cast<std::size_t>(count), MPI_REQUEST_NULL);
  statuses_.resize(static_cast<std::size_t>(count));
}

}  // namespace tutti::runtime
