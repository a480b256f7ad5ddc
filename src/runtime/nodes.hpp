// Which ranks share a node.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace tutti::runtime {

// The node this process runs on, as a number made of what MPI calls it.
inline std::uint64_t node_of_process() {
  char name[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  PMPI_Get_processor_name(name, &length);
  return std::hash<std::string_view>{}({name, static_cast<std::size_t>(length)});
}

// The node of each rank. Collective over `comm`.
inline std::vector<std::uint64_t> nodes_of_ranks(MPI_Comm comm) {
  int p = 0;
  PMPI_Comm_size(comm, &p);
  const std::uint64_t mine = node_of_process();
  std::vector<std::uint64_t> all(static_cast<std::size_t>(p));
  PMPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, comm);
  return all;
}

}  // namespace tutti::runtime
