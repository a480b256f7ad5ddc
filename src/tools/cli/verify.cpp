// tutti verify: proves algorithms, and that damaged ones would not pass.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "algorithms/registry.hpp"
#include "model/refuse.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/numbers.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/processors.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/table.hpp"
#include "verify/campaign.hpp"

namespace tutti::tools {

namespace {

constexpr std::size_t printed_per_algorithm = 10;

struct Options {
  std::vector<std::string> collectives;  // none: all
  std::string algorithm;
  std::string ranks = "1:64";
  std::string seed = "1";
  bool mutants = false;
  bool json = false;
};

struct Campaign {
  std::vector<const Algorithm*> algorithms;
  RankRange ranks;
  bool mutants = false;
  std::uint64_t seed = 1;
};

struct Job {
  std::size_t algorithm;
  int p;
  // The work grows about like this: ranks, their steps, roots and sizes.
  double work() const { return static_cast<double>(p) * p + 10; }
};

void add(Tally& sum, const Tally& more) {
  sum.cases += more.cases;
  sum.mutants += more.mutants;
  sum.failures.insert(sum.failures.end(), more.failures.begin(), more.failures.end());
  sum.survivors.insert(sum.survivors.end(), more.survivors.begin(), more.survivors.end());
}

bool clean(const Tally& tally) { return tally.failures.empty() && tally.survivors.empty(); }
// Where an algorithm serves none of the ranks there is nothing to prove.
std::string_view verdict(const Tally& tally, std::string_view failed) {
  if (!clean(tally)) return failed;
  return tally.cases > 0 ? "proved" : "no case";
}
std::int64_t killed(const Tally& tally) {
  return tally.mutants - static_cast<std::int64_t>(tally.survivors.size());
}

// One tally per algorithm, the same for any number of threads.
std::vector<Tally> run(const Campaign& campaign) {
  std::vector<Job> jobs;
  double work = 0;
  for (int p = campaign.ranks.last; p >= campaign.ranks.first; --p) {  // the longest first
    for (std::size_t a = 0; a < campaign.algorithms.size(); ++a) {
      jobs.push_back({a, p});
      work += jobs.back().work();
    }
  }
  std::vector<Tally> tallies(jobs.size());
  Progress progress(work);
  on_all_processors(jobs.size(), [&](std::size_t i) {
    const Algorithm& algorithm = *campaign.algorithms[jobs[i].algorithm];
    tallies[i] = verify_at(algorithm, jobs[i].p, campaign.mutants, campaign.seed);
    progress.add(jobs[i].work(), fmt::format("{} {}, p = {}", to_string(algorithm.collective),
                                             algorithm.name, jobs[i].p));
  });
  std::vector<Tally> sums(campaign.algorithms.size());
  for (std::size_t i = jobs.size(); i-- > 0;) add(sums[jobs[i].algorithm], tallies[i]);
  return sums;
}

std::vector<const Algorithm*> algorithms_of(const Options& options) {
  if (options.collectives.empty()) return parse_algorithms("", options.algorithm);
  std::vector<const Algorithm*> all;
  for (const std::string& collective : options.collectives) {
    std::ranges::copy(parse_algorithms(collective, options.algorithm), std::back_inserter(all));
  }
  return all;
}

Campaign campaign_of(const Options& options) {
  const auto seed = whole_number(options.seed);
  if (!seed) refuse("'{}' is no seed; accepted are whole numbers from 0", options.seed);
  return {algorithms_of(options), parse_ranks(options.ranks), options.mutants,
          static_cast<std::uint64_t>(*seed)};
}

std::string print_ranks(const RankRange& range) {
  return range.first == range.last ? fmt::format("{}", range.first)
                                   : fmt::format("{}:{}", range.first, range.last);
}

nlohmann::ordered_json json_of(const Tally& tally) {
  return {{"cases", tally.cases},       {"mutants", tally.mutants},
          {"killed", killed(tally)},    {"result", verdict(tally, "failed")},
          {"failures", tally.failures}, {"survivors", tally.survivors}};
}

void print_json(const Campaign& campaign, const std::vector<Tally>& tallies, const Tally& total) {
  nlohmann::ordered_json result{{"ranks", {campaign.ranks.first, campaign.ranks.last}}};
  if (campaign.mutants) result["seed"] = campaign.seed;
  result["algorithms"] = nlohmann::ordered_json::array();
  for (std::size_t a = 0; a < tallies.size(); ++a) {
    nlohmann::ordered_json one{{"collective", to_string(campaign.algorithms[a]->collective)},
                               {"algorithm", campaign.algorithms[a]->name}};
    one.update(json_of(tallies[a]));
    result["algorithms"].push_back(one);
  }
  result["cases"] = total.cases;
  result["mutants"] = total.mutants;
  result["killed"] = killed(total);
  result["ok"] = clean(total);
  fmt::print("{}\n", result.dump(2));
}

void print_first(const char* what, const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < std::min(lines.size(), printed_per_algorithm); ++i) {
    fmt::print("{} {}\n", painted(what, Colour::bad), lines[i]);
  }
  if (lines.size() > printed_per_algorithm) {
    fmt::print("{} ... and {} more\n", painted(what, Colour::bad),
               lines.size() - printed_per_algorithm);
  }
}

void print_table(const Campaign& campaign, const std::vector<Tally>& tallies, const Tally& total) {
  Table table({"collective", "algorithm", "ranks", ">cases", ">mutants", ">killed", "result"});
  const auto drawn = [&](std::int64_t mutants) {
    return campaign.mutants ? fmt::format("{}", mutants) : "-";
  };
  const auto row = [&](std::string_view collective, std::string_view name, const Tally& tally,
                       Colour colour) {
    table.add(clean(tally) ? colour : Colour::bad, collective, name, print_ranks(campaign.ranks),
              tally.cases, drawn(tally.mutants), drawn(killed(tally)), verdict(tally, "FAILED"));
  };
  for (std::size_t a = 0; a < tallies.size(); ++a) {
    const Algorithm& algorithm = *campaign.algorithms[a];
    row(to_string(algorithm.collective), algorithm.name, tallies[a], Colour::plain);
  }
  row("all", fmt::format("{}", tallies.size()), total, Colour::good);
  fmt::print("{}", table.text());
  for (const Tally& tally : tallies) {
    print_first("wrong:", tally.failures);
    print_first("survived:", tally.survivors);
  }
  if (campaign.mutants) fmt::print("mutants drawn with --seed {}\n", campaign.seed);
}

}  // namespace

Command verify_command(CLI::App& tutti) {
  auto options = std::make_shared<Options>();
  CLI::App* app = tutti.add_subcommand("verify", "Prove algorithms right for every case");
  app->add_option("COLLECTIVES", options->collectives, "Any of: " + known_collectives());
  app->add_option("--algorithm", options->algorithm, "Its name, as `tutti algorithms` lists it");
  app->add_option("--ranks", options->ranks, "P or LO:HI")->capture_default_str();
  app->add_flag("--mutants", options->mutants, "Also damage schedules; each must be refused");
  app->add_option("--seed", options->seed, "Chooses the mutants")->capture_default_str();
  add_json(*app, options->json);
  app->footer(
      "Exit status 1 if an algorithm is wrong or a damaged schedule passes.\n"
      "Examples:\n"
      "  tutti verify\n"
      "  tutti verify alltoall alltoallv --ranks 1:24\n"
      "  tutti verify allreduce --algorithm circulant --ranks 33\n"
      "  tutti verify --ranks 1:64 --mutants --json");
  return {app, [options] {
            const Campaign campaign = campaign_of(*options);
            const std::vector<Tally> tallies = run(campaign);
            Tally total;
            for (const Tally& each : tallies) add(total, each);
            options->json ? print_json(campaign, tallies, total)
                          : print_table(campaign, tallies, total);
            return clean(total) ? success : check_failed;
          }};
}

}  // namespace tutti::tools
