// tutti algorithms: what there is to choose from.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "tools/candidates.hpp"
#include "tools/commands.hpp"
#include "tools/options.hpp"
#include "tools/table.hpp"

namespace tutti::tools {

namespace {

struct Options {
  std::string collective;
  bool json = false;
};

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
                    {"source", each->source},
                    {"summary", each->summary}});
  }
  fmt::print("{}\n", list.dump(2));
}

void print_table(const std::vector<const Algorithm*>& all) {
  Table table(
      {{"collective"}, {"name"}, {"rounds"}, {"cost"}, {"requires"}, {"source"}, {"summary"}});
  for (const Algorithm* each : all) {
    const std::string needs = requirements(*each);
    table.add({std::string(to_string(each->collective)), std::string(each->name),
               std::string(each->rounds), std::string(each->cost), needs.empty() ? "-" : needs,
               std::string(each->source), std::string(each->summary)});
  }
  fmt::print("{}", table.text());
}

}  // namespace

Command algorithms_command(CLI::App& tutti) {
  auto options = std::make_shared<Options>();
  CLI::App* app = tutti.add_subcommand("algorithms", "List the algorithms, their cost and source");
  app->add_option("COLLECTIVE", options->collective, "Only those of this collective");
  add_json(*app, options->json);
  app->footer(
      "Formulas are in p, n (bytes of the whole message), alpha, beta and gamma; alpha_uni and\n"
      "beta_uni for messages that go one way. With --json, also the paper's own formula, where\n"
      "it is another.\n"
      "Examples:\n"
      "  tutti algorithms\n"
      "  tutti algorithms allgather --json");
  return {app, [options] {
            const auto all = parse_algorithms(options->collective, "");
            options->json ? print_json(all) : print_table(all);
            return success;
          }};
}

}  // namespace tutti::tools
