#include "runtime/serve.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "runtime/devices.hpp"
#include "runtime/operation.hpp"
#include "runtime/operators.hpp"
#include "runtime/own_block.hpp"
#include "runtime/process.hpp"

namespace tutti::runtime {

namespace {

// Whether later calls with the same handles mean the same.
bool has_lasting_handles(const Arguments& arguments, const CallFacts& facts) {
  const auto is_plain = [](const Facts& side) {
    return side.each == nullptr && (side.all == nullptr || side.all->predefined);
  };
  return is_plain(facts.in) && is_plain(facts.out) &&
         (arguments.op == MPI_OP_NULL || is_predefined(arguments.op));
}

// Whether it matters where the call's buffers are.
bool may_be_on_device(const Arguments& arguments, const Communicator& state) {
  return state.near_devices && arguments.collective != Collective::barrier;
}

// Whether later calls with the same words mean the same, wherever their buffers are: ranks need not
// tell each other anything, and a layout that recurs goes on to.
bool is_repeatable(const Arguments& arguments, const CallFacts& facts, const Communicator& state) {
  return has_lasting_handles(arguments, facts) && facts.heard.agreed == 0 && !facts.heard.asked &&
         !may_be_on_device(arguments, state) &&
         (facts.recurs || !may_recur(arguments.collective)) && !state.reports;
}

// What later calls are compared with: the caller's arrays are in `prepared`, as words.
Repeatable repeatable(Arguments arguments, std::shared_ptr<const Prepared> prepared) {
  arguments.in_blocks = arguments.out_blocks = nullptr;
  return {arguments, std::move(prepared)};
}

// The root of a gather or scatter that the native library rejects tells so, where others wait for
// it to tell sizes: they go to the native library too, which need not wait for it.
void tell_of_error(const Arguments& arguments, Communicator& state, unsigned number) {
  const CollectiveInfo& about = info(arguments.collective);
  const bool root_tells = about.rooted && about.irregular() && state.rank == arguments.root;
  if (root_tells && state.agrees(arguments.collective)) {
    Operation::reject(arguments, state, number);
  }
}

// What is known of calls like this one, by what all ranks know of it: inside a node its size, as a
// short call takes less than a new schedule; between nodes about its size. Null where ranks know no
// size, or are to serve what comes for the first time. `shape` is overwritten.
RecurringCalls::Shape* meet(const Arguments& arguments, const CallFacts& facts, Communicator& state,
                            Words& shape) {
  const CollectiveInfo& about = info(arguments.collective);
  if (native_first() == 0 || state.selector != nullptr || !about.sizes_known()) return nullptr;
  const auto as_known = [&](auto bytes) {
    const auto whole = static_cast<std::uint64_t>(bytes);
    return static_cast<std::int64_t>(state.is_on_one_node() ? whole : std::bit_width(whole));
  };
  shape.clear();
  if (about.irregular()) {
    append_sizes(about.reduces ? *arguments.in_blocks : *arguments.out_blocks, facts.out, state.p,
                 shape);
  }
  if (about.irregular() && !state.is_on_one_node()) {
    const std::int64_t total = std::reduce(shape.begin(), shape.end());
    shape = {as_known(total), as_known(*std::ranges::max_element(shape))};
  }
  if (!about.irregular()) shape.push_back(as_known(message_bytes(arguments, facts, state)));
  const bool exchanged_in_place = about.regular == Collective::alltoall && arguments.in_place;
  const bool predefined = !about.reduces || is_predefined(arguments.op);
  const bool exact = !about.reduces || is_exact(arguments.op, *operand_of(facts.in, facts.out));
  for (const int each :
       {static_cast<int>(arguments.collective), arguments.root, facts.commutative ? 1 : 0,
        predefined ? 1 : 0, exact ? 1 : 0, exchanged_in_place ? 1 : 0}) {
    shape.push_back(each);
  }
  const std::uint64_t hash = hash_of(shape);
  if (state.shapes.is_full_without(hash)) state.forget_shapes();
  return &state.shapes.meet(hash);
}

// A call that nothing is wrong with.
Outcome serve_known(const Arguments& arguments, Borrowed workspace, Communicator& state,
                    unsigned number) {
  CallFacts& facts = workspace->facts;
  const double bytes = state.reports ? message_bytes(arguments, facts, state) : 0;
  int commutes = 1;
  if (info(arguments.collective).reduces) PMPI_Op_commutative(arguments.op, &commutes);
  facts.commutative = commutes != 0;
  RecurringCalls::Shape* const shape = meet(arguments, facts, state, workspace->numbers);
  if (shape != nullptr && shape->is_native) {
    return {.again = has_lasting_handles(arguments, facts)};
  }
  if (shape != nullptr && !shape->came_before) return {};
  if (state.is_native_for_all_sizes(arguments.collective, arguments.in_place)) {
    // If the other kind of calls is too, nothing is asked of any from now on.
    state.is_native_for_all_sizes(arguments.collective, !arguments.in_place);
    return {};
  }
  if (may_be_on_device(arguments, state)) {
    const bool is_short = message_bytes(arguments, facts, state) < least_bytes_asked;
    if (is_short) return {.again = has_lasting_handles(arguments, facts)};
    if (any_on_device(arguments, facts, state)) return {};
  }
  Operation operation(arguments, std::move(workspace), state, number);
  const int result = operation.finish();
  const std::shared_ptr<const Prepared>& prepared = operation.prepared();
  if (prepared == nullptr) return {};
  if (is_repeatable(arguments, operation.facts(), state)) {
    state.last_of(arguments.collective) = repeatable(arguments, prepared);
  }
  if (shape != nullptr && state.is_on_one_node()) shape->is_native = prepared->native_chosen;
  if (operation.is_native()) return {};
  return {prepared->algorithm, bytes, result, false, prepared->plan->by()};
}

// A call whose sides on this rank are not alike.
Outcome serve_differing(const Arguments& passed, Borrowed workspace, Communicator& state,
                        unsigned number) {
  Arguments arguments = passed;
  OwnBlock own(arguments, workspace->facts, state);
  Outcome outcome = serve_known(arguments, std::move(workspace), state, number);
  if (outcome.is_native()) return outcome;
  const int error = own.finish();
  if (error != MPI_SUCCESS && outcome.result == MPI_SUCCESS) {
    PMPI_Comm_call_errhandler(passed.comm, error);
    outcome.result = error;
  }
  return outcome;
}

Outcome serve_new(const Arguments& arguments, Communicator& state, unsigned number) {
  Borrowed workspace(state.workspaces);
  workspace->facts.clear();
  if (!looks_right(arguments, state, *workspace)) {
    tell_of_error(arguments, state, number);
    return {};
  }
  const bool differs = differs_from_itself(arguments, workspace->facts, state.rank);
  return (differs ? serve_differing : serve_known)(arguments, std::move(workspace), state, number);
}

}  // namespace

int pass_on(const Arguments& arguments, int p, Native native) {
  const double start = PMPI_Wtime();
  const int result = native();
  count_call(arguments.collective, p, "native", By::library, bytes_passed(arguments, p),
             PMPI_Wtime() - start);
  return result;
}

Outcome look_up_and_serve(const Arguments& arguments, Communicator& state, unsigned number) {
  const double start = state.reports ? PMPI_Wtime() : 0;
  const Outcome outcome = serve_new(arguments, state, number);
  if (state.reports && !outcome.is_native()) {
    count_call(arguments.collective, state.p, outcome.algorithm->name, outcome.by, outcome.bytes,
               PMPI_Wtime() - start);
  }
  return outcome;
}

int run_again(const Arguments& arguments, const Prepared& prepared, Communicator& state,
              unsigned number) {
  return Operation(arguments, prepared, state, number).finish();
}

}  // namespace tutti::runtime
