// tutti algorithms: what there is to choose from.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/cli/commands.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/table.hpp"
#include "tools/show/candidates.hpp"
#include "verify/placements.hpp"

namespace tutti::tools {

namespace {

struct Options {
  std::string collective;
  bool json = false;
  bool formulas = false;
};

// Of reductions, what the proof shows: the operands' order is kept, all ranks get the same bits,
// and these are the same wherever ranks are.
std::string order(const Algorithm& algorithm) {
  if (!info(algorithm.collective).reduces) return "-";
  return algorithm.requires_.commutative ? "any" : "kept";
}
std::string bits(const Algorithm& algorithm) {
  return algorithm.collective == Collective::allreduce ? "same" : "-";
}

std::string placed(const Algorithm& algorithm) {
  if (!info(algorithm.collective).reduces) return "-";
  const auto is_same = [&](Length length) {
    return std::ranges::all_of(std::array{4, 5, 6}, [&](int p) {
      return !fits(algorithm, p) || same_bits_anywhere(algorithm, p, length);
    });
  };
  if (!is_same(Length::of_short)) return "differ";
  return is_same(Length::of_long) ? "same" : "short";
}

void print_json(const std::vector<const Algorithm*>& all) {
  auto list = nlohmann::ordered_json::array();
  for (const Algorithm* each : all) {
    list.push_back({{"collective", to_string(each->collective)},
                    {"name", each->name},
                    {"rounds", each->rounds},
                    {"cost", each->cost},
                    {"within", each->within},
                    {"question_cost", each->question.about != nullptr ? each->question.cost : ""},
                    {"published", each->published},
                    {"difference", each->difference},
                    {"requires", requirements(*each)},
                    {"order", order(*each)},
                    {"bits", bits(*each)},
                    {"placed", placed(*each)},
                    {"source", each->source},
                    {"summary", each->summary}});
  }
  fmt::print("{}\n", list.dump(2));
}

void print_table(const std::vector<const Algorithm*>& all) {
  Table table({"collective", "name", "order", "bits", "placed", "summary"});
  for (const Algorithm* each : all) {
    const std::string needs = requirements(*each);
    table.add(to_string(each->collective), each->name, order(*each), bits(*each), placed(*each),
              needs.empty() ? std::string(each->summary)
                            : fmt::format("{} (needs {})", each->summary, needs));
  }
  fmt::print("{}", table.text());
}

void print_formulas(const std::vector<const Algorithm*>& all) {
  for (const Algorithm* each : all) {
    fmt::print("{} {}\n  rounds  {}\n  cost    {}\n  source  {}\n", to_string(each->collective),
               each->name, each->rounds, each->cost, each->source);
  }
}

}  // namespace

Command algorithms_command(CLI::App& tutti) {
  auto options = std::make_shared<Options>();
  CLI::App* app = tutti.add_subcommand("algorithms", "List the algorithms, their cost and source");
  app->add_option("COLLECTIVE", options->collective, "Only those of this collective");
  add_json(*app, options->json);
  app->add_flag("--formulas", options->formulas, "Print rounds, cost and source instead");
  app->footer(
      "order: of a reduction's operands, kept or any. bits: the same on all ranks. placed: bits\n"
      "are the same on whatever nodes ranks are, those of short messages are, or they differ. All\n"
      "three come from the proof.\n"
      "Formulas are in p, n (bytes of the whole message), alpha, beta and gamma; alpha_uni and\n"
      "beta_uni for messages that go one way. With --json, also the paper's own formula, where\n"
      "it is another.\n"
      "Examples:\n"
      "  tutti algorithms\n"
      "  tutti algorithms allgather --json");
  return {app, [options] {
            const auto all = parse_algorithms(options->collective, "");
            if (options->json) {
              print_json(all);
            } else {
              options->formulas ? print_formulas(all) : print_table(all);
            }
            return success;
          }};
}

}  // namespace tutti::tools
