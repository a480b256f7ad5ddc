// tutti map: which algorithm would run, over p and n (Thakur2005, figure 14).
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "algorithms/registry.hpp"
#include "model/files.hpp"
#include "tools/cli/commands.hpp"
#include "tools/show/gnuplot.hpp"
#include "tools/show/winners.hpp"

namespace tutti::tools {

namespace {

constexpr std::size_t terminal_columns = 64;
constexpr std::size_t picture_columns = 512;
constexpr std::size_t most_work = 40'000'000;  // that is simulated, shared by all points

struct Options {
  CallOptions call;
  std::string ranks = "2:256";
  std::string bytes = "8:16M";
  SelectionOptions selection;
  std::string file;
  bool json = false;
};

// How many rank counts the output has room for. Files that programs read have all.
std::size_t columns(const Options& options) {
  if (options.json) return std::numeric_limits<std::size_t>::max();
  if (options.file.empty()) return terminal_columns;
  return format_of(options.file) == Format::csv ? std::numeric_limits<std::size_t>::max()
                                                : picture_columns;
}

Winners winners(const Options& options) {
  Winners map{.call = options.call, .machine = options.call.parsed_machine()};
  map.range = parse_ranks(options.ranks);
  map.ranks = sample(map.range, columns(options));
  const bool sizeless = parse_collective(options.call.collective) == Collective::barrier;
  map.sizes = sizeless ? std::vector<std::int64_t>{0} : parse_powers(options.bytes);
  map.settings = options.selection.text();
  Selector selector =
      options.selection.selector(map.machine, parse_profile_name(options.selection.profile));
  // Of the whole range, whatever is shown of it: all outputs agree.
  const int counts = map.range.last - map.range.first + 1;
  const std::size_t points =
      std::max<std::size_t>(static_cast<std::size_t>(counts) * map.sizes.size(), 1);
  selector.simulate_at_most(most_work / points);
  choose_all(map, selector);
  return map;
}

int map_winners(const Options& options) {
  const bool picture = !options.file.empty() && format_of(options.file) != Format::csv;
  const Winners map = winners(options);
  if (picture) draw_by_gnuplot(options.file, script_of(map));
  if (!options.file.empty() && !picture) write_file(options.file, csv_of(map));
  if (options.json) fmt::print("{}", json_of(map));
  if (!options.json && options.file.empty()) fmt::print("{}", grid_of(map));
  return success;
}

}  // namespace

Command map_command(CLI::App& tutti) {
  auto options = std::make_shared<Options>();
  CallOptions& call = options->call;
  CLI::App* app = tutti.add_subcommand("map", "Show which algorithm would run, over p and n");
  app->add_option("COLLECTIVE", call.collective, "One of: " + known_collectives());
  app->add_option("--ranks", options->ranks, "p: P or LO:HI")->capture_default_str();
  app->add_option("--bytes", options->bytes, "n, bytes of the whole message: N or LO:HI")
      ->capture_default_str();
  app->add_option("--root", call.root, "Root of a rooted collective (default 0)");
  app->add_option("--machine", call.machine,
                  "JSON file with alpha, beta and gamma (seconds, per byte)");
  call.add_operator(*app);
  options->selection.add(*app);
  app->add_option("-o,--output", options->file,
                  "Write this file instead: .svg or .png, drawn by gnuplot, or .csv");
  add_json(*app, options->json);
  app->footer(
      "n takes the powers of two in its range. CSV and JSON have every p; the terminal shows up "
      "to\n"
      "64 of them, a picture up to 512. The more there are, the fewer ranks are simulated: "
      "thousands\n"
      "of points are by formulas above 20 ranks or so, where `tutti explain` simulates.\n"
      "The environment variables TUTTI_FORCE and TUTTI_POLICY count, as they would in a run.\n"
      "Examples:\n"
      "  tutti map allreduce\n"
      "  tutti map allreduce --ranks 2:1024 --machine cluster.json -o allreduce.svg\n"
      "  tutti map reduce --ranks 33 --bytes 1K:1M --non-commutative\n"
      "  tutti map alltoall --policy mpich2005 -o alltoall.csv");
  return {app, [options] { return map_winners(*options); }};
}

}  // namespace tutti::tools
