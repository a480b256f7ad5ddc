#include "algorithms/call.hpp"

#include <algorithm>
#include <cassert>

namespace tutti {

Layout Exchange::sent_by(Rank rank) const {
  std::vector<Units> sizes;
  sizes.reserve(static_cast<std::size_t>(p_));
  for (Rank r = 0; r < p_; ++r) sizes.push_back(size(rank, r));
  return Layout(sizes);
}

Layout Exchange::received_by(Rank rank) const {
  std::vector<Units> sizes;
  sizes.reserve(static_cast<std::size_t>(p_));
  for (Rank r = 0; r < p_; ++r) sizes.push_back(size(r, rank));
  return Layout(sizes);
}

const Placement* Call::order() const {
  constexpr double is_long = 65536;  // below, latency counts more than what a node's ranks share
  if (placement == nullptr || placement->in_blocks() || bytes() < is_long) return nullptr;
  return info(collective).ranks_alike() && commutative ? placement.get() : nullptr;
}

Rank Call::origin() const {
  if (!info(collective).rooted) return 0;
  return info(collective).reduces && !commutative ? 0 : root;
}

Buffer Call::input_buffer() const {
  // The root of a scatter in place keeps its block where it is: in the input.
  const bool in_output = collective == Collective::bcast ||
                         (in_place && info(collective).regular != Collective::scatter);
  return in_output ? Buffer::out : Buffer::in;
}

int Call::block_number(Rank v) const {
  const int wrapped = ((v % p) + p) % p;
  return info(collective).owns_blocks ? (wrapped + origin()) % p : wrapped;
}

// In place, what is sent lies where what is received will.
const Layout& Call::layout_of(Buffer buffer) const {
  return buffer == Buffer::in && sends ? *sends : layout;
}

Slice Call::block_in(Buffer buffer, Rank v) const {
  const int i = block_number(v);
  return {buffer, layout_of(buffer).offset(i), layout_of(buffer).size(i)};
}

Slices Call::blocks_in(Buffer buffer, Rank v, int count) const {
  assert(count >= 0 && count <= p);
  if (count == 0) return {};
  const int first = block_number(v);
  const int before_wrap = std::min(count, p - first);
  const Layout& blocks = layout_of(buffer);
  auto run = [&](int from, int number) {
    return Slice{buffer, blocks.offset(from), blocks.offset(from + number) - blocks.offset(from)};
  };
  if (before_wrap == count) return {run(first, count)};
  return {run(first, before_wrap), run(0, count - before_wrap)};
}

Units Call::blocks_size(Rank v, int count) const { return size_of(output_blocks(v, count)); }

Slices Call::operands(const Slices& places, Rank v, int count) const {
  if (!whole_operands || !info(collective).owns_blocks) return places;
  Slices result;
  auto place = places.begin();
  Units done = 0;  // of the place
  for (Rank block = v; block < v + count; ++block) {
    for (Units left = block_size(block); left > 0;) {
      const Units taken = std::min(left, place->size - done);
      if (taken > 0) result.push_back(part(*place, done, taken));
      left -= taken;
      done += taken;
      if (done < place->size) continue;
      ++place;
      done = 0;
    }
  }
  return result;
}

Slices Call::input_blocks(Rank v, int count) const { return blocks_in(input_buffer(), v, count); }
Slices Call::output_blocks(Rank v, int count) const { return blocks_in(Buffer::out, v, count); }

bool Call::has_output(Rank me) const {
  switch (info(collective).regular) {
    case Collective::gather:
    case Collective::reduce:
      return me == virtual_root();
    default:
      return true;
  }
}

Slice Call::input(Rank me) const {
  switch (info(collective).regular) {
    case Collective::gather:
    case Collective::allgather: {
      const Slice own = output_block(me);
      return in_place ? own : Slice{Buffer::in, 0, own.size};
    }
    case Collective::bcast:
    case Collective::scatter:
      return {input_buffer(), 0, me == virtual_root() ? n() : 0};
    default:
      return {input_buffer(), 0, layout_of(input_buffer()).total()};
  }
}

Slice Call::output(Rank me) const {
  switch (info(collective).regular) {
    case Collective::scatter:
      return in_place ? input_block(me) : Slice{Buffer::out, 0, block_size(me)};
    case Collective::reduce_scatter_block:
      return {Buffer::out, 0, block_size(me)};
    default:
      return {Buffer::out, 0, has_output(me) ? n() : 0};
  }
}

Units Call::input_units(Rank me) const {
  const Slice all = input(me);
  return all.buffer == Buffer::in ? all.end() : 0;
}

Units Call::output_units(Rank me) const {
  const Slice result = output(me);
  const Slice contribution = input(me);
  const Units written = result.buffer == Buffer::out ? result.end() : 0;
  const Units read = contribution.buffer == Buffer::out ? contribution.end() : 0;
  return std::max(written, read);
}

}  // namespace tutti
