// What the builder and the pass on receives make of a text.
#pragma once

#include "passes/receives.hpp"
#include "support.hpp"

namespace tutti {

inline const Slice a = out(0, 8), b = out(8, 8), c = out(16, 8);

// Rank 0 of 4, at a pace that makes no step wait but for memory.
struct Builder : ScheduleBuilder {
  Builder() : ScheduleBuilder(4, 0) { pace(Pace::all_at_once); }
  Schedule done() { return hoist_receives(std::move(*this).finish()); }
};

// "send 1, recv 2 & send 2, copy": what is issued, in order.
inline std::string order_of(const Schedule& schedule) {
  std::string text, between;
  for (const Step& step : schedule.steps) {
    text += between + std::string(to_string(step.kind));
    if (step.is_message()) text += " " + std::to_string(step.peer);
    between = step.joined ? " & " : ", ";
  }
  return text;
}

}  // namespace tutti
