// Times the algorithms of a collective and the native one, side by side in one run.
#pragma once

#include <mpi.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "tools/bench_call.hpp"

namespace tutti::tools {

// One of those compared, on a communicator of its own.
struct Contender {
  const Algorithm* algorithm = nullptr;  // null: the native collective
  MPI_Comm comm = MPI_COMM_NULL;

  std::string name() const { return algorithm ? std::string(algorithm->name) : "native"; }
  Server server() const { return algorithm ? Server::tutti : Server::native; }
};

struct Measurement {
  std::string obstacle{};         // why it cannot serve the call; empty if it can
  bool right = true;              // every rank had the right result
  int calls = 0;                  // in a batch
  std::vector<double> seconds{};  // per call: of each repetition's slowest rank, sorted
};

double median(const std::vector<double>& sorted);
// Where the median lies with at least 95% probability, by order statistics; nothing if there are
// too few values to say.
std::optional<std::pair<double, double>> interval_of_median(const std::vector<double>& sorted);

// One measurement per contender. Collective over `world`; results are the same on all its ranks.
// `progress` is told of each repetition of each contender.
std::vector<Measurement> measure(const std::vector<Contender>& contenders, const Call& call,
                                 MPI_Op op, int repetitions, MPI_Comm world,
                                 const std::function<void()>& progress);

}  // namespace tutti::tools
