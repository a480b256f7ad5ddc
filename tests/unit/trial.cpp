// What the first segments of a pipeline say of all of them.
#include "select/trial.hpp"

#include <gmock/gmock.h>

#include <set>
#include <string>

#include "model/cost.hpp"
#include "model/simulate.hpp"
#include "support.hpp"

namespace tutti {
namespace {

constexpr std::size_t of_some_segments = 100'000, of_all = 100'000'000;  // work

// A call whose blocks differ as much as those of an irregular collective may.
Call long_call(Collective collective, int p) {
  Call call = call_of_bytes(collective, p, p * 500'000);
  if (!info(collective).irregular()) return call;
  std::vector<Units> sizes;
  for (int i = 0; i < p; ++i) sizes.push_back(call.n() / p * (i % 3));
  call.layout = Layout(sizes);
  return call;
}

double ratio(const Algorithm& algorithm, const Call& call, const Machine& machine) {
  const auto ranks = static_cast<std::size_t>(call.p);
  const auto some = trial(algorithm, call, machine, ranks, of_some_segments);
  const auto all = trial(algorithm, call, machine, ranks, of_all);
  if (!some || !all || some->first_segments == 0) return 0;
  const auto seconds = [&](const Trial& each, std::size_t work) {
    return estimate(Means::simulation, algorithm, each, machine, machine, work).seconds;
  };
  const double exact = simulate(algorithm, all->call, machine).seconds;
  return seconds(*some, of_some_segments) / exact;
}

// In halves that start a latency apart: they take hundreds of segments to get going.
bool is_apart(const Algorithm& algorithm) {
  return algorithm.name.ends_with("_turns") || algorithm.name == "circulant_blocks";
}

TEST(Trial, OfBeginningsIsNearTheWholeCall) {
  std::set<std::string> met;
  for (const Machine& machine :
       {usual_machine(), hockney(usual_machine()), machine_by(150e-6, 1)}) {
    for (const Algorithm* each : algorithms()) {
      if (each->parameter.open != Open::segments) continue;
      for (const int p : {9, 20}) {
        const Call call = long_call(each->collective, p);
        if (!accepts(*each, call)) continue;
        const double found = ratio(*each, call, machine);
        if (found == 0) continue;
        met.insert(full_name(*each));
        EXPECT_NEAR(found, 1, is_apart(*each) ? 0.25 : 0.02) << full_name(*each) << " p=" << p;
      }
    }
  }
  EXPECT_GT(met.size(), 10U);
}

}  // namespace
}  // namespace tutti
