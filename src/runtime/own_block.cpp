#include "runtime/own_block.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

#include "runtime/inspect.hpp"
#include "runtime/ways.hpp"

namespace tutti::runtime {

namespace {

// The block of a side that this rank sends itself, or gets from itself.
struct Block {
  Count count;
  MPI_Aint offset;  // bytes, from the side's address
  std::int64_t bytes;
};

Block block_of(const Side& side, const Blocks* blocks, const Facts& facts, bool one_per_rank,
               int rank) {
  if (blocks == nullptr) {
    const MPI_Aint first = one_per_rank ? rank * side.count * facts.all->extent : 0;
    return {side.count, first, side.count * facts.all->size};
  }
  const Datatype& type = facts.of(rank);
  const Count count = blocks->counts[rank];
  const MPI_Aint unit = blocks->types != nullptr ? 1 : type.extent;
  const MPI_Aint offset = count > 0 ? blocks->displacements[rank] * unit : 0;
  return {count, offset, count * type.size};
}

bool is_gathered(Collective collective) {
  const Collective regular = info(collective).regular;
  return regular == Collective::gather || regular == Collective::allgather;
}

// Of the input a gather has one block, of the output a scatter.
Block sent(const Arguments& arguments, const Facts& in, int rank) {
  return block_of(arguments.in, arguments.in_blocks, in, !is_gathered(arguments.collective), rank);
}
Block received(const Arguments& arguments, const Facts& out, int rank) {
  const bool is_scatter = info(arguments.collective).regular == Collective::scatter;
  return block_of(arguments.out, arguments.out_blocks, out, !is_scatter, rank);
}

Elements elements(const Side& side, const Facts& facts, const Block& block, int rank) {
  Elements all{static_cast<char*>(side.address) + block.offset, block.count, {}};
  all.place.type = facts.of(rank).handle;
  return all;
}

// Open MPI rejects an all-to-all that would leave a part of its own block as it was.
bool is_rejected(std::int64_t sent, std::int64_t received, [[maybe_unused]] bool is_exchange) {
#ifdef TUTTI_WAYS_OF_OPENMPI
  if (is_exchange) return sent != received;
#endif
  return sent > received;
}

int as_int(Count count) { return static_cast<int>(std::min<Count>(count, INT_MAX)); }

}  // namespace

bool differs_from_itself(const Arguments& arguments, const CallFacts& facts, int rank) {
  if (!arguments.in.present || !arguments.out.present || info(arguments.collective).reduces) {
    return false;
  }
  return sent(arguments, facts.in, rank).bytes != received(arguments, facts.out, rank).bytes ||
         is_one_buffer(arguments);
}

OwnBlock::OwnBlock(Arguments& arguments, CallFacts& facts, Communicator& state) : state_(state) {
  const Block own = sent(arguments, facts.in, state.rank);
  const Block there = received(arguments, facts.out, state.rank);
  from_ = elements(arguments.in, facts.in, own, state.rank);
  to_ = elements(arguments.out, facts.out, there, state.rank);
  const Collective regular = info(arguments.collective).regular;
  if (is_rejected(own.bytes, there.bytes, regular == Collective::alltoall)) {
    error_ = MPI_ERR_TRUNCATE;
  }
  if (arguments.collective == Collective::alltoall) {
    pack_input(arguments, facts);
    return;
  }
  if (regular == Collective::alltoall) return;  // its schedule copies what fits
  arguments.in_place = true;
  if (regular == Collective::scatter) {  // the output may be where other blocks still are
    waits_ = true;
    arguments.out = {};
    facts.out = {};
    return;
  }
  copy();
  arguments.in = {};
  facts.in = {};
}

int OwnBlock::finish() {
  if (waits_) copy();
  return error_;
}

// As a message: its end is where the shorter side ends.
void OwnBlock::copy() {
  const int result = PMPI_Sendrecv(from_.address, as_int(from_.count), from_.place.type,
                                   state_.rank, 0, to_.address, as_int(to_.count), to_.place.type,
                                   state_.rank, 0, state_.shadow, MPI_STATUS_IGNORE);
  if (error_ == MPI_SUCCESS) error_ = result;
}

void OwnBlock::pack_input(Arguments& arguments, CallFacts& facts) {
  const auto p = static_cast<std::size_t>(state_.p);
  const auto from = static_cast<std::size_t>(arguments.in.count * facts.in.all->size);
  const auto to = static_cast<std::size_t>(arguments.out.count * facts.out.all->size);
  const std::unique_ptr<char[]> blocks(new char[p * from]);
  packed_.reset(new char[p * to]());
  int position = 0;
  PMPI_Pack(arguments.in.address, as_int(arguments.in.count * state_.p), arguments.in.type,
            blocks.get(), as_int(static_cast<Count>(p * from)), &position, state_.shadow);
  for (std::size_t i = 0; i < p; ++i) {
    std::memcpy(packed_.get() + i * to, blocks.get() + i * from, std::min(from, to));
  }
  arguments.in = {packed_.get(), static_cast<Count>(to), MPI_BYTE, true};
  facts.in = {.all = state_.datatypes.find(MPI_BYTE, state_.shadow)};
}

}  // namespace tutti::runtime
