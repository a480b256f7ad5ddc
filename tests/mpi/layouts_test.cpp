// layouts_test: layouts of blocks that come once, and again and again, and more of them than are
// remembered. Ranks that did not choose the same algorithm would wait for each other, or be wrong.
//
//   mpirun -np P layouts_test
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

#include "totals.hpp"

namespace {

constexpr int groups = 6, layouts_of_group = 20, times = 3;

int p, rank;
long failures = 0;
long checks = 0;

void check(bool good, const char* what, int layout) {
  ++checks;
  if (!good && ++failures <= 10) {
    std::fprintf(stderr, "FAILED rank %d: %s, layout %d\n", rank, what, layout);
  }
}

// Up to 4000 elements; of every other layout one block in four is empty.
std::vector<int> counts_of(int layout) {
  std::vector<int> counts;
  for (int r = 0; r < p; ++r) {
    const std::uint64_t mixed =
        static_cast<std::uint64_t>(layout * 64 + r + 1) * 0x9E3779B97F4A7C15u;
    const bool empty = layout % 2 == 0 && (mixed >> 20) % 4 == 0;
    counts.push_back(empty ? 0 : static_cast<int>((mixed >> 40) % 4000 >> (layout % 7)));
  }
  return counts;
}

int value(int of_rank, int i) { return of_rank * 100'003 + i; }

// So many elements lie between the blocks.
void allgatherv(int layout, MPI_Datatype type, int gap) {
  const std::vector<int> counts = counts_of(layout);
  std::vector<int> offsets(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0,
                      [&](int sum, int count) { return sum + count + gap; });
  const auto at = [&](int r) { return static_cast<std::size_t>(r); };
  std::vector<int> in(at(counts[at(rank)]) + 1), out(at(offsets.back() + counts.back()) + 1, -1);
  for (int i = 0; i < counts[at(rank)]; ++i) in[at(i)] = value(rank, i);
  MPI_Allgatherv(in.data(), counts[at(rank)], MPI_INT, out.data(), counts.data(), offsets.data(),
                 type, MPI_COMM_WORLD);
  bool good = out.back() == -1;
  for (int r = 0; r < p; ++r) {
    const int end = r + 1 < p ? offsets[at(r + 1)] : offsets[at(r)] + counts[at(r)];
    for (int i = 0; offsets[at(r)] + i < end; ++i) {
      const int wanted = i < counts[at(r)] ? value(r, i) : -1;
      good = good && out[at(offsets[at(r)] + i)] == wanted;
    }
  }
  check(good, "allgatherv", layout);
}

void reduce_scatter(int layout) {
  const std::vector<int> counts = counts_of(layout);
  const auto total = static_cast<std::size_t>(std::reduce(counts.begin(), counts.end()));
  const int before = std::reduce(counts.begin(), counts.begin() + rank);
  const int mine = counts[static_cast<std::size_t>(rank)];
  std::vector<int> in(total + 1), out(static_cast<std::size_t>(mine) + 1, -1);
  for (std::size_t i = 0; i < total; ++i) in[i] = value(rank, static_cast<int>(i));
  MPI_Reduce_scatter(in.data(), out.data(), counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  bool good = out.back() == -1;
  for (int i = 0; i < mine; ++i) {
    const int sum = p * (p - 1) / 2 * 100'003 + p * (before + i);
    good = good && out[static_cast<std::size_t>(i)] == sum;
  }
  check(good, "reduce_scatter", layout);
}

// Each layout recurs after all others of its group. Half of the ranks call their elements by
// another name of the same signature.
void in_turn(MPI_Datatype one_int) {
  for (int group = 0; group < groups; ++group) {
    for (int time = 0; time < times; ++time) {
      for (int i = 0; i < layouts_of_group; ++i) {
        const int layout = group * layouts_of_group + i;
        allgatherv(layout, rank % 2 == 0 ? MPI_INT : one_int, 0);
        reduce_scatter(layout);
      }
    }
  }
}

// A layout again and again, and what differs from the last call: where blocks lie, on some ranks
// only, or their sizes. Remembered are those of the first groups.
void in_a_row() {
  for (int layout = 0; layout < layouts_of_group; ++layout) {
    for (const int gap : {0, 0, 0, 3, 3, 0}) {
      allgatherv(layout, MPI_INT, rank % 2 == 0 ? gap : 0);
      reduce_scatter(layout);
      reduce_scatter(gap == 0 ? layout : layout + 1);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype one_int;
  MPI_Type_contiguous(1, MPI_INT, &one_int);
  MPI_Type_commit(&one_int);
  in_a_row();
  in_turn(one_int);
  MPI_Type_free(&one_int);
  const bool passed = tutti::test::print_totals(checks, failures);
  MPI_Finalize();
  return passed ? 0 : 1;
}
