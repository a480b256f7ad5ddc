// Part of cluster_tutti, the `tutti` that measures simulated clusters whose arithmetic takes time:
// CLUSTER_GAMMA seconds pass for each byte that MPI_SUM combines, as in cluster_bench --gamma.
#include <cstdlib>

#include "simulation.hpp"

extern "C" int MPI_Init(int* argc, char*** argv) {
  const int result = PMPI_Init(argc, argv);
  int me = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  const char* const gamma = std::getenv("CLUSTER_GAMMA");
  if (gamma == nullptr) {
    std::fprintf(stderr, "cluster_tutti: CLUSTER_GAMMA has to say seconds per byte\n");
    std::abort();
  }
  cluster::set_price(me, std::strtod(gamma, nullptr), false);
  return result;
}
