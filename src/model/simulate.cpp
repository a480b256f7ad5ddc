#include "model/simulate.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "algorithms/ranks.hpp"
#include "interpret/interpreter.hpp"
#include "model/alike.hpp"
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
  Simulation result{.seconds = run.seconds, .messages = run.messages, .copied = run.copied};
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

// Whether ranks can be alike at all: none is the root, no node has several, and blocks are equal.
// (Where they differ by a unit, messages that were to come together do not, and the ports of a
// model without overlap are then held up by whole latencies.)
static bool may_be_alike(const Call& call) {
  return !info(call.collective).rooted && call.placement == nullptr && call.exchange == nullptr &&
         call.layout.largest() * call.p == call.n();
}

// Nothing if one rank does not stand for all.
static std::optional<Simulation> simulate_one(const Call& call, Units unit_bytes,
                                              const Machine& machine,
                                              const std::function<Schedule(Rank)>& of) {
  const auto one = may_be_alike(call) ? alike(call.p, of) : std::nullopt;
  if (!one) return std::nullopt;
  NoObserver nobody;
  const Run run = interpret_alike(one->schedule, call.p, one->peers, machine, unit_bytes, nobody);
  if (!run.error.empty()) return std::nullopt;
  const auto bytes = [&](Units units) { return static_cast<double>(units * unit_bytes); };
  const double shared = machine.shared_busy * static_cast<double>(run.messages);
  return Simulation{.seconds = std::max(run.seconds, shared),
                    .rounds = one->schedule.rounds,
                    .messages = run.messages,
                    .bytes = bytes(run.units),
                    .most_sent = bytes(sent_units(one->schedule)),
                    .work = ranks_compared * work(one->schedule)};
}

static Simulation simulate(const Call& call, Units unit_bytes, const Machine& machine,
                           const std::function<Schedule(Rank)>& of) {
  if (const auto found = simulate_one(call, unit_bytes, machine, of)) return *found;
  std::vector<Schedule> all;
  all.reserve(static_cast<std::size_t>(call.p));
  for (Rank rank = 0; rank < call.p; ++rank) all.push_back(of(rank));
  return simulate(all, unit_bytes, machine, call.placement.get());
}

// As the runtime has it: by memory, what only feeds a reduction need not land.
static Carriage carriage_of(const Call& call, const Machine& machine, Rank rank) {
  if (call.placement == nullptr || machine.inside != Inside::memory) return {};
  return {.readable = [&placement = *call.placement, node = call.placement->node(rank)](Rank peer) {
    return placement.node(peer) == node;
  }};
}

Simulation simulate(const Algorithm& algorithm, const Call& call, const Machine& machine) {
  const Call ready = settled(algorithm, call, machine);
  Simulation result = simulate(ready, call.unit_bytes, machine, [&](Rank rank) {
    return usual_schedule(algorithm, ready, rank, carriage_of(ready, machine, rank));
  });
  if (algorithm.question.about == nullptr) return result;
  const Simulation asking = simulate(
      ready, 8, machine, [&](Rank rank) { return build_question(algorithm, ready, rank); });
  result.seconds += asking.seconds;
  result.rounds += asking.rounds;
  result.messages += asking.messages;
  result.bytes += asking.bytes;
  result.most_sent += asking.most_sent;
  result.copied += asking.copied;
  result.work += asking.work;
  return result;
}

std::optional<std::size_t> work_of(const Algorithm& algorithm, const Call& call,
                                   const Machine& machine, std::size_t ranks, std::size_t most) {
  // A round has a step and a piece at least.
  const double rounds = Formula(algorithm.rounds)(
      call.p, call.bytes(), machine, std::max(call.parameter, 1), call.largest_bytes());
  // And to write a schedule may take some steps for each rank.
  constexpr std::size_t steps = 16;
  const bool may_be_few = may_be_alike(call) && call.p > ranks_compared &&
                          steps * ranks_compared * static_cast<std::size_t>(call.p) <= most;
  const std::size_t least_ranks = may_be_few ? ranks_compared : ranks;
  if (2 * rounds * static_cast<double>(least_ranks) > static_cast<double>(most)) return {};
  const auto of = [&](Rank rank) { return usual_schedule(algorithm, call, rank); };
  const auto within = [&](std::size_t found) {
    return found <= most ? std::optional(found) : std::nullopt;
  };
  if (const auto one = may_be_few ? alike(call.p, of) : std::nullopt) {
    return within(ranks_compared * work(one->schedule));
  }
  std::size_t of_one = work(of(call.root));
  if (algorithm.parameter.open == Open::segments) {  // of chains the others have more
    of_one = std::max(of_one, work(of((call.root + call.p / 2) % call.p)));
  }
  return within(of_one * ranks);
}

std::size_t work(const Schedule& schedule) {
  return schedule.steps.size() + schedule.slices.size();
}

bool is_by_memory(const Call& call, const Machine& machine) {
  return machine.inside == Inside::memory && call.placement && call.placement->nodes() == 1;
}

double least_copied(Collective collective, int p, double bytes) {
  switch (info(collective).regular) {
    case Collective::bcast:
    case Collective::allgather:
    case Collective::alltoall:
    case Collective::allreduce:
      return (p - 1) * bytes;
    case Collective::gather:
    case Collective::scatter:
      return (p - 1) * bytes / p;
    default:
      return 0;
  }
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
