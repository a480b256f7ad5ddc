#include "algorithms/exchange_phases.hpp"

#include <algorithm>

namespace tutti::phase {

std::function<Slice(Rank v)> kept_input(const Call& call, Rank me, ScheduleBuilder& out) {
  const Slice input = call.input(me);
  const Slice kept = call.p == 1 ? input : out.apart(input, {call.output(me)});
  const auto at = [&call, kept](Rank v) {
    const Slice block = call.input_block(v);
    return part(kept, block.offset, block.size);
  };
  for (const Slice& others : call.input_blocks(me + 1, call.p - 1)) {
    out.copy(others, part(kept, others.offset, others.size));
  }
  return at;
}

void scatter_linear(const Call& call, Rank me, const std::function<Slice(Rank v)>& at,
                    ScheduleBuilder& out) {
  for (int k = 1; k < call.p; ++k) {
    Round round = out.round();
    if (me == 0) round.send(at(k), k);
    if (me == k) round.recv(at(k), 0);
  }
}

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

void allgather_recursive_doubling(const Call& call, Rank me, ScheduleBuilder& out,
                                  BlocksHeld held) {
  for (int size = 1; size < call.p; size *= 2) {
    const auto members = [&](Rank first) { return std::min(size, call.p - first); };
    const Rank first = me - me % size;
    const Rank peer = me ^ size;
    const Rank peer_first = first ^ size;
    const auto lacks = [&](Rank v, Rank from) { return from < v || from >= v + held(call, v); };
    Round round = out.round();
    if (peer < call.p) {
      if (lacks(peer, first)) round.send(call.output_blocks(first, members(first)), peer);
      if (lacks(me, peer_first)) {
        round.recv(call.output_blocks(peer_first, members(peer_first)), peer);
      }
    }
    const int cut = call.p % (2 * size) - size;
    if (cut > 0) spread(call, me, call.p - cut - size, size, cut, out);
  }
}

void allgather_pairwise(const Call& call, Rank me, ScheduleBuilder& out) {
  for (int k = 1; k < call.p; ++k) {
    Round round = out.round();
    round.send(call.output_block(me), me + k);
    round.recv(call.output_block(me - k), me - k);
  }
}

// The blocks of lower ranks arrive nearest first, and so do those of higher ranks, from the last:
// each of the two runs is combined on its own where the order counts. What has come is combined
// when the messages of the rounds after it, as many as are under way together, have been started.
void reduce_scatter_pairwise(const Call& call, Rank me, const Slice& result, ScheduleBuilder& out,
                             int window) {
  const int others = call.p - 1;
  const int lower = call.commutative ? others : me;
  const bool has_higher = lower < others;
  std::vector<Slice> spares(static_cast<std::size_t>(std::min(window + 1, others)));
  for (Slice& each : spares) each = out.scratch(result.size);
  const Slice higher = has_higher ? out.scratch(result.size) : Slice{};
  const auto landing = [&](int k) {
    return k == lower + 1 ? higher : spares[static_cast<std::size_t>(k) % spares.size()];
  };
  Slice sum = call.input_block(me);
  const auto combine = [&](int k) {
    if (k <= lower) {
      out.reduce(landing(k), sum, result);
      sum = result;
    } else if (k > lower + 1) {
      out.reduce(landing(k), higher, higher);
    }
  };
  for (int k = 1; k < others + window; ++k) {
    if (k <= others) {
      Round round = out.round();
      round.send(call.input_block(me + k), me + k);
      round.recv(landing(k), me - k);
    }
    if (const int come = k - window + 1; come >= 1) combine(come);
  }
  if (has_higher) {
    out.reduce(sum, higher, result);
  } else {
    out.copy(sum, result);
  }
}

}  // namespace tutti::phase
