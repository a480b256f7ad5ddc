#include "passes/receives.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tutti {

namespace {

using Numbers = std::vector<std::uint32_t>;  // of steps

// Takes the steps of a schedule one by one and puts each at its place among those before it.
class Mover {
 public:
  explicit Mover(Schedule written)
      : schedule_(std::move(written)), awaited_(schedule_.steps.size()) {
    order_.reserve(schedule_.steps.size());
  }

  // Last of all.
  void append(std::uint32_t number) {
    order_.push_back(number);
    note(number);
  }

  // Begins to move a receive, from the end.
  void start(std::uint32_t receive);
  // To before one more step, or exchange. False if it cannot.
  bool pass();
  void put();
  // Whether there is a send before it with which it makes a long exchange.
  bool has_reached_exchange(const IsLong& is_long) const;
  // Puts it behind this send, which does its waiting.
  void join();

  Schedule finish() &&;

 private:
  const Step& step(std::uint32_t number) const { return schedule_.steps[number]; }
  std::span<std::uint32_t> waits_of(std::uint32_t number) {
    return std::span(schedule_.waits).subspan(step(number).waits, step(number).wait_count);
  }
  void set_waits(std::uint32_t number, const Numbers& waits);
  bool conflicts(std::uint32_t number) const {
    const Step& other = step(number);
    if (places_.empty()) return conflict(other, step(receive_), schedule_.slices);
    return overlap_ordered(touched(other, schedule_.slices), places_);
  }
  bool follows(std::uint32_t message) {
    const auto all = waits_of(receive_);
    return std::ranges::find(all, message) != all.end() || conflicts(message);
  }
  bool may_pass(std::uint32_t passed);
  void take_over();
  void note(std::uint32_t number) {
    for (const std::uint32_t message : waits_of(number)) awaited_[message] = true;
  }

  static constexpr std::size_t many = 8;
  struct Taken {
    std::uint32_t from, message;
  };

  Schedule schedule_;          // its steps where they were, with the waits that they have now
  Numbers order_;              // of those that have their places
  std::vector<bool> awaited_;  // by message: whether one of them waits for it
  // Of the receive that is moved: what it would wait for where it is, part of it in place of
  // others.
  std::uint32_t receive_ = 0;
  Slices places_;  // in order, if they are many
  std::size_t place_ = 0, first_place_ = 0;
  Numbers own_;
  std::vector<Taken> taken_;
};

void Mover::start(std::uint32_t receive) {
  receive_ = receive;
  places_.clear();
  if (const Places own = touched(step(receive), schedule_.slices); own.size() > many) {
    places_.assign(own.begin(), own.end());
    put_in_order(places_);
  }
  place_ = order_.size();
  first_place_ = receive < schedule_.lead ? 0 : schedule_.lead;
  own_.clear();
  taken_.clear();
  std::ranges::copy_if(waits_of(receive), std::back_inserter(own_),
                       [&](std::uint32_t message) { return !awaited_[message]; });
}

// A receive that has to wait, for its memory or its turn, still goes ahead of the send of its
// round, and takes over what that waits for: two ranks that exchange would each wait for the
// other's receive. So it does with local steps, unless they would wait for more than they have to.
// What comes from one rank is received in the order in which it was sent.
bool Mover::may_pass(std::uint32_t passed) {
  const Step &recv = step(receive_), &other = step(passed);
  if (other.is_receive() && other.peer == recv.peer) return false;
  if (other.round < recv.round - recv.ahead || conflicts(passed)) return false;
  if (std::ranges::find(own_, passed) != own_.end()) return false;
  const auto waits = waits_of(passed);
  const auto is_waited_for = [&](std::uint32_t message) {
    return std::ranges::find(waits, message) != waits.end();
  };
  const bool is_send_of_round = other.kind == Kind::send && other.round == recv.round;
  if (is_send_of_round || (!other.is_message() && std::ranges::all_of(own_, is_waited_for))) {
    for (const std::uint32_t message : waits) {
      if (!follows(message)) continue;
      own_.push_back(message);
      taken_.push_back({passed, message});
    }
    return true;
  }
  return own_.empty() &&
         std::ranges::none_of(waits, [&](std::uint32_t message) { return follows(message); });
}

bool Mover::pass() {
  if (place_ <= first_place_) return false;
  const std::size_t own = own_.size(), taken = taken_.size();
  const bool is_exchange = place_ > 1 && step(order_[place_ - 2]).joined;
  const std::size_t before = place_ - (is_exchange ? 2 : 1);
  if (may_pass(order_[place_ - 1]) && (!is_exchange || may_pass(order_[before]))) {
    place_ = before;
    return true;
  }
  own_.resize(own);
  taken_.resize(taken);
  return false;
}

void Mover::set_waits(std::uint32_t number, const Numbers& waits) {
  Step& step = schedule_.steps[number];
  step.waits = static_cast<std::uint32_t>(schedule_.waits.size());
  step.wait_count = static_cast<std::uint32_t>(waits.size());
  schedule_.waits.insert(schedule_.waits.end(), waits.begin(), waits.end());
}

void Mover::take_over() {
  for (const auto& [from, message] : taken_) {
    // Not std::ranges::remove, whose result Clang 14 cannot read.
    const std::span<std::uint32_t> all = waits_of(from);
    const auto end = std::remove(all.begin(), all.end(), message);
    schedule_.steps[from].wait_count = static_cast<std::uint32_t>(end - all.begin());
  }
}

void Mover::put() {
  take_over();
  order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(place_), receive_);
  set_waits(receive_, own_);
  note(receive_);
}

bool Mover::has_reached_exchange(const IsLong& is_long) const {
  if (place_ <= first_place_) return false;
  const Step &recv = step(receive_), &send = step(order_[place_ - 1]);
  return send.kind == Kind::send && send.peer == recv.peer && send.round == recv.round &&
         is_long(send.peer, schedule_.size_of(send)) && !conflicts(order_[place_ - 1]);
}

void Mover::join() {
  take_over();
  const std::uint32_t send = order_[place_ - 1];
  const auto before = waits_of(send);
  Numbers waits(before.begin(), before.end());
  std::ranges::copy_if(own_, std::back_inserter(waits), [&](std::uint32_t message) {
    return std::ranges::find(before, message) == before.end();
  });
  set_waits(send, waits);
  set_waits(receive_, {});
  schedule_.steps[send].joined = true;
  order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(place_), receive_);
  note(send);
}

Schedule Mover::finish() && {
  std::vector<std::uint32_t> position(order_.size());
  for (std::uint32_t i = 0; i < order_.size(); ++i) position[order_[i]] = i;
  Schedule moved;
  moved.steps.reserve(order_.size());
  for (const std::uint32_t number : order_) {
    Step& step = moved.steps.emplace_back(schedule_.steps[number]);
    step.waits = static_cast<std::uint32_t>(moved.waits.size());
    for (const std::uint32_t message : waits_of(number)) moved.waits.push_back(position[message]);
  }
  for (std::uint32_t& message : schedule_.last_waits) message = position[message];
  schedule_.steps = std::move(moved.steps);
  schedule_.waits = std::move(moved.waits);
  return std::move(schedule_);
}

}  // namespace

Schedule hoist_receives(Schedule written) {
  const std::vector<Step> steps = written.steps;
  Mover mover(std::move(written));
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind != Kind::recv || (i > 0 && steps[i - 1].joined)) {
      mover.append(i);
      continue;
    }
    mover.start(i);
    while (mover.pass()) {
    }
    mover.put();
  }
  Schedule moved = std::move(mover).finish();
  assign_slots(moved);
  return moved;
}

Schedule order_exchanges(Schedule written, const IsLong& is_long) {
  const auto count = static_cast<std::uint32_t>(written.steps.size());
  std::vector<bool> candidates;
  candidates.reserve(written.steps.size());
  for (const Step& step : written.steps) {
    candidates.push_back(step.kind == Kind::recv && is_long(step.peer, written.size_of(step)));
  }
  if (written.strands > 1 || std::ranges::find(candidates, true) == candidates.end()) {
    return written;
  }
  Mover mover(std::move(written));
  for (std::uint32_t i = 0; i < count; ++i) {
    if (candidates[i]) {
      mover.start(i);
      while (!mover.has_reached_exchange(is_long) && mover.pass()) {
      }
    }
    if (candidates[i] && mover.has_reached_exchange(is_long)) {
      mover.join();
    } else {
      mover.append(i);
    }
  }
  return std::move(mover).finish();
}

}  // namespace tutti
