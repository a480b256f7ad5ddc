#include "algorithms/phases.hpp"

#include <algorithm>

#include "topology/binomial.hpp"
#include "topology/circulant.hpp"

namespace tutti::phase {

static bool shares_memory(const Slices& some, const Slices& others) {
  return std::ranges::any_of(some, [&](const Slice& a) {
    return std::ranges::any_of(others, [&](const Slice& b) { return overlap(a, b); });
  });
}

void scatter_binomial(const Call& call, Rank me, const BlocksAt& at, ScheduleBuilder& out) {
  const BinomialTree tree{call.p};
  for (int k = ceil_lg(call.p) - 1; k >= 0; --k) {
    Round round = out.round();
    const Rank far = me + (1 << k);
    if (tree.is_parent(me, k)) round.send(at(far, tree.subtree(far)), far);
    if (tree.is_child(me, k)) round.recv(at(me, tree.subtree(me)), me - (1 << k));
  }
}

std::function<Slice(Rank v)> kept_input(const Call& call, ScheduleBuilder& out) {
  const Slice input = call.input(0);
  const Slice kept = call.p == 1 ? input : out.apart(input, {call.output(0)});
  out.copy(input, kept);
  return [&call, kept](Rank v) {
    const Slice block = call.output_block(v);
    return part(kept, block.offset, block.size);
  };
}

void allgather_ring(const Call& call, Rank me, ScheduleBuilder& out) {
  for (int k = 0; k < call.p - 1; ++k) {
    Round round = out.round();
    round.send(call.output_block(me - k), me + 1);
    round.recv(call.output_block(me - k - 1), me - 1);
  }
}

void reduce_scatter_circulant(const Call& call, Rank me, const BlocksAt& partial,
                              const Slice& result, ScheduleBuilder& out) {
  const std::vector<int> skip = circulant_skips(call.p);
  const int q = static_cast<int>(skip.size()) - 1;
  if (q == 0) return out.copy(call.input_blocks(me), {result});
  // The first round reads the input, and reduces every block that a later round reduces. With p
  // odd it leaves one block of the upper half as it is, to be sent with the others in the second.
  const int reduced = skip[q] - skip[q - 1];
  const int unreduced = skip[q - 1] - reduced;
  for (int k = q - 1; k >= 0; --k) {
    Round round = out.round();
    const int count = skip[k + 1] - skip[k];
    const auto current = [&](Rank v) {
      return k == q - 1 ? call.input_blocks(v, count) : partial(v, count);
    };
    round.send(current(me + skip[k]), me + skip[k]);
    const Slices into = k == 0 ? Slices{result} : partial(me, count);
    combine_from(round, me - skip[k], current(me), into, out);
    if (k == q - 1 && k > 0) {
      out.copy(call.input_blocks(me + reduced, unreduced), partial(me + reduced, unreduced));
    }
  }
}

void reduce_scatter_circulant_to_own(const Call& call, Rank me, ScheduleBuilder& out) {
  const std::vector<int> skip = circulant_skips(call.p);
  const int kept = skip.size() < 3 ? 0 : skip[skip.size() - 2];
  const Slice partials = out.scratch(call.blocks_size(me, kept));
  const auto at = [&](Rank v, int count) {
    return Slices{part(partials, call.blocks_size(me, v - me), call.blocks_size(v, count))};
  };
  reduce_scatter_circulant(call, me, at, call.output(me), out);
}

void allgather_circulant(const Call& call, Rank me, ScheduleBuilder& out) {
  const std::vector<int> skip = circulant_skips(call.p);
  for (std::size_t k = 0; k + 1 < skip.size(); ++k) {
    Round round = out.round();
    const int count = skip[k + 1] - skip[k];
    round.send(call.output_blocks(me, count), me - skip[k]);
    round.recv(call.output_blocks(me + skip[k], count), me + skip[k]);
  }
}

void combine_from(Round round, Rank peer, const Slices& own, const Slices& into,
                  ScheduleBuilder& out) {
  const Slices landing = shares_memory(own, into) ? Slices{out.scratch(size_of(own))} : into;
  round.recv(landing, peer);
  out.reduce(landing, own, into);
}

Running::Running(const Slice& value, const Slice& target, int combinations, ScheduleBuilder& out)
    : out_(out), value_(value), target_(target), left_to_come_(combinations) {}

// Alternates between target and scratch, so that the last one is the target; the value itself is
// in the way only before the first round of an in-place call.
Slice Running::landing() {
  const bool target_turn = --left_to_come_ % 2 == 0;
  if (target_turn && value_ != target_) return target_;
  for (Slice& spare : spare_) {
    if (spare.size == 0) spare = out_.scratch(value_.size);
    if (spare != value_) return spare;
  }
  return target_;
}

void Running::receive_left(Round& round, Rank peer) {
  const Slice received = landing();
  round.recv(received, peer);
  out_.reduce(received, value_, received);
  value_ = received;
}

void Running::receive_right(Round& round, Rank peer) {
  const Slice received = landing();
  round.recv(received, peer);
  out_.reduce(value_, received, received);
  value_ = received;
}

void Running::settle() { out_.copy(value_, target_); }

}  // namespace tutti::phase
