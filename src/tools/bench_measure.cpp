#include "tools/bench_measure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tools/candidates.hpp"

namespace tutti::tools {

namespace {

constexpr double batch_seconds = 300e-6;
constexpr int most_calls = 2000;

template <class Value>
Value most_of(Value value, MPI_Datatype type, MPI_Comm world) {
  PMPI_Allreduce(MPI_IN_PLACE, &value, 1, type, MPI_MAX, world);
  return value;
}

// Seconds per call on this rank.
double time_batch(BenchCall& data, const Contender& contender, int calls, MPI_Comm world) {
  PMPI_Barrier(world);
  const double start = PMPI_Wtime();
  for (int i = 0; i < calls; ++i) data.run(contender.server(), contender.comm);
  return (PMPI_Wtime() - start) / calls;
}

// As many calls as last long enough for the clock, the same number on all ranks.
int calls_per_batch(BenchCall& data, const Contender& contender, MPI_Comm world) {
  int calls = 1;
  while (true) {
    const double each = most_of(time_batch(data, contender, calls, world), MPI_DOUBLE, world);
    const double wanted = batch_seconds / std::max(each, 1e-9);
    if (wanted < 2 * calls || calls >= most_calls) return calls;
    calls = static_cast<int>(std::min<double>(std::ceil(wanted), most_calls));
  }
}

// A first call, whose result must be right.
void try_out(BenchCall& data, const Contender& contender, const Call& call, MPI_Comm world,
             Measurement& result) {
  Call forced = call;
  forced.agreed = Agreed{call.n(), call.layout.largest()};  // where its algorithm is, ranks agree
  if (contender.algorithm != nullptr && !accepts(*contender.algorithm, forced)) {
    result.obstacle = "needs " + requirements(*contender.algorithm);
    return;
  }
  data.spoil();
  data.run(contender.server(), contender.comm);
  result.right = most_of(data.is_right() ? 0 : 1, MPI_INT, world) == 0;
  if (result.right) result.calls = calls_per_batch(data, contender, world);
}

}  // namespace

double median(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

std::optional<std::pair<double, double>> interval_of_median(const std::vector<double>& sorted) {
  // Fewer than k of n values lie below the median with probability sum(C(n, i), i < k) / 2^n.
  const auto n = static_cast<double>(sorted.size());
  double tail = 0;
  std::size_t k = 0;
  for (; k < sorted.size() / 2; ++k) {
    const auto i = static_cast<double>(k);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) -
                     n * std::log(2.0));
    if (tail > 0.025) break;
  }
  if (k == 0) return std::nullopt;
  return std::pair(sorted[k - 1], sorted[sorted.size() - k]);
}

std::vector<Measurement> measure(const std::vector<Contender>& contenders, const Call& call,
                                 MPI_Op op, int repetitions, MPI_Comm world,
                                 const std::function<void()>& progress) {
  int rank = 0;
  PMPI_Comm_rank(world, &rank);
  BenchCall data(call, rank, op);
  std::vector<Measurement> results(contenders.size());
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    try_out(data, contenders[i], call, world, results[i]);
  }
  std::vector<std::size_t> order(contenders.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(1);  // the same order on all ranks
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    std::ranges::shuffle(order, random);
    for (std::size_t i : order) {
      if (results[i].calls > 0) {
        results[i].seconds.push_back(time_batch(data, contenders[i], results[i].calls, world));
      }
      progress();
    }
  }
  for (Measurement& each : results) {
    PMPI_Allreduce(MPI_IN_PLACE, each.seconds.data(), static_cast<int>(each.seconds.size()),
                   MPI_DOUBLE, MPI_MAX, world);
    std::ranges::sort(each.seconds);
  }
  return results;
}

}  // namespace tutti::tools
