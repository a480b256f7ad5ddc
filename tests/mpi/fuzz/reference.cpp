#include "reference.hpp"

#include <algorithm>

namespace tutti::fuzz {

namespace {

struct Block {
  char* address;
  int count;
  MPI_Datatype type;
};

Block block_of(const Argument& argument, Form form, int block) {
  const auto i = static_cast<std::size_t>(block);
  char* const start = static_cast<char*>(argument.address);
  if (form == Form::typed) {
    return {start + argument.displacements[i], argument.counts[i], argument.types[i]};
  }
  MPI_Aint lower_bound;
  MPI_Aint extent;
  PMPI_Type_get_extent(argument.type, &lower_bound, &extent);
  if (form == Form::one) return {start, argument.count, argument.type};
  const bool varied = form == Form::varied;
  const MPI_Aint at = varied ? argument.displacements[i] : MPI_Aint{block} * argument.count;
  return {start + at * extent, varied ? argument.counts[i] : argument.count, argument.type};
}

// What travels from rank to rank, whatever the collective.
bool sends(const Call& call, int from, int to) {
  switch (call.collective) {
    case Collective::bcast:
      return from == call.root && to != from;
    case Collective::scatter:
    case Collective::scatterv:
      return from == call.root;
    case Collective::gather:
    case Collective::gatherv:
      return to == call.root;
    default:
      return true;
  }
}

// The block of `source` that `rank` sends to `peer`.
Block sent_block(const Call& call, int rank, int peer, const Argument& source) {
  if (call.collective == Collective::bcast) return block_of(source, Form::one, 0);
  if (!call.is_in_place(Direction::send, rank)) {
    return block_of(source, call.form(Direction::send), peer);
  }
  const bool one = call.form(Direction::send) == Form::one;
  return block_of(source, call.form(Direction::receive), one ? rank : peer);
}

}  // namespace

int move_by_messages(const Call& call, int rank, const Argument& source, const Argument& receive,
                     MPI_Comm comm) {
  constexpr int tag = 7;
  std::vector<MPI_Request> requests;
  int error = MPI_SUCCESS;
  const auto note = [&error](int code) { error = error == MPI_SUCCESS ? code : error; };
  const bool in_place =
      call.is_in_place(Direction::send, rank) || call.is_in_place(Direction::receive, rank);
  for (int peer = 0; peer < call.p; ++peer) {
    if (in_place && peer == rank) continue;  // is where it belongs
    if (sends(call, peer, rank)) {
      const Block block = block_of(receive, call.form(Direction::receive), peer);
      requests.emplace_back();
      note(PMPI_Irecv(block.address, block.count, block.type, peer, tag, comm, &requests.back()));
    }
    if (sends(call, rank, peer)) {
      const Block block = sent_block(call, rank, peer, source);
      requests.emplace_back();
      note(PMPI_Isend(block.address, block.count, block.type, peer, tag, comm, &requests.back()));
    }
  }
  note(PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  return error;
}

void reduce_in_order(const Call& call, int last, long first, long count, const Operand& operand,
                     MPI_Op op, std::byte* address) {
  const long whole = call.contributed(0);
  const Layout layout = lay_out(operand.type, whole);
  Random random(call.values);
  Buffer result(layout, random);
  fill_operands(result.address(), whole, operand, call.reduction, call.values, last);
  for (int rank = last - 1; rank >= 0; --rank) {
    Buffer left(layout, random);
    fill_operands(left.address(), whole, operand, call.reduction, call.values, rank);
    PMPI_Reduce_local(left.address(), result.address(), static_cast<int>(whole), operand.type, op);
  }
  const MPI_Aint extent = extent_of(call.reduction);
  for (long i = 0; i < count; ++i) {
    for (const Leaf& leaf : operand.leaves) {
      const std::byte* const from = result.address() + (first + i) * extent + leaf.offset;
      std::copy(from, from + size_of(leaf.kind), address + i * extent + leaf.offset);
    }
  }
}

}  // namespace tutti::fuzz
