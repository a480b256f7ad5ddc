#include "runtime/run.hpp"

#include <algorithm>
#include <optional>

#include "runtime/executor.hpp"
#include "runtime/transport.hpp"

namespace tutti::runtime {

namespace {

int run(const Arguments& arguments, const Plan& plan, const Prepared& prepared,
        const Addresses& addresses, Communicator& state) {
  const Slots slots = state.slots(plan.schedule().slots);
  const Begun begun = state.begun ? *state.begun : Begun{state.next_tag_base()};
  state.begun.reset();
  std::copy_n(state.early.begin(), begun.steps, slots.requests);
  std::optional<Watch> watch;
  if (arguments.collective == Collective::bcast && state.length_tags.exist()) {
    watch.emplace(state.shadow, state.rank, state.p, state.length_tags.of_call(state.call_number()),
                  prepared.length_tag);
  }
  MpiTransport transport(plan, addresses, state.shadow, state.rank, arguments.op, prepared.kernel,
                         slots, begun.tag_base | (watch ? watch->tag_bits() : 0),
                         watch ? &*watch : nullptr);
  execute(plan.schedule(), transport, begun.steps);
  return transport.error();
}

int run(const Arguments& arguments, const Prepared& prepared, char* scratch,
        const Addresses& buffers, Communicator& state) {
  Addresses window{buffers[0], buffers[1], scratch + prepared.scratch_shift};
  int result = run(arguments, *prepared.plan, prepared, window, state);
  const auto go_on = [&](const Plan& plan) {
    window[0] += prepared.window_span[0];
    window[1] += prepared.window_span[1];
    const int error = run(arguments, plan, prepared, window, state);
    if (result == MPI_SUCCESS) result = error;
  };
  for (Units i = 1; i < prepared.windows; ++i) go_on(*prepared.plan);
  if (prepared.last_plan) go_on(*prepared.last_plan);
  return result;
}

// Copies areas of the user's memory to or from packed bytes, one after the other.
class Staging {
 public:
  Staging(MPI_Comm shadow, int rank, char* packed) : shadow_(shadow), rank_(rank), at_(packed) {}

  void pack(const Areas& areas, char* users) {
    copy(areas, users,
         [](const Elements& user, const Elements& packed) { return std::pair(user, packed); });
  }
  void unpack(const Areas& areas, char* users) {
    copy(areas, users,
         [](const Elements& user, const Elements& packed) { return std::pair(packed, user); });
  }
  char* position() const { return at_; }
  int error() const { return error_; }

 private:
  template <class Direct>
  void copy(const Areas& areas, char* users, Direct direct) {
    for (const Area& area : areas) {
      const Elements user{users + area.offset, area.elements(), area.place};
      const auto [from, to] = direct(user, Elements{at_, area.units, {}});
      if (error_ == MPI_SUCCESS) error_ = copy_elements(from, to, shadow_, rank_);
      at_ += area.units;
    }
  }

  MPI_Comm shadow_;
  int rank_;
  char* at_;
  int error_ = MPI_SUCCESS;
};

// Packs what the user's buffers hold, runs, and unpacks the result.
int run_packed(const Arguments& arguments, const Prepared& prepared, char* scratch,
               Addresses addresses, Communicator& state) {
  const auto [users_in, users_out, unused] = addresses;
  const bool holds_message =
      arguments.collective == Collective::bcast && state.rank == arguments.root;
  Staging before(state.shadow, state.rank, scratch + prepared.scratch_bytes);
  if (!prepared.staged_in.empty()) addresses[0] = before.position();
  before.pack(prepared.staged_in, users_in);
  char* const packed_out = before.position();
  if (!prepared.staged_out.empty()) addresses[1] = packed_out;
  if (arguments.in_place || holds_message) before.pack(prepared.staged_out, users_out);
  const int result = run(arguments, prepared, scratch, addresses, state);
  Staging after(state.shadow, state.rank, packed_out);
  if (!holds_message) after.unpack(prepared.staged_out, users_out);
  for (int error : {before.error(), result, after.error()}) {
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace

Begun begin(const Arguments& arguments, const Prepared& question, Communicator& state, int& error) {
  Begun begun{state.next_tag_base()};
  if (question.lead == nullptr) return begun;
  const Schedule& lead = question.lead->schedule();
  begun.steps = static_cast<std::uint32_t>(lead.steps.size());
  state.early.assign(lead.steps.size(), MPI_REQUEST_NULL);
  const Addresses addresses{static_cast<char*>(arguments.in.address),
                            static_cast<char*>(arguments.out.address), nullptr};
  MpiTransport transport(*question.lead, addresses, state.shadow, state.rank, MPI_OP_NULL, nullptr,
                         {state.early.data(), nullptr}, begun.tag_base);
  issue(lead, transport);
  error = transport.error();
  return begun;
}

int run(const Arguments& arguments, const Prepared& prepared, Communicator& state) {
  const std::size_t memory = prepared.memory;
  char* const scratch = memory > 0 ? state.scratch(memory) : nullptr;
  const Addresses addresses{static_cast<char*>(arguments.in.address),
                            static_cast<char*>(arguments.out.address), nullptr};
  if (prepared.is_packed) return run_packed(arguments, prepared, scratch, addresses, state);
  return run(arguments, prepared, scratch, addresses, state);
}

int run_and_tidy(const Arguments& arguments, const Prepared& prepared, int before,
                 Communicator& state) {
  int result = run(arguments, prepared, state);
  if (before != MPI_SUCCESS) result = before;
  state.release_scratch();
  if (result != MPI_SUCCESS) PMPI_Comm_call_errhandler(arguments.comm, result);
  return result;
}

}  // namespace tutti::runtime
