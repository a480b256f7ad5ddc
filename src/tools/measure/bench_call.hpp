// One collective call with data of its own: run by Tutti or by the native library, and checked.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "algorithms/call.hpp"

namespace tutti::tools {

enum class Server : std::uint8_t { tutti, native };

// The functions that serve calls.
struct Library;

// Reductions add small integers in doubles (or, with an operator that does not commute, keep the
// first rank's); all else moves bytes.
class BenchCall {
 public:
  // What this rank of `comm` contributes to the call. `op` is used by reductions only.
  BenchCall(const Call& call, Rank rank, MPI_Op op);

  // Bytes of memory a rank needs for a call of n bytes.
  static double memory(double bytes) { return 3 * bytes; }

  void run(Server server, MPI_Comm comm);
  // Overwrites the result, so that what is found there later was put there by a call.
  void spoil();
  // Whether this rank's result is what MPI says it is.
  bool is_right() const;

 private:
  // In irregular calls the same blocks as in regular ones, described one by one. Returns what MPI
  // does.
  int run_by(const Library& library, MPI_Comm comm);
  // Unit `i` of what `rank` contributes.
  int contribution(Rank rank, Units i) const;
  // What MPI says unit `i` of this rank's result is.
  double expected(Units i) const;
  double combined(Rank first, Rank last, Units i) const;

  void set(std::vector<char>& buffer, Units i, double value) const;

  Call call_;
  Rank rank_;
  MPI_Op op_;
  MPI_Datatype type_;
  Units block_;              // units of a rank's block
  Units contributed_;        // units of this rank's input, unless it has none
  Units received_ = 0;       // units of this rank's result
  std::vector<int> counts_;  // of all ranks, for irregular calls
  std::vector<int> displs_;
  std::vector<MPI_Datatype> types_;
  std::vector<char> in_;
  std::vector<char> out_;
  std::vector<char> right_;  // what out_ has to begin with
};

}  // namespace tutti::tools
