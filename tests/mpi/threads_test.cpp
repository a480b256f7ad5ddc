// threads_test: collectives from several threads at once, each thread on its own communicator.
//
//   mpirun -np P threads_test [--calls N]
//
// Every thread makes a random sequence of collectives (the same on all ranks) on its own
// duplicate of MPI_COMM_WORLD; results are checked against plain loops.
#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "collectives/values.hpp"
#include "totals.hpp"

namespace {

using tutti::test::movement_value;
using tutti::test::Seed;
using tutti::test::SharedRandom;

constexpr int threads = 4;

std::atomic<long> checks{0};
std::atomic<long> failures{0};

// One thread's communicator and the inputs of the call it is about to make.
class Worker {
 public:
  Worker(MPI_Comm comm, int index) : comm_(comm), random_(static_cast<Seed>(index) + 100) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &p_);
  }

  void run(int calls) {
    using Check = bool (Worker::*)();
    static constexpr std::array<Check, 7> all{
        &Worker::bcast, &Worker::allreduce, &Worker::allgather,           &Worker::alltoall,
        &Worker::scan,  &Worker::reduce,    &Worker::reduce_scatter_block};
    for (int i = 0; i < calls; ++i) {
      const auto which = static_cast<std::size_t>(random_.below(static_cast<int>(all.size())));
      seed_ = random_.next();
      count_ = random_.below(random_.below(4) == 0 ? 5000 : 50);
      root_ = random_.below(p_);
      const bool good = (this->*all[which])();
      ++checks;
      if (!good && ++failures <= 10) {
        std::fprintf(stderr, "FAILED call %d, collective %zu of the list, count %d, rank %d\n", i,
                     which, count_, rank_);
      }
      if (random_.below(10) == 0) MPI_Barrier(comm_);
    }
  }

 private:
  using Data = std::vector<int>;

  int value(int rank, long i) const {
    return static_cast<int>(movement_value(seed_, rank, i) % 1000);
  }

  Data values(int rank, long first, long count) const {
    Data data;
    for (long i = first; i < first + count; ++i) data.push_back(value(rank, i));
    return data;
  }

  // Ranks [0, last] summed, elements [first, first + count).
  Data sum(int last, long first, long count) const {
    Data data(static_cast<std::size_t>(count), 0);
    for (int rank = 0; rank <= last; ++rank) {
      for (long i = 0; i < count; ++i) data[static_cast<std::size_t>(i)] += value(rank, first + i);
    }
    return data;
  }

  Data blank(long count) const { return Data(static_cast<std::size_t>(count), -7777); }

  bool bcast() {
    Data data = rank_ == root_ ? values(root_, 0, count_) : blank(count_);
    MPI_Bcast(data.data(), count_, MPI_INT, root_, comm_);
    return data == values(root_, 0, count_);
  }

  bool allreduce() {
    Data data = values(rank_, 0, count_);
    MPI_Allreduce(MPI_IN_PLACE, data.data(), count_, MPI_INT, MPI_SUM, comm_);
    return data == sum(p_ - 1, 0, count_);
  }

  bool reduce() {
    const Data in = values(rank_, 0, count_);
    Data out = blank(count_);
    MPI_Reduce(in.data(), out.data(), count_, MPI_INT, MPI_SUM, root_, comm_);
    return out == (rank_ == root_ ? sum(p_ - 1, 0, count_) : blank(count_));
  }

  bool scan() {
    const Data in = values(rank_, 0, count_);
    Data out = blank(count_);
    MPI_Scan(in.data(), out.data(), count_, MPI_INT, MPI_SUM, comm_);
    return out == sum(rank_, 0, count_);
  }

  bool allgather() {
    const Data in = values(rank_, 0, count_);
    Data out = blank(long{count_} * p_);
    MPI_Allgather(in.data(), count_, MPI_INT, out.data(), count_, MPI_INT, comm_);
    Data expected;
    for (int rank = 0; rank < p_; ++rank) append(expected, values(rank, 0, count_));
    return out == expected;
  }

  bool alltoall() {
    const Data in = values(rank_, 0, long{count_} * p_);
    Data out = blank(long{count_} * p_);
    MPI_Alltoall(in.data(), count_, MPI_INT, out.data(), count_, MPI_INT, comm_);
    Data expected;
    for (int rank = 0; rank < p_; ++rank) {
      append(expected, values(rank, long{count_} * rank_, count_));
    }
    return out == expected;
  }

  bool reduce_scatter_block() {
    const Data in = values(rank_, 0, long{count_} * p_);
    Data out = blank(count_);
    MPI_Reduce_scatter_block(in.data(), out.data(), count_, MPI_INT, MPI_SUM, comm_);
    return out == sum(p_ - 1, long{count_} * rank_, count_);
  }

  static void append(Data& to, const Data& more) { to.insert(to.end(), more.begin(), more.end()); }

  MPI_Comm comm_;
  SharedRandom random_;
  int rank_ = 0;
  int p_ = 0;
  Seed seed_ = 0;
  int count_ = 0;
  int root_ = 0;
};

void run_threads(int calls) {
  std::array<MPI_Comm, threads> comms;
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back(
        [&comms, i, calls] { Worker(comms[static_cast<std::size_t>(i)], i).run(calls); });
  }
  for (std::thread& thread : running) thread.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  const int calls = argc == 3 && std::strcmp(argv[1], "--calls") == 0 ? std::atoi(argv[2]) : 300;
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    std::fprintf(stderr, "threads_test: this MPI does not provide MPI_THREAD_MULTIPLE\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  run_threads(calls);
  const bool good = tutti::test::print_totals(checks, failures);
  MPI_Finalize();
  return good ? 0 : 1;
}
