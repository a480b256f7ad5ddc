// collectives_test: every blocking collective against a plain loop, as an MPI program calls it.
//
//   mpirun -np P collectives_test [--collectives NAMES] [--quick] [--seed N] [--calls N] [--large]
//                             [--all] [--trace]
//
// Plain MPI: passes on a native library, and must pass unchanged with Tutti in between.
#include <mpi.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "facts.hpp"
#include "suites.hpp"

namespace tutti::test {

void Bench::make(const Call& call) const {
  const native::Facts about = facts(call);
  const native::Right right = native::what_is_right(about);
  const bool tutti_is_right = options.all && !native::is_known_limit(about);
  if (right > (tutti_is_right ? native::Right::messages : native::Right::collective)) {
    return report.skip();
  }
  if (options.trace) std::fprintf(stderr, "%s\n", call.describe().c_str());
  call.collective->check(report, call);
}

namespace {

[[noreturn]] void refuse(const char* what, const char* argument) {
  std::fprintf(stderr,
               "collectives_test: %s: %s\naccepted: --collectives NAMES (bcast,allreduce,...), "
               "--quick, --seed N, --calls N, --large, --all, --trace\n",
               what, argument);
  std::exit(2);
}

std::string in_lower_case(std::string text) {
  for (char& each : text) each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
  return text;
}

// Of "bcast,reduce_scatter".
std::vector<const Collective*> parse_collectives(const std::string& names) {
  std::vector<const Collective*> result;
  std::istringstream all(names);
  for (std::string name; std::getline(all, name, ',');) {
    const std::size_t before = result.size();
    for (const Collective& collective : collectives()) {
      if (in_lower_case(collective.name) == name) result.push_back(&collective);
    }
    if (result.size() == before) refuse("no such collective", name.c_str());
  }
  if (result.empty()) refuse("no collective in", "''");  // all checks would pass
  return result;
}

Options parse(int argc, char** argv) {
  Options options;
  for (const Collective& each : collectives()) options.chosen.push_back(&each);
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool takes_value = word == "--collectives" || word == "--seed" || word == "--calls";
    if (takes_value && i + 1 == argc) refuse("a value is missing after", argv[i]);
    if (word == "--quick") {
      options.quick = true;
    } else if (word == "--large") {
      options.large = true;
    } else if (word == "--all") {
      options.all = true;
    } else if (word == "--trace") {
      options.trace = true;
    } else if (word == "--collectives") {
      options.chosen = parse_collectives(argv[++i]);
    } else if (word == "--seed") {
      options.seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--calls") {
      options.calls = std::atoi(argv[++i]);
    } else {
      refuse("no such option", argv[i]);
    }
  }
  return options;
}

bool run(const Options& options) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    std::printf("seed %llu\n", static_cast<unsigned long long>(options.seed));
    std::fflush(stdout);
  }
  Report report;
  {
    TypeTable types;
    const ReductionTable reductions(types);
    const CommTable comms;
    const Bench bench{options, comms, types, reductions, report};
    run_sweep(bench);
    run_traffic(bench);
    run_mix(bench);
    run_special(bench);
  }
  return report.finish();
}

}  // namespace

}  // namespace tutti::test

int main(int argc, char** argv) {
  const tutti::test::Options options = tutti::test::parse(argc, argv);
  MPI_Init(&argc, &argv);
  const bool good = tutti::test::run(options);
  MPI_Finalize();
  return good ? 0 : 1;
}
