// The path every collective call takes: find what was prepared for calls like it, and run it.
#pragma once

#include <mpi.h>

#include "runtime/by.hpp"
#include "runtime/inspect.hpp"
#include "runtime/look_up.hpp"

namespace tutti::runtime {

inline bool has_ordinary_address(const Side& side) {
  return !side.present || (side.address != MPI_BOTTOM && side.address != MPI_IN_PLACE);
}

inline bool same_words(const Side& a, const Side& b) {
  return a.count == b.count && a.type == b.type && a.present == b.present;
}

// Whether the call is like one that was found to be in order, which then need not be asked again.
inline bool repeats(const Arguments& now, const Repeatable& last, int p) {
  const Arguments& before = last.arguments;
  const bool regular = now.in_blocks == nullptr && now.out_blocks == nullptr;
  return now.collective == before.collective && same_words(now.in, before.in) &&
         same_words(now.out, before.out) && now.op == before.op && now.root == before.root &&
         now.in_place == before.in_place && has_ordinary_address(now.in) &&
         has_ordinary_address(now.out) && !is_one_buffer(now) &&
         (regular || have_blocks(now.in_blocks, now.out_blocks, p, last.prepared->blocks));
}

// A native call, in the report.
int pass_on(const Arguments& arguments, int p, Native native);
// What became of a call: bytes of the whole message, and what MPI returns.
struct Outcome {
  const Algorithm* algorithm = nullptr;  // null: none, the native collective is to serve it
  double bytes = 0;
  int result = MPI_SUCCESS;
  bool again = false;  // and all calls that say the same
  By by = By::library;

  bool is_native() const { return algorithm == nullptr; }
};

// A call unlike the last one of its collective: everything about it has to be looked up. `number`
// is the call's, which all ranks give it.
Outcome look_up_and_serve(const Arguments& arguments, Communicator& state, unsigned number);
// A call like one for which this was prepared.
int run_again(const Arguments& arguments, const Prepared& prepared, Communicator& state,
              unsigned number);

// `arguments` says what this rank passed. It is asked twice: a call that goes to the native
// collective again, as many do, only compares, and has it in registers.
template <class Describe>
int serve(Describe arguments, Communicator& state, unsigned number, Native native) {
  const Arguments now = arguments();
  const Repeatable& last = state.last_of(now.collective);
  if (last.prepared == nullptr || !repeats(now, last, state.p)) {
    const Outcome outcome = look_up_and_serve(arguments(), state, number);
    if (!outcome.is_native()) return outcome.result;
    if (state.reports) return pass_on(arguments(), state.p, native);
    return outcome.again ? native.again(state) : native();
  }
  if (last.prepared->plan == nullptr) return native.again(state);
  return run_again(arguments(), *last.prepared, state, number);
}

}  // namespace tutti::runtime
