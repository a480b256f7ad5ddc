// What does not fit the common mould: same bits everywhere, reductions on MPI_BOTTOM, and
// messages over INT_MAX bytes.
#include <cmath>
#include <cstdio>
#include <cstring>

#include "suites.hpp"

namespace tutti::test {

namespace {

// Doubles whose sum depends on the order: both signs, many magnitudes.
double rough_value(Seed seed, int rank, int i) {
  const Seed h = scramble(seed, static_cast<Seed>(rank), static_cast<Seed>(i));
  const double mantissa = static_cast<double>(h >> 11) / 9007199254740992.0 - 0.5;
  return std::ldexp(mantissa, static_cast<int>(h % 40) - 20);
}

// True if `mine` has the same bits on all ranks; known at rank 0 only.
bool same_on_all(const TestComm& comm, const std::vector<double>& mine) {
  const int count = static_cast<int>(mine.size());
  if (comm.rank != 0) {
    MPI_Send(mine.data(), count, MPI_DOUBLE, 0, 0, comm.side);
    return true;
  }
  bool same = true;
  std::vector<double> theirs(mine.size());
  for (int peer = 1; peer < comm.p; ++peer) {
    MPI_Recv(theirs.data(), count, MPI_DOUBLE, peer, 0, comm.side, MPI_STATUS_IGNORE);
    same = same && std::memcmp(mine.data(), theirs.data(), mine.size() * sizeof(double)) == 0;
  }
  return same;
}

bool close_to_sum(const TestComm& comm, Seed seed, const std::vector<double>& result) {
  for (std::size_t i = 0; i < result.size(); ++i) {
    double sum = 0;
    double size = 0;
    for (int rank = 0; rank < comm.p; ++rank) {
      const double value = rough_value(seed, rank, static_cast<int>(i));
      sum += value;
      size += std::fabs(value);
    }
    if (!(std::fabs(result[i] - sum) <= 1e-14 * comm.p * size)) return false;
  }
  return true;
}

void check_same_bits(const Bench& bench, const TestComm& comm, int count) {
  const Seed seed = bench.options.seed + comm.salt + static_cast<Seed>(count);
  std::vector<double> input;
  for (int i = 0; i < count; ++i) input.push_back(rough_value(seed, comm.rank, i));
  std::vector<double> first(input.size());
  MPI_Allreduce(input.data(), first.data(), count, MPI_DOUBLE, MPI_SUM, comm.comm);
  const std::string where =
      "Allreduce datatype=double op=sum count=" + std::to_string(count) + " comm=" + comm.name;
  bench.report.check("Allreduce", close_to_sum(comm, seed, first), where + ": wrong sum");
  bench.report.check("Allreduce", same_on_all(comm, first), where + ": bits differ between ranks");
  std::vector<double> again(input.size());
  MPI_Allreduce(input.data(), again.data(), count, MPI_DOUBLE, MPI_SUM, comm.comm);
  bench.report.check("Allreduce",
                     std::memcmp(first.data(), again.data(), first.size() * sizeof(double)) == 0,
                     where + ": the same call gave other bits the second time");
}

// Wrap-around sum of `ints_per_element` unsigned; the data lie at the datatype's true lower
// bound from the address given, which for a datatype of absolute addresses is far away.
constexpr int ints_per_element = 6;

void sum_at_true_bound(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint bound;
  MPI_Aint extent;
  MPI_Type_get_true_extent(*type, &bound, &extent);
  const auto at_bound = [bound](void* address) {
    return reinterpret_cast<unsigned*>(reinterpret_cast<MPI_Aint>(address) + bound);
  };
  const unsigned* left = at_bound(in);
  unsigned* right = at_bound(inout);
  for (int i = 0; i < *count * ints_per_element; ++i) right[i] += left[i];
}

// Allreduce(MPI_IN_PLACE, MPI_BOTTOM): the datatype holds the addresses, so they differ between
// ranks.
[[maybe_unused]] void check_bottom_allreduce(const Bench& bench, const TestComm& comm) {
  std::vector<unsigned> memory(64, 0xabcdU);
  unsigned* data = memory.data() + 7 + comm.rank % 5;
  std::vector<unsigned> expected = memory;
  const std::size_t first = static_cast<std::size_t>(data - memory.data());
  for (int i = 0; i < ints_per_element; ++i) {
    const std::size_t at = first + static_cast<std::size_t>(i);
    expected[at] = 0;
    for (int rank = 0; rank < comm.p; ++rank) {
      const auto value = static_cast<unsigned>(movement_value(bench.options.seed, rank, i));
      if (rank == comm.rank) memory[at] = value;
      expected[at] += value;
    }
  }
  MPI_Aint address;
  MPI_Get_address(data, &address);
  MPI_Datatype type;
  int length = ints_per_element;
  MPI_Type_create_hindexed(1, &length, &address, MPI_UNSIGNED, &type);
  MPI_Type_commit(&type);
  MPI_Op op;
  MPI_Op_create(sum_at_true_bound, 1, &op);
  MPI_Allreduce(MPI_IN_PLACE, MPI_BOTTOM, 1, type, op, comm.comm);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  bench.report.check("Allreduce", memory == expected,
                     "Allreduce on MPI_BOTTOM, comm=" + comm.name + ": wrong result");
}

double large_value(long i, int rank) { return static_cast<double>(i * 3 + rank); }

long first_wrong(const std::vector<double>& data, long first, long count, int rank) {
  for (long i = 0; i < count; ++i) {
    if (data[static_cast<std::size_t>(first + i)] != large_value(i, rank)) return i;
  }
  return -1;
}

constexpr int over_int_max = 300000000;  // doubles: 2.4e9 bytes

void check_large_bcast(const Bench& bench, const TestComm& comm) {
  std::vector<double> data(static_cast<std::size_t>(over_int_max), -1.0);
  const int root = comm.p - 1;
  if (comm.rank == root) {
    for (long i = 0; i < over_int_max; ++i) data[static_cast<std::size_t>(i)] = large_value(i, 0);
  }
  MPI_Bcast(data.data(), over_int_max, MPI_DOUBLE, root, comm.comm);
  const long wrong = first_wrong(data, 0, over_int_max, 0);
  bench.report.check("Bcast", wrong < 0,
                     "Bcast of 2.4e9 bytes: element " + std::to_string(wrong) + " is wrong");
}

// In place, to keep memory at p * 2.4e9 bytes per rank: two ranks only.
void check_large_allgather(const Bench& bench, const TestComm& comm) {
  if (comm.p != 2) return;
  std::vector<double> data(2 * static_cast<std::size_t>(over_int_max), -1.0);
  for (long i = 0; i < over_int_max; ++i) {
    data[static_cast<std::size_t>(comm.rank * long{over_int_max} + i)] = large_value(i, comm.rank);
  }
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data.data(), over_int_max, MPI_DOUBLE,
                comm.comm);
  for (int rank = 0; rank < 2; ++rank) {
    const long wrong = first_wrong(data, rank * long{over_int_max}, over_int_max, rank);
    bench.report.check("Allgather", wrong < 0,
                       "Allgather of 2.4e9 bytes: element " + std::to_string(wrong) + " of block " +
                           std::to_string(rank) + " is wrong");
  }
}

}  // namespace

void run_special(const Bench& bench) {
  if (bench.options.wants("Allreduce")) {
    for (const TestComm& comm : bench.comms.all()) {
      for (const int count : {1, 17, 1009, 5003}) check_same_bits(bench, comm, count);
#if !defined(TUTTI_SMPI)  // SMPI 3.32 crashes: MPI_BOTTOM is not address 0 there
      check_bottom_allreduce(bench, comm);
#endif
    }
  }
  if (!bench.options.large) return;
  if (bench.options.wants("Bcast")) check_large_bcast(bench, bench.comms.world());
  if (bench.options.wants("Allgather")) check_large_allgather(bench, bench.comms.world());
}

}  // namespace tutti::test
