// Collectives, a communicator's first ones too, in threads with small stacks.
//
// Seen by users as a crash: OpenMP workers, fibres, tasks of Go, Erlang or Julia.
// https://github.com/open-mpi/ompi/issues/2427, https://github.com/pmodels/mpich/issues/3234
//
//   small_stacks KIB
#include <pthread.h>

#include <cstdlib>
#include <vector>

#include "program.hpp"

namespace {

constexpr int threads = 2, rounds = 2, repetitions = 8;

struct Worker {
  MPI_Comm comm;
  long failures = 0;
  pthread_t thread{};
};

long call_all(MPI_Comm comm, int n) {
  const int p = program::p;
  std::vector<double> in(static_cast<std::size_t>(n * p), program::rank), out(in.size(), -1);
  long failures = 0;
  MPI_Allreduce(in.data(), out.data(), n, MPI_DOUBLE, MPI_SUM, comm);
  failures += out[static_cast<std::size_t>(n - 1)] != p * (p - 1) / 2.0;
  MPI_Bcast(out.data(), n, MPI_DOUBLE, p - 1, comm);
  MPI_Alltoall(in.data(), n, MPI_DOUBLE, out.data(), n, MPI_DOUBLE, comm);
  failures += out.back() != p - 1;
  MPI_Allgather(in.data(), n, MPI_DOUBLE, out.data(), n, MPI_DOUBLE, comm);
  failures += out.front() != 0;
  MPI_Scan(in.data(), out.data(), n, MPI_DOUBLE, MPI_SUM, comm);
  failures += out.front() != program::rank * (program::rank + 1) / 2.0;
  return failures;
}

void* work(void* argument) {
  auto& worker = *static_cast<Worker*>(argument);
  for (int i = 0; i < repetitions; ++i) {
    for (const int n : {1, 100, 10000}) worker.failures += call_all(worker.comm, n);
  }
  return nullptr;
}

void run(std::size_t stack_bytes) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  program::expect(pthread_attr_setstacksize(&attributes, stack_bytes) == 0, "the stack's size");
  std::vector<Worker> workers(threads);
  for (Worker& each : workers) MPI_Comm_dup(MPI_COMM_WORLD, &each.comm);
  for (Worker& each : workers) pthread_create(&each.thread, &attributes, work, &each);
  for (Worker& each : workers) pthread_join(each.thread, nullptr);
  for (Worker& each : workers) {
    program::expect(each.failures == 0, "results in a thread");
    MPI_Comm_free(&each.comm);
  }
  pthread_attr_destroy(&attributes);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  program::learn_ranks();
  program::expect(provided == MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE");
  for (int i = 0; i < rounds; ++i) run(std::strtoul(argv[1], nullptr, 10) * 1024);
  return program::end();
}
