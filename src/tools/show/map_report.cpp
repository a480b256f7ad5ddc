#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>

#include "algorithms/registry.hpp"
#include "tools/cli/numbers.hpp"
#include "tools/cli/table.hpp"
#include "tools/show/candidates.hpp"
#include "tools/show/gnuplot.hpp"
#include "tools/show/winners.hpp"

namespace tutti::tools {

namespace {

std::string_view name_of(const Algorithm* algorithm) {
  return algorithm == nullptr ? "native" : algorithm->name;
}

Collective collective_of(const Winners& map) { return parse_collective(map.call.collective); }

std::string_view colour_in(const Winners& map, const Algorithm* algorithm) {
  return colour_of(collective_of(map), name_of(algorithm));
}

// The initials of its words, then its other letters, then all letters.
std::string wishes(std::string_view name) {
  std::string initials, others;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (std::isalpha(static_cast<unsigned char>(name[i])) == 0) continue;
    const auto letter = static_cast<char>(std::toupper(static_cast<unsigned char>(name[i])));
    (i == 0 || name[i - 1] == '_' ? initials : others) += letter;
  }
  return initials + others + "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
}

// The same letter in every map: it depends on all algorithms of the collective.
char letter_of(const Winners& map, const Algorithm* algorithm) {
  if (algorithm == nullptr) return '-';
  std::string taken;
  for (const Algorithm* each : algorithms_of(collective_of(map))) {
    const std::string wished = wishes(each->name);
    taken += wished[wished.find_first_not_of(taken)];
    if (each == algorithm) break;
  }
  return taken.back();
}

// Text on that colour, of the 6 x 6 x 6 that terminals have.
std::string on_colour(const std::string& text, std::string_view colour) {
  int part[3];
  for (std::size_t i = 0; i < 3; ++i) {
    std::from_chars(colour.data() + 1 + 2 * i, colour.data() + 3 + 2 * i, part[i], 16);
  }
  const auto level = [](int value) { return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40; };
  const int code = 16 + 36 * level(part[0]) + 6 * level(part[1]) + level(part[2]);
  const bool light = 3 * part[0] + 6 * part[1] + part[2] > 1200;
  return fmt::format("\033[48;5;{};38;5;{}m{}\033[0m", code, light ? 16 : 231, text);
}

// Letters of one row, or of the legend.
std::string painted_letters(const Winners& map, const std::vector<const Algorithm*>& winners) {
  static const bool colours = colours_wanted();
  std::string text, run;
  for (std::size_t i = 0; i < winners.size(); ++i) {
    run += letter_of(map, winners[i]);
    if (i + 1 < winners.size() && winners[i + 1] == winners[i]) continue;
    text += colours ? on_colour(run, colour_in(map, winners[i])) : run;
    run.clear();
  }
  return text;
}

std::string print_range(const Winners& map) {
  return map.range.first == map.range.last
             ? fmt::format("{}", map.range.first)
             : fmt::format("{} to {}", map.range.first, map.range.last);
}

std::string print_sizes(const Winners& map) {
  const auto first = static_cast<double>(map.sizes.front());
  const auto last = static_cast<double>(map.sizes.back());
  return first == last ? print_size(first)
                       : fmt::format("{} to {}", print_size(first), print_size(last));
}

std::string print_share(const Share& share) {
  if (share.share < 0.0005) return "<0.1%";
  return fmt::format("{:.1f}%", 100 * share.share);
}

std::string heading(const Winners& map) {
  std::string text = map.call.collective;
  if (!map.call.root.empty()) text += ", root " + map.call.root;
  if (map.call.is_users_operator()) text += ", user's operator";
  if (map.call.non_commutative) text += ", operator does not commute";
  if (map.call.integers) text += ", integers";
  if (!map.settings.empty()) text += ", " + map.settings;
  return text;
}

std::string what_is_shown(const Winners& map) {
  const auto count = static_cast<std::size_t>(map.range.last - map.range.first) + 1;
  if (map.ranks.size() == count) return "every p is shown";
  return fmt::format("{} of {} values of p are shown", map.ranks.size(), count);
}

// The rank counts under their columns, one digit below the other.
std::string digits_below(const Winners& map, std::size_t indent) {
  const std::size_t height = fmt::formatted_size("{}", map.ranks.back());
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    std::string row = fmt::format("{:>{}}", line + 1 == height ? "p  " : "", indent);
    for (const int p : map.ranks) row += fmt::format("{:>{}}", p, height)[line];
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + '\n';
  }
  return text;
}

std::string legend_of(const Winners& map) {
  std::string text = painted("letter  algorithm                     area", Colour::bold) + '\n';
  for (const Share& each : shares(map)) {
    text += fmt::format("{}       {:<27} {:>6}\n", painted_letters(map, {each.algorithm}),
                        name_of(each.algorithm), print_share(each));
  }
  return text;
}

// Neighbouring cells of one winner in a row, as one rectangle: x y xlow xhigh ylow yhigh. Rows
// overlap a little, or the white below them would shine through.
std::string rectangles(const Winners& map, const Algorithm* winner) {
  constexpr double half = 0.52;
  std::string text;
  for (std::size_t row = 0; row < map.sizes.size(); ++row) {
    for (std::size_t from = 0; from < map.ranks.size(); ++from) {
      if (map.at(from, row).algorithm != winner) continue;
      std::size_t to = from;
      while (to + 1 < map.ranks.size() && map.at(to + 1, row).algorithm == winner) ++to;
      const double left = left_edge(map, from);
      const double y = static_cast<double>(row);
      text += fmt::format("{} {} {} {} {} {}\n", left, y, left, right_edge(map, to), y - half,
                          y + half);
      from = to;
    }
  }
  return text;
}

// Powers of two and halfway between them; where they are few, any that are shown.
std::vector<Tick> rank_ticks(const Winners& map) {
  constexpr std::size_t few = 6, many = 16;
  std::vector<Tick> all;
  const auto add = [&](int p) { all.push_back({fmt::format("{}", p), static_cast<double>(p)}); };
  for (int power = 1; power <= map.range.last; power *= 2) {
    for (const int p : {power, power + power / 2}) {
      const bool twice = p == power && !all.empty() && all.back().at == p;
      if (map.range.first <= p && p <= map.range.last && !twice) add(p);
    }
  }
  std::erase_if(all, [&](const Tick& each) {
    return all.size() > many && each.at > 2 && std::popcount(static_cast<unsigned>(each.at)) > 1;
  });
  if (all.size() >= few) return all;
  all.clear();
  const std::size_t step = (map.ranks.size() + many - 1) / many;
  for (std::size_t i = 0; i < map.ranks.size(); i += step) add(map.ranks[i]);
  return all;
}

std::vector<Tick> row_ticks(const Winners& map) {
  const std::size_t step = map.sizes.size() > 16 ? 2 : 1;
  std::vector<Tick> all;
  for (std::size_t row = 0; row < map.sizes.size(); row += step) {
    all.push_back({print_size(static_cast<double>(map.sizes[row])), static_cast<double>(row)});
  }
  return all;
}

}  // namespace

std::string grid_of(const Winners& map) {
  std::string text = fmt::format("{}, p = {}, n = {}: the algorithm chosen\n{}\n\n", heading(map),
                                 print_range(map), print_sizes(map), describe(map.machine));
  constexpr std::size_t indent = 8;
  text += fmt::format("{:>{}}\n", "n  ", indent);
  for (std::size_t row = map.sizes.size(); row-- > 0;) {
    std::vector<const Algorithm*> winners;
    for (std::size_t i = 0; i < map.ranks.size(); ++i) winners.push_back(map.at(i, row).algorithm);
    text += fmt::format("{:>{}}  {}\n", print_size(static_cast<double>(map.sizes[row])), indent - 2,
                        painted_letters(map, winners));
  }
  text += '\n' + digits_below(map, indent);
  text += fmt::format("\n{}, to be read downwards; the area is on logarithmic axes\n\n",
                      what_is_shown(map));
  return text + legend_of(map);
}

std::string csv_of(const Winners& map) {
  std::string text = "ranks,bytes,algorithm,parameter,predicted_seconds\n";
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    const Winner& cell = map.cells[i];
    text += fmt::format("{},{},{},{},{}\n", map.ranks[i / map.sizes.size()],
                        map.sizes[i % map.sizes.size()], name_of(cell.algorithm), cell.parameter,
                        cell.predicted ? fmt::format("{}", *cell.predicted) : "");
  }
  return text;
}

std::string json_of(const Winners& map) {
  nlohmann::ordered_json result{{"collective", map.call.collective},
                                {"ranks", {map.range.first, map.range.last}},
                                {"bytes", {map.sizes.front(), map.sizes.back()}},
                                {"commutative", !map.call.non_commutative},
                                {"settings", map.settings},
                                {"alpha", map.machine.alpha},
                                {"beta", map.machine.beta},
                                {"gamma", map.machine.gamma},
                                {"shares", nlohmann::ordered_json::array()},
                                {"cells", nlohmann::ordered_json::array()}};
  for (const Share& each : shares(map)) {
    result["shares"].push_back({{"algorithm", name_of(each.algorithm)}, {"share", each.share}});
  }
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    const Winner& cell = map.cells[i];
    result["cells"].push_back({{"ranks", map.ranks[i / map.sizes.size()]},
                               {"bytes", map.sizes[i % map.sizes.size()]},
                               {"algorithm", name_of(cell.algorithm)},
                               {"parameter", cell.parameter},
                               {"predicted_seconds", json_of(cell.predicted)},
                               {"agreement_seconds", json_of(cell.agreement)}});
  }
  return result.dump(2) + '\n';
}

std::string script_of(const Winners& map) {
  std::string data;
  std::vector<std::string> plots, legend;
  for (const Share& each : shares(map)) {
    const std::size_t i = legend.size();
    const std::string_view colour = colour_in(map, each.algorithm);
    legend.push_back(fmt::format("{} ({})", name_of(each.algorithm), print_share(each)));
    data += fmt::format("$c{} << EOD\n{}EOD\n", i, rectangles(map, each.algorithm));
    plots.push_back(fmt::format("NaN title {} with boxes fs solid noborder fc rgb '{}'",
                                in_quotes(legend.back()), colour));
    plots.push_back(
        fmt::format("$c{} notitle with boxxyerror fs solid noborder lw 0 fc rgb '{}'", i, colour));
  }
  return fmt::format(
      "{}{}set logscale x 2\nset xrange [{}:{}]\nset yrange [-0.5:{}]\n"
      "set xtics {}\nset ytics {}\nset tics out nomirror\n"
      "set xlabel 'p, number of ranks'\nset ylabel 'n, bytes of the whole message'\n"
      "set rmargin 4\n{}plot {}\n",
      data,
      titles(heading(map) + ": the algorithm chosen",
             describe(map.machine) + "; " + what_is_shown(map)),
      left_edge(map, 0), right_edge(map, map.ranks.size() - 1),
      static_cast<double>(map.sizes.size()) - 0.5, ticks(rank_ticks(map)), ticks(row_ticks(map)),
      legend_below(legend), fmt::join(plots, ", "));
}

}  // namespace tutti::tools
