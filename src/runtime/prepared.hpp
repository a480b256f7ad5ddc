// What is prepared for the calls of one shape: what they do, as this rank does it.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <optional>

#include "algorithms/algorithm.hpp"
#include "runtime/facts.hpp"
#include "runtime/kernels.hpp"
#include "runtime/plan.hpp"

namespace tutti::runtime {

class Communicator;

// The datatypes of a call's input and output; null: none.
using TypesOfSides = std::array<const Datatype*, 2>;

// One of them, as something was prepared for it.
struct TypeUsed {
  std::uint64_t serial = 0;
  MPI_Datatype handle = MPI_DATATYPE_NULL;
};

// Nothing, if the native collective serves the call.
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

  // In one window.
  bool is_whole() const { return windows == 1 && last_plan == nullptr; }
  bool is_for(const TypesOfSides& now) const;
  // Makes it serve other datatypes of the same shape. False if it cannot. No call may be running
  // it.
  bool rename_types(const TypesOfSides& now);

  std::size_t bytes() const {
    const auto bytes_of = [](const auto& each) { return each ? each->bytes() : 0; };
    return sizeof(Prepared) + bytes_of(plan) + bytes_of(last_plan) + bytes_of(lead);
  }
};

// The slow way, once per shape of call: chooses, builds the schedule and lowers it; that of the
// algorithm's question if it has one and nothing was asked yet.
std::shared_ptr<Prepared> prepare(const Arguments& arguments, const CallFacts& facts,
                                  const Communicator& state);

// Bytes of the whole message, as selection and the report count them.
double message_bytes(const Arguments& arguments, const CallFacts& facts, const Communicator& state);

}  // namespace tutti::runtime
