// Calls every blocking collective once, with uneven blocks where they may be, and checks what comes
// out. The driver requires its report to show that Tutti served all of them.
#include <mpi.h>

#include <cstdio>
#include <vector>

namespace {

using Ints = std::vector<int>;

int rank, p;
int wrong = 0;

void expect(bool right, const char* what) {
  if (right) return;
  ++wrong;
  std::fprintf(stderr, "rank %d of %d: %s is wrong\n", rank, p, what);
}

// What rank `from` sends to rank `to`, and how many elements of it.
int value(int from, int to) { return 100 * from + to + 1; }
int count(int from, int to) { return (from + 2 * to) % 3; }

// Blocks with a hole of one element after each.
struct Blocks {
  Ints counts, displacements;
  Ints bytes;  // displacements in bytes
  int end = 0;

  void add(int elements) {
    counts.push_back(elements);
    displacements.push_back(end);
    bytes.push_back(end * static_cast<int>(sizeof(int)));
    end += elements + 1;
  }
};

template <class CountOf>
Blocks blocks(CountOf count_of) {
  Blocks result;
  for (int r = 0; r < p; ++r) result.add(count_of(r));
  return result;
}

template <class ValueOf>
Ints filled(const Blocks& blocks, ValueOf value_of) {
  Ints data(static_cast<std::size_t>(blocks.end), -1);
  for (int r = 0; r < p; ++r) {
    for (int i = 0; i < blocks.counts[r]; ++i) {
      data[static_cast<std::size_t>(blocks.displacements[r] + i)] = value_of(r);
    }
  }
  return data;
}

void movement() {
  const int root = p - 1;
  int message = rank == root ? 7 : 0;
  MPI_Bcast(&message, 1, MPI_INT, root, MPI_COMM_WORLD);
  expect(message == 7, "bcast");
  MPI_Barrier(MPI_COMM_WORLD);

  const int own = value(rank, 0);
  Ints everyone(static_cast<std::size_t>(p));
  Ints expected;
  for (int r = 0; r < p; ++r) expected.push_back(value(r, 0));
  MPI_Gather(&own, 1, MPI_INT, everyone.data(), 1, MPI_INT, root, MPI_COMM_WORLD);
  if (rank == root) expect(everyone == expected, "gather");
  int mine = 0;
  MPI_Scatter(expected.data(), 1, MPI_INT, &mine, 1, MPI_INT, root, MPI_COMM_WORLD);
  expect(mine == own, "scatter");
  MPI_Allgather(&own, 1, MPI_INT, everyone.data(), 1, MPI_INT, MPI_COMM_WORLD);
  expect(everyone == expected, "allgather");
  Ints sent, received(static_cast<std::size_t>(p)), due;
  for (int r = 0; r < p; ++r) {
    sent.push_back(value(rank, r));
    due.push_back(value(r, rank));
  }
  MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, MPI_COMM_WORLD);
  expect(received == due, "alltoall");
}

void irregular_movement() {
  const int root = p / 2;
  const Blocks all = blocks([](int r) { return count(r, 0); });
  const Ints expected = filled(all, [](int r) { return value(r, 0); });
  const Ints own(static_cast<std::size_t>(count(rank, 0)), value(rank, 0));
  const int size = count(rank, 0);
  Ints gathered(expected.size(), -1);
  MPI_Gatherv(own.data(), size, MPI_INT, gathered.data(), all.counts.data(),
              all.displacements.data(), MPI_INT, root, MPI_COMM_WORLD);
  if (rank == root) expect(gathered == expected, "gatherv");
  Ints mine(own.size());
  MPI_Scatterv(expected.data(), all.counts.data(), all.displacements.data(), MPI_INT, mine.data(),
               size, MPI_INT, root, MPI_COMM_WORLD);
  expect(mine == own, "scatterv");
  gathered.assign(expected.size(), -1);
  MPI_Allgatherv(own.data(), size, MPI_INT, gathered.data(), all.counts.data(),
                 all.displacements.data(), MPI_INT, MPI_COMM_WORLD);
  expect(gathered == expected, "allgatherv");

  const Blocks to = blocks([](int r) { return count(rank, r); });
  const Blocks from = blocks([](int r) { return count(r, rank); });
  const Ints sent = filled(to, [](int r) { return value(rank, r); });
  const Ints due = filled(from, [](int r) { return value(r, rank); });
  Ints received(due.size(), -1);
  MPI_Alltoallv(sent.data(), to.counts.data(), to.displacements.data(), MPI_INT, received.data(),
                from.counts.data(), from.displacements.data(), MPI_INT, MPI_COMM_WORLD);
  expect(received == due, "alltoallv");
  const std::vector<MPI_Datatype> types(static_cast<std::size_t>(p), MPI_INT);
  received.assign(due.size(), -1);
  MPI_Alltoallw(sent.data(), to.counts.data(), to.bytes.data(), types.data(), received.data(),
                from.counts.data(), from.bytes.data(), types.data(), MPI_COMM_WORLD);
  expect(received == due, "alltoallw");
}

void reductions() {
  const int root = p - 1;
  const int own = rank + 1;
  const int total = p * (p + 1) / 2;
  int result = 0;
  MPI_Reduce(&own, &result, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
  if (rank == root) expect(result == total, "reduce");
  MPI_Allreduce(&own, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(result == total, "allreduce");
  MPI_Scan(&own, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(result == own * (own + 1) / 2, "scan");
  MPI_Exscan(&own, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank > 0) expect(result == rank * own / 2, "exscan");

  const Ints even(static_cast<std::size_t>(p), own);
  MPI_Reduce_scatter_block(even.data(), &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(result == total, "reduce_scatter_block");
  Ints counts;
  int elements = 0;
  for (int r = 0; r < p; ++r) {
    counts.push_back(count(r, 0));
    elements += counts.back();
  }
  const Ints uneven(static_cast<std::size_t>(elements), own);
  Ints block(static_cast<std::size_t>(count(rank, 0)));
  MPI_Reduce_scatter(uneven.data(), block.data(), counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int each : block) expect(each == total, "reduce_scatter");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  movement();
  irregular_movement();
  reductions();
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
