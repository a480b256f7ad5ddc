#include "runtime/serve.hpp"

#include <cstring>

#include "runtime/executor.hpp"
#include "runtime/operators.hpp"
#include "runtime/process.hpp"
#include "runtime/transport.hpp"

namespace tutti::runtime {

namespace {

// What a library checks before it communicates. Anything odd is left to the native collective, so
// that its error is exactly the native one.
bool side_is_plausible(const Side& side) {
  return !side.present ||
         (side.count >= 0 && side.type != MPI_DATATYPE_NULL && side.address != MPI_IN_PLACE);
}

// MPICH rejects a buffer that is both input and output; other libraries make do with it. A root
// may be the only rank to do so, and must not leave the others alone.
bool is_aliased(const Arguments& arguments) {
#ifndef MPICH
  if (info(arguments.collective).rooted) return false;
#endif
  return arguments.in.present && arguments.out.present && arguments.in.count > 0 &&
         arguments.in.address != MPI_BOTTOM && arguments.in.address == arguments.out.address;
}

bool is_plausible(const Arguments& arguments, const Communicator& state) {
  if (!side_is_plausible(arguments.in) || !side_is_plausible(arguments.out)) return false;
  if (info(arguments.collective).reduces && arguments.op == MPI_OP_NULL) return false;
  if (is_aliased(arguments)) return false;
  if (!arguments.block_counts.empty()) {
    for (int i = 0; i < state.p; ++i) {
      if (arguments.block_counts[i] < 0) return false;
    }
  }
  return true;
}

// MPI_BOTTOM is null in C: then only a datatype with absolute addresses makes sense.
bool has_memory(const Side& side, const Datatype* type) {
  return !side.present || side.address != MPI_BOTTOM || !type->contiguous || side.count == 0;
}

std::uint64_t hash_of(const Counts& counts, int p) {
  std::uint64_t hash = 1;
  for (int i = 0; i < p; ++i) {
    hash = (hash ^ static_cast<std::uint64_t>(counts[i])) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

bool same_counts(const std::vector<Units>& sizes, const Counts& counts) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != counts[static_cast<int>(i)]) return false;
  }
  return true;
}

int run(const Arguments& arguments, const Prepared& prepared, bool commutative, char* scratch,
        const Addresses& addresses, Communicator& state) {
  const Plan& plan = *prepared.plan;
  const auto [in, out, unused] = addresses;
  MpiTransport transport(plan,
                         {in + plan.place(Buffer::in).shift, out + plan.place(Buffer::out).shift,
                          scratch + prepared.scratch_shift},
                         state.shadow, state.rank, arguments.op, commutative,
                         state.requests(plan.schedule().slots), state.next_tag_base());
  execute(plan.schedule(), transport);
  return transport.error();
}

// Packs what the user's buffers hold, runs, and unpacks the result.
int run_packed(const Arguments& arguments, const Prepared& prepared, char* scratch,
               Addresses addresses, Communicator& state) {
  const auto users = [](char* address, const Elements& lie) {
    return Elements{address, lie.count, lie.place};
  };
  const Elements in = users(addresses[0], prepared.staged_in);
  const Elements out = users(addresses[1], prepared.staged_out);
  const Elements packed_in{scratch + prepared.scratch_bytes, in.bytes(), {}};
  const Elements packed_out{packed_in.address + packed_in.count, out.bytes(), {}};
  const bool holds_message =
      arguments.collective == Collective::bcast && state.rank == arguments.root;
  int error = MPI_SUCCESS;
  const auto copy = [&](const Elements& from, const Elements& to) {
    if (from.count > 0 && error == MPI_SUCCESS) {
      error = copy_elements(from, to, state.shadow, state.rank);
    }
  };
  copy(in, packed_in);
  if (arguments.in_place || holds_message) copy(out, packed_out);
  if (in.count > 0) addresses[0] = packed_in.address;
  if (out.count > 0) addresses[1] = packed_out.address;
  const int result = run(arguments, prepared, true, scratch, addresses, state);
  if (error == MPI_SUCCESS) error = result;
  if (!holds_message) copy(packed_out, out);
  return error;
}

int run(const Arguments& arguments, const Prepared& prepared, bool commutative,
        Communicator& state) {
  const std::size_t memory = prepared.memory;
  char* const scratch = memory > 0 ? state.scratch(memory) : nullptr;
  const Addresses addresses{static_cast<char*>(arguments.in.address),
                            static_cast<char*>(arguments.out.address), nullptr};
  if (prepared.is_packed) return run_packed(arguments, prepared, scratch, addresses, state);
  return run(arguments, prepared, commutative, scratch, addresses, state);
}

// Runs what was prepared; an error goes to the communicator's handler.
int run_and_tidy(const Arguments& arguments, const Prepared& prepared, bool commutative,
                 Communicator& state) {
  const int result = run(arguments, prepared, commutative, state);
  state.release_scratch();
  if (result != MPI_SUCCESS) PMPI_Comm_call_errhandler(arguments.comm, result);
  return result;
}

int timed(const Arguments& arguments, std::string_view algorithm, double bytes, Native work) {
  const double start = PMPI_Wtime();
  const int result = work();
  count_call(arguments.collective, algorithm, bytes, PMPI_Wtime() - start);
  return result;
}

// Whether later calls with the same words mean the same, wherever their buffers are.
bool is_repeatable(const Arguments& arguments, const Datatype* in, const Datatype* out,
                   const Communicator& state) {
  return (in == nullptr || in->predefined) && (out == nullptr || out->predefined) &&
         (arguments.op == MPI_OP_NULL || is_predefined(arguments.op)) &&
         arguments.block_counts.empty() && !state.reports;
}

bool has_ordinary_address(const Side& side) {
  return !side.present || (side.address != MPI_BOTTOM && side.address != MPI_IN_PLACE);
}

bool same_words(const Side& a, const Side& b) {
  return a.count == b.count && a.type == b.type && a.present == b.present;
}

// Whether the call is like one that was found to be in order, which then need not be asked again.
bool repeats(const Arguments& now, const Arguments& before) {
  return now.collective == before.collective && same_words(now.in, before.in) &&
         same_words(now.out, before.out) && now.op == before.op && now.root == before.root &&
         now.in_place == before.in_place && now.block_counts.empty() &&
         has_ordinary_address(now.in) && has_ordinary_address(now.out) && !is_aliased(now);
}

// A call unlike the one before it: everything about it has to be looked up.
int look_up_and_serve(const Arguments& arguments, Communicator& state, Native native) {
  const auto by_native = [&](double bytes) {
    return state.reports ? timed(arguments, "native", bytes, native) : native();
  };
  if (state.is_native() || !is_plausible(arguments, state)) return by_native(0);

  const Datatype* in =
      arguments.in.present ? state.datatypes.find(arguments.in.type, state.shadow) : nullptr;
  const Datatype* out =
      arguments.out.present ? state.datatypes.find(arguments.out.type, state.shadow) : nullptr;
  if ((arguments.in.present && in == nullptr) || (arguments.out.present && out == nullptr) ||
      !has_memory(arguments.in, in) || !has_memory(arguments.out, out)) {
    return by_native(0);
  }

  const bool reduction = info(arguments.collective).reduces;
  int commutative = 1;
  if (reduction) PMPI_Op_commutative(arguments.op, &commutative);
  CallKey key{.collective = arguments.collective,
              .in_place = arguments.in_place,
              .commutative = commutative != 0,
              .in_at_bottom = arguments.in.address == MPI_BOTTOM,
              .out_at_bottom = arguments.out.address == MPI_BOTTOM,
              .root = arguments.root,
              .send_count = arguments.in.count,
              .recv_count = arguments.out.count,
              .send_type = in != nullptr ? in->serial : 0,
              .recv_type = out != nullptr ? out->serial : 0};
  if (reduction) std::memcpy(&key.op, &arguments.op, sizeof arguments.op);
  if (!arguments.block_counts.empty()) key.counts_hash = hash_of(arguments.block_counts, state.p);

  const Prepared* prepared = state.cache.find(key);
  if (prepared == nullptr || !same_counts(prepared->sizes, arguments.block_counts)) {
    state.last = {};
    prepared = state.cache.insert(key, prepare(arguments, state, in, out, commutative != 0));
  }
  if (prepared->plan == nullptr) {
    return by_native(state.reports ? message_bytes(arguments, state, in, out) : 0);
  }
  if (is_repeatable(arguments, in, out, state)) state.last = {arguments, prepared};

  const auto work = [&] { return run_and_tidy(arguments, *prepared, commutative != 0, state); };
  return state.reports ? timed(arguments, prepared->algorithm->name,
                               message_bytes(arguments, state, in, out), work)
                       : work();
}

}  // namespace

int serve(const Arguments& arguments, Communicator& state, Native native) {
  const Repeatable& last = state.last;
  if (last.prepared != nullptr && repeats(arguments, last.arguments)) {
    return run_and_tidy(arguments, *last.prepared, true, state);
  }
  return look_up_and_serve(arguments, state, native);
}

}  // namespace tutti::runtime
