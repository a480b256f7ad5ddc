#include "model/alike.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace tutti {

namespace {

using Numbers = std::vector<std::uint32_t>;

// A message that is posted, or a reduction, and what is waited for before it.
struct Act {
  Kind kind;
  Rank peer;
  int tag, round;
  Units size;
  Numbers waits;  // of messages, which count from 0, in order
};

struct Course {
  std::vector<Act> acts;
  Numbers last_waits;
  bool synchronous = false;
};

// What of a schedule takes time.
Course course_of(const Schedule& schedule) {
  Course course;
  course.synchronous = schedule.synchronous;
  std::vector<std::uint32_t> message(schedule.steps.size());  // by step
  std::vector<bool> awaited(schedule.steps.size());
  std::uint32_t messages = 0;
  Numbers waits;
  const auto await = [&](std::uint32_t step) {
    if (!awaited[step]) waits.push_back(message[step]);
    awaited[step] = true;
  };
  for (std::uint32_t i = 0; i < schedule.steps.size(); ++i) {
    const Step& step = schedule.steps[i];
    for (std::uint32_t w = 0; w < step.wait_count; ++w) await(schedule.waits[step.waits + w]);
    if (step.kind == Kind::copy) continue;
    const Units size = schedule.size_of(step);
    if (step.is_message()) message[i] = messages++;
    if (step.kind == Kind::reduce && waits.empty() && !course.acts.empty() &&
        course.acts.back().kind == Kind::reduce) {
      course.acts.back().size += size;
      continue;
    }
    std::ranges::sort(waits);
    course.acts.push_back({step.kind, step.peer, step.tag, step.round, size, std::move(waits)});
    waits.clear();
  }
  for (const std::uint32_t step : schedule.last_waits) await(step);
  std::ranges::sort(waits);
  course.last_waits = std::move(waits);
  return course;
}

class Comparison {
 public:
  Comparison(int p, const Course& first) : p_(p), first_(first) {}

  // Whether that rank, too, does as rank 0.
  bool holds(Rank rank, const Course& course) {
    const auto same = [&](const Act& a, const Act& b) { return is_same(rank, a, b); };
    return course.synchronous == first_.synchronous && course.last_waits == first_.last_waits &&
           std::ranges::equal(first_.acts, course.acts, same);
  }
  Peers peers() const { return is_shifted_ ? Peers::shifted : Peers::mirrored; }

 private:
  bool is_same(Rank rank, const Act& a, const Act& b) {
    if (a.kind != b.kind || a.tag != b.tag || a.round != b.round || a.size != b.size ||
        a.waits != b.waits) {
      return false;
    }
    if (a.peer < 0) return true;
    is_shifted_ &= (a.peer + rank) % p_ == b.peer;
    is_mirrored_ &= (a.peer ^ rank) == b.peer;
    return is_shifted_ || is_mirrored_;
  }

  int p_;
  const Course& first_;
  bool is_shifted_ = true;
  bool is_mirrored_ = std::has_single_bit(static_cast<unsigned>(p_));
};

}  // namespace

std::optional<Alike> alike(int p, const std::function<Schedule(Rank)>& schedule_of) {
  if (p <= ranks_compared) return std::nullopt;
  Alike result{schedule_of(0)};
  if (result.schedule.strands > 1) return std::nullopt;
  const Course first = course_of(result.schedule);
  Comparison comparison(p, first);
  for (const Rank rank : {p / 3, p - 1}) {
    if (!comparison.holds(rank, course_of(schedule_of(rank)))) return std::nullopt;
  }
  result.peers = comparison.peers();
  return result;
}

}  // namespace tutti
