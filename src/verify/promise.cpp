#include "verify/promise.hpp"

namespace tutti {

namespace {

Slice out_at(Units offset, Units size) { return {Buffer::out, offset, size}; }

// Where the contribution of `rank` lies; sizes and places as the standard has them.
Slice contribution(const Call& call, Rank rank) {
  const Layout& blocks = call.layout;
  const Buffer own = call.in_place ? Buffer::out : Buffer::in;
  switch (info(call.collective).regular) {
    case Collective::barrier:
      return {};
    case Collective::bcast:
      return out_at(0, rank == call.root ? call.n() : 0);
    case Collective::scatter:
      return {Buffer::in, 0, rank == call.root ? call.n() : 0};
    case Collective::gather:
    case Collective::allgather:
      return {own, call.in_place ? blocks.offset(rank) : 0, blocks.size(rank)};
    default:
      return {own, 0, call.sends && !call.in_place ? call.sends->total() : call.n()};
  }
}

Held product(const Call& call, Products& values, Rank first, Rank last) {
  return {out_at(0, call.n()), {{values.of_ranks(first, last), 0, call.n()}}};
}

std::vector<Held> all_blocks(const Call& call, Products& values) {
  std::vector<Held> result;
  for (Rank r = 0; r < call.p; ++r) {
    const Units size = call.layout.size(r);
    result.push_back({out_at(call.layout.offset(r), size), {{values.of_ranks(r, r), 0, size}}});
  }
  return result;
}

std::vector<Held> exchanged_blocks(const Call& call, Rank rank, Products& values) {
  std::vector<Held> result;
  for (Rank r = 0; r < call.p; ++r) {
    const Units sent_from =
        call.exchange ? call.exchange->sent_by(r).offset(rank) : call.layout.offset(rank);
    const Units size = call.layout.size(r);
    result.push_back(
        {out_at(call.layout.offset(r), size), {{values.of_ranks(r, r), sent_from, size}}});
  }
  return result;
}

}  // namespace

std::vector<Held> before(const Call& call, Rank rank, Products& values) {
  const Slice where = contribution(call, rank);
  return {{where, {{values.of_ranks(rank, rank), 0, where.size}}}};
}

std::vector<Held> after(const Call& call, Rank rank, Products& values) {
  const Rank last = call.p - 1;
  const Units offset = call.layout.offset(rank);
  const Units size = call.layout.size(rank);
  switch (info(call.collective).regular) {
    case Collective::barrier:
      return {};
    case Collective::bcast:
      return {product(call, values, call.root, call.root)};
    case Collective::gather:
      return rank == call.root ? all_blocks(call, values) : std::vector<Held>{};
    case Collective::scatter: {
      const bool stays = call.in_place && rank == call.root;
      if (stays) return {};
      return {{out_at(0, size), {{values.of_ranks(call.root, call.root), offset, size}}}};
    }
    case Collective::allgather:
      return all_blocks(call, values);
    case Collective::alltoall:
      return exchanged_blocks(call, rank, values);
    case Collective::reduce:
      return rank == call.root ? std::vector<Held>{product(call, values, 0, last)}
                               : std::vector<Held>{};
    case Collective::allreduce:
      return {product(call, values, 0, last)};
    case Collective::reduce_scatter_block:
      return {{out_at(0, size), {{values.of_ranks(0, last), offset, size}}}};
    case Collective::scan:
      return {product(call, values, 0, rank)};
    case Collective::exscan:
      return rank > 0 ? std::vector<Held>{product(call, values, 0, rank - 1)} : std::vector<Held>{};
    default:
      break;
  }
  return {};
}

}  // namespace tutti
