// In which calls of MPI_Alltoallv ranks tell each other sizes, seen by the time that takes on a
// simulated cluster, and that results are right when sizes change in between. As many ranks are
// needed as make it worth while.
//
//   simulated.sh 100 agreeing
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <vector>

#include "totals.hpp"

namespace {

constexpr double telling = 50e-6;  // seconds it takes at least, with 100 ranks on eth10g

class Exchange {
 public:
  Exchange() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &p_);
  }

  long checks() const { return checks_; }
  long failures() const { return failures_; }

  // Each rank gets `count` ints from each other; what the slowest took in seconds.
  double operator()(int count) {
    const auto p = static_cast<std::size_t>(p_);
    const auto block = static_cast<std::size_t>(count);
    std::vector<int> sent(p * block), received(p * block, -1), counts(p, count), places(p);
    for (std::size_t i = 0; i < p; ++i) places[i] = static_cast<int>(i) * count;
    for (std::size_t i = 0; i < sent.size(); ++i)
      sent[i] = value(rank_, static_cast<int>(i / block));
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Alltoallv(sent.data(), counts.data(), places.data(), MPI_INT, received.data(),
                  counts.data(), places.data(), MPI_INT, MPI_COMM_WORLD);
    double seconds = MPI_Wtime() - start;
    for (std::size_t i = 0; i < received.size(); ++i) {
      ++checks_;
      if (received[i] != value(static_cast<int>(i / block), rank_)) ++failures_;
    }
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
  }

  // Makes `calls` calls; expects that ranks told each other sizes in those numbered `expected`.
  void expect(int calls, int count, const std::set<int>& expected) {
    std::vector<double> times;
    for (int i = 0; i < calls; ++i) times.push_back((*this)(count));
    const double without = *std::min_element(times.begin(), times.end());
    for (int i = 0; i < calls; ++i) {
      ++checks_;
      const double seconds = times[static_cast<std::size_t>(i)];
      if ((seconds > without + telling) == expected.contains(i)) continue;
      ++failures_;
      if (rank_ == 0)
        std::fprintf(stderr, "FAILED: call %d took %g s, others %g\n", i, seconds, without);
    }
  }

 private:
  int value(int from, int to) const { return from * p_ + to; }

  int rank_ = 0, p_ = 1;
  long checks_ = 0, failures_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Exchange exchange;
  exchange.expect(10, 2000, {0, 9});  // then 16 more go without
  for (int i = 0; i < 17; ++i) exchange(2);
  exchange.expect(3, 2000, {0});  // a short call was seen: they begin anew
  const bool passed = tutti::test::print_totals(exchange.checks(), exchange.failures());
  MPI_Finalize();
  return passed ? 0 : 1;
}
