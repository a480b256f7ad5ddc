// A user's operator sees operands as its caller has them, one at a time and all of each, whatever
// the algorithm: operand_lengths_test. With TUTTI_USER_OPS=any it sees others too, and the results
// are still right: operand_lengths_test any
//
// Elements carry their place in the vector, so that the operator knows which it is given, and the
// ranks they have come from, so that it knows in which order.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "each_algorithm.hpp"

namespace {

int rank, p;
int checked = 0, wrong = 0;

struct Element {
  int place;
  int first, last;  // ranks
  int sum;          // of ranks + 1
};

std::vector<int> borders;  // of operands, for the call under way
bool ordered;              // its operator does not commute
int other_lengths = 0, other_places = 0, other_orders = 0;

void combine(void* left, void* right, int* length, MPI_Datatype*) {
  const auto* a = static_cast<const Element*>(left);
  auto* b = static_cast<Element*>(right);
  const auto begin = std::find(borders.begin(), borders.end(), a[0].place);
  const bool begins = begin != borders.end() && begin + 1 != borders.end();
  other_lengths += !begins || begin[1] - begin[0] != *length;
  for (int i = 0; i < *length; ++i) {
    other_places += a[i].place != b[i].place;
    other_orders += ordered && a[i].last + 1 != b[i].first;
    b[i].first = std::min(a[i].first, b[i].first);
    b[i].last = std::max(a[i].last, b[i].last);
    b[i].sum += a[i].sum;
  }
}

std::vector<Element> own(int count) {
  std::vector<Element> result;
  for (int i = 0; i < count; ++i) result.push_back({i, rank, rank, rank + 1});
  return result;
}

// Whether result holds elements first, first + 1, ... of all ranks up to `last`.
bool is_right(const std::vector<Element>& result, int first, int last) {
  bool right = true;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Element& each = result[i];
    right &= each.place == first + static_cast<int>(i) && each.first == 0 && each.last == last &&
             each.sum == (last + 1) * (last + 2) / 2;
  }
  return right;
}

class Lengths {
 public:
  Lengths(MPI_Comm comm, std::string forced, MPI_Datatype type, MPI_Op op)
      : comm_(comm), forced_(std::move(forced)), type_(type), op_(op) {}

  void vector(tutti::Collective collective, int count) {
    borders = {0, count};
    const std::vector<Element> mine = own(count);
    std::vector<Element> result(mine.size());
    using enum tutti::Collective;
    const int root = p - 1;
    int last = p - 1;
    if (collective == reduce) {
      MPI_Reduce(mine.data(), result.data(), count, type_, op_, root, comm_);
      if (rank != root) result.clear();
    } else if (collective == scan) {
      MPI_Scan(mine.data(), result.data(), count, type_, op_, comm_);
      last = rank;
    } else if (collective == exscan) {
      MPI_Exscan(mine.data(), result.data(), count, type_, op_, comm_);
      if (rank == 0) result.clear();
      last = rank - 1;
    } else {
      MPI_Allreduce(mine.data(), result.data(), count, type_, op_, comm_);
    }
    check(is_right(result, 0, last), count);
  }

  void blocks(bool equal, int most) {
    std::vector<int> counts;
    borders = {0};
    for (int i = 0; i < p; ++i) {
      counts.push_back(equal ? most : (i * 2 + most) % (most + 1));
      borders.push_back(borders.back() + counts.back());
    }
    const int first = borders[static_cast<std::size_t>(rank)];
    const std::vector<Element> mine = own(borders.back());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    std::vector<Element> result(static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]));
    if (equal) {
      MPI_Reduce_scatter_block(mine.data(), result.data(), most, type_, op_, comm_);
    } else {
      MPI_Reduce_scatter(mine.data(), result.data(), counts.data(), type_, op_, comm_);
    }
    check(is_right(result, first, p - 1), most);
  }

 private:
  void check(bool right, int count) {
    int faults[] = {right ? 0 : 1, other_places, other_orders};
    PMPI_Allreduce(MPI_IN_PLACE, faults, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    ++checked;
    other_places = other_orders = 0;
    if (faults[0] + faults[1] + faults[2] == 0) return;
    ++wrong;
    if (rank == 0) {
      std::printf("%s, count %d: %d results wrong, %d times other elements, %d another order\n",
                  forced_.c_str(), count, faults[0], faults[1], faults[2]);
    }
  }

  MPI_Comm comm_;
  std::string forced_;
  MPI_Datatype type_;
  MPI_Op op_;
};

// All calls of a collective; how often the operator saw what is no operand.
int lengths_of(tutti::Collective collective, MPI_Comm comm, const std::string& forced,
               MPI_Datatype type, MPI_Op op) {
  other_lengths = 0;
  Lengths lengths(comm, forced, type, op);
  const bool equal = collective == tutti::Collective::reduce_scatter_block;
  for (const int count : {1, 2, 24}) {
    if (tutti::info(collective).owns_blocks) {
      lengths.blocks(equal, count);
    } else {
      lengths.vector(collective, count * 24);
    }
  }
  if (!tutti::info(collective).owns_blocks) lengths.vector(collective, 1);
  PMPI_Allreduce(MPI_IN_PLACE, &other_lengths, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return other_lengths;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  const bool any = argc > 1 && std::strcmp(argv[1], "any") == 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(4, MPI_INT, &type);
  MPI_Type_commit(&type);
  int with_others = 0;
  for (const tutti::CollectiveInfo& each : tutti::collectives) {
    if (!each.reduces) continue;
    for (const int commutes : {1, 0}) {
      MPI_Op op = MPI_OP_NULL;
      MPI_Op_create(combine, commutes, &op);
      ordered = commutes == 0;
      with_each_algorithm(each.collective, [&](MPI_Comm comm, const std::string& forced) {
        const int others = lengths_of(each.collective, comm, forced, type, op);
        with_others += others > 0;
        if (others == 0 || any) return;
        ++wrong;
        if (rank == 0) std::printf("%s: %d other operands\n", forced.c_str(), others);
      });
      MPI_Op_free(&op);
    }
  }
  if (any && p > 2 && with_others < 10) ++wrong;
  if (rank == 0) {
    std::printf("%d calls checked, %d wrong; other lengths with %d algorithms\n", checked, wrong,
                with_others);
  }
  MPI_Type_free(&type);
  MPI_Finalize();
  return wrong == 0 && checked > 100 ? 0 : 1;
}
