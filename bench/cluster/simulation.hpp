// What the benchmark needs from SimGrid/SMPI 3.32: the same starting instant on every rank, a price
// for reductions, and "dry" calls that move no payload.
#pragma once

#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <sys/mman.h>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace cluster {

constexpr double kSlot = 32;          // simulated seconds reserved for one call
constexpr double kHostSpeed = 10e9;   // flop/s of every host in platforms.py
constexpr size_t kSmallCopy = 65536;  // dry calls still copy payloads below this, in bytes

// ---- The price of reductions. ----
// MPI_SUM is an object inside libsimgrid; every algorithm, and MPI_Reduce_local, applies it through
// one function pointer. Rank 0 replaces that pointer by a function that adds, and then lets gamma
// seconds per byte pass on the host, so everybody's reductions cost the same.

using OpFunction = void(void*, void*, int*, MPI_Datatype*);

struct Price {
  OpFunction* add = nullptr;
  double gamma = 0;  // seconds per byte
  bool dry = false;  // time passes, nothing is added
};

inline Price& price() {  // set before the first call, the same on all ranks
  static Price shared;
  return shared;
}

inline void pass_reduction_time(double bytes) {
  if (price().gamma > 0) sg_actor_execute(price().gamma * bytes * kHostSpeed);
}

inline void priced_sum(void* in, void* into, int* count, MPI_Datatype* type) {
  if (!price().dry) price().add(in, into, count, type);
  int size = 0;
  PMPI_Type_size(*type, &size);
  pass_reduction_time(static_cast<double>(size) * *count);
}

inline void unused_operator(void*, void*, int*, MPI_Datatype*) {}

// Where in an operator object its function pointer is: found with an operator of our own.
inline size_t function_slot() {
  MPI_Op mine;
  PMPI_Op_create(unused_operator, 1, &mine);
  void** words = reinterpret_cast<void**>(mine);
  size_t slot = 0;
  while (slot < 32 && words[slot] != reinterpret_cast<void*>(unused_operator)) ++slot;
  PMPI_Op_free(&mine);
  if (slot == 32) {
    std::fprintf(stderr,
                 "cluster_bench: this SMPI's operators look different; cannot price them\n");
    std::abort();
  }
  return slot;
}

inline void set_price(int me, double gamma, bool dry) {
  price().gamma = gamma;
  price().dry = dry;
  if (me != 0) return;  // one MPI_SUM for all ranks; nobody uses it before the first start instant
  void** function = reinterpret_cast<void**>(MPI_SUM) + function_slot();
  price().add = reinterpret_cast<OpFunction*>(*function);
  *function = reinterpret_cast<void*>(priced_sum);
}

// ---- Dry calls: all ranks share one region whose contents mean nothing. ----

inline double* dry_buffer(int which) {
  constexpr uint64_t base = 0x200000000000, stride = 0x10000000000, bytes = 1ull << 38;
  void* at = reinterpret_cast<void*>(base + which * stride);
  void* got = mmap(at, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED && errno != EEXIST) {  // EEXIST: another rank has made it
    std::perror("cluster_bench: mmap");
    std::abort();
  }
  return static_cast<double*>(at);
}

inline void copy_small_only(smx_activity_t comm, void* payload, size_t bytes) {
  if (bytes >= kSmallCopy) return;
  using Comm = simgrid::kernel::activity::CommImpl;
  smpi_comm_copy_buffer_callback(reinterpret_cast<Comm*>(comm), payload, bytes);
}

// ---- One call, from one instant for all ranks until the links are idle again. ----

inline double start_together() {  // returns MPI_Wtime, the same on every rank
  sg_actor_sleep_until(std::ceil((simgrid_get_clock() + 1) / kSlot) * kSlot);
  return PMPI_Wtime();
}

inline double seconds_since(double start) {  // and waits out the rest of the slot
  const double elapsed = PMPI_Wtime() - start;
  if (elapsed > kSlot - 2) {
    std::fprintf(stderr, "cluster_bench: a call took longer than its slot of %g s\n", kSlot - 2);
    std::abort();
  }
  sg_actor_sleep_for(kSlot - 2 - elapsed);
  return elapsed;
}

}  // namespace cluster
