// tutti plot: times that bench measured or simulate found, over n.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>

#include "model/files.hpp"
#include "tools/cli/commands.hpp"
#include "tools/show/gnuplot.hpp"
#include "tools/show/timings.hpp"

namespace tutti::tools {

namespace {

struct Options {
  std::vector<std::string> inputs;
  std::string file;
  bool ratio = false;
};

struct Limits {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
};

Limits limits_of(const Timings& timings) {
  Limits limits;
  for (const Line& line : timings.lines) {
    for (const auto& at : line.seconds) {
      limits.least = std::min(limits.least, at.second);
      limits.most = std::max(limits.most, at.second);
    }
  }
  return {limits.least / 1.3, limits.most * 1.3};
}

std::string print_time(double seconds) {
  const auto whole = [](double value) { return std::round(value * 1000) / 1000; };
  if (seconds < 0.9999e-6) return fmt::format("{} ns", whole(seconds * 1e9));
  if (seconds < 0.9999e-3) return fmt::format("{} µs", whole(seconds * 1e6));
  if (seconds < 0.9999) return fmt::format("{} ms", whole(seconds * 1e3));
  return fmt::format("{} s", whole(seconds));
}

std::string print_times(double ratio) { return fmt::format("{:g}", ratio); }

// 1, 2, 5, 10, 20 and so on; powers of ten alone, or more of them, where there are many or few.
std::vector<Tick> value_ticks(const Limits& limits, std::string (*print)(double)) {
  const double stretch = limits.most / limits.least;
  const std::vector<double> digits = stretch > 1e4 ? std::vector<double>{1}
                                     : stretch > 5
                                         ? std::vector<double>{1, 2, 5}
                                         : std::vector<double>{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8};
  std::vector<Tick> all;
  const int first = static_cast<int>(std::floor(std::log10(limits.least)));
  for (int power = first; std::pow(10, power) <= limits.most; ++power) {
    for (const double digit : digits) {
      const double at = digit * std::pow(10, power);
      if (limits.least <= at && at <= limits.most) all.push_back({print(at), at});
    }
  }
  return all;
}

// The bound as a broken line; the same for native where all are compared with it.
std::string style(const Timings& timings, std::size_t place, bool ratio) {
  const std::string& name = timings.lines[place].name;
  if (name == lower_bound_name || (ratio && name == timings.base)) {
    return "with lines lw 2 dt 2 lc rgb '#000000'";
  }
  return fmt::format("with linespoints lw 2 pt {} lc rgb '{}'",
                     mark_of(timings.collective, name, place),
                     colour_of(timings.collective, name, place));
}

std::string script_of(const Timings& timings, bool ratio) {
  const std::vector<double> sizes = sizes_of(timings);
  const Limits limits = limits_of(timings);
  std::string data;
  std::vector<std::string> plots, names;
  for (std::size_t i = 0; i < timings.lines.size(); ++i) {
    const Line& line = timings.lines[i];
    data += fmt::format("$c{} << EOD\n", i);
    for (const double size : sizes) {
      const auto at = line.seconds.find(size);
      data += at == line.seconds.end() ? fmt::format("{} NaN\n", size)
                                       : fmt::format("{} {}\n", size, at->second);
    }
    data += "EOD\n";
    names.push_back(line.name);
    plots.push_back(
        fmt::format("$c{} title {} {}", i, in_quotes(line.name), style(timings, i, ratio)));
  }
  const std::string y_label = ratio ? "time / " + timings.base : "time of one call";
  return fmt::format(
      "{}{}set logscale x 2\nset logscale y 10\nset xrange [{}:{}]\nset yrange [{}:{}]\n"
      "set xtics {}\nset ytics {}\nset grid xtics ytics lw 0.6\n"
      "set xlabel 'n, bytes of the whole message'\nset ylabel {}\nset rmargin 4\n{}plot {}\n",
      data, titles(timings.title, timings.where), sizes.front() / 1.3, sizes.back() * 1.3,
      limits.least, limits.most, ticks(size_ticks(sizes.front(), sizes.back())),
      ticks(value_ticks(limits, ratio ? print_times : print_time)), in_quotes(y_label),
      legend_below(names), fmt::join(plots, ", "));
}

// A row per n, a column per line.
std::string csv_of(const Timings& timings) {
  std::string text = "bytes";
  for (const Line& line : timings.lines) text += ',' + line.name;
  text += '\n';
  for (const double size : sizes_of(timings)) {
    text += fmt::format("{}", size);
    for (const Line& line : timings.lines) {
      const auto at = line.seconds.find(size);
      text += at == line.seconds.end() ? "," : fmt::format(",{}", at->second);
    }
    text += '\n';
  }
  return text;
}

int plot(const Options& options) {
  const std::string file =
      !options.file.empty()
          ? options.file
          : std::filesystem::path(options.inputs.front()).replace_extension(".svg").string();
  const Format format = format_of(file);
  const Timings read = read_timings(options.inputs);
  const Timings timings = options.ratio ? ratios(read) : read;
  if (format == Format::csv) {
    write_file(file, csv_of(timings));
  } else {
    draw_by_gnuplot(file, script_of(timings, options.ratio));
  }
  if (options.file.empty()) fmt::print("{}\n", file);
  return success;
}

}  // namespace

Command plot_command(CLI::App& tutti) {
  auto options = std::make_shared<Options>();
  CLI::App* app = tutti.add_subcommand("plot", "Draw times that bench or simulate printed, over n");
  app->add_option("FILES", options->inputs,
                  "What tutti bench --csv, tutti bench --json or tutti simulate --json printed; "
                  "files of different n are joined")
      ->required();
  app->add_option("-o,--output", options->file,
                  "The file to write: .svg or .png, drawn by gnuplot, or .csv (default: the first "
                  "input's name with .svg)");
  app->add_flag("--ratio", options->ratio,
                "Divide by the time of the native collective, or by the lower bound");
  app->footer(
      "Examples:\n"
      "  mpirun -n 4 tutti bench allreduce --csv > bench.csv\n"
      "  tutti plot bench.csv --ratio -o bench.png\n"
      "  for n in 1K 32K 1M; do tutti simulate allreduce --ranks 33 --bytes $n --json; done > "
      "s.json\n"
      "  tutti plot s.json");
  return {app, [options] { return plot(*options); }};
}

}  // namespace tutti::tools
