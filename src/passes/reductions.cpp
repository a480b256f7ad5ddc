#include "passes/reductions.hpp"

#include <algorithm>
#include <utility>

namespace tutti {

namespace {

class Joiner {
 public:
  explicit Joiner(Schedule written)
      : schedule_(std::move(written)),
        gone_(schedule_.steps.size()),
        waits_(schedule_.steps.size()),
        completed_by_(schedule_.steps.size(), count()),
        awaited_(static_cast<std::size_t>(schedule_.strands), -1) {
    for (std::uint32_t i = 0; i < count(); ++i) {
      const auto first = schedule_.waits.begin() + step(i).waits;
      waits_[i].assign(first, first + step(i).wait_count);
      for (const std::uint32_t message : waits_[i]) {
        completed_by_[message] = std::min(completed_by_[message], i);
      }
    }
  }

  Schedule join(const IsReadable& is_readable) && {
    for (std::uint32_t i = 0; i < count(); ++i) {
      const bool is_late = i >= schedule_.lead && step(i).kind == Kind::recv;
      if (is_late && is_readable(step(i).peer)) try_at(i);
      note_waits(i);
    }
    return std::move(*this).finish();
  }

 private:
  std::uint32_t count() const { return static_cast<std::uint32_t>(schedule_.steps.size()); }
  const Step& step(std::uint32_t number) const { return schedule_.steps[number]; }

  // Of a receive.
  void try_at(std::uint32_t number) {
    const auto places = touched(step(number), schedule_.slices);
    const std::uint32_t reduction = completed_by_[number];
    if (places.size() == 1 && can_be_late(number, reduction) &&
        needs_no_landing(reduction, places[0])) {
      put_together(number, reduction);
    }
  }

  void note_waits(std::uint32_t number) {
    if (gone_[number]) return;
    int& latest = awaited_[step(number).strand];
    for (const std::uint32_t message : waits_[number]) {
      if (completed_by_[message] == number) latest = std::max(latest, step(message).round);
    }
  }

  // Whether no step behind the receive, to this one, has to wait for another message: its sender
  // may have to go on before that comes. Before it, only messages of earlier rounds were waited
  // for: a rank that waits for a send of this round before it combines may wait for one that does
  // the same. Messages from one rank keep their order.
  bool can_be_late(std::uint32_t receive, std::uint32_t to) const {
    if (to == count() || awaited_[step(receive).strand] >= step(receive).round) return false;
    for (std::uint32_t i = receive + 1; i <= to; ++i) {
      if (step(i).strand != step(receive).strand) continue;
      if (step(i).kind == Kind::recv_reduce) return false;
      if (i < to && step(i).is_receive() && step(i).peer == step(receive).peer) return false;
      for (const std::uint32_t message : waits_[i]) {
        if (message != receive && completed_by_[message] == i) return false;
      }
    }
    return true;
  }

  // Whether one operand of the step is just what has landed there, and it writes its result over it
  // or is the last that reads it.
  bool needs_no_landing(std::uint32_t number, const Slice& landing) const {
    if (step(number).kind != Kind::reduce) return false;
    const Slice* const at = schedule_.slices_of(step(number));
    const int other = at[0] == landing ? 1 : 0;
    if (at[1 - other] != landing || overlap(at[other], landing)) return false;
    if (at[2] == landing) return true;
    return landing.buffer == Buffer::scratch && !overlap(at[2], landing) &&
           is_over(landing, number + 1);
  }

  // Whether nobody reads from there, from this step on, before it is written again.
  bool is_over(const Slice& place, std::uint32_t first) const {
    for (std::uint32_t i = first; i < count(); ++i) {
      if (gone_[i]) continue;
      const auto all = touched(step(i), schedule_.slices);
      const auto into = written(step(i), schedule_.slices);
      const auto is_there = [&](const Slice& each) { return overlap(each, place); };
      if (std::ranges::any_of(all.first(all.size() - into.size()), is_there)) return false;
      if (std::ranges::find(into, place) != into.end()) return true;
    }
    return true;
  }

  // What the receive waited for the next step of its strand does.
  void put_together(std::uint32_t receive, std::uint32_t reduction) {
    const Step& recv = step(receive);
    Step& both = schedule_.steps[reduction];
    const Slice landing = schedule_.slices[recv.slices];
    Slice* const operands = schedule_.slices.data() + both.slices;
    (operands[0] == landing ? operands[0] : operands[1]) = {Buffer::message, 0, landing.size};
    both.kind = Kind::recv_reduce;
    both.peer = recv.peer;
    both.tag = recv.tag;
    both.round = recv.round;
    gone_[receive] = true;
    std::uint32_t next = receive + 1;
    while (step(next).strand != recv.strand) ++next;
    for (const std::uint32_t message : waits_[receive]) {
      if (std::ranges::find(waits_[next], message) == waits_[next].end()) {
        waits_[next].push_back(message);
      }
      if (completed_by_[message] == receive) completed_by_[message] = next;
    }
  }

  // Without the receives that are gone, and without waiting for them.
  Schedule finish() && {
    std::vector<std::uint32_t> position;
    position.reserve(gone_.size());
    std::uint32_t kept = 0;
    for (const bool gone : gone_) position.push_back(gone ? kept : kept++);
    const auto add = [&](std::vector<std::uint32_t>& to, std::span<const std::uint32_t> messages,
                         std::uint32_t waits) {
      for (const std::uint32_t message : messages) {
        if (!gone_[message] && completed_by_[message] == waits) to.push_back(position[message]);
      }
    };
    Schedule result = schedule_;
    result.steps.clear();
    result.waits.clear();
    result.last_waits.clear();
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (gone_[i]) continue;
      Step& each = result.steps.emplace_back(step(i));
      each.waits = static_cast<std::uint32_t>(result.waits.size());
      add(result.waits, waits_[i], i);
      each.wait_count = static_cast<std::uint32_t>(result.waits.size()) - each.waits;
    }
    add(result.last_waits, schedule_.last_waits, count());
    result.scratch = scratch_of(result);
    return result;
  }

  static Units scratch_of(const Schedule& schedule) {
    Units end = 0;
    const auto count_in = [&](const Slice& place) {
      if (place.buffer == Buffer::scratch) end = std::max(end, place.end());
    };
    for (const Step& step : schedule.steps) {
      std::ranges::for_each(touched(step, schedule.slices), count_in);
    }
    std::ranges::for_each(schedule.blank, count_in);
    return end;
  }

  Schedule schedule_;
  std::vector<bool> gone_;                         // by step
  std::vector<std::vector<std::uint32_t>> waits_;  // by step
  std::vector<std::uint32_t> completed_by_;        // by message: the first step that waits for it
  std::vector<int> awaited_;  // by strand: the latest round of which a message was waited for
};

}  // namespace

Schedule reduce_as_received(Schedule written, const IsReadable& is_readable) {
  return Joiner(std::move(written)).join(is_readable);
}

}  // namespace tutti
