// A run of many ranks that a command is given: MPI, where it runs, and how to speak with one voice.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace tutti::tools {

// MPI, for as long as it lives.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  int rank = 0;
  int p = 1;
};

template <class Value>
Value combined(Value value, MPI_Datatype type, MPI_Op op, MPI_Comm comm = MPI_COMM_WORLD) {
  PMPI_Allreduce(MPI_IN_PLACE, &value, 1, type, op, comm);
  return value;
}

// Where and how times were measured.
struct Surroundings {
  std::string library{};  // the MPI library, and its version
  std::string host{};     // of rank 0
  int p = 1;
  int nodes = 1;
  int processors = 1;  // of the node with fewest for each of its ranks
  int node_ranks = 1;  // ranks on that node
  double load = 0;     // of that machine before the run: processes that want a processor

  bool crowded() const { return node_ranks > processors; }
};

// Collective, as all that follows.
Surroundings surroundings(const Session& session);

// Says on standard output that times are not to be trusted, if they are not.
void warn_of_crowd(const Surroundings& where);

// Ranks of one run must be asked for the same thing. Throws std::invalid_argument on all of them if
// they were not.
void check_agreement(const std::vector<std::string>& words);

// Rank 0 does it. What it throws as std::invalid_argument is thrown on all ranks.
void on_rank_0(const Session& session, const std::function<void()>& work);

// Runs a command whose ranks all find the same mistakes: rank 0 names them. Returns a Status.
int run_together(const Session& session, const char* command, const std::function<int()>& work);

}  // namespace tutti::tools
