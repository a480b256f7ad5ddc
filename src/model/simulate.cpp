#include "model/simulate.hpp"

#include <algorithm>
#include <stdexcept>

#include "algorithms/ranks.hpp"
#include "interpret/interpreter.hpp"
#include "model/cost.hpp"

namespace tutti {

namespace {

class NoObserver : public Observer {
 public:
  void posted(Rank, std::uint32_t) override {}
  void delivered(Rank, std::uint32_t, Rank, std::uint32_t) override {}
  void waited(Rank, std::uint32_t) override {}
  void computed(Rank, std::uint32_t) override {}
};

Units sent_units(const Schedule& schedule) {
  Units sum = 0;
  for (const Step& step : schedule.steps) {
    if (step.kind == Kind::send) sum += schedule.size_of(step);
  }
  return sum;
}

}  // namespace

Simulation simulate(const std::vector<Schedule>& schedules, Units unit_bytes,
                    const Machine& machine, const MakeNetwork& network) {
  NoObserver nobody;
  const Run run =
      interpret(schedules, machine, unit_bytes, Sends::buffered_until_waited, nobody, network);
  if (!run.error.empty()) throw std::runtime_error("simulation: " + run.error);
  Simulation result{.seconds = run.seconds, .messages = run.messages};
  const auto bytes = [&](Units units) { return static_cast<double>(units * unit_bytes); };
  result.bytes = bytes(run.units);
  for (const Schedule& schedule : schedules) {
    result.rounds = std::max(result.rounds, schedule.rounds);
    result.most_sent = std::max(result.most_sent, bytes(sent_units(schedule)));
    result.work += work(schedule);
  }
  return result;
}

Simulation simulate(const std::vector<Schedule>& schedules, Units unit_bytes,
                    const Machine& machine, const Placement* placement) {
  Simulation result = simulate(schedules, unit_bytes, machine, network_of(machine, placement));
  const double shared =
      placement == nullptr ? machine.shared_busy * static_cast<double>(result.messages) : 0;
  result.seconds = std::max(result.seconds, shared);
  return result;
}

Simulation simulate(const Algorithm& algorithm, const Call& call, const Machine& machine) {
  const Call ready = settled(algorithm, call, machine);
  const Placement* placement = call.placement.get();
  Simulation result =
      simulate(build_all(algorithm, ready, usual(algorithm)), call.unit_bytes, machine, placement);
  if (algorithm.question.about == nullptr) return result;
  const Simulation asking = simulate(build_all_questions(algorithm, ready), 8, machine, placement);
  result.seconds += asking.seconds;
  result.rounds += asking.rounds;
  result.messages += asking.messages;
  result.bytes += asking.bytes;
  result.most_sent += asking.most_sent;
  result.work += asking.work;
  return result;
}

std::size_t work(const Schedule& schedule) {
  return schedule.steps.size() + schedule.slices.size();
}

double lower_bound(Collective collective, int p, double bytes, const Machine& machine) {
  return Formula(info(collective).lower_bound)(p, bytes, machine);
}

Call call_of_bytes(Collective collective, int p, std::int64_t bytes, Rank root) {
  const CollectiveInfo& about = info(collective);
  const Units unit = about.reduces && bytes % 8 == 0 ? 8 : 1;
  Units units = bytes / unit;
  if (about.owns_blocks) units = (units + p - 1) / p * p;
  if (collective == Collective::barrier) units = 0;
  return {.collective = collective,
          .p = p,
          .root = root,
          .layout = Layout(units, p),
          .unit_bytes = unit,
          .exact = !about.reduces};
}

}  // namespace tutti
