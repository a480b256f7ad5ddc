// What it takes to find out who sends what when: table 1 of Sanders2007 (two-tree colouring against
// the circulant block schedule) and the forms in which a rank works out its own part alone.
//
//   colouring            the table, with p as in the paper
//   colouring WORK P     one of it, once, for bench/goals.py, which counts instructions inside
//                        `counted`: walk (all colours in order) or own (of up to 10000 ranks)
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "topology/circulant.hpp"
#include "topology/circulant_blocks.hpp"
#include "topology/two_tree.hpp"

namespace {

using namespace tutti;
using Clock = std::chrono::steady_clock;

constexpr int repetitions = 5;
constexpr int sampled_ranks = 10000;

int sink = 0;  // what was computed, so that it is

// Nanoseconds of the fastest of several runs.
template <class Work>
double nanoseconds(Work work) {
  double best = 0;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = Clock::now();
    sink += work();
    const std::chrono::duration<double, std::nano> taken = Clock::now() - start;
    best = i == 0 ? taken.count() : std::min(best, taken.count());
  }
  return best;
}

struct Row {
  int p;
  double walk;         // all colours of the trees in order, ns
  double own_colours;  // a rank's two, by the rule
  double all_blocks;   // every rank's receive schedule
  double own_blocks;   // a rank's send and receive schedule
};

int walk(int p) {
  const int odd = p - 1 - p % 2;  // an even number of nodes needs no walk
  return TwoTree(odd, Order::kept).colour(0, odd);
}

int own_colours(int p, int step) {
  const TwoTree trees(p - 1);
  int sum = 0;
  for (int node = 1; node < p; node += step) {
    sum += trees.colour(0, node) + 2 * trees.colour(1, node);
  }
  return sum;
}

int step_for(int p) { return std::max(1, p / sampled_ranks); }

Row measure(int p) {
  const int step = step_for(p);
  const int sampled = (p - 2) / step + 1;
  Row row;
  row.p = p;
  row.walk = nanoseconds([&] { return walk(p); });
  row.own_colours = nanoseconds([&] { return own_colours(p, step); }) / sampled;
  const std::vector<int> skips = circulant_skips(p);
  row.all_blocks = nanoseconds([&] {
    int sum = 0;
    for (Rank rank = 0; rank < p; ++rank) sum += circulant_receive_blocks(skips, rank).front();
    return sum;
  });
  row.own_blocks = nanoseconds([&] {
                     int sum = 0;
                     for (Rank rank = 1; rank < p; rank += step) {
                       sum += CirculantBlocks(p, rank).sent().front();
                     }
                     return sum;
                   }) /
                   sampled;
  return row;
}

void print_table() {
  fmt::print("{:>8} {:>22} {:>22} {:>24} {:>24}\n", "p", "two-tree, all (us)",
             "two-tree, a rank (ns)", "circulant, all (us)", "circulant, a rank (ns)");
  for (int p : {100, 1000, 10000, 100000, 1000000}) {
    const Row row = measure(p);
    fmt::print("{:>8} {:>22.1f} {:>22.1f} {:>24.1f} {:>24.1f}\n", p, row.walk / 1e3,
               row.own_colours, row.all_blocks / 1e3, row.own_blocks);
  }
  fmt::print("(checksum {})\n", sink);
}

}  // namespace

extern "C" [[gnu::noinline]] int counted(bool all, int p) {
  return all ? walk(p) : own_colours(p, step_for(p));
}

int main(int argc, char** argv) {
  if (argc == 1) {
    print_table();
    return 0;
  }
  const std::string_view work = argv[1];
  const int p = argc == 3 ? std::atoi(argv[2]) : 0;
  if ((work != "walk" && work != "own") || p < 4) {
    fmt::print(stderr, "usage: colouring [walk|own P], P from 4\n");
    return 2;
  }
  fmt::print("(checksum {})\n", counted(work == "walk", p));
}
