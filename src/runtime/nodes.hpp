// Which ranks share a node.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace tutti::runtime {

// The node of each rank, as a number made of what MPI calls it. Collective over `comm`.
inline std::vector<std::uint64_t> nodes_of_ranks(MPI_Comm comm) {
  char name[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  int p = 0;
  PMPI_Get_processor_name(name, &length);
  PMPI_Comm_size(comm, &p);
  const std::uint64_t mine =
      std::hash<std::string_view>{}({name, static_cast<std::size_t>(length)});
  std::vector<std::uint64_t> all(static_cast<std::size_t>(p));
  PMPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, comm);
  return all;
}

// Seconds a short message takes between rank 0 and the first rank on another node: the least of
// some round trips, halved. The same on all ranks; 0 if all are on one node. Collective over
// `comm`.
inline double latency_between_nodes(MPI_Comm comm, const std::vector<std::uint64_t>& nodes) {
  constexpr int trips = 6, tag = 0;
  const auto other = std::ranges::find_if(nodes, [&](auto node) { return node != nodes.front(); });
  if (other == nodes.end()) return 0;
  const int far = static_cast<int>(other - nodes.begin());
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  double least = 1;
  for (int i = 0; i < trips && (rank == 0 || rank == far); ++i) {
    const double start = PMPI_Wtime();
    if (rank == 0) PMPI_Send(nullptr, 0, MPI_BYTE, far, tag, comm);
    PMPI_Recv(nullptr, 0, MPI_BYTE, rank == 0 ? far : 0, tag, comm, MPI_STATUS_IGNORE);
    if (rank == far) PMPI_Send(nullptr, 0, MPI_BYTE, 0, tag, comm);
    least = std::min(least, (PMPI_Wtime() - start) / 2);
  }
  PMPI_Bcast(&least, 1, MPI_DOUBLE, 0, comm);
  return least;
}

}  // namespace tutti::runtime
