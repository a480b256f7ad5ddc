// The scans of two MPI libraries, written out over point-to-point messages.
//
// SMPI has one flat scan for all its selectors, which no MPI library uses; these stand in for what
// the libraries really do: a chain (Open MPI) and recursive doubling (MPICH). They are peers to
// compare with, not part of Tutti. Reductions go through PMPI_Reduce_local, so they are charged
// like everybody else's.
#pragma once

#include <mpi.h>

#include <algorithm>

#include "call.hpp"

namespace cluster {

struct ScanBuffers {
  const double* in;
  double* out;
  double* scratch;  // 2 * count doubles
};

constexpr int kScanTag = 29003;

inline void add(const double* left, double* right_into, int count) {
  PMPI_Reduce_local(left, right_into, count, MPI_DOUBLE, MPI_SUM);
}

// Rank r waits for r-1, adds its own vector, passes the sum on to r+1: (p-1)(alpha + n beta).
inline void chain_scan(const Call& call, ScanBuffers b) {
  std::copy_n(b.in, call.count, b.out);
  if (call.me > 0) {
    PMPI_Recv(b.scratch, call.count, MPI_DOUBLE, call.me - 1, kScanTag, MPI_COMM_WORLD,
              MPI_STATUS_IGNORE);
    add(b.scratch, b.out, call.count);
  }
  if (call.me + 1 < call.p) {
    PMPI_Send(b.out, call.count, MPI_DOUBLE, call.me + 1, kScanTag, MPI_COMM_WORLD);
  }
}

inline void chain_exscan(const Call& call, ScanBuffers b) {
  if (call.me > 0) {
    PMPI_Recv(b.out, call.count, MPI_DOUBLE, call.me - 1, kScanTag, MPI_COMM_WORLD,
              MPI_STATUS_IGNORE);
  }
  if (call.me + 1 == call.p) return;
  std::copy_n(b.in, call.count, b.scratch);
  if (call.me > 0) add(b.out, b.scratch, call.count);
  PMPI_Send(b.scratch, call.count, MPI_DOUBLE, call.me + 1, kScanTag, MPI_COMM_WORLD);
}

// In round k rank r exchanges the sum of its aligned group of 2^k ranks with rank r xor 2^k; sums
// from below are also added to the result: ceil(log2 p) (alpha + n beta).
inline void doubling_scan(const Call& call, ScanBuffers b, bool exclusive) {
  double* theirs = b.scratch;
  double* group = b.scratch + call.count;
  bool have_result = !exclusive;
  std::copy_n(b.in, call.count, group);
  if (!exclusive) std::copy_n(b.in, call.count, b.out);
  for (int distance = 1; distance < call.p; distance <<= 1) {
    const int peer = call.me ^ distance;
    if (peer >= call.p) continue;
    PMPI_Sendrecv(group, call.count, MPI_DOUBLE, peer, kScanTag, theirs, call.count, MPI_DOUBLE,
                  peer, kScanTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    add(theirs, group, call.count);
    if (peer > call.me) continue;
    if (have_result) {
      add(theirs, b.out, call.count);
    } else {
      std::copy_n(theirs, call.count, b.out);
      have_result = true;
    }
  }
}

}  // namespace cluster
