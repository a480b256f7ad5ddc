// Pictures drawn by gnuplot, and what they have in common: endings, colours, ticks, legends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace tutti::tools {

enum class Format : std::uint8_t { svg, png, csv };
// By the file's ending. Throws std::invalid_argument naming the three.
Format format_of(const std::string& path);

// Text in quotes, as gnuplot reads it.
std::string in_quotes(std::string_view text);

// "#0072B2", the same in every picture: by the algorithm's place among those of the collective.
// Native is black. Other names get a colour by `place`.
std::string_view colour_of(Collective collective, std::string_view algorithm,
                           std::size_t place = 0);
// The mark of points, as gnuplot numbers them, in the same way.
int mark_of(Collective collective, std::string_view algorithm, std::size_t place = 0);

struct Tick {
  std::string label;
  double at = 0;
};
// What follows `set xtics`.
std::string ticks(const std::vector<Tick>& all);
// Powers of two within the limits, at most about 12, labelled as sizes.
std::vector<Tick> size_ticks(double least, double most);

// Settings for a title, and a line in small letters below it.
std::string titles(std::string_view title, std::string_view small);
// Settings for a legend below the picture.
std::string legend_below(const std::vector<std::string>& entries);

// Runs the script and writes an SVG or PNG file. Throws std::invalid_argument if there is no
// gnuplot, or the file cannot be written.
void draw_by_gnuplot(const std::string& path, const std::string& script);

}  // namespace tutti::tools
