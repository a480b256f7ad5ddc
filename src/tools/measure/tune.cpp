// tutti tune: measures which algorithm is fastest here, and writes what to choose from then on.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <optional>

#include "algorithms/registry.hpp"
#include "model/machine_file.hpp"
#include "model/refuse.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/measuring_options.hpp"
#include "tools/cli/numbers.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/table.hpp"
#include "tools/measure/forcing.hpp"
#include "tools/measure/session.hpp"
#include "tools/measure/tuner.hpp"

namespace tutti::tools {

namespace {

double parse_budget(const std::string& text) {
  const char unit = text.empty() ? ' ' : text.back();
  const auto number = whole_number(text.substr(0, text.size() - (unit == 'm' || unit == 's')));
  if (!number || *number < 1) {
    refuse("'{}' is no time; accepted are seconds and minutes, such as 90s and 5m", text);
  }
  return static_cast<double>(*number) * (unit == 'm' ? 60 : 1);
}

// All whose calls a few sizes stand for, or those named.
std::vector<Collective> parse_collectives(const std::string& names) {
  std::vector<Collective> wanted;
  if (names.empty()) {
    for (const CollectiveInfo& each : collectives) {
      if (each.sizes_known() && !each.irregular()) wanted.push_back(each.collective);
    }
    return wanted;
  }
  for (const std::string& name : parts_of(names)) {
    const auto collective = collective_named(name);
    if (!collective || !info(*collective).sizes_known()) {
      refuse(
          "'{}' cannot be tuned; known are: {}, of which those count whose sizes all "
          "ranks know",
          name, known_collectives());
    }
    wanted.push_back(*collective);
  }
  return wanted;
}

TuningRequest parse(const TuneOptions& options, const std::vector<std::string>& unknown) {
  refuse_unknown(unknown, "-o, --collectives, --bytes, --machine, --budget, --peers");
  if (options.output.empty()) refuse("a file to write is needed: tutti tune -o site.json");
  TuningRequest request{.budget = parse_budget(options.budget),
                        .peers = options.peers,
                        .machine = read_machine(options.machine)};
  const std::string obstacle = request.peers ? forcing_obstacle() : "";
  if (!obstacle.empty()) refuse("--peers forces the MPI library's own algorithms: {}", obstacle);
  request.collectives = parse_collectives(options.collectives);
  const std::string sizes =
      options.bytes.empty() ? "8,64,512,4K,32K,128K,512K,2M,8M" : options.bytes;
  request.sizes = parse_sizes(sizes, true, "tuned");
  return request;
}

void print(const Tuner& tuner, const std::string& path, bool whole) {
  Table table({"collective", ">bytes", "winner", ">time (us)", ">native (us)", ">speed-up"});
  for (const auto& [collective, points] : tuner.tuned().points) {
    for (const ProfilePoint& each : points) {
      const double seconds = each.seconds.at(each.winner);
      const double native = each.seconds.at("native");
      table.add(each.winner == "native" ? Colour::faint : Colour::plain, to_string(collective),
                print_size(each.bytes), each.winner, print_us(seconds), print_us(native),
                print_ratio(native, seconds));
    }
  }
  fmt::print("{}\n", table.text());
  if (!whole) fmt::print("The time is over. The same command goes on where this one stopped.\n");
  if (tuner.cut_short() > 0) {
    fmt::print(
        "There was no time for all candidates in {} of these cases: a new file, with a longer "
        "--budget, has them.\n",
        tuner.cut_short());
  }
  fmt::print("{0} is written; use it: mpirun ... tutti exec --profile {0} -- PROGRAM\n", path);
}

int run(TuneOptions options, const std::vector<std::string>& unknown) {
  if (options.peers) allow_forcing();
  // What is measured runs on the machine that is guessed by.
  const char* const set = std::getenv("TUTTI_MACHINE");
  if (options.machine.empty() && set != nullptr) options.machine = set;
  setenv("TUTTI_MACHINE", options.machine.c_str(), 1);
  const Session session;
  std::optional<ToolInterface> tools;
  if (options.peers) tools.emplace();
  return run_together(session, "tune", [&] {
    check_agreement({options.output, options.collectives, options.bytes, options.machine,
                     options.budget, options.peers ? "--peers" : ""});
    TuningRequest request = parse(options, unknown);
    if (session.p < 2) {
      refuse(
          "one rank has nothing to tune; start it on two or more: mpirun -n "
          "2 tutti tune -o site.json");
    }
    const Surroundings where = surroundings(session);
    Tuner tuner(std::move(request), options.output, session, where);
    const bool whole = tuner.run();
    if (session.rank == 0) {
      print(tuner, options.output, whole);
      warn_of_crowd(where);
      if (tuner.found_wrong()) {
        fmt::print("{}\n",
                   painted("an algorithm gave a wrong result and was left out", Colour::bad));
      }
    }
    return tuner.found_wrong() ? check_failed : success;
  });
}

}  // namespace

Command tune_command(CLI::App& tutti) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* app = add_options(tutti, *options);
  return {app, [options, app] { return run(*options, app->remaining()); }};
}

}  // namespace tutti::tools
