#include "verify/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "verify/mutate.hpp"

namespace tutti {

namespace {

constexpr Units prime = 97;
constexpr int small_p = 16;         // up to here: all roots, and mutants of every case
constexpr int sampled_mutants = 7;  // beyond: mutants of one case in so many; cases go by sixes

std::vector<Units> awkward_sizes(int p) {
  std::vector<Units> sizes{0, 1, p - 1, p, p + 1, prime};
  std::ranges::sort(sizes);
  const auto repeated = std::ranges::unique(sizes);
  sizes.erase(repeated.begin(), repeated.end());
  return sizes;
}

// Equal shares of a message, or a block for each rank: of equal sizes and, where MPI allows it, of
// unequal ones, of which some are empty, one is large, or one rank has all.
std::vector<Layout> layouts(Collective collective, int p) {
  if (collective == Collective::barrier) return {Layout(0, p)};
  std::vector<Layout> result;
  for (Units size : awkward_sizes(p)) {
    result.emplace_back(info(collective).owns_blocks ? size * p : size, p);
  }
  if (collective == Collective::reduce_scatter) {
    std::vector<Units> uneven, alone(static_cast<std::size_t>(p));
    for (int i = 0; i < p; ++i)
      uneven.push_back(i % 3 == 1 ? 0 : (i * 7) % 5 + (i == p / 2 ? 31 : 1));
    alone[static_cast<std::size_t>(p - 1)] = 5;
    result.emplace_back(uneven);
    result.emplace_back(alone);
  }
  return result;
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
  return fmt::format("p={}, n={}{}{}{}", call.p, call.n(),
                     info(call.collective).rooted ? fmt::format(", root={}", call.root) : "",
                     call.commutative ? "" : ", non-commutative",
                     in_place[static_cast<int>(a_case.in_place)]);
}

std::vector<Case> cases(const Algorithm& algorithm, int p) {
  std::vector<Case> result;
  const bool ordered = info(algorithm.collective).reduces && !algorithm.requires_.commutative;
  for (const Layout& layout : layouts(algorithm.collective, p)) {
    for (Rank root : roots(algorithm.collective, p)) {
      for (bool commutative : {true, false}) {
        if (!commutative && !ordered) continue;
        for (InPlace in_place : {InPlace::none, InPlace::all, InPlace::odd_ranks}) {
          if (!allowed(algorithm.collective, in_place)) continue;
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
