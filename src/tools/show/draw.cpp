// tutti draw: who sends which blocks to whom in each round.

#include <algorithm>
#include <memory>

#include "model/files.hpp"
#include "model/refuse.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/options.hpp"
#include "tools/show/candidates.hpp"
#include "tools/show/picture.hpp"
#include "verify/verify.hpp"

namespace tutti::tools {

namespace {

constexpr int most_drawn = 64;

struct Options {
  CallOptions call;
  std::string algorithm;
  std::string file;
};

Call with_units(const Algorithm& algorithm, const CallOptions& options, Units n) {
  const int p = options.parsed_ranks();
  return {.collective = algorithm.collective,
          .p = p,
          .root = options.parsed_root(),
          .layout = Layout(n, p)};
}

// Whether a message of p units is ever sent in parts.
bool cuts_message(const Algorithm& algorithm, const Call& call) {
  for (const Schedule& schedule : build_all(algorithm, call, usual(algorithm))) {
    const bool cut = std::ranges::any_of(schedule.steps, [&](const Step& step) {
      return step.is_message() && schedule.size_of(step) != call.n();
    });
    if (cut) return true;
  }
  return false;
}

// One unit per block, where there are blocks to see.
Call call_to_draw(const Algorithm& algorithm, const CallOptions& options) {
  if (algorithm.collective == Collective::barrier) return with_units(algorithm, options, 0);
  const Call in_blocks = with_units(algorithm, options, options.parsed_ranks());
  const bool shows_blocks =
      info(algorithm.collective).owns_blocks || cuts_message(algorithm, in_blocks);
  return shows_blocks ? in_blocks : with_units(algorithm, options, 1);
}

const Algorithm& chosen(const Options& options) {
  const auto all = parse_algorithms(options.call.collective, options.algorithm);
  if (options.call.collective.empty()) parse_collective("");
  return *all.front();
}

int draw(const Options& options) {
  const Algorithm& algorithm = chosen(options);
  if (options.call.parsed_ranks() > most_drawn) {
    refuse("{} ranks are too many to draw; accepted are 1 to {}", options.call.ranks, most_drawn);
  }
  if (!fits(algorithm, options.call.parsed_ranks())) {
    refuse("{} cannot serve {} ranks; it needs {}", algorithm.name, options.call.parsed_ranks(),
           requirements(algorithm));
  }
  const Trace traced = trace(algorithm, call_to_draw(algorithm, options.call));
  write_file(options.file, picture(traced, algorithm));
  return success;
}

}  // namespace

Command draw_command(CLI::App& tutti) {
  auto options = std::make_shared<Options>();
  CLI::App* app = tutti.add_subcommand("draw", "Draw who sends what to whom, as SVG");
  options->call.add_shape(*app);
  app->add_option("--algorithm", options->algorithm, "Its name, as `tutti algorithms` lists it")
      ->required();
  app->add_option("-o,--output", options->file, "The SVG file to write")->required();
  app->footer(
      "A column per rank, a row per round; an arrow says which blocks go where.\n"
      "Examples:\n"
      "  tutti draw allgather --algorithm bruck --ranks 6 -o bruck.svg\n"
      "  tutti draw bcast --algorithm binomial --ranks 13 --root 4 -o bcast.svg");
  return {app, [options] { return draw(*options); }};
}

}  // namespace tutti::tools
