// exit: collectives of a program that is about to end, in a static destructor or an atexit handler.
//
//   exit WHAT destructor|atexit     prints "done WHAT" if all was right
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

const char* what = "";

bool is(const char* name) { return std::strcmp(what, name) == 0; }

// A call like one before, one of another size, one on another communicator, none.
bool calls_are_right(int p) {
  int one = 1, sum = p;
  if (is("same")) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (is("barrier")) MPI_Barrier(MPI_COMM_WORLD);
  if (is("size")) {
    std::vector<int> ones(500, 1), sums(500);
    MPI_Allreduce(ones.data(), sums.data(), 500, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    sum = sums[499];
  }
  if (is("comm")) {
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, other);
    MPI_Comm_free(&other);
  }
  return sum == p;
}

void finish() {
  if (what[0] == '\0') return;
  int rank = 0, p = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  if (!calls_are_right(p)) std::printf("WRONG\n");
  MPI_Finalize();
  if (rank == 0) std::printf("done %s\n", what);
}

bool in_destructor = false;

// Made before main, so destroyed after whatever the first call of MPI makes.
struct Global {
  ~Global() {
    if (in_destructor) finish();
  }
} global;

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  in_destructor = std::strcmp(argv[2], "destructor") == 0;
  if (!in_destructor) std::atexit(finish);
  MPI_Init(&argc, &argv);
  int one = 1, all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  what = argv[1];
}
