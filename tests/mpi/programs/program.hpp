// What these programs share: who they are, what they say, how they end.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <string>

#include "../totals.hpp"

namespace program {

inline int rank = 0, p = 1;
inline long checks = 0, failures = 0;
inline std::string said;  // by this rank, to be printed at the end

inline void learn_ranks() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
}

inline bool expect(bool good, const std::string& what) {
  ++checks;
  if (good) return true;
  if (++failures <= 10) std::fprintf(stderr, "FAILED rank %d: %s\n", rank, what.c_str());
  return false;
}

inline void say(const std::string& line) { said += line + "\n"; }

inline int class_of(int code) {
  int result = MPI_SUCCESS;
  MPI_Error_class(code, &result);
  return result;
}

// What all ranks said, in their order, and whether nothing failed. No collective is used.
inline int end() {
  if (rank != 0) {
    MPI_Send(said.data(), static_cast<int>(said.size()), MPI_CHAR, 0, 3, MPI_COMM_WORLD);
  }
  for (int other = 0; rank == 0 && other < p; ++other) {
    if (other > 0) {
      MPI_Status status;
      int bytes = 0;
      MPI_Probe(other, 3, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_CHAR, &bytes);
      said.resize(static_cast<std::size_t>(bytes));
      MPI_Recv(said.data(), bytes, MPI_CHAR, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    std::fputs(said.c_str(), stdout);
  }
  const bool good = tutti::test::print_totals(checks, failures);
  MPI_Finalize();
  return good ? 0 : 1;
}

}  // namespace program
