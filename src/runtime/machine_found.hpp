// Two figures of the machine, found in some ten microseconds where nobody measured it.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "machine/machine.hpp"

namespace tutti::runtime {

// Seconds a short message takes between rank 0 and the first rank on another node: the least of
// some round trips, halved; 0 if there is none. For these two ranks.
inline double latency_between_nodes(MPI_Comm comm, int rank,
                                    const std::vector<std::uint64_t>& nodes) {
  constexpr int trips = 6, tag = 0;
  const auto other = std::ranges::find_if(nodes, [&](auto node) { return node != nodes.front(); });
  if (other == nodes.end()) return 0;
  const int far = static_cast<int>(other - nodes.begin());
  double least = 1;
  for (int i = 0; i < trips && (rank == 0 || rank == far); ++i) {
    const double start = PMPI_Wtime();
    if (rank == 0) PMPI_Send(nullptr, 0, MPI_BYTE, far, tag, comm);
    PMPI_Recv(nullptr, 0, MPI_BYTE, rank == 0 ? far : 0, tag, comm, MPI_STATUS_IGNORE);
    if (rank == far) PMPI_Send(nullptr, 0, MPI_BYTE, 0, tag, comm);
    least = std::min(least, (PMPI_Wtime() - start) / 2);
  }
  return least;
}

// Seconds per byte of adding numbers, the least of some times.
inline double time_of_sums() {
  constexpr int times = 4, count = 4096;
  std::vector<double> left(count), right(count);
  double least = 1;
  for (int i = 0; i < times; ++i) {
    const double start = PMPI_Wtime();
    PMPI_Reduce_local(left.data(), right.data(), count, MPI_DOUBLE, MPI_SUM);
    least = std::min(least, PMPI_Wtime() - start);
  }
  return least / (count * sizeof(double));
}

// What rank 0 takes the machine to be. Collective over `comm`, whose ranks are on these nodes.
inline Machine machine_found(MPI_Comm comm, const std::vector<std::uint64_t>& nodes) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  std::array<double, 2> found{latency_between_nodes(comm, rank, nodes)};
  if (rank == 0) found[1] = time_of_sums();
  PMPI_Bcast(found.data(), 2, MPI_DOUBLE, 0, comm);
  return machine_by(found[0], found[1]);
}

}  // namespace tutti::runtime
