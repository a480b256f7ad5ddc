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

constexpr std::size_t most_work = 100'000;  // of some segments

// A call whose blocks differ as much as those of an irregular collective may.
Call long_call(Collective collective, int p) {
  Call call = call_of_bytes(collective, p, p * 500'000);
  if (!info(collective).irregular()) return call;
  std::vector<Units> sizes;
  for (int i = 0; i < p; ++i) sizes.push_back(call.n() / p * (i % 3));
  call.layout = Layout(sizes);
  return call;
}

// Of what is estimated to what is; 0 where the whole call is looked at.
double ratio(const Algorithm& algorithm, const Call& call, const Machine& machine) {
  const auto ranks = static_cast<std::size_t>(call.p);
  const auto some = trial(algorithm, call, machine, ranks, most_work);
  if (!some || some->first_segments == 0) return 0;
  const Estimate found = estimate(Means::simulation, algorithm, *some, machine, machine, most_work);
  return found.seconds / simulate(algorithm, some->call, machine).seconds;
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

// Fewer units in a block than a beginning would take part of.
TEST(Trial, OfFewLargeUnitsIsOfTheWholeCall) {
  const Machine machine = usual_machine();
  const Algorithm& chain = *find_algorithm(Collective::bcast, "chain");
  Call call{.collective = Collective::bcast, .p = 8, .layout = Layout(8, 8), .unit_bytes = 1 << 20};
  for (const Units units : {8, 64, 512}) {
    call.layout = Layout(units, call.p);
    call.parameter = static_cast<int>(units);
    for (const std::size_t most : {1'000, 10'000, 100'000}) {
      const auto some = trial(chain, call, machine, 8, most);
      if (!some) continue;
      const Estimate found = estimate(Means::simulation, chain, *some, machine, machine, most);
      EXPECT_NEAR(found.seconds / simulate(chain, call, machine).seconds, 1, 0.02) << units;
    }
  }
}

}  // namespace
}  // namespace tutti
