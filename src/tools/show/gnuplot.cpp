#include "tools/show/gnuplot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "algorithms/registry.hpp"
#include "model/files.hpp"
#include "model/refuse.hpp"
#include "tools/cli/numbers.hpp"
#include "tools/cli/table.hpp"

namespace tutti::tools {

namespace {

// Colours that stay apart for colour-blind readers (Okabe and Ito 2008), and more that differ from
// them in lightness.
constexpr std::array<std::string_view, 14> colours = {
    "#0072B2", "#E69F00", "#8C510A", "#009E73", "#F0E442", "#56B4E9", "#D55E00",
    "#CC79A7", "#882255", "#332288", "#88CC00", "#999999", "#117755", "#BBAAEE"};
constexpr std::string_view native_colour = "#000000";
// Gnuplot's filled and open squares, circles, triangles and rhombs.
constexpr std::array<int, 9> marks = {5, 7, 9, 11, 13, 4, 6, 8, 10};
constexpr int native_mark = 2;

std::size_t place_of(Collective collective, std::string_view algorithm, std::size_t place) {
  const auto known = algorithms_of(collective);
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i]->name == algorithm) return i;
  }
  return known.size() + place;
}

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

// A file without a name, which goes when it is closed.
File scratch() {
  File file(std::tmpfile());
  if (file == nullptr) {
    refuse("no temporary file can be made in {}: {}", P_tmpdir, std::strerror(errno));
  }
  return file;
}

std::string contents(std::FILE* file) {
  std::rewind(file);
  std::string text;
  std::array<char, 65536> buffer;
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), file)) > 0;) {
    text.append(buffer.data(), n);
  }
  return text;
}

// The exit status of `gnuplot` between these files; -1 if it did not exit by itself.
int run(std::FILE* in, std::FILE* out, std::FILE* complaints) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(complaints), STDERR_FILENO);
  std::string program = "gnuplot";
  std::string defaults = "-d";  // whatever ~/.gnuplot has
  std::array<char*, 3> arguments = {program.data(), defaults.data(), nullptr};
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) refuse("gnuplot is needed for pictures: apt-get install gnuplot-nox");
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string picture_of(const std::string& script) {
  const File in = scratch();
  const File out = scratch();
  const File complaints = scratch();
  std::fwrite(script.data(), 1, script.size(), in.get());
  if (std::fflush(in.get()) != 0) refuse("the temporary folder is full");
  std::rewind(in.get());
  const int status = run(in.get(), out.get(), complaints.get());
  std::string picture = contents(out.get());
  if (status != 0 || picture.empty()) {
    throw std::runtime_error(
        fmt::format("gnuplot ended with {}: {}", status, contents(complaints.get())));
  }
  return picture;
}

std::string_view terminal(Format format) {
  return format == Format::svg
             ? "set terminal svg noenhanced size 1120,780 font 'DejaVu Sans,15' "
               "background rgb 'white'\nset pointsize 0.7\n"
             : "set terminal pngcairo noenhanced size 1440,1020 font 'DejaVu Sans,16' "
               "background rgb 'white'\nset pointsize 1.3\n";
}

}  // namespace

Format format_of(const std::string& path) {
  if (path.ends_with(".svg")) return Format::svg;
  if (path.ends_with(".png")) return Format::png;
  if (path.ends_with(".csv")) return Format::csv;
  refuse("'{}' does not say what to write; accepted are names that end in .svg, .png or .csv",
         path);
}

std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    if (c == '\'') result += c;
  }
  return result + "'";
}

std::string_view colour_of(Collective collective, std::string_view algorithm, std::size_t place) {
  if (algorithm == "native") return native_colour;
  return colours[place_of(collective, algorithm, place) % colours.size()];
}

int mark_of(Collective collective, std::string_view algorithm, std::size_t place) {
  if (algorithm == "native") return native_mark;
  return marks[place_of(collective, algorithm, place) % marks.size()];
}

std::string ticks(const std::vector<Tick>& all) {
  std::vector<std::string> texts;
  texts.reserve(all.size());
  for (const Tick& each : all)
    texts.push_back(fmt::format("{} {}", in_quotes(each.label), each.at));
  return fmt::format("({})", fmt::join(texts, ", "));
}

std::vector<Tick> size_ticks(double least, double most) {
  constexpr double most_ticks = 12;
  const double step = std::max(1.0, std::ceil(std::log2(most / least) / most_ticks));
  std::vector<Tick> all;
  for (double power = std::ceil(std::log2(least)); std::exp2(power) <= most; power += step) {
    all.push_back({print_size(std::exp2(power)), std::exp2(power)});
  }
  return all;
}

std::string titles(std::string_view title, std::string_view small) {
  if (small.empty()) return fmt::format("set title {}\n", in_quotes(title));
  return fmt::format(
      "set tmargin 5\nset title {} offset 0,1\nset label {} at graph 0.5,1.03 center font ',12'\n",
      in_quotes(title), in_quotes(small));
}

std::string legend_below(const std::vector<std::string>& entries) {
  constexpr std::size_t room = 100, most_columns = 4;  // letters in a line; columns
  std::size_t widest = 0;
  for (const std::string& each : entries) widest = std::max(widest, width_of(each));
  const std::size_t columns = std::clamp<std::size_t>(room / (widest + 6), 1, most_columns);
  const std::size_t rows = (entries.size() + columns - 1) / columns;
  return fmt::format(
      "set bmargin {}\n"
      "set key at screen 0.5,0.015 bottom center horizontal Left reverse maxcols {} samplen 2\n",
      static_cast<double>(rows) * 1.25 + 5, columns);
}

void draw_by_gnuplot(const std::string& path, const std::string& script) {
  write_file(path, picture_of(std::string(terminal(format_of(path))) + script));
}

}  // namespace tutti::tools
