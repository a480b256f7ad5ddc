#include "algorithms/halving.hpp"

namespace tutti::phase {

Slice Halving::value_of(const Parts& parts) const {
  const Units first = layout_.offset(parts.first);
  return part(value_, first - layout_.offset(held_.first),
              layout_.offset(parts.first + parts.count) - first);
}

Slice Halving::place_of(const Parts& parts) const {
  const Units first = layout_.offset(parts.first);
  return part(target_, first, layout_.offset(parts.first + parts.count) - first);
}

Slice Halving::keep_half(bool lower) {
  const Parts kept = lower ? held_.lower_half() : held_.upper_half();
  const Slice given = value_of(lower ? held_.upper_half() : held_.lower_half());
  value_ = value_of(kept);
  held_ = kept;
  return given;
}

void Halving::exchange_halves(Round round, Rank peer, bool is_lower) {
  round.send(keep_half(is_lower), peer);
  combine(round, peer, is_lower ? Received::right : Received::left);
}

void Halving::combine(Round round, Rank peer, Received side) {
  combine_from(round, peer, side, {value_}, {place_of(held_)}, out_);
  value_ = place_of(held_);
}

void Halving::collect(Round round, Rank peer, const Parts& parts) {
  round.recv(place_of(parts), peer);
  held_ = {std::min(held_.first, parts.first), held_.count + parts.count};
  value_ = place_of(held_);
}

void Halving::take_over(Round round, Rank peer, const Parts& parts) {
  round.recv(place_of(parts), peer);
  held_ = parts;
  value_ = place_of(held_);
}

void Halving::settle() {
  out_.copy(value_, place_of(held_));
  value_ = place_of(held_);
}

void Member::halve(Round round, int k, Halving& state) const {
  state.exchange_halves(round, peer(k), is_lower(k));
}

// The parts held by the peer of step k, which holds as many.
static Parts beside(const Parts& held, bool is_lower) {
  return {is_lower ? held.first + held.count : held.first - held.count, held.count};
}

void Member::double_up(Round round, int k, Halving& state) const {
  round.send(state.value(), peer(k));
  state.collect(round, peer(k), beside(state.held(), is_lower(k)));
}

bool Member::double_up_towards(int root, Round round, int k, Halving& state) const {
  const bool stays = ((number ^ root) >> k & 1) == 0;
  if (stays) {
    state.collect(round, peer(k), beside(state.held(), is_lower(k)));
  } else {
    round.send(state.value(), peer(k));
  }
  return stays;
}

Member HalvingCall::member() const {
  return {fold.index_of(me), [fold = fold](int number) { return fold.rank_of(number); }};
}

Halving HalvingCall::start(const Slice& target) const {
  const int parts = 1 << steps();
  return {Layout(call.n(), parts), parts, call.input(me), target, out};
}

void HalvingCall::fold_vectors(Halving& state) const {
  if (fold.pairs() == 0) return;
  Round round = out.round();
  const Rank partner = PairFold::partner(me);
  if (fold.is_folded(me)) round.send(state.value(), partner);
  if (fold.is_host(me)) {
    state.combine(round, partner, partner < me ? Received::left : Received::right);
  }
}

void HalvingCall::fold_halves(Halving& state) const {
  if (fold.pairs() == 0) return;
  Round first = out.round();
  Round second = out.round();
  if (!fold.is_paired(me)) return;
  const Rank partner = PairFold::partner(me);
  state.exchange_halves(first, partner, me < partner);
  if (fold.is_folded(me)) {
    second.send(state.value(), partner);
  } else {
    state.collect(second, partner, beside(state.held(), me < partner));
  }
}

void HalvingCall::reduce_scatter(Halving& state) const {
  for (int k = 0; k < steps(); ++k) {
    Round round = out.round();
    if (takes_part()) member().halve(round, k, state);
  }
}

void HalvingCall::allgather(Halving& state) const {
  for (int k = steps() - 1; k >= 0; --k) {
    Round round = out.round();
    if (takes_part()) member().double_up(round, k, state);
  }
  if (takes_part()) state.settle();
}

void HalvingCall::gather(Halving& state) const {
  const int root = fold.index_of(call.virtual_root());
  bool active = takes_part();
  for (int k = steps() - 1; k >= 0; --k) {
    Round round = out.round();
    if (active) active = member().double_up_towards(root, round, k, state);
  }
  if (call.has_output(me)) state.settle();
}

void HalvingCall::unfold() const {
  if (fold.pairs() == 0) return;
  Round round = out.round();
  const Rank partner = PairFold::partner(me);
  if (fold.is_host(me)) round.send(call.output(me), partner);
  if (fold.is_folded(me)) round.recv(call.output(me), partner);
}

}  // namespace tutti::phase
