// tutti bench: times a collective's algorithms and the native one, side by side, on this machine.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <memory>

#include "algorithms/registry.hpp"
#include "model/refuse.hpp"
#include "model/simulate.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/measuring_options.hpp"
#include "tools/cli/numbers.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/progress.hpp"
#include "tools/measure/bench_report.hpp"
#include "tools/measure/session.hpp"

namespace tutti::tools {

namespace {

constexpr std::int64_t most_repetitions = 100000;

// What the command line asks for, as far as it can be told without knowing p.
struct Request {
  Collective collective = Collective::barrier;
  std::vector<const Algorithm*> algorithms{};
  std::vector<std::int64_t> sizes{};
  Rank root = 0;
  int repetitions = 0;
  bool commutative = true;
};

std::vector<std::int64_t> parse_sizes(const BenchOptions& options, const CollectiveInfo& about) {
  if (about.collective == Collective::barrier) {
    if (options.bytes.empty()) return {0};
    refuse("a barrier moves no data; --bytes is accepted for all others");
  }
  const std::string list = options.bytes.empty() ? "8,1K,64K,1M" : options.bytes;
  return tools::parse_sizes(list, about.reduces, "timed");
}

Request parse(const BenchOptions& options, const std::vector<std::string>& unknown) {
  refuse_unknown(unknown,
                 "COLLECTIVE, --algorithm, --bytes, --root, --repetitions, --non-commutative, "
                 "--json, --csv");
  Request request{.collective = parse_collective(options.collective)};
  const CollectiveInfo& about = info(request.collective);
  for (const std::string& name : parts_of(options.algorithms)) {
    for (const Algorithm* each : parse_algorithms(options.collective, name)) {
      if (std::ranges::find(request.algorithms, each) == request.algorithms.end()) {
        request.algorithms.push_back(each);
      }
    }
  }
  request.sizes = parse_sizes(options, about);
  if (!options.root.empty() && !about.rooted) refuse("{} has no root", about.name);
  if (!options.root.empty()) {
    request.root = static_cast<Rank>(parse_number(options.root, "root", 0, INT_MAX));
  }
  request.repetitions = static_cast<int>(
      parse_number(options.repetitions, "number of repetitions", 1, most_repetitions));
  if (options.non_commutative && !about.reduces) refuse("{} has no operator", about.name);
  request.commutative = !options.non_commutative;
  if (options.json && options.csv) refuse("--json and --csv exclude each other");
  return request;
}

// A reduction that needs its order: the first operand is the result.
void keep_first(void* left, void* right_and_result, int* count, MPI_Datatype*) {
  std::copy_n(static_cast<const double*>(left), *count, static_cast<double*>(right_and_result));
}

Call call_for(const Request& request, std::int64_t bytes, int p) {
  Call call = call_of_bytes(request.collective, p, bytes, request.root);
  call.commutative = request.commutative;
  if (!call.commutative) use_users_operator(call);
  return call;
}

// What can be told only now that p is known. The same on all ranks.
void check(const Request& request, const Surroundings& where) {
  if (request.root >= where.p) {
    refuse("root '{}' is a rank outside the communicator; accepted are 0 to {}", request.root,
           where.p - 1);
  }
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                        static_cast<double>(sysconf(_SC_PAGESIZE)) / where.node_ranks;
  const double least = combined(memory, MPI_DOUBLE, MPI_MIN);
  for (std::int64_t bytes : request.sizes) {
    const Call call = call_for(request, bytes, where.p);
    // Algorithms may need as much again for themselves.
    const bool fits = 2 * BenchCall::memory(call.bytes()) <= least && call.n() <= INT_MAX;
    if (fits) continue;
    refuse("'{}' is too large: a rank of this run has {} of memory, and MPI's counts end at {}",
           print_size(call.bytes()), print_size(least), INT_MAX);
  }
}

std::vector<Contender> contenders_for(const Request& request) {
  std::vector<Contender> contenders;
  for (const Algorithm* algorithm : request.algorithms) {
    contenders.push_back(contender(request.collective, {algorithm}, MPI_COMM_WORLD));
  }
  contenders.push_back(contender(request.collective, {}, MPI_COMM_WORLD));
  return contenders;
}

Outcome compare(const Request& request, const Session& session, const Surroundings& where) {
  Outcome outcome{
      .where = where, .repetitions = request.repetitions, .collective = request.collective};
  if (session.p == 1) return outcome;
  MPI_Op op = MPI_SUM;
  if (!request.commutative) PMPI_Op_create(keep_first, 0, &op);
  outcome.contenders = contenders_for(request);
  const auto races = static_cast<double>(outcome.contenders.size() * request.sizes.size());
  Progress progress(races * request.repetitions, session.rank == 0);
  for (std::int64_t bytes : request.sizes) {
    const Call call = call_for(request, bytes, session.p);
    const auto advance = [&] { progress.add(1, print_size(call.bytes())); };
    outcome.comparisons.push_back({call, measure(outcome.contenders, call, op, request.repetitions,
                                                 MPI_COMM_WORLD, advance)});
  }
  for (Contender& each : outcome.contenders) PMPI_Comm_free(&each.comm);
  if (!request.commutative) PMPI_Op_free(&op);
  return outcome;
}

int bench(const BenchOptions& options, const std::vector<std::string>& unknown) {
  const Session session;  // even to complain: then one rank speaks, and none is killed before
  return run_together(session, "bench", [&] {
    check_agreement({options.collective, options.algorithms, options.root, options.bytes,
                     options.repetitions, options.non_commutative ? "1" : "0"});
    const Request request = parse(options, unknown);
    const Surroundings where = surroundings(session);
    check(request, where);
    const Outcome outcome = compare(request, session, where);
    if (session.rank == 0) {
      fmt::print("{}", options.json  ? json_of(outcome)
                       : options.csv ? csv_of(outcome)
                                     : table_of(outcome));
    }
    return outcome.right() ? success : check_failed;
  });
}

}  // namespace

Command bench_command(CLI::App& tutti) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* app = add_options(tutti, *options);
  return {app, [options, app] { return bench(*options, app->remaining()); }};
}

}  // namespace tutti::tools
