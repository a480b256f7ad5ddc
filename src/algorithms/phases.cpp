#include "algorithms/phases.hpp"

#include <algorithm>
#include <cmath>

#include "topology/circulant.hpp"
#include "topology/circulant_blocks.hpp"
#include "topology/logarithm.hpp"

namespace tutti::phase {

bool in_one_buffer(const Slices& pieces) {
  return std::ranges::all_of(
      pieces, [&](const Slice& piece) { return piece.buffer == pieces.front().buffer; });
}

void blocks_down(const PostalTree& tree, Rank me, const BlocksAt& at, ScheduleBuilder& out) {
  blocks_down(tree, tree.place(me), me, at, out);
}

void blocks_down(const PostalTree& tree, const TreePlace& mine, Rank me, const BlocksAt& at,
                 ScheduleBuilder& out) {
  for (int k = 0; k < tree.rounds(); ++k) {
    Round round = out.round();
    if (k == mine.round) round.recv(at(me, mine.count), mine.parent);
    if (const auto* child = mine.child_in(k))
      round.send(at(child->rank, child->count), child->rank);
  }
}

void blocks_up(const PostalTree& tree, Rank me, const BlocksAt& at, ScheduleBuilder& out) {
  const TreePlace mine = tree.place(me);
  for (int k = tree.rounds() - 1; k >= 0; --k) {
    Round round = out.round();
    if (const auto* child = mine.child_in(k))
      round.recv(at(child->rank, child->count), child->rank);
    if (k == mine.round) round.send(at(me, mine.count), mine.parent);
  }
}

void scatter_tree(const PostalTree& tree, const Call& call, Rank me, ScheduleBuilder& out) {
  const TreePlace mine = tree.place(me);
  const bool root = me == call.virtual_root();
  const bool passes_on = !root && !mine.is_leaf();
  const Slice held = passes_on ? out.scratch(call.blocks_size(me, mine.count)) : Slice{};
  const auto at = [&](Rank v, int count) {
    if (root) return call.input_blocks(v, count);
    if (!passes_on) return Slices{call.output(me)};
    return Slices{among(held, call, me, v, count)};
  };
  blocks_down(tree, me, at, out);
  out.copy(at(me, 1), Slices{call.output(me)});
}

void gather_tree(const PostalTree& tree, const Call& call, Rank me, ScheduleBuilder& out) {
  const TreePlace mine = tree.place(me);
  const bool root = call.has_output(me);
  const bool passes_on = !root && !mine.is_leaf();
  const Slice held = passes_on ? out.scratch(call.blocks_size(me, mine.count)) : Slice{};
  const auto at = [&](Rank v, int count) {
    if (root) return call.output_blocks(v, count);
    if (!passes_on) return Slices{call.input(me)};
    return Slices{among(held, call, me, v, count)};
  };
  if (root || passes_on) out.copy(Slices{call.input(me)}, at(me, 1));
  blocks_up(tree, me, at, out);
}

void bcast_tree(const PostalTree& tree, const Call& call, Rank me, ScheduleBuilder& out) {
  const auto message = [&](Rank, int) { return Slices{{Buffer::out, 0, call.n()}}; };
  blocks_down(tree, me, message, out);
}

void reduce_tree(const PostalTree& tree, const Call& call, Rank me, ScheduleBuilder& out) {
  const bool uses_output = call.has_output(me) || tree.place(me).is_leaf();
  const Slice target = uses_output ? call.output(me) : out.scratch(call.n());
  const Slice result = vectors_up(tree, call, me, target, out);
  pass_to_root(call, me, result, out);
}

static void write_by_turns(const Call& call, Rank me, int parts, Write write,
                           ScheduleBuilder::Start start, ScheduleBuilder& out) {
  const bool segmented = call.parameter > 0;
  const int pieces = segmented ? call.parameter : parts;
  const int count = std::min(parts, pieces);
  if (count == 1) return write(call, me, out);
  const Layout piece(call.n(), pieces), share(pieces, count);
  std::vector<ScheduleBuilder::Part> written;
  for (int i = 0; i < count; ++i) {
    const Units begin = piece.offset(static_cast<int>(share.offset(i)));
    const Units end = piece.offset(static_cast<int>(share.offset(i + 1)));
    Call part = call;
    part.layout = Layout(end - begin, call.p);
    part.parameter = segmented ? static_cast<int>(share.size(i)) : 0;
    written.push_back({out.fresh(), begin});
    write(part, me, written.back().written);
  }
  out.pace(Pace::in_turn, count);
  out.by_turns(written, start);
}

void by_turns(const Call& call, Rank me, int parts, Write write, ScheduleBuilder& out) {
  write_by_turns(call, me, parts, write, ScheduleBuilder::Start::together, out);
}

void pipelines_by_turns(const Call& call, Rank me, Write write, ScheduleBuilder& out) {
  const int parts = std::min(static_cast<int>(std::floor(std::cbrt(call.parameter) + 0.5)), 6);
  by_turns(call, me, std::max(parts, 1), write, out);
}

void pipelines_apart(const Call& call, Rank me, Write write, ScheduleBuilder& out) {
  Call even = call;
  if (call.parameter > 1) even.parameter += call.parameter % 2;
  write_by_turns(even, me, 2, write, ScheduleBuilder::Start::apart, out);
}

// With `all_busy`, whoever has no segment to send yet sends a blank one.
static void write_bcast_circulant(const Call& call, Rank me, bool all_busy, ScheduleBuilder& out) {
  out.pace(Pace::in_turn, ceil_lg(call.p));  // until each neighbour has its turn again
  const CirculantBlocks blocks(call.p, me);
  const Layout segments(call.n(), call.parameter);
  const auto segment = [&](int i) {
    return Slice{Buffer::out, segments.offset(i), segments.size(i)};
  };
  const Units longest = all_busy ? segments.size(0) : 0;
  const Slice blank = out.blank(longest), unwanted = out.blank(longest);
  for (int t = 0; t < blocks.rounds(call.parameter); ++t) {
    const CirculantBlocks::Exchange exchange = blocks.exchange(t, call.parameter);
    Round round = out.round();
    if (exchange.sent || exchange.to != 0) {
      round.send(exchange.sent ? segment(*exchange.sent) : blank, exchange.to);
    }
    if (me != 0) {
      round.recv(exchange.received ? segment(*exchange.received) : unwanted, exchange.from);
    }
  }
}

void bcast_circulant(const Call& call, Rank me, ScheduleBuilder& out) {
  write_bcast_circulant(call, me, false, out);
}

void bcast_circulant_all_busy(const Call& call, Rank me, ScheduleBuilder& out) {
  write_bcast_circulant(call, me, true, out);
}

void reduce_circulant(const Call& call, Rank me, ScheduleBuilder& out) {
  const Slice own = call.input(me);
  const Slice sums = call.has_output(me) ? call.output(me) : out.scratch(call.n());
  if (call.p == 1) return out.copy(own, sums);
  out.pace(Pace::in_turn);  // a new sender in every round
  const CirculantBlocks blocks(call.p, me);
  const Layout segments(call.n(), call.parameter);
  const auto segment = [&](const Slice& whole, int i) {
    return part(whole, segments.offset(i), segments.size(i));
  };
  const Slice landings[] = {out.scratch(segments.size(0)), out.scratch(segments.size(0))};
  std::vector<Slice> values;
  values.reserve(static_cast<std::size_t>(call.parameter));
  for (int i = 0; i < call.parameter; ++i) values.push_back(segment(own, i));
  for (int t = blocks.rounds(call.parameter) - 1; t >= 0; --t) {
    const CirculantBlocks::Exchange exchange = blocks.exchange(t, call.parameter);
    Round round = out.round();
    if (exchange.received) round.send(values[*exchange.received], exchange.from);
    if (!exchange.sent) continue;
    Slice& value = values[*exchange.sent];
    const Slice sum = segment(sums, *exchange.sent);
    const Slice landing = value == sum ? part(landings[t % 2], 0, sum.size) : sum;
    round.recv(landing, exchange.to);
    out.reduce(value, landing, sum);
    value = sum;
  }
}

void pass_to_root(const Call& call, Rank me, const Slice& result, ScheduleBuilder& out) {
  const Rank root = call.virtual_root();
  if (root == 0) return;
  Round round = out.round();
  if (me == 0) round.send(result, root);
  if (me == root) round.recv(call.output(me), 0);
}

Collected collected(const Call& call, Rank me) {
  std::vector<Units> sizes;
  for (Rank v = 0; v < call.p; ++v) sizes.push_back(call.block_size(v));
  Collected result{merges_of(me, sizes), me, 1};
  for (const Merge& merge : result.merges) {
    if (merge.to != me) continue;
    result.first = std::min(result.first, merge.first);
    result.count += merge.count;
  }
  return result;
}

BlocksAt collected_at(const Call& call, Rank me, const Collected& mine, ScheduleBuilder& out) {
  const bool gathers = info(call.collective).regular == Collective::gather;
  if (me == call.virtual_root()) {
    return [&call, gathers](Rank v, int count) {
      return gathers ? call.output_blocks(v, count) : call.input_blocks(v, count);
    };
  }
  const Slice own = gathers ? call.input(me) : call.output(me);
  const Slice held = mine.count == 1 ? own : out.scratch(call.blocks_size(mine.first, mine.count));
  return [&call, held, first = mine.first](Rank v, int count) {
    return Slices{among(held, call, first, v, count)};
  };
}

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

void scatter_message(const Call& call, Rank me, ScheduleBuilder& out) {
  const auto at = [&](Rank v, int count) { return call.output_blocks(v, count); };
  blocks_down(tree_of(call), me, at, out);
}

int held_after_scatter(const Call& call, Rank v) { return tree_of(call).place(v).count; }

void scatter_linear(const Call& call, Rank me, const std::function<Slice(Rank v)>& at,
                    ScheduleBuilder& out) {
  for (int k = 1; k < call.p; ++k) {
    Round round = out.round();
    if (me == 0) round.send(at(k), k);
    if (me == k) round.recv(at(k), 0);
  }
}

Slice vectors_up(const PostalTree& tree, const Call& call, Rank me, const Slice& target,
                 ScheduleBuilder& out) {
  const TreePlace mine = tree.place(me);
  const int at_once = tree.radix() - 1;
  out.ahead(at_once);
  Running running(call, call.input(me), target, static_cast<int>(mine.children.size()), out,
                  at_once);
  for (int k = tree.rounds() - 1; k >= 0; --k) {
    Round round = out.round();
    if (const auto* child = mine.child_in(k)) running.receive_right(round, child->rank);
    if (k == mine.round) round.send(running.value(), mine.parent);
  }
  out.ahead(1);
  if (me == 0) running.settle();
  return running.value();
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
    combine_from(round, me - skip[k], Received::left, call.operands(current(me), me, count), into,
                 out);
    if (k == q - 1 && k > 0) {
      out.copy(call.input_blocks(me + reduced, unreduced), partial(me + reduced, unreduced));
    }
  }
}

void reduce_scatter_circulant_to(const Call& call, Rank me, const Slice& result,
                                 ScheduleBuilder& out) {
  const std::vector<int> skip = circulant_skips(call.p);
  const int kept = skip.size() < 3 ? 0 : skip[skip.size() - 2];
  const Slice partials = out.scratch(call.blocks_size(me, kept));
  const auto at = [&](Rank v, int count) { return Slices{among(partials, call, me, v, count)}; };
  reduce_scatter_circulant(call, me, at, result, out);
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

void allreduce_circulant(const Call& call, Rank me, ScheduleBuilder& out) {
  const auto at = [&](Rank v, int count) { return call.output_blocks(v, count); };
  reduce_scatter_circulant(call, me, at, call.output_block(me), out);
  allgather_circulant(call, me, out);
}

void combine_from(Round round, Rank peer, Received side, const Slices& own, const Slices& into,
                  ScheduleBuilder& out) {
  const bool apart = !overlap(own, into) && in_one_buffer(into);
  const Slices landing = apart ? into : Slices{out.scratch(size_of(own))};
  round.recv(landing, peer);
  if (side == Received::left) {
    out.reduce(landing, own, into);
  } else {
    out.reduce(own, landing, into);
  }
}

Running::Running(const Call& call, const Slice& value, const Slice& target, int combinations,
                 ScheduleBuilder& out, int at_once)
    : call_(call),
      out_(out),
      value_(value),
      target_(target),
      spares_(static_cast<std::size_t>(at_once) + 1),
      left_to_come_(combinations) {}

// The target and places in scratch by turns, the target last: while two operands are combined the
// next arrive. The value is in the way only before the first round of an in-place call.
Slice Running::landing() {
  const auto turn = static_cast<std::size_t>(--left_to_come_) % (spares_.size() + 1);
  if (turn == 0 && value_ != target_) return target_;
  Slice& spare = spares_[turn == 0 ? 0 : turn - 1];
  if (spare.size == 0) spare = out_.scratch(value_.size);
  return spare;
}

void Running::combine(const Slice& left, const Slice& right, const Slice& into) {
  out_.reduce(call_.operands(left), {right}, {into});
  value_ = into;
}

void Running::receive_left(Round& round, Rank peer) {
  const Slice received = landing();
  round.recv(received, peer);
  combine(received, value_, received);
}

void Running::receive_right(Round& round, Rank peer) {
  const Slice received = landing();
  round.recv(received, peer);
  combine(value_, received, received);
}

void Running::combine_right(const Slice& right) { combine(value_, right, landing()); }

void Running::settle() { out_.copy(value_, target_); }

HostedResult::HostedResult(const Call& call, const PairFold& fold, Rank me, ScheduleBuilder& out)
    : call_(call), fold_(fold), me_(me) {
  if (fold.is_host(me)) guest_ = out.scratch(call.block_size(me - 1));
}

Slices HostedResult::place() const {
  const Slice own = call_.output(me_);
  return fold_.is_host(me_) ? Slices{guest_, own} : Slices{own};
}

void HostedResult::hand_over(ScheduleBuilder& out) const {
  if (fold_.pairs() == 0) return;
  Round round = out.round();
  if (fold_.is_host(me_)) round.send(guest_, me_ - 1);
  if (fold_.is_folded(me_)) round.recv(call_.output(me_), me_ + 1);
}

}  // namespace tutti::phase
