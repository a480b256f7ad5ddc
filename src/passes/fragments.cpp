#include "passes/fragments.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tutti {

int most_fragments(int p) {
  constexpr int of_a_message = 128, of_all = 16384;
  return std::clamp(of_all / p, 1, of_a_message);
}

int fragments_of(Units units, Units longest, int most) {
  const Units count = (units + longest - 1) / longest;
  return count < 1 || count > most ? 1 : static_cast<int>(count);
}

namespace {

class Cutter {
 public:
  Cutter(const Schedule& whole, const FragmentCount& count) : whole_(whole) {
    for (const Step& step : whole.steps) {
      const int fragments = step.is_message() ? count(step.peer, whole.size_of(step)) : 1;
      first_.push_back(first_.back() + static_cast<std::uint32_t>(fragments));
    }
    number_messages();
  }

  Schedule cut() && {
    for (std::uint32_t i = 0; i < whole_.steps.size(); ++i) {
      for (std::uint32_t which = 0; which < fragments(i); ++which) add(i, which);
    }
    add_all(result_.last_waits, whole_.last_waits);
    result_.blank = whole_.blank;
    result_.scratch = whole_.scratch;
    result_.rounds = whole_.rounds;
    result_.strands = whole_.strands;
    result_.lead = first_[whole_.lead];
    result_.synchronous = whole_.synchronous;
    assign_slots(result_);
    return std::move(result_);
  }

 private:
  std::uint32_t fragments(std::size_t step) const { return first_[step + 1] - first_[step]; }

  // Tags count messages between two ranks, whatever the order in which they are issued.
  void number_messages() {
    tag_.resize(whole_.steps.size());
    std::map<std::pair<bool, Rank>, std::map<int, std::size_t>> by_tag;
    for (std::size_t i = 0; i < whole_.steps.size(); ++i) {
      const Step& step = whole_.steps[i];
      if (step.is_message()) by_tag[{step.is_receive(), step.peer}][step.tag] = i;
    }
    for (const auto& [way, messages] : by_tag) {
      int next = 0;
      for (const auto& [tag, i] : messages) {
        tag_[i] = next;
        next += static_cast<int>(fragments(i));
      }
    }
  }

  void add(std::uint32_t number, std::uint32_t which) {
    Step step = whole_.steps[number];
    const auto first = static_cast<std::uint32_t>(result_.slices.size());
    add_slices(step, which, fragments(number));
    step.slices = first;
    step.pieces = static_cast<std::uint32_t>(result_.slices.size()) - step.slices;
    if (step.is_message()) step.tag = tag_[number] + static_cast<int>(which);
    const auto waits =
        std::span(whole_.waits).subspan(step.waits, which == 0 ? step.wait_count : 0);
    step.waits = static_cast<std::uint32_t>(result_.waits.size());
    add_all(result_.waits, waits);
    step.wait_count = static_cast<std::uint32_t>(result_.waits.size()) - step.waits;
    result_.steps.push_back(step);
  }

  void add_slices(const Step& step, Units which, Units fragments) {
    const auto pieces = touched(step, whole_.slices);
    if (fragments == 1) {
      result_.slices.insert(result_.slices.end(), pieces.begin(), pieces.end());
      return;
    }
    const Units all = whole_.size_of(step);
    const Units from = all * which / fragments, to = all * (which + 1) / fragments;
    Units at = 0;  // of the message
    for (const Slice& piece : pieces) {
      const Units first = std::max(from, at) - at, end = std::min(to, at + piece.size) - at;
      if (first < end) result_.slices.push_back(part(piece, first, end - first));
      at += piece.size;
    }
  }

  void add_all(std::vector<std::uint32_t>& waits, std::span<const std::uint32_t> messages) {
    for (const std::uint32_t message : messages) {
      for (std::uint32_t i = first_[message]; i < first_[message + 1]; ++i) waits.push_back(i);
    }
  }

  const Schedule& whole_;
  std::vector<std::uint32_t> first_{0};  // by step: its first fragment's number; then their sum
  std::vector<int> tag_;                 // by step: of its first fragment
  Schedule result_;
};

}  // namespace

Schedule in_fragments(const Schedule& whole, const FragmentCount& count) {
  return Cutter(whole, count).cut();
}

}  // namespace tutti
