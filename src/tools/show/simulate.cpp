// tutti simulate: every algorithm of a collective on a modelled machine, fastest first.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/cli/commands.hpp"
#include "tools/cli/numbers.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/table.hpp"
#include "tools/show/candidates.hpp"

namespace tutti::tools {

namespace {

struct Options {
  CallOptions call;
  bool json = false;
};

struct Outcome {
  Call call;
  Machine machine;
  double bound = 0;
  std::vector<Candidate> all{};  // fastest first; those that were not simulated last
};

Outcome simulate_all(const CallOptions& options) {
  Outcome outcome{.call = options.call(), .machine = options.parsed_machine()};
  if (!is_by_memory(outcome.call, outcome.machine)) outcome.machine = hockney(outcome.machine);
  outcome.call.exact = true;  // every algorithm: the operator is not asked for
  const Selector selector({}, Policy::model, outcome.machine);
  outcome.bound = lower_bound(outcome.call.collective, outcome.call.p, outcome.call.bytes(),
                              selector.machine(outcome.call));
  outcome.all = candidates(outcome.call, outcome.machine, selector);
  std::ranges::stable_sort(outcome.all, [](const Candidate& a, const Candidate& b) {
    if (!a.simulated || !b.simulated) return a.simulated.has_value() && !b.simulated;
    return a.simulated->seconds < b.simulated->seconds;
  });
  return outcome;
}

void print_json(const Outcome& outcome) {
  nlohmann::ordered_json result{{"collective", to_string(outcome.call.collective)},
                                {"ranks", outcome.call.p},
                                {"root", outcome.call.root},
                                {"bytes", outcome.call.bytes()},
                                {"alpha", outcome.machine.alpha},
                                {"beta", outcome.machine.beta},
                                {"gamma", outcome.machine.gamma},
                                {"lower_bound_seconds", outcome.bound},
                                {"algorithms", nlohmann::ordered_json::array()}};
  for (const Candidate& each : outcome.all) {
    nlohmann::ordered_json one{{"algorithm", each.algorithm->name},
                               {"parameter", each.parameter},
                               {"simulated", each.simulated.has_value()}};
    if (!each.algorithm->published.empty()) {
      const Formula published(each.algorithm->published);
      one["published_seconds"] =
          published(outcome.call.p, outcome.call.bytes(), outcome.machine, each.parameter);
    }
    if (each.simulated) {
      one["seconds"] = each.simulated->seconds;
      one["rounds"] = each.simulated->rounds;
      one["messages"] = each.simulated->messages;
      one["bytes"] = each.simulated->bytes;
      one["most_sent"] = each.simulated->most_sent;
      if (is_by_memory(outcome.call, outcome.machine)) one["copied"] = each.simulated->copied;
      one["ratio"] = json_of(ratio(each.simulated->seconds, outcome.bound));
    }
    result["algorithms"].push_back(one);
  }
  fmt::print("{}\n", result.dump(2));
}

void print_table(const Outcome& outcome) {
  fmt::print("{}\n", describe(outcome.call));
  for (const std::string& line : lines_of(describe(outcome.machine), page_width)) {
    fmt::print("{}\n", line);
  }
  fmt::print("lower bound {} us\n\n", print_us(outcome.bound));
  const bool by_memory = is_by_memory(outcome.call, outcome.machine);
  Table table({"algorithm", ">time (us)", ">rounds", ">messages",
               by_memory ? ">bytes copied" : ">bytes on the wire", ">most sent by a rank",
               ">time / bound"});
  for (const Candidate& each : outcome.all) {
    const std::string name = full_name(each);
    if (!each.simulated) {
      const std::string why =
          fits(*each.algorithm, outcome.call.p) ? "too large" : "not for this p";
      table.add(Colour::faint, name, why, "-", "-", "-", "-", "-");
      continue;
    }
    const Simulation& result = *each.simulated;
    table.add(name, print_us(result.seconds), result.rounds, result.messages,
              print_size(by_memory ? result.copied : result.bytes), print_size(result.most_sent),
              print_ratio(result.seconds, outcome.bound));
  }
  fmt::print("{}", table.text());
}

}  // namespace

Command simulate_command(CLI::App& tutti) {
  auto options = std::make_shared<Options>();
  CLI::App* app = tutti.add_subcommand("simulate", "Time every algorithm on a modelled machine");
  options->call.add_shape(*app);
  options->call.add_size(*app);
  add_json(*app, options->json);
  app->footer(
      "A message of b bytes takes alpha + b*beta; a rank sends and receives one at a time.\n"
      "Ranks of one node share memory, unless the machine file says otherwise.\n"
      "Examples:\n"
      "  tutti simulate allreduce --ranks 33 --bytes 1M\n"
      "  tutti simulate bcast --ranks 64 --bytes 64K --root 5 --machine cluster.json --json");
  return {app, [options] {
            const Outcome outcome = simulate_all(options->call);
            options->json ? print_json(outcome) : print_table(outcome);
            return success;
          }};
}

}  // namespace tutti::tools
