// Schedules that are alike: all ranks do the same at the same time, each with peers of its own. One
// rank then tells what all take.
#pragma once

#include <functional>
#include <optional>

#include "interpret/interpreter.hpp"
#include "schedule/schedule.hpp"

namespace tutti {

// One that stands for all, and whose peers it has.
struct Alike {
  Schedule schedule;  // of rank 0
  Peers peers{};
};

// Schedules that are built to find out, at most.
inline constexpr int ranks_compared = 3;

// Whether the schedules of p ranks are alike, as far as a few of them show; copies, which take no
// time, may differ. Nothing for so few ranks that nothing is saved, and for schedules with strands.
std::optional<Alike> alike(int p, const std::function<Schedule(Rank)>& schedule_of);

}  // namespace tutti
