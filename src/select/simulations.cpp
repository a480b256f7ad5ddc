#include "select/simulations.hpp"

#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "algorithms/registry.hpp"
#include "model/simulate.hpp"

namespace tutti {

namespace {

constexpr std::size_t most_steps = 20'000;

// What a simulation depends on. The machine is named by its numbers.
using Key = std::tuple<Collective, int, Units, Units, bool, bool, bool, std::uint64_t,
                       std::vector<int>, std::string>;

struct Table {
  std::mutex mutex;
  std::map<Key, Simulated> entries;
};

}  // namespace

// An inline function's variable is one in the whole process, also where a simulator loads a program
// once for every rank: they then simulate each call once.
inline Table& table() {
  static Table shared;
  return shared;
}

static std::optional<double> simulated_alone(const Algorithm& algorithm, const Call& call,
                                             const Machine& machine) {
  if (!accepts(algorithm, call)) return std::nullopt;
  const std::size_t steps = build(algorithm, call, call.root).steps.size();
  if (steps * static_cast<std::size_t>(call.p) > most_steps) return std::nullopt;
  return simulate(algorithm, call, machine).seconds;
}

const Simulated& simulated(const Call& call, const std::vector<int>& parameters,
                           const Machine& machine) {
  const Key key{call.collective,  call.p,
                call.n(),         call.unit_bytes,
                call.exact,       call.in_place,
                call.commutative, call.placement ? call.placement->fingerprint() : 0,
                parameters,       json_of(machine)};
  const std::lock_guard lock(table().mutex);
  const auto [found, fresh] = table().entries.try_emplace(key);
  if (!fresh) return found->second;
  const auto all = algorithms_of(call.collective);
  for (std::size_t i = 0; i < all.size(); ++i) {
    Call settled = call;
    settled.parameter = parameters[i];
    found->second.push_back(simulated_alone(*all[i], settled, machine));
  }
  return found->second;
}

}  // namespace tutti
