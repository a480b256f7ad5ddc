#include "verify/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "verify/mutate.hpp"

namespace tutti {

namespace {

constexpr Units prime = 97;
constexpr int few_p = 9;               // up to here: mutants of what is read where it lies, too
constexpr int small_p = 16;            // up to here: all roots, and mutants of every case
constexpr int every_combination = 24;  // up to here: every parameter with every case; then one each
constexpr int ranks_per_node[] = {1, 3, 16, 2, 7};  // by turns: cases go by twos, threes and sixes
constexpr int sampled_mutants = 7;  // beyond: mutants of one case in so many; cases go by sixes

std::vector<Units> awkward_sizes(int p) {
  std::vector<Units> sizes{0, 1, p - 1, p, p + 1, prime};
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

// How sizes are spread.
enum class Spread : std::uint8_t { uniform, mostly_zero, one_large, power_law };
constexpr Spread spreads[] = {Spread::uniform, Spread::mostly_zero, Spread::one_large,
                              Spread::power_law};

// That many sizes, random but the same each time.
std::vector<Units> random_sizes(int count, Spread spread) {
  std::mt19937 random(static_cast<unsigned>(count) * 4 + static_cast<unsigned>(spread));
  const auto below = [&](unsigned bound) { return static_cast<Units>(random() % bound); };
  std::vector<Units> sizes;
  for (int i = 0; i < count; ++i) {
    switch (spread) {
      case Spread::uniform:
        sizes.push_back(below(10));
        break;
      case Spread::mostly_zero:
        sizes.push_back(below(5) > 0 ? 0 : 1 + below(9));
        break;
      case Spread::one_large:
        sizes.push_back(below(3));
        break;
      case Spread::power_law:
        sizes.push_back(20000 / (1 + below(1000)));
        break;
    }
  }
  if (spread == Spread::one_large)
    sizes[static_cast<std::size_t>(below(static_cast<unsigned>(count)))] = 20000;
  return sizes;
}

// Blocks of unequal sizes: random; one rank has all.
std::vector<Layout> uneven_layouts(int p) {
  std::vector<Layout> result;
  for (Spread spread : spreads) result.emplace_back(random_sizes(p, spread));
  std::vector<Units> alone(static_cast<std::size_t>(p));
  alone[static_cast<std::size_t>(p - 1)] = 5;
  result.emplace_back(alone);
  return result;
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

// What ranks send each other in an irregular all-to-all; in place, as much as they get.
// Random sizes; and one rank sends to all, or (in place) exchanges with all.
std::vector<std::shared_ptr<const Exchange>> exchanges(int p, bool symmetric) {
  std::vector<std::shared_ptr<const Exchange>> result;
  const auto add = [&](const std::vector<Units>& sizes) {
    std::vector<Units> all;
    for (int i = 0; i < p; ++i) {
      for (int j = 0; j < p; ++j) {
        const int a = symmetric ? std::min(i, j) : i;
        const int b = symmetric ? std::max(i, j) : j;
        const int at = a * p + b;
        all.push_back(sizes[static_cast<std::size_t>(at)]);
      }
    }
    result.push_back(std::make_shared<Exchange>(p, all));
  };
  for (Spread spread : spreads) add(random_sizes(p * p, spread));
  std::vector<Units> alone(static_cast<std::size_t>(p * p));
  for (int j = 0; j < p; ++j) alone[static_cast<std::size_t>(j)] = 1 + j % 3;
  add(alone);
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

// What is wrong with schedules; nothing, if they are right.
using Complaint = std::function<std::string(const std::vector<Schedule>&)>;

// What makes a difference to results: the operands' order everywhere, and, where all ranks get the
// same bits, how several of them make the same value.
struct Reductions {
  bool ordered = false;
  std::function<std::vector<StepAt>(const std::vector<Schedule>&)> alike =
      [](const std::vector<Schedule>&) { return std::vector<StepAt>{}; };
};

Reductions reductions_of(const Case& one) {
  Reductions result{.ordered = !one.call.commutative};
  if (one.call.collective == Collective::allreduce && !one.call.exact) {
    result.alike = [&one](const std::vector<Schedule>& schedules) {
      return reductions_of_several(one.call, one.in_place, schedules);
    };
  }
  return result;
}

// Proves campaigns' cases, one after the other, and counts.
class Prover {
 public:
  Prover(bool mutants, std::uint64_t seed) : mutants_(mutants), random_(seed) {}

  // What is right may be damaged if there are reductions to damage.
  void prove(const std::string& name, const std::vector<Schedule>& schedules,
             const Complaint& complaint, const std::optional<Reductions>& reductions) {
    const bool damage = mutants_ && reductions &&
                        (schedules.size() <= small_p || tally_.cases % sampled_mutants == 0);
    const std::string wrong = complaint(schedules);
    ++tally_.cases;
    if (!wrong.empty()) tally_.failures.push_back(fmt::format("{}: {}", name, wrong));
    if (damage && wrong.empty()) try_mutants(name, schedules, complaint, *reductions);
  }
  Tally tally() && { return std::move(tally_); }

 private:
  void try_mutants(const std::string& name, const std::vector<Schedule>& schedules,
                   const Complaint& complaint, const Reductions& reductions) {
    std::vector<Schedule> damaged = schedules;
    const std::vector<StepAt> alike = reductions.alike(schedules);
    for (Mutation mutation : mutations) {
      const bool ordered = mutation == Mutation::swap_operands && reductions.ordered;
      const bool reduces =
          mutation == Mutation::swap_operands || mutation == Mutation::another_order;
      std::optional<Mutant> mutant =
          mutate(schedules, mutation, random_, reduces && !ordered ? &alike : nullptr);
      if (!mutant) continue;
      ++tally_.mutants;
      Schedule& changed = damaged[static_cast<std::size_t>(mutant->rank)];
      changed = std::move(mutant->schedule);
      if (complaint(damaged).empty()) {
        tally_.survivors.push_back(fmt::format("{}: {}", name, mutant->what));
      }
      changed = schedules[static_cast<std::size_t>(mutant->rank)];
    }
  }

  bool mutants_;
  std::mt19937_64 random_;
  Tally tally_;
};

}  // namespace

std::string to_string(const Case& a_case) {
  const Call& call = a_case.call;
  const char* in_place[] = {"", ", in place", ", in place on odd ranks"};
  return fmt::format(
      "p={}, n={}{}{}{}{}{}{}", call.p, call.n(),
      info(call.collective).rooted ? fmt::format(", root={}", call.root) : "",
      call.commutative ? "" : ", non-commutative", call.whole_operands ? ", whole operands" : "",
      call.parameter > 0 ? fmt::format(", parameter={}", call.parameter) : "",
      call.placement ? fmt::format(", {} per node", call.placement->most_ranks()) : "",
      in_place[static_cast<int>(a_case.in_place)]);
}

// What operators may be like.
static std::vector<Call> calls_of_operators(const Algorithm& algorithm) {
  const bool reduces = info(algorithm.collective).reduces;
  const Requirements& needs = algorithm.requires_;
  std::vector<Call> result;
  for (bool whole : {false, true}) {
    for (bool commutative : {true, false}) {
      if (!reduces && (whole || !commutative)) continue;
      if ((whole && needs.divisible) || (!commutative && needs.commutative)) continue;
      Call call{.collective = algorithm.collective,
                .p = 2,
                .layout = {},
                .commutative = commutative,
                .exact = !reduces,
                .whole_operands = whole,
                .in_place = true};
      const bool needs_exact = !needs.also.holds(call);
      if (whole && needs_exact) continue;
      call.exact = !reduces || needs_exact;
      call.in_place = false;
      result.push_back(call);
    }
  }
  return result;
}

static std::vector<Case> cases_with_all_open(const Algorithm& algorithm, int p) {
  std::vector<Case> result;
  const CollectiveInfo& about = info(algorithm.collective);
  const auto is_possible = [&](InPlace in_place) {
    return allowed(algorithm.collective, in_place) &&
           (in_place == InPlace::all || !only_in_place(algorithm));
  };
  if (about.irregular() && about.regular == Collective::alltoall) {
    for (InPlace in_place : {InPlace::none, InPlace::all}) {
      if (!is_possible(in_place)) continue;
      for (const auto& exchange : exchanges(p, in_place == InPlace::all)) {
        Call call{.collective = algorithm.collective, .p = p, .layout = {}};
        call.exchange = exchange;
        result.push_back({call, in_place});
      }
    }
  }
  for (const Layout& layout : layouts(algorithm.collective, p)) {
    for (Rank root : roots(algorithm.collective, p)) {
      for (Call call : calls_of_operators(algorithm)) {
        call.p = p;
        call.root = root;
        call.layout = layout;
        for (InPlace in_place : {InPlace::none, InPlace::all, InPlace::odd_ranks}) {
          if (is_possible(in_place)) result.push_back({call, in_place});
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
      if (with_parameter(algorithm, one.call).parameter != values[v]) continue;
      one.call.placement = placed_in_blocks(p, ranks_per_node[(v + i) % std::size(ranks_per_node)]);
      result.push_back(one);
    }
  }
  return result;
}

Tally verify_at(const Algorithm& algorithm, int p, bool mutants, std::uint64_t seed) {
  // As it is run where messages are short, with calls that do both of an exchange; long; and read
  // where they lie.
  const Carriage as_short{.short_bytes = 1024};
  const Carriage as_long{.long_bytes = 0, .short_bytes = 1024};
  const Carriage as_readable{.short_bytes = 1024, .readable = [](Rank) { return true; }};
  Prover prover(mutants, seed + static_cast<std::uint64_t>(p));
  const std::string name = fmt::format("{} {}", to_string(algorithm.collective), algorithm.name);
  for (const Case& one : cases(algorithm, p)) {
    const std::vector<Schedule> built = build_all(algorithm, one.call, one.in_place, as_short);
    // Damage to what is nothing but padding does no harm.
    const bool padded = one.call.exchange && !built[0].blank.empty();
    const auto complaint = [&](const std::vector<Schedule>& schedules) {
      return verify(one.call, one.in_place, schedules);
    };
    const auto damaged = padded ? std::nullopt : std::optional(reductions_of(one));
    prover.prove(fmt::format("{}, {}", name, to_string(one)), built, complaint, damaged);
    const std::vector<Schedule> ordered = build_all(algorithm, one.call, one.in_place, as_long);
    if (ordered != built) {
      prover.prove(fmt::format("{}, {}, long messages", name, to_string(one)), ordered, complaint,
                   std::nullopt);
    }
    if (!info(algorithm.collective).reduces) continue;
    const std::vector<Schedule> read = build_all(algorithm, one.call, one.in_place, as_readable);
    if (read == built) continue;
    prover.prove(fmt::format("{}, {}, read where they lie", name, to_string(one)), read, complaint,
                 p <= few_p ? damaged : std::nullopt);
  }
  if (algorithm.question.about == nullptr) return std::move(prover).tally();
  for (int value : worth_trying(algorithm.parameter.open, p)) {
    for (Rank root : roots(algorithm.collective, p)) {
      const Call call{.collective = algorithm.collective,
                      .p = p,
                      .root = root,
                      .layout = {},
                      .parameter = value};
      prover.prove(
          fmt::format("{}, its question, p={}, root={}, parameter={}", name, p, root, value),
          build_all_questions(algorithm, call),
          [&](const std::vector<Schedule>& schedules) {
            return verify_question(algorithm, call, schedules);
          },
          Reductions{});
    }
  }
  return std::move(prover).tally();
}

}  // namespace tutti
