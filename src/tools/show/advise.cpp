// tutti advise: what tuning would bring a program, by the calls it makes (Thakur2005, figure 19).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "algorithms/registry.hpp"
#include "model/files.hpp"
#include "model/machine_file.hpp"
#include "model/refuse.hpp"
#include "select/outlook.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/numbers.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/table.hpp"

namespace tutti::tools {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string trace, machine, profile;
  bool json = false;
};

// Calls of one kind, as a program made them.
struct Calls {
  Collective collective = Collective::barrier;
  int p = 1;
  double bytes = 0;  // of the whole message, as a mean
  std::string algorithm{};
  double number = 0;
  double seconds = 0;  // of all
};

struct Advice {
  Calls calls;
  Outlook one;  // of these calls

  // Seconds of those spent that the best algorithm saves; nothing if it cannot be told.
  std::optional<double> saved() const {
    if (!one.now || !(*one.now > 0)) return std::nullopt;
    return calls.seconds * std::max(0.0, 1 - one.best / *one.now);
  }
};

Calls calls_in(const Json& row) {
  const std::string name = row.at("collective").get<std::string>();
  Calls calls{.collective = parse_collective(name),
              .p = row.at("ranks").get<int>(),
              .bytes = row.at("bytes").get<double>(),
              .algorithm = row.at("algorithm").get<std::string>(),
              .number = row.at("calls").get<double>(),
              .seconds = row.at("seconds").get<double>()};
  const bool known =
      calls.algorithm == "native" || find_algorithm(calls.collective, calls.algorithm) != nullptr;
  if (!known || calls.p < 1 || calls.p > most_ranks || !(calls.bytes >= 0) ||
      !(calls.number >= 1) || !(calls.seconds >= 0)) {
    refuse("this row is not valid: {}", row.dump());
  }
  return calls;
}

std::vector<Calls> trace_in(const Json& file) {
  const int version = file.at("tutti_trace").get<int>();
  if (version != 1) refuse("version {}, this Tutti reads 1", version);
  std::vector<Calls> all;
  for (const Json& row : file.at("calls")) all.push_back(calls_in(row));
  return all;
}

std::vector<Calls> read_trace(const std::string& path) {
  const auto refused = [&](const std::string& what) {
    return std::invalid_argument(fmt::format(
        "trace '{}': {}; accepted are files that `tutti exec --trace` wrote", path, what));
  };
  const auto text = contents(path);
  if (!text) throw refused("cannot be read");
  try {
    return trace_in(Json::parse(*text));
  } catch (const nlohmann::json::exception&) {
    throw refused("is not valid");
  } catch (const std::invalid_argument& error) {
    throw refused(error.what());
  }
}

std::vector<Advice> advise(const Options& options) {
  const auto profile = parse_profile_name(options.profile);
  const Selector selector({}, Policy::model, read_machine(options.machine));
  std::vector<Advice> all;
  for (const Calls& each : read_trace(options.trace)) {
    all.push_back({each, outlook(selector, profile.get(), each.collective, each.p, each.bytes,
                                 each.algorithm)});
  }
  std::ranges::stable_sort(all, std::greater{},
                           [](const Advice& each) { return each.saved().value_or(0); });
  return all;
}

struct Total {
  double seconds = 0;
  double saved = 0;
};

// By collective, and of all under "all".
std::vector<std::pair<std::string, Total>> totals(const std::vector<Advice>& all) {
  std::map<std::string, Total> by_name;
  Total sum;
  for (const Advice& each : all) {
    for (Total* total : {&by_name[std::string(to_string(each.calls.collective))], &sum}) {
      total->seconds += each.calls.seconds;
      total->saved += each.saved().value_or(0);
    }
  }
  std::vector<std::pair<std::string, Total>> result(by_name.begin(), by_name.end());
  result.emplace_back("all", sum);
  return result;
}

std::string print_seconds(double seconds) { return fmt::format("{:.6f}", seconds); }

void print_text(const std::vector<Advice>& all) {
  Table rows({"collective", ">ranks", ">bytes", "served by", ">calls", ">seconds", ">now (us)",
              ">best (us)", ">bound (us)", "source", ">saved (s)"});
  for (const Advice& each : all) {
    const auto saved = each.saved();
    rows.add(saved && *saved > 0 ? Colour::good : Colour::plain, to_string(each.calls.collective),
             each.calls.p, print_size(each.calls.bytes), each.calls.algorithm,
             fmt::format("{:.0f}", each.calls.number), print_seconds(each.calls.seconds),
             each.one.now ? print_us(*each.one.now) : "-", print_us(each.one.best),
             print_us(each.one.bound), each.one.measured ? "profile" : "model",
             saved ? print_seconds(*saved) : "-");
  }
  fmt::print("{}\n", rows.text());
  Table sums({"collective", ">seconds", ">saved (s)", ">saved"});
  for (const auto& [name, total] : totals(all)) {
    const double share = total.seconds > 0 ? 100 * total.saved / total.seconds : 0;
    sums.add(name == "all" ? Colour::bold : Colour::plain, name, print_seconds(total.seconds),
             print_seconds(total.saved), fmt::format("{:.1f}%", share));
  }
  fmt::print("{}", sums.text());
}

void print_json(const std::vector<Advice>& all) {
  Json result{{"rows", Json::array()}, {"totals", Json::object()}};
  for (const Advice& each : all) {
    result["rows"].push_back({{"collective", to_string(each.calls.collective)},
                              {"ranks", each.calls.p},
                              {"bytes", each.calls.bytes},
                              {"algorithm", each.calls.algorithm},
                              {"calls", each.calls.number},
                              {"seconds", each.calls.seconds},
                              {"now_seconds", json_of(each.one.now)},
                              {"best_seconds", each.one.best},
                              {"lower_bound_seconds", each.one.bound},
                              {"source", each.one.measured ? "profile" : "model"},
                              {"saved_seconds", json_of(each.saved())}});
  }
  for (const auto& [name, total] : totals(all)) {
    result["totals"][name] = {{"seconds", total.seconds}, {"saved_seconds", total.saved}};
  }
  fmt::print("{}\n", result.dump(2));
}

}  // namespace

Command advise_command(CLI::App& tutti) {
  auto options = std::make_shared<Options>();
  CLI::App* app = tutti.add_subcommand("advise", "Say what tuning would bring a program");
  app->add_option("FILE", options->trace, "What `tutti exec --trace FILE` wrote")->required();
  app->add_option("--machine", options->machine,
                  "JSON file that `tutti machine` wrote or share/tutti/machines has");
  app->add_option("--profile", options->profile, "JSON file that `tutti tune` wrote");
  add_json(*app, options->json);
  app->footer(
      "For the calls of each row: one call as it was served and with the best algorithm known, "
      "both\n"
      "by the profile if it has these ranks and about this size, else by the machine model. Saved\n"
      "is the same share of the seconds that the program spent. `-`: the model does not know the\n"
      "native collectives.\n"
      "Examples:\n"
      "  tutti advise examples/trace.json\n"
      "  tutti advise trace.json --machine machine.json --profile site.json --json");
  return {app, [options] {
            const std::vector<Advice> all = advise(*options);
            options->json ? print_json(all) : print_text(all);
            return success;
          }};
}

}  // namespace tutti::tools
