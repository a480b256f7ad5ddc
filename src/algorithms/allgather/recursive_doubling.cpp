// Recursive doubling allgather (Thakur2005, 4.1.1), any p.
//
// Aligned groups of 2^k ranks that hold all blocks of their group exchange with the neighbouring
// group over doubling distances. Where p cuts the neighbour short, the ranks without a peer get its
// blocks from those with one, over halving distances inside the group.
#include "algorithms/registry.hpp"
#include "topology/binomial.hpp"

namespace tutti::catalog::allgather {

// The `cut` ranks that begin the group of `size` ranks at `first` have blocks that the others lack.
static void spread(const Call& call, Rank me, Rank first, int size, int cut, ScheduleBuilder& out) {
  const bool inside = me >= first && me < first + size;
  const Slices blocks = call.output_blocks(first + size, cut);
  for (int distance = size / 2; distance > 0; distance /= 2) {
    if (cut >= 2 * distance) continue;
    Round round = out.round();
    if (!inside) continue;
    const int place = (me - first) % (2 * distance);
    if (place < cut && place + distance >= cut && place < distance) {
      round.send(blocks, me + distance);
    } else if (place >= cut && place >= distance && place - distance < cut) {
      round.recv(blocks, me - distance);
    }
  }
}

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  out.copy(call.input(me), call.output_block(me));
  for (int size = 1; size < call.p; size *= 2) {
    const auto members = [&](Rank first) { return std::min(size, call.p - first); };
    const Rank first = me - me % size;
    const Rank peer = me ^ size;
    const Rank peer_first = first ^ size;
    Round round = out.round();
    if (peer < call.p) {
      round.send(call.output_blocks(first, members(first)), peer);
      round.recv(call.output_blocks(peer_first, members(peer_first)), peer);
    }
    const int cut = call.p % (2 * size) - size;
    if (cut > 0) spread(call, me, call.p - cut - size, size, cut, out);
  }
}

constexpr Algorithm recursive_doubling{
    .collective = Collective::allgather,
    .name = "recursive_doubling",
    .summary = "groups exchange all they hold over doubling distances",
    .source = "Thakur2005 4.1.1",
    .rounds = "ceil(lg(p)) + floor(lg(p)) - twos(p)",
    .cost =
        "(ceil(lg(p)) + floor(lg(p)) - twos(p))*alpha + "
        "(lg(p) == floor(lg(p)) ? 1 : 3)*(p-1)/p*n*beta",
    .within = 3,
    .write = write,
};

}  // namespace tutti::catalog::allgather
