// BLACS: maxima and minima with the process they came from, sums, over a grid of processes.
//
// Seen by users as wrong pivots, so wrong solutions, of ScaLAPACK. Its operators take one record,
// values and then places, whatever the length they are called with.
#include <cmath>
#include <string>
#include <vector>

#include "program.hpp"

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
void Cigamx2d(int, const char* scope, const char* topology, int m, int n, int* a, int lda, int* row,
              int* column, int places_lda, int to_row, int to_column);
void Cigamn2d(int, const char* scope, const char* topology, int m, int n, int* a, int lda, int* row,
              int* column, int places_lda, int to_row, int to_column);
void Cdgamx2d(int, const char* scope, const char* topology, int m, int n, double* a, int lda,
              int* row, int* column, int places_lda, int to_row, int to_column);
void Cdgamn2d(int, const char* scope, const char* topology, int m, int n, double* a, int lda,
              int* row, int* column, int places_lda, int to_row, int to_column);
void Cdgsum2d(int, const char* scope, const char* topology, int m, int n, double* a, int lda,
              int to_row, int to_column);
}

namespace {

constexpr int repetitions = 8;

struct Grid {
  int context = 0, rows = 1, columns = 1, row = 0, column = 0;
};

// A value of each process that is its own, both signs: the greatest in magnitude wins.
int value_of(int process, int i) {
  return ((process * 7 + i * 3) % 11 + 1) * (i % 2 == 0 ? 1 : -1);
}

template <class Value, class Combine>
void extremes(const Grid& grid, int m, int n, bool greatest, Combine combine,
              const char* topology) {
  const int p = grid.rows * grid.columns, me = grid.row * grid.columns + grid.column;
  std::vector<Value> values(static_cast<std::size_t>(m * n));
  std::vector<int> rows(values.size(), -1), columns(values.size(), -1);
  for (int i = 0; i < m * n; ++i) values[std::size_t(i)] = Value(value_of(me, i));
  combine(grid.context, "All", topology, m, n, values.data(), m, rows.data(), columns.data(), m, -1,
          -1);
  for (int i = 0; i < m * n; ++i) {
    int best = 0;  // of equals, the first
    for (int q = 1; q < p; ++q) {
      const int here = std::abs(value_of(q, i)), there = std::abs(value_of(best, i));
      if (greatest ? here > there : here < there) best = q;
    }
    const auto at = std::size_t(i);
    const std::string what = std::string(greatest ? "maximum" : "minimum") + " with place, " +
                             std::to_string(m) + " x " + std::to_string(n);
    program::expect(values[at] == Value(value_of(best, i)), what + ": the value");
    program::expect(rows[at] == best / grid.columns && columns[at] == best % grid.columns,
                    what + ": the place");
  }
}

void sums(const Grid& grid, int m, const char* topology) {
  const int p = grid.rows * grid.columns, me = grid.row * grid.columns + grid.column;
  std::vector<double> values(static_cast<std::size_t>(m), me + 1);
  Cdgsum2d(grid.context, "All", topology, m, 1, values.data(), m, -1, -1);
  program::expect(values == std::vector<double>(values.size(), p * (p + 1) / 2.0), "a sum");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  program::learn_ranks();
  Grid grid;
  grid.rows = program::p % 2 == 0 ? 2 : 1;
  grid.columns = program::p / grid.rows;
  Cblacs_get(-1, 0, &grid.context);
  Cblacs_gridinit(&grid.context, "Row", grid.rows, grid.columns);
  Cblacs_gridinfo(grid.context, &grid.rows, &grid.columns, &grid.row, &grid.column);
  for (const char* topology : {" ", "1", "h"}) {
    for (int i = 0; i < repetitions; ++i) {
      for (const int m : {1, 5, 300}) {
        extremes<int>(grid, m, 1, true, Cigamx2d, topology);
        extremes<int>(grid, m, 2, false, Cigamn2d, topology);
        extremes<double>(grid, m, 1, true, Cdgamx2d, topology);
        extremes<double>(grid, m, 2, false, Cdgamn2d, topology);
        sums(grid, m, topology);
      }
    }
  }
  Cblacs_gridexit(grid.context);
  return program::end();
}
