#include "algorithms/binary_blocks.hpp"

namespace tutti::phase {

namespace {

std::vector<Round> rounds(int count, ScheduleBuilder& out) {
  std::vector<Round> result;
  result.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) result.push_back(out.round());
  return result;
}

}  // namespace

BlocksCall::BlocksCall(const Call& call, Rank me, ScheduleBuilder& out)
    : call_(call),
      me_(me),
      out_(out),
      blocks_(call.p),
      mine_(blocks_.number_of(me)),
      number_(me - block().first) {}

Halving BlocksCall::start(const Slice& target) const {
  return {Layout(call_.n(), largest()), largest(), call_.input(me_), target, out_};
}

Member BlocksCall::member(Rank first) const {
  return {number_, [first](int number) { return first + number; }};
}

Parts BlocksCall::parts_of(int size, int number) const {
  Parts parts{0, largest()};
  for (int k = 0; (1 << k) < size; ++k) {
    parts = (number >> k & 1) == 0 ? parts.lower_half() : parts.upper_half();
  }
  return parts;
}

void BlocksCall::reduce(Halving& state) {
  std::vector<Round> round = rounds(blocks_.reduction_rounds(), out_);
  const auto at = [&](int i) { return round[static_cast<std::size_t>(i)]; };
  for (int k = 0; k < block().halved; ++k) member(block().first).halve(at(k), k, state);
  if (!blocks_.is_smallest(mine_)) {
    const BinaryBlock& smaller = blocks_.at(mine_ + 1);
    state.combine(at(block().joined + number_ / smaller.size),
                  smaller.first + number_ % smaller.size, Received::right);
  }
  if (mine_ == 0) return;
  const BinaryBlock& larger = blocks_.at(mine_ - 1);
  for (int t = 0; t < larger.size / block().size; ++t) {
    const int number = number_ + t * block().size;
    at(larger.joined + t)
        .send(state.value_of(parts_of(larger.size, number)), larger.first + number);
  }
}

void BlocksCall::allgather(Halving& state) {
  std::vector<Round> round = rounds(blocks_.doubling_rounds(), out_);
  const auto at = [&](int i) { return round[static_cast<std::size_t>(i)]; };
  if (mine_ > 0) {
    const BinaryBlock& larger = blocks_.at(mine_ - 1);
    const Parts wanted = parts_of(block().size, number_);
    state.take_over(at(larger.giving), larger.first + number_, wanted.lower_half());
    state.collect(at(larger.giving + 1), larger.first + number_ + block().size,
                  wanted.upper_half());
  }
  for (int s = 0; s < block().halved; ++s) {
    const bool gives = !blocks_.is_smallest(mine_) && block().doubling + s == block().giving;
    if (gives) {
      const BinaryBlock& smaller = blocks_.at(mine_ + 1);
      const int half = number_ / smaller.size;
      if (half < 2) {
        at(block().giving + half).send(state.value(), smaller.first + number_ % smaller.size);
      }
    }
    member(block().first)
        .double_up(at(blocks_.doubling_round(mine_, s)), block().halved - 1 - s, state);
  }
  state.settle();
}

void BlocksCall::gather(Halving& state) {
  const Rank root = call_.virtual_root();
  const bool is_outside = root >= largest();
  bool active = mine_ == 0;
  int number = number_;
  if (is_outside) {
    Round round = out_.round();
    if (me_ == 0) round.send(state.value(), root);
    if (me_ == 0) active = false;
    if (me_ == root) {
      state.take_over(round, 0, parts_of(largest(), 0));
      active = true;
      number = 0;
    }
  }
  const Member member{number, [&](int i) { return i == 0 && is_outside ? root : i; }};
  for (int k = floor_lg(largest()) - 1; k >= 0; --k) {
    Round round = out_.round();
    if (active) active = member.double_up_towards(is_outside ? 0 : root, round, k, state);
  }
  if (call_.has_output(me_)) state.settle();
}

}  // namespace tutti::phase
