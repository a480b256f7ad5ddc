// Times the algorithms of a collective and the native one, side by side in one run.
#pragma once

#include <mpi.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "select/profile.hpp"
#include "tools/export/peers.hpp"
#include "tools/measure/bench_call.hpp"
#include "tools/measure/clock.hpp"

namespace tutti::tools {

// One of those compared, on a communicator of its own.
struct Contender : Variant {
  MPI_Comm comm = MPI_COMM_NULL;
  NamedPeer peer{};  // what the native collective is forced to use

  std::string name() const;
  Server server() const { return algorithm ? Server::tutti : Server::native; }
};

// Seconds. Calls that take so long differ less from one to the next than short ones.
inline constexpr double surely_long = 30e-3;

struct Measurement {
  std::string obstacle{};         // why it cannot serve the call; empty if it can
  bool right = true;              // every rank had the right result
  double first = 0;               // seconds of its first call
  int calls = 0;                  // in a batch
  std::vector<double> seconds{};  // per call: of each repetition's slowest rank, sorted
};

// Makes its communicator, for which its algorithm is forced; parameter 0 is left open.
Contender contender(Collective collective, const Variant& variant, MPI_Comm world);
// One of the MPI library's own algorithms. An error of its calls is a wrong result.
Contender contender(const NamedPeer& peer, MPI_Comm world);

// Contenders that take turns at one call. Collective over `world`, and the same on all its ranks.
class Race {
 public:
  // Tries all out: those whose result is wrong, or who cannot serve the call, do not take part.
  Race(const std::vector<Contender>& contenders, const Call& call, MPI_Op op, MPI_Comm world);

  // A batch of calls of each who still takes part, in shuffled order.
  void round(const std::function<void()>& progress);
  // Seconds per call of so many that follow each other at once.
  double in_a_row(std::size_t contender, int calls);
  void drop(std::size_t contender) { dropped_[contender] = true; }
  bool takes_part(std::size_t contender) const {
    return !dropped_[contender] && results_[contender].calls > 0;
  }
  // Of each, so far; seconds in the order of rounds.
  const std::vector<Measurement>& results() const { return results_; }

 private:
  const std::vector<Contender>& contenders_;
  Clock clock_;
  BenchCall data_;
  std::vector<Measurement> results_;
  std::vector<bool> dropped_;
  std::vector<std::size_t> order_;
  Start start_ = Start::together;
  std::mt19937 random_{1};  // the same order on all ranks
};

// One measurement per contender, of so many rounds, sorted. `progress` is told of each repetition
// of each contender.
std::vector<Measurement> measure(const std::vector<Contender>& contenders, const Call& call,
                                 MPI_Op op, int repetitions, MPI_Comm world,
                                 const std::function<void()>& progress);

// When a race is over. Whether everyone who takes part took the same time in each round, as on a
// simulated cluster: more rounds tell nothing.
bool repeats_itself(const Race& race);
// Drops those from first to last - 1 who took so many times as long, every time, as another of them
// ever did, its first call included: few rounds show that. Calls that surely are long cost most of
// the time there is, and less shows of them.
void drop_hopeless(Race& race, std::size_t first, std::size_t last, double times);
// Whether it is so too where calls follow each other at once: programs make short ones like that,
// and a rank that only sends is then soon ahead of the others. Both have been measured. Long calls
// differ little from that, and are not asked about.
bool is_surely_faster_in_a_row(Race& race, std::size_t one, std::size_t other);
// Drops those from first to last - 1 that have lost, but never `native`. True if who is left is
// alone, or as good as the others for sure.
bool is_decided(Race& race, std::size_t native, std::size_t first, std::size_t last);

}  // namespace tutti::tools
