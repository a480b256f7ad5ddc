// long_pipeline_test: pipelines of thousands of segments and more, which run in windows.
//
//   mpirun -np P long_pipeline_test BYTES
//
// BYTES are broadcast in segments of one, if TUTTI_FORCE asks for so many.
// Results against what each element must be; the operator composes maps x -> a x + b (mod 2^32),
// so that its order shows. A schedule of 200,000 segments in one piece would take 20 MB.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "resident.hpp"
#include "totals.hpp"

namespace {

using Word = std::uint32_t;
struct Map {
  Word a, b;
  Word no_data = 0;
  bool operator==(const Map&) const = default;
};

constexpr int elements = 10007;
constexpr long allowed_growth_kb = 4 * 1024;

int p, rank;
long failures = 0;
long checks = 0;

void check(bool good, const char* what) {
  ++checks;
  if (!good && ++failures <= 10) std::fprintf(stderr, "FAILED rank %d: %s\n", rank, what);
}

// First `left`, then `right`.
Map compose(Map left, Map right) { return {left.a * right.a, left.b * right.a + right.b}; }

void compose_all(void* in, void* inout, int* count, MPI_Datatype*) {
  const Map* left = static_cast<Map*>(in);
  Map* right = static_cast<Map*>(inout);
  for (int i = 0; i < *count; ++i) right[i] = compose(left[i], right[i]);
}

Map operand(int of_rank, int i) {
  return {static_cast<Word>(2 * (of_rank + i) + 3), static_cast<Word>(of_rank * 7919 + i)};
}

Map product(int last_rank, int i) {
  Map result = operand(0, i);
  for (int r = 1; r <= last_rank; ++r) result = compose(result, operand(r, i));
  return result;
}

std::vector<Map> operands() {
  std::vector<Map> all;
  for (int i = 0; i < elements; ++i) all.push_back(operand(rank, i));
  return all;
}

bool is_product(const std::vector<Map>& all, int last_rank) {
  for (int i = 0; i < elements; ++i) {
    if (!(all[static_cast<std::size_t>(i)] == product(last_rank, i))) return false;
  }
  return true;
}

void reductions(MPI_Datatype type, MPI_Op op) {
  const std::vector<Map> in = operands();
  std::vector<Map> out(elements);
  for (int root : {0, p - 1}) {
    MPI_Reduce(in.data(), out.data(), elements, type, op, root, MPI_COMM_WORLD);
    check(rank != root || is_product(out, p - 1), "reduce");
  }
  out = in;
  MPI_Allreduce(MPI_IN_PLACE, out.data(), elements, type, op, MPI_COMM_WORLD);
  check(is_product(out, p - 1), "allreduce in place");
  out = in;
  MPI_Scan(MPI_IN_PLACE, out.data(), elements, type, op, MPI_COMM_WORLD);
  check(is_product(out, rank), "scan in place");
  MPI_Exscan(in.data(), out.data(), elements, type, op, MPI_COMM_WORLD);
  check(rank == 0 || is_product(out, rank - 1), "exscan");
}

// Elements of two pieces, which segments cut; and of one byte of every two, which they do not.
void broadcast_with_gaps() {
  MPI_Datatype pieces, byte, spread;
  const int lengths[] = {1, 2}, offsets[] = {0, 2};
  MPI_Type_indexed(2, lengths, offsets, MPI_INT, &pieces);
  MPI_Type_contiguous(1, MPI_BYTE, &byte);
  MPI_Type_create_resized(byte, 0, 2, &spread);
  const auto broadcast = [](MPI_Datatype type, std::size_t extent, auto is_gap, int root) {
    std::vector<unsigned char> data(extent * elements, 'x');
    const auto expected = [&](std::size_t i) {
      return is_gap(i % extent) ? 'x' : static_cast<unsigned char>(i % 239);
    };
    for (std::size_t i = 0; i < data.size() && rank == root; ++i) data[i] = expected(i);
    MPI_Type_commit(&type);
    MPI_Bcast(data.data(), elements, type, root, MPI_COMM_WORLD);
    bool good = true;
    for (std::size_t i = 0; i < data.size(); ++i) good = good && data[i] == expected(i);
    check(good, "bcast of a datatype with gaps");
  };
  for (int root : {0, p - 1}) {
    broadcast(
        pieces, 16, [](std::size_t i) { return i / 4 == 1; }, root);
    broadcast(
        spread, 2, [](std::size_t i) { return i == 1; }, root);
  }
  MPI_Type_free(&spread);
  MPI_Type_free(&byte);
  MPI_Type_free(&pieces);
}

// Memory is looked at where messages come from: where they go to, the library keeps those that are
// early.
void very_many_segments(int bytes) {
  std::vector<char> data(static_cast<std::size_t>(bytes));
  const auto value = [](std::size_t i) { return static_cast<char>(i % 251); };
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = rank == 0 ? value(i) : 'x';
  const long before = tutti::test::resident_kb();
  MPI_Bcast(data.data(), bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  const long growth = tutti::test::resident_kb() - before;
  bool good = true;
  for (std::size_t i = 0; i < data.size(); ++i) good = good && data[i] == value(i);
  check(good, "bcast in very many segments");
  check(rank != 0 || growth <= allowed_growth_kb, "memory for very many segments");
  if (rank == 0) std::printf("%d segments took %ld KiB\n", bytes, growth);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype words, map;
  MPI_Op op;
  MPI_Type_contiguous(2, MPI_UINT32_T, &words);
  MPI_Type_create_resized(words, 0, sizeof(Map), &map);
  MPI_Type_commit(&map);
  MPI_Op_create(compose_all, 0, &op);
  reductions(map, op);
  broadcast_with_gaps();
  very_many_segments(argc > 1 ? std::atoi(argv[1]) : elements);
  MPI_Op_free(&op);
  MPI_Type_free(&map);
  MPI_Type_free(&words);
  const bool good = tutti::test::print_totals(checks, failures);
  MPI_Finalize();
  return good ? 0 : 1;
}
