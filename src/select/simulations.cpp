#include "select/simulations.hpp"

#include <map>
#include <mutex>
#include <tuple>

#include "algorithms/registry.hpp"
#include "model/cost.hpp"
#include "model/simulate.hpp"

namespace tutti {

namespace {

constexpr std::size_t most_steps = 20'000;

// What a simulation depends on.
using Key =
    std::tuple<Collective, int, Units, Units, Units, bool, bool, bool, std::uint64_t, Machine>;

struct Table {
  std::mutex mutex;
  std::map<Key, Corrections> entries;
};

}  // namespace

// An inline function's variable is one in the whole process, also where a simulator loads a program
// once for every rank: they then simulate each call once.
inline Table& table() {
  static Table shared;
  return shared;
}

static std::optional<double> correction(const Algorithm& algorithm, const Call& call,
                                        const Machine& machine, const Machine& by) {
  if (!accepts(algorithm, call)) return std::nullopt;
  const Cost cost(algorithm);
  const auto p = static_cast<std::size_t>(call.p);
  for (Call smaller = call;;) {
    smaller.parameter = cost.parameter(smaller, by);
    if (build(algorithm, smaller, call.root).steps.size() * p <= most_steps) {
      const double simulated = simulate(algorithm, smaller, machine).seconds;
      return simulated > 0 ? simulated / cost.seconds(smaller, by) : 1;
    }
    // A pipeline of a shorter message has fewer segments, and as long ones.
    if (algorithm.parameter.open != Open::segments || smaller.n() < 2 * call.p) return std::nullopt;
    smaller.layout = Layout(smaller.n() / 2 / call.p * call.p, call.p);
    smaller.parameter = 0;
  }
}

const Corrections& corrections(const Call& call, const Machine& machine, const Machine& by) {
  const Key key{call.collective,
                call.p,
                call.n(),
                call.layout.largest(),
                call.unit_bytes,
                call.exact,
                call.in_place,
                call.commutative,
                call.placement ? call.placement->fingerprint() : 0,
                machine};
  const std::lock_guard lock(table().mutex);
  const auto [found, fresh] = table().entries.try_emplace(key);
  if (!fresh) return found->second;
  for (const Algorithm* each : algorithms_of(call.collective)) {
    found->second.push_back(correction(*each, call, machine, by));
  }
  return found->second;
}

}  // namespace tutti
