// One rank that stands for all takes what all of them take.
#include "model/alike.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <set>
#include <string>

#include "algorithms/ranks.hpp"
#include "model/simulate.hpp"
#include "support.hpp"

namespace tutti {
namespace {

std::vector<Call> calls_of(Collective collective, int p) {
  std::vector<Call> calls;
  for (const Units units : {1, p, 3 * p + 1, 5000 * p}) {
    calls.push_back(call_of_bytes(collective, p, 8 * units));
  }
  return calls;
}

// As all ranks are simulated.
Simulation of_all(const Algorithm& algorithm, const Call& call, const Machine& machine) {
  Simulation all = simulate(build_all(algorithm, call, usual(algorithm)), call.unit_bytes, machine);
  if (algorithm.question.about == nullptr) return all;
  const Simulation asking = simulate(build_all_questions(algorithm, call), 8, machine);
  all.seconds += asking.seconds;
  all.messages += asking.messages;
  all.bytes += asking.bytes;
  all.rounds += asking.rounds;
  all.most_sent += asking.most_sent;
  return all;
}

class OneForAll : public PerAlgorithm {};

TEST_P(OneForAll, TakesWhatAllTake) {
  if (info(algorithm().collective).rooted) return;  // has no ranks that are alike
  for (const int p : served(algorithm(), 4, as_far_as(20, 10))) {
    for (Call call : calls_of(algorithm().collective, p)) {
      for (const int parameter : worth_trying(algorithm().parameter.open, p)) {
        call.parameter = parameter;
        if (parameter > most(algorithm().parameter.open, call) || !accepts(algorithm(), call)) {
          continue;
        }
        for (const Machine& machine : {usual_machine(), hockney(usual_machine())}) {
          const Simulation one = simulate(algorithm(), call, machine);
          const Simulation all = of_all(algorithm(), call, machine);
          const std::string where = " p=" + std::to_string(p) + " n=" + std::to_string(call.n()) +
                                    " parameter=" + std::to_string(parameter);
          ASSERT_NEAR(one.seconds / all.seconds, 1, 1e-6) << where;
          ASSERT_EQ(one.messages, all.messages) << where;
          ASSERT_EQ(one.bytes, all.bytes) << where;
          ASSERT_EQ(one.rounds, all.rounds) << where;
          ASSERT_EQ(one.most_sent, all.most_sent) << where;
        }
      }
    }
  }
}

TUTTI_FOR_EVERY_ALGORITHM(OneForAll);

// The peers of rank 0, where its ranks are alike.
std::string peers_of(Collective collective, const char* name, int p) {
  const Call call =
      with_parameter(*find_algorithm(collective, name), call_of_bytes(collective, p, 4096 * p));
  const Algorithm& algorithm = *find_algorithm(collective, name);
  const auto found = alike(p, [&](Rank rank) { return usual_schedule(algorithm, call, rank); });
  if (!found) return "not alike";
  return found->peers == Peers::shifted ? "shifted" : "mirrored";
}

TEST(Alike, AreRingsAndButterfliesButNotTrees) {
  EXPECT_EQ(peers_of(Collective::allgather, "ring", 9), "shifted");
  EXPECT_EQ(peers_of(Collective::allgather, "bruck", 13), "shifted");
  EXPECT_EQ(peers_of(Collective::alltoall, "isend_irecv", 13), "shifted");
  EXPECT_EQ(peers_of(Collective::allreduce, "recursive_doubling", 16), "mirrored");
  EXPECT_EQ(peers_of(Collective::allreduce, "recursive_doubling", 17), "not alike");
  EXPECT_EQ(peers_of(Collective::scan, "recursive_doubling", 16), "not alike");
  EXPECT_EQ(peers_of(Collective::allreduce, "reduce_bcast", 16), "not alike");
}

TEST(Alike, AreTheRanksOfManyAlgorithms) {
  std::set<std::string> found;
  for (const Algorithm* each : algorithms()) {
    const Call call = with_parameter(*each, call_of_bytes(each->collective, 16, 4096 * 16));
    if (info(each->collective).rooted || !accepts(*each, call)) continue;
    if (alike(call.p, [&](Rank rank) { return usual_schedule(*each, call, rank); })) {
      found.insert(full_name(*each));
    }
  }
  EXPECT_GE(found.size(), 40U) << testing::PrintToString(found);
}

}  // namespace
}  // namespace tutti
