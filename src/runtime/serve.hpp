// The path every collective call takes: find what was prepared for calls like it, and run it.
#pragma once

#include <mpi.h>

#include "runtime/arguments.hpp"
#include "runtime/communicator.hpp"

namespace tutti::runtime {

inline bool is_one_buffer(const Arguments& arguments) {
  return arguments.in.present && arguments.out.present &&
         arguments.in.address == arguments.out.address && arguments.in.address != MPI_BOTTOM;
}

inline bool has_input(const Arguments& arguments, int p) {
  if (arguments.in_blocks == nullptr) return arguments.in.count > 0;
  for (int i = 0; i < p && !arguments.in_blocks->counts.empty(); ++i) {
    if (arguments.in_blocks->counts[i] > 0) return true;
  }
  return false;
}

// Whether the library rejects a buffer that is both input and output: MPICH always, Open MPI in two
// collectives. Elsewhere it makes do with it, on one rank as well as on all.
inline bool is_aliased(const Arguments& arguments, [[maybe_unused]] int p) {
  if (!is_one_buffer(arguments)) return false;
#if defined MPICH
  return has_input(arguments, p);
#elif defined OPEN_MPI
  return arguments.in.count > 0 && (arguments.collective == Collective::allreduce ||
                                    arguments.collective == Collective::reduce);
#else
  return false;
#endif
}

inline bool has_ordinary_address(const Side& side) {
  return !side.present || (side.address != MPI_BOTTOM && side.address != MPI_IN_PLACE);
}

inline bool same_words(const Side& a, const Side& b) {
  return a.count == b.count && a.type == b.type && a.present == b.present;
}

// Whether a call says the same of its blocks as `words`, which were written down for one of the
// same collective.
bool have_blocks(const Blocks* in, const Blocks* out, int p, const Words& words);

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

  bool is_native() const { return algorithm == nullptr; }
};

// A call unlike the last one of its collective: everything about it has to be looked up.
Outcome look_up_and_serve(const Arguments& arguments, Communicator& state);
// A call like one for which this was prepared.
int run_again(const Arguments& arguments, const Prepared& prepared, Communicator& state);

// `arguments` says what this rank passed. It is asked twice: a call that goes to the native
// collective again, as many do, only compares, and has it in registers.
template <class Describe>
int serve(Describe arguments, Communicator& state, Native native) {
  const Arguments now = arguments();
  const Repeatable& last = state.last_of(now.collective);
  if (last.prepared == nullptr || !repeats(now, last, state.p)) {
    const Outcome outcome = look_up_and_serve(arguments(), state);
    if (!outcome.is_native()) return outcome.result;
    if (state.reports) return pass_on(arguments(), state.p, native);
    return outcome.again ? native.again(state) : native();
  }
  if (last.prepared->plan == nullptr) return native.again(state);
  return run_again(arguments(), *last.prepared, state);
}

// What is known about the datatypes of a side: of all blocks alike, or of each.
struct Facts {
  const Datatype* all = nullptr;
  const Datatype* const* each = nullptr;

  bool known() const { return all != nullptr || each != nullptr; }
  const Datatype& of(int block) const { return each != nullptr ? *each[block] : *all; }
};

// Of a reduction, which has one on each side that is there.
inline const Datatype* operand_of(const Facts& in, const Facts& out) {
  return out.all != nullptr ? out.all : in.all;
}

// Bytes of each of a side's blocks, appended.
void append_sizes(const Blocks& blocks, const Facts& facts, int p, Words& sizes);

// The slow way, once per shape of call: chooses, builds the schedule and lowers it; that of the
// algorithm's question if it has one and state.heard no answers.
std::unique_ptr<Prepared> prepare(const Arguments& arguments, Communicator& state, const Facts& in,
                                  const Facts& out, bool commutative);
// Bytes of the whole message, as selection and the report count them.
double message_bytes(const Arguments& arguments, const Communicator& state, const Facts& in,
                     const Facts& out);

}  // namespace tutti::runtime
