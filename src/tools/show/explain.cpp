// tutti explain: which algorithm would serve a call, why, and what the others would take.
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
  SelectionOptions selection;
  bool json = false;
  bool formulas = false;
};

struct Explanation {
  Call call;
  Machine machine;
  Choice choice{};
  std::string rule{};                 // the paper's cut-off, if it names another algorithm
  std::optional<double> agreement{};  // seconds in which ranks tell each other sizes first
  double bound = 0;
  std::vector<Candidate> all{};
  const Candidate* chosen = nullptr;       // null: native
  const Candidate* runner_up = nullptr;    // the cheapest of the others that are possible
  std::optional<ProfilePoint> measured{};  // nearest to the call, in the profile given
};

// What the paper would have, where that is not what runs.
std::string overruled(const Call& call, const Choice& choice) {
  const Rule rule = thakur2005(call);
  if (rule.algorithm.empty()) return {};
  if (choice.algorithm != nullptr && choice.algorithm->name == rule.algorithm) return {};
  return fmt::format("policy mpich2005 has {}: {}", rule.algorithm, rule.text);
}

Explanation explain(const Options& options) {
  Explanation result{.call = options.call.call(), .machine = options.call.parsed_machine()};
  const auto profile = parse_profile_name(options.selection.profile);
  const Selector selector = options.selection.selector(result.machine, profile);
  const ProfileRun* run = profile ? nearest_run(*profile, result.call) : nullptr;
  const ProfilePoint* point = run != nullptr ? nearest_point(*run, result.call) : nullptr;
  if (point != nullptr) result.measured = *point;
  result.agreement = agree(result.call, selector);
  result.choice = selector.choose(result.call);
  result.rule = overruled(result.call, result.choice);
  result.bound = lower_bound(result.call.collective, result.call.p, result.call.bytes(),
                             selector.machine(result.call));
  constexpr Effort a_moment{.each = 50'000, .all = 75'000};
  result.all = candidates(result.call, result.machine, selector, a_moment);
  std::ranges::stable_sort(result.all, {}, [](const Candidate& each) {
    return std::pair(!each.obstacle.empty(), each.predicted);
  });
  for (const Candidate& each : result.all) {
    if (each.algorithm == result.choice.algorithm) {
      result.chosen = &each;
    } else if (each.obstacle.empty() && result.runner_up == nullptr) {
      result.runner_up = &each;
    }
  }
  return result;
}

std::optional<double> measured(const Explanation& result, const Algorithm& algorithm) {
  if (!result.measured) return std::nullopt;
  return measured_seconds(*result.measured, result.call.collective, &algorithm);
}

nlohmann::ordered_json json_of_parameter(const Candidate& each) {
  if (each.parameter == 0) return {};
  return {{std::string(to_string(each.algorithm->parameter.open)), each.parameter}};
}

nlohmann::ordered_json json_of_curve(const Candidate& each) {
  auto points = nlohmann::ordered_json::array();
  for (const Point& point : each.curve) {
    points.push_back({{std::string(to_string(each.algorithm->parameter.open)), point.parameter},
                      {"rounds", point.rounds},
                      {"bytes", point.bytes},
                      {"predicted_seconds", point.predicted}});
  }
  return points;
}

// Bytes; 0: none are but by the library.
double copied(const Candidate* each) {
  return each != nullptr && each->simulated ? each->simulated->copied : 0;
}

nlohmann::ordered_json json_of(const Candidate& each, const Explanation& result) {
  nlohmann::ordered_json one{
      {"algorithm", each.algorithm->name},   {"parameter", json_of_parameter(each)},
      {"possible", each.obstacle.empty()},   {"obstacle", each.obstacle},
      {"predicted_seconds", each.predicted}, {"formula", each.algorithm->cost}};
  one["ratio"] = result.chosen == nullptr
                     ? nlohmann::ordered_json()
                     : tools::json_of(ratio(each.predicted, result.chosen->predicted));
  one["curve"] = json_of_curve(each);
  if (result.measured) one["measured_seconds"] = tools::json_of(measured(result, *each.algorithm));
  if (each.simulated) {
    one["simulated_seconds"] = each.simulated->seconds;
    one["rounds"] = each.simulated->rounds;
    if (is_by_memory(result.call, result.machine)) one["bytes_copied"] = copied(&each);
  }
  return one;
}

// Bytes; 0: messages go whole.
double fragment(const Explanation& result) {
  const Algorithm* algorithm = result.choice.algorithm;
  return algorithm == nullptr || algorithm->synchronous ? 0 : result.choice.fragment;
}

void print_json(const Explanation& result) {
  nlohmann::ordered_json text{
      {"collective", to_string(result.call.collective)},
      {"ranks", result.call.p},
      {"root", result.call.root},
      {"bytes", result.call.bytes()},
      {"commutative", result.call.commutative},
      {"whole_operands", result.call.whole_operands},
      {"chosen", result.choice.algorithm ? result.choice.algorithm->name : "native"},
      {"why", result.choice.why},
      {"fragment_bytes", fragment(result)},
      {"rule_overruled", result.rule},
      {"agreement_seconds", tools::json_of(result.agreement)},
      {"lower_bound_seconds", result.bound},
      {"runner_up", result.runner_up ? nlohmann::ordered_json(result.runner_up->algorithm->name)
                                     : nlohmann::ordered_json()},
      {"candidates", nlohmann::ordered_json::array()}};
  for (const Candidate& each : result.all) {
    text["candidates"].push_back(json_of(each, result));
  }
  fmt::print("{}\n", text.dump(2));
}

std::string runner_up_line(const Explanation& result) {
  if (result.chosen == nullptr) return {};
  if (result.runner_up == nullptr) return "none: no other algorithm is possible";
  const double chosen = result.chosen->predicted;
  const double other = result.runner_up->predicted;
  const auto margin = ratio(other, chosen);
  if (!margin) return {};
  return fmt::format("{}: predicted {} us, {:.2f} times as long as {}{}",
                     result.runner_up->algorithm->name, print_us(other), *margin,
                     result.chosen->algorithm->name,
                     *margin < 0.99 ? " (the rule goes before the model)" : "");
}

std::string timed(const Explanation& result, const Candidate& each) {
  if (result.measured) {
    const auto seconds = measured(result, *each.algorithm);
    return seconds ? print_us(*seconds) : "-";
  }
  return each.simulated ? print_us(each.simulated->seconds) : "-";
}

// Where ranks share memory.
std::string copies_line(const Explanation& result) {
  if (!is_by_memory(result.call, result.machine) || copied(result.chosen) == 0) return {};
  const Call& call = result.call;
  const double bytes = copied(result.chosen);
  const double least = least_copied(call.collective, call.p, call.bytes());
  return fmt::format("{} in all, {} by each rank{}", print_size(bytes), print_size(bytes / call.p),
                     least > 0 ? fmt::format("; {} have to be", print_size(least)) : "");
}

void print_candidates(const Explanation& result) {
  Table table({"algorithm", ">predicted (us)",
               result.measured ? ">measured (us)" : ">simulated (us)", ">rounds", ">ratio",
               "note"});
  for (const Candidate& each : result.all) {
    const bool chosen = &each == result.chosen;
    const bool too_large = each.obstacle.empty() && !each.simulated;
    const std::string note = chosen ? "runs" : too_large ? "too large to simulate" : each.obstacle;
    table.add(chosen                  ? Colour::good
              : each.obstacle.empty() ? Colour::plain
                                      : Colour::faint,
              full_name(each), print_us(each.predicted), timed(result, each),
              each.simulated ? fmt::format("{}", each.simulated->rounds) : "-",
              result.chosen ? print_ratio(each.predicted, result.chosen->predicted) : "-", note);
  }
  fmt::print("{}", table.text());
}

// Over the parameter of the cheapest algorithm for which it makes a difference.
void print_curve(const Explanation& result) {
  for (const Candidate& each : result.all) {
    const std::vector<Point>& points = each.curve;
    const auto differs = [&](const Point& a) { return a.predicted != points[0].predicted; };
    if (!each.obstacle.empty() || std::ranges::none_of(points, differs)) continue;
    const bool blocks = info(result.call.collective).regular == Collective::alltoall;
    const double unit = blocks ? std::max(result.call.largest_bytes(), 1.0) : 1;
    Table table({fmt::format(">{}", to_string(each.algorithm->parameter.open)), ">rounds",
                 blocks ? ">blocks sent" : ">bytes in turn", ">predicted (us)"});
    for (const Point& point : points) {
      table.add(point.parameter == each.parameter ? Colour::good : Colour::plain, point.parameter,
                fmt::format("{:.0f}", point.rounds), fmt::format("{:.0f}", point.bytes / unit),
                print_us(point.predicted));
    }
    fmt::print("\n{}, best with {} {}:\n{}", each.algorithm->name,
               to_string(each.algorithm->parameter.open), each.parameter, table.text());
    return;
  }
}

// A line of the answer, whose words go on below each other.
void print_line(const char* name, const std::string& text) {
  constexpr std::size_t indent = 13;
  std::string before = name;
  for (const std::string& words : lines_of(text, page_width - indent)) {
    fmt::print("{:<{}}{}\n", before, indent, words);
    before.clear();
  }
}

void print_formulas(const Explanation& result) {
  fmt::print("\n");
  for (const Candidate& each : result.all) {
    fmt::print("{}\n  {}\n", full_name(each), each.algorithm->cost);
  }
}

void print_text(const Explanation& result, bool formulas) {
  fmt::print("{}\n", describe(result.call));
  for (const std::string& line : lines_of(describe(result.machine), page_width)) {
    fmt::print("{}\n", line);
  }
  fmt::print("\n");
  const std::string name = full_name(result.choice);
  fmt::print("runs         {}\n", painted(name, Colour::bold));
  print_line("because", result.choice.why);
  if (!result.rule.empty()) print_line("", fmt::format("({})", result.rule));
  if (result.agreement) {
    fmt::print("before it    ranks tell each other sizes: predicted {} us\n",
               print_us(*result.agreement));
  }
  if (result.measured) {
    fmt::print("measured     {} {} us, native {} us\n", result.measured->winner,
               print_us(result.measured->seconds.at(result.measured->winner)),
               print_us(result.measured->seconds.at("native")));
  }
  if (fragment(result) > 0) {
    fmt::print("messages     longer than {} go in fragments, between nodes\n",
               print_size(fragment(result)));
  }
  fmt::print("lower bound  {} us\n", print_us(result.bound));
  if (const std::string copies = copies_line(result); !copies.empty()) {
    print_line("copied", copies);
  }
  const std::string runner_up = runner_up_line(result);
  if (!runner_up.empty()) print_line("runner-up", runner_up);
  fmt::print("\n");
  print_candidates(result);
  print_curve(result);
  if (formulas) print_formulas(result);
}

}  // namespace

Command explain_command(CLI::App& tutti) {
  auto options = std::make_shared<Options>();
  CLI::App* app = tutti.add_subcommand("explain", "Say which algorithm would run, and why");
  options->call.add_shape(*app);
  options->call.add_size(*app);
  options->call.add_operator(*app);
  options->selection.add(*app);
  add_json(*app, options->json);
  app->add_flag("--formulas", options->formulas, "Print what the predictions are made of, too");
  app->footer(
      "The environment variables TUTTI_FORCE, TUTTI_POLICY and TUTTI_USER_OPS count, as they "
      "would\n"
      "in a run.\n"
      "Examples:\n"
      "  tutti explain allreduce --ranks 33 --bytes 1M\n"
      "  tutti explain allreduce --ranks 33 --bytes 4K --user-op --non-commutative\n"
      "  tutti explain reduce_scatter --ranks 64 --bytes 256 --policy mpich2005\n"
      "  tutti explain bcast --ranks 8 --bytes 1M --profile examples/site.json\n"
      "  tutti explain bcast --ranks 64 --bytes 64K --root 5 --json");
  return {app, [options] {
            const Explanation result = explain(*options);
            options->json ? print_json(result) : print_text(result, options->formulas);
            return success;
          }};
}

}  // namespace tutti::tools
