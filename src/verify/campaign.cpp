#include "verify/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "verify/mutate.hpp"

namespace tutti {

namespace {

constexpr Units prime = 97;
constexpr int small_p = 16;            // up to here: all roots, and mutants of every case
constexpr int every_combination = 24;  // up to here: every parameter with every case; then one each
constexpr int sampled_mutants = 7;     // beyond: mutants of one case in so many; cases go by sixes

std::vector<Units> awkward_sizes(int p) {
  std::vector<Units> sizes{0, 1, p - 1, p, p + 1, prime};
  std::ranges::sort(sizes);
  const auto repeated = std::ranges::unique(sizes);
  sizes.erase(repeated.begin(), repeated.end());
  return sizes;
}

// Blocks of unequal sizes: some empty and one large; one rank has all.
std::vector<Layout> uneven_layouts(int p) {
  std::vector<Units> mixed, alone(static_cast<std::size_t>(p));
  for (int i = 0; i < p; ++i) mixed.push_back(i % 3 == 1 ? 0 : (i * 7) % 5 + (i == p / 2 ? 31 : 1));
  alone[static_cast<std::size_t>(p - 1)] = 5;
  return {Layout(mixed), Layout(alone)};
}

// Equal shares of a message, or a block for each rank.
std::vector<Layout> layouts(Collective collective, int p) {
  const CollectiveInfo& about = info(collective);
  if (collective == Collective::barrier) return {Layout(0, p)};
  std::vector<Layout> result;
  for (Units size : awkward_sizes(p)) result.emplace_back(about.owns_blocks ? size * p : size, p);
  const bool is_exchange = about.regular == Collective::alltoall;
  if (about.irregular() && !is_exchange) {
    for (const Layout& each : uneven_layouts(p)) result.push_back(each);
  }
  return result;
}

// What ranks send each other in an irregular all-to-all; with MPI_IN_PLACE, as much as they get.
// Some send nothing, some pairs much; and one rank sends to all, or (in place) exchanges with all.
std::vector<std::shared_ptr<const Exchange>> exchanges(int p, bool symmetric) {
  std::vector<Units> mixed, alone;
  for (int i = 0; i < p; ++i) {
    for (int j = 0; j < p; ++j) {
      const int a = symmetric ? std::min(i, j) : i;
      const int b = symmetric ? std::max(i, j) : j;
      const int key = 5 * a + 3 * b;
      mixed.push_back(key % 4 == 1 ? 0 : key % 7 + (key % 11 == 0 ? 31 : 1));
      alone.push_back(a == 0 ? 1 + b % 3 : 0);
    }
  }
  return {std::make_shared<Exchange>(p, mixed), std::make_shared<Exchange>(p, alone)};
}

std::vector<Rank> roots(Collective collective, int p) {
  if (!info(collective).rooted) return {0};
  std::vector<Rank> result;
  if (p <= small_p) {
    for (Rank r = 0; r < p; ++r) result.push_back(r);
  } else {
    result = {0, 1, p / 2, p - 2, p - 1};
  }
  return result;
}

void try_mutants(const Case& one, const std::vector<Schedule>& schedules, std::mt19937_64& random,
                 const std::string& name, Tally& tally) {
  std::vector<Schedule> damaged = schedules;
  for (Mutation mutation : mutations) {
    if (mutation == Mutation::swap_operands && one.call.commutative) continue;
    std::optional<Mutant> mutant = mutate(schedules, mutation, random);
    if (!mutant) continue;
    ++tally.mutants;
    Schedule& changed = damaged[static_cast<std::size_t>(mutant->rank)];
    changed = std::move(mutant->schedule);
    if (verify(one.call, one.in_place, damaged).empty()) {
      tally.survivors.push_back(fmt::format("{}, {}: {}", name, to_string(one), mutant->what));
    }
    changed = schedules[static_cast<std::size_t>(mutant->rank)];
  }
}

}  // namespace

std::string to_string(const Case& a_case) {
  const Call& call = a_case.call;
  const char* in_place[] = {"", ", in place", ", in place on odd ranks"};
  return fmt::format("p={}, n={}{}{}{}{}", call.p, call.n(),
                     info(call.collective).rooted ? fmt::format(", root={}", call.root) : "",
                     call.commutative ? "" : ", non-commutative",
                     call.parameter > 0 ? fmt::format(", parameter={}", call.parameter) : "",
                     in_place[static_cast<int>(a_case.in_place)]);
}

static std::vector<Case> cases_with_all_open(const Algorithm& algorithm, int p) {
  std::vector<Case> result;
  const CollectiveInfo& about = info(algorithm.collective);
  const bool ordered = about.reduces && !algorithm.requires_.commutative;
  const auto is_possible = [&](InPlace in_place) {
    return allowed(algorithm.collective, in_place) &&
           (in_place == InPlace::all || !algorithm.requires_.in_place);
  };
  if (about.irregular() && about.regular == Collective::alltoall) {
    for (InPlace in_place : {InPlace::none, InPlace::all}) {
      if (!is_possible(in_place)) continue;
      for (const auto& exchange : exchanges(p, in_place == InPlace::all)) {
        result.push_back(
            {{.collective = algorithm.collective, .p = p, .exchange = exchange}, in_place});
      }
    }
  }
  for (const Layout& layout : layouts(algorithm.collective, p)) {
    for (Rank root : roots(algorithm.collective, p)) {
      for (bool commutative : {true, false}) {
        if (!commutative && !ordered) continue;
        for (InPlace in_place : {InPlace::none, InPlace::all, InPlace::odd_ranks}) {
          if (!is_possible(in_place)) continue;
          result.push_back({{.collective = algorithm.collective,
                             .p = p,
                             .root = root,
                             .layout = layout,
                             .commutative = commutative},
                            in_place});
        }
      }
    }
  }
  return result;
}

std::vector<Case> cases(const Algorithm& algorithm, int p) {
  std::vector<Case> result;
  if (!fits(algorithm, p)) return result;
  const std::vector<Case> open = cases_with_all_open(algorithm, p);
  const std::vector<int> values = worth_trying(algorithm.parameter.open, p);
  for (std::size_t v = 0; v < values.size(); ++v) {
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (p > every_combination && (i + i / values.size()) % values.size() != v) continue;
      Case one = open[i];
      one.call.parameter = values[v];
      result.push_back(one);
    }
  }
  return result;
}

Tally verify_at(const Algorithm& algorithm, int p, bool mutants, std::uint64_t seed) {
  Tally tally;
  std::mt19937_64 random(seed + static_cast<std::uint64_t>(p));
  const std::string name = fmt::format("{} {}", to_string(algorithm.collective), algorithm.name);
  for (const Case& one : cases(algorithm, p)) {
    const bool damage = mutants && (p <= small_p || tally.cases % sampled_mutants == 0);
    const std::vector<Schedule> schedules = build_all(algorithm, one.call, one.in_place);
    const std::string wrong = verify(one.call, one.in_place, schedules);
    ++tally.cases;
    if (!wrong.empty())
      tally.failures.push_back(fmt::format("{}, {}: {}", name, to_string(one), wrong));
    if (damage && wrong.empty()) try_mutants(one, schedules, random, name, tally);
  }
  return tally;
}

}  // namespace tutti
