// The systematic part: a product of all dimensions, with the root rotating through it.
#include <algorithm>
#include <set>

#include "suites.hpp"

namespace tutti::test {

namespace {

constexpr int large_count = 100003;

// Counts worth trying at p ranks. Buffers of p blocks get shorter blocks when p is large.
std::vector<int> counts_for(const Bench& bench, const Collective& collective, int p) {
  if (bench.options.quick) return {0, 1, p + 1};
  const int longest = collective.blocks && p > 16 ? 257 : 1009;
  const std::set<int> counts{0, 1, p - 1, p, p + 1, 17, longest};
  return {counts.begin(), counts.end()};
}

std::vector<Placement> placements_for(const Collective& collective) {
  std::vector<Placement> placements{Placement::plain};
  if (collective.in_place) placements.push_back(Placement::in_place);
  if (collective.absolute) placements.push_back(Placement::absolute);
  return placements;
}

// Calls one collective on one communicator, with a new seed and the next root each time.
class Sweeper {
 public:
  Sweeper(const Bench& bench, const Collective& collective, const TestComm& comm)
      : bench_(bench), collective_(collective), comm_(comm) {}

  void call(const Family* family, const Reduction* reduction, Placement placement, int count) {
    call_at(calls_ % comm_.p, family, reduction, placement, count);
  }

  void call_at(int root, const Family* family, const Reduction* reduction, Placement placement,
               int count) {
    const Seed seed = scramble(bench_.options.seed, static_cast<Seed>(++calls_), 0);
    bench_.make({&collective_, &comm_, family, reduction, placement, count, root, seed});
  }

  // Calls `visit(family, reduction)` for everything this collective can move or reduce.
  template <class Visit>
  void for_each_data(Visit visit) {
    if (collective_.reduces) {
      for (const Reduction& reduction : bench_.reductions.all()) visit(nullptr, &reduction);
    } else {
      for (const Family& family : bench_.types.families()) visit(&family, nullptr);
    }
  }

  void sweep_data() {
    const std::vector<int> counts = counts_for(bench_, collective_, comm_.p);
    for_each_data([&](const Family* family, const Reduction* reduction) {
      for (const int count : counts) {
        for (const Placement placement : placements_for(collective_)) {
          call(family, reduction, placement, count);
        }
      }
    });
  }

  void sweep_roots() {
    const std::vector<std::string> some{"int", "vector", "mixed_ints", "matrix", "affine_gaps"};
    for (int root = 0; collective_.rooted && root < comm_.p; ++root) {
      for_each_data([&](const Family* family, const Reduction* reduction) {
        const std::string& name = family != nullptr ? family->name : reduction->type->name;
        if (std::find(some.begin(), some.end(), name) == some.end()) return;
        if (reduction != nullptr && reduction->predefined && reduction->op != MPI_SUM) return;
        for (const Placement placement : placements_for(collective_)) {
          call_at(root, family, reduction, placement, 5);
        }
      });
    }
  }

  void sweep_large() {
    const int count = collective_.blocks ? std::min(large_count, 1000003 / comm_.p) : large_count;
    const std::vector<std::string> some{"int", "double", "vector", "matrix", "affine_gaps"};
    for_each_data([&](const Family* family, const Reduction* reduction) {
      const std::string& name = family != nullptr ? family->name : reduction->type->name;
      if (std::find(some.begin(), some.end(), name) == some.end()) return;
      if (reduction != nullptr && reduction->predefined && reduction->op != MPI_SUM) return;
      call(family, reduction, Placement::plain, count);
    });
  }

 private:
  const Bench& bench_;
  const Collective& collective_;
  const TestComm& comm_;
  int calls_ = 0;
};

void sweep_barrier(const Bench& bench, const TestComm& comm) {
  const Collective& barrier = collective_named("Barrier");
  for (int root = 0; root < comm.p; ++root) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      bench.make({&barrier, &comm, nullptr, nullptr, Placement::plain, 0, root, 0});
    }
  }
}

}  // namespace

void run_sweep(const Bench& bench) {
  const std::set<std::string> quick_comms{"world", "reversed", "parity"};
  for (const TestComm& comm : bench.comms.all()) {
    if (bench.options.quick && quick_comms.count(comm.name) == 0) continue;
    for (const Collective* collective : bench.options.chosen) {
      if (std::string(collective->name) == "Barrier") {
        sweep_barrier(bench, comm);
        continue;
      }
      Sweeper sweeper(bench, *collective, comm);
      sweeper.sweep_data();
      if (comm.name == "world" || comm.name == "reversed") sweeper.sweep_roots();
      if (comm.name == "world" && !bench.options.quick) sweeper.sweep_large();
    }
  }
}

}  // namespace tutti::test
