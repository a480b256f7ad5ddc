#include "tools/show/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "tools/cli/table.hpp"
#include "tools/show/labels.hpp"

namespace tutti::tools {

namespace {

// In pixels. Letters of the font are 0.602 of its size wide.
constexpr double font = 13;
constexpr double letter = 0.602 * font;
constexpr double line_height = 16;
constexpr double padding = 6;
constexpr double gap = 14;                // between columns
constexpr std::size_t longest_line = 20;  // letters
constexpr double left = 84;
constexpr double top = 96;

using Lines = std::vector<std::string>;

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return result;
}

double width_of_lines(const Lines& lines) {
  std::size_t most = 0;
  for (const std::string& line : lines) most = std::max(most, width_of(line));
  return static_cast<double>(most) * letter;
}

double height_of_lines(std::size_t lines) { return static_cast<double>(lines) * line_height; }

class Picture {
 public:
  Picture(const Trace& trace, const Algorithm& algorithm)
      : trace_(trace), algorithm_(algorithm), labels_(trace) {
    measure();
  }

  std::string draw() {
    double y = top;
    header(y);
    for (std::size_t k = 0; k < trace_.rounds.size(); ++k) {
      if (k > 0) y = messages(k, y);
      y = boxes(k, y);
    }
    const Lines notes{labels_.legend(),
                      "A box shows what its rank holds after the round and still needs."};
    for (std::size_t i = 0; i < notes.size(); ++i) {
      text(left, y + 30 + height_of_lines(i), "legend", notes[i]);
    }
    const double widest = std::max(width_of_lines({heading()}) * 20 / font,
                                   width_of_lines({notes[0], notes[1], subtitle()}));
    return document(std::max(columns_end(), left + widest + gap), y + 64);
  }

 private:
  Lines lines_of(const Cells& cells) const {
    Lines lines;
    for (const std::string& label : labels_.of(cells)) {
      const Lines parts = wrapped(label, longest_line);
      lines.insert(lines.end(), parts.begin(), parts.end());
    }
    return lines;
  }

  void measure() {
    double widest = 5 * letter;
    for (const TracedRound& round : trace_.rounds) {
      for (const Cells& held : round.held)
        widest = std::max(widest, width_of_lines(lines_of(held)));
      for (const TracedMessage& message : round.messages) {
        widest = std::max(widest, width_of_lines(lines_of(message.carried)));
      }
    }
    box_width_ = widest + 2 * padding;
  }

  double centre(Rank rank) const { return left + (rank + 0.5) * (box_width_ + gap); }
  double columns_end() const { return left + trace_.call.p * (box_width_ + gap) + gap; }

  void text(double x, double y, std::string_view kind, std::string_view what) {
    out_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", kind, x, y,
                        escaped(what));
  }

  void centred_lines(Rank rank, double y, std::string_view kind, const Lines& lines) {
    for (const std::string& line : lines) {
      y += line_height;
      text(centre(rank), y - 4, kind, line);
    }
  }

  std::string heading() const {
    const Call& call = trace_.call;
    const CollectiveInfo& about = info(call.collective);
    return fmt::format("{} {}, p = {}{}", about.name, algorithm_.name, call.p,
                       about.rooted ? fmt::format(", root {}", call.root) : "");
  }
  std::string subtitle() const {
    return fmt::format("{} ({})", algorithm_.summary, algorithm_.source);
  }

  void header(double y) {
    text(left, 30, "title", heading());
    text(left, 52, "legend", subtitle());
    for (Rank r = 0; r < trace_.call.p; ++r) {
      text(centre(r), y - 12, "rank", fmt::format("{}{}", r == 0 ? "rank " : "", r));
    }
  }

  // The boxes after round k, their upper edge at y. Returns their lower edge.
  double boxes(std::size_t k, double y) {
    std::vector<Lines> lines;
    std::size_t most = 1;
    for (const Cells& held : trace_.rounds[k].held) {
      lines.push_back(lines_of(held));
      most = std::max(most, lines.back().size());
    }
    const double height = height_of_lines(most) + padding;
    if (k == 0) text(12, y + height / 2 + 4, "round", "start");
    for (Rank r = 0; r < trace_.call.p; ++r) {
      const Lines& content = lines[static_cast<std::size_t>(r)];
      out_ += fmt::format(
          "<rect class=\"box{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
          "rx=\"5\"/>\n",
          content.empty()  ? " empty"
          : received(k, r) ? " changed"
                           : "",
          centre(r) - box_width_ / 2, y, box_width_, height);
      const double spare = height - padding - height_of_lines(content.size());
      centred_lines(r, y + (padding + spare) / 2, "held", content);
    }
    return y + height;
  }

  bool received(std::size_t k, Rank rank) const {
    return std::ranges::any_of(trace_.rounds[k].messages,
                               [&](const TracedMessage& each) { return each.to == rank; });
  }

  // The messages of round k between the boxes that end at y and those below. Returns where the
  // latter begin. A rank sends at most one message per round: its label has the column to itself.
  double messages(std::size_t k, double y) {
    const auto& all = trace_.rounds[k].messages;
    std::size_t most = 0;
    int farthest = 0;
    for (const TracedMessage& each : all) {
      most = std::max(most, lines_of(each.carried).size());
      farthest = std::max(farthest, std::abs(each.to - each.from));
    }
    const double tail = y + height_of_lines(most + 1) + padding;
    const double end = tail + 44 + 7 * farthest;
    text(12, (y + end) / 2, "round", fmt::format("round {}", k));
    for (Rank r = 0; r < trace_.call.p; ++r) {
      const bool sends =
          std::ranges::any_of(all, [&](const TracedMessage& each) { return each.from == r; });
      lane(r, sends ? tail : y, end);
    }
    for (const TracedMessage& each : all) arrow(k, each, y, tail, end);
    return end;
  }

  void lane(Rank rank, double from, double to) {
    out_ += fmt::format("<path class=\"lane\" d=\"M{0:.1f} {1:.1f} V{2:.1f}\"/>\n", centre(rank),
                        from, to);
  }

  void arrow(std::size_t k, const TracedMessage& message, double y, double tail, double end) {
    Lines label = lines_of(message.carried);
    centred_lines(message.from, y + padding / 2, "carried", label);
    centred_lines(message.from, y + padding / 2 + height_of_lines(label.size()), "target",
                  {fmt::format("to {}", message.to)});
    const double start = y + padding + height_of_lines(label.size() + 1);
    const double tip = end - 2;
    const double bend = (tip - tail) * 0.55;
    out_ += fmt::format(
        "<path class=\"arrow {}\" marker-end=\"url(#{}-head)\" d=\"M{:.1f} {:.1f} V{:.1f} "
        "C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\"><title>round {}: rank {} to rank {}</title>"
        "</path>\n",
        direction(message), direction(message), centre(message.from), start, tail,
        centre(message.from), tail + bend, centre(message.to), tip - bend, centre(message.to), tip,
        k, message.from, message.to);
  }

  static const char* direction(const TracedMessage& message) {
    return message.to > message.from ? "up" : "down";
  }

  std::string document(double width, double height) const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n<title>{2}</title>\n<style>\n"
        "text {{ font-family: 'DejaVu Sans Mono', Menlo, Consolas, monospace; "
        "font-size: {3}px; fill: #1f2937; }}\n"
        ".title {{ font-size: 20px; font-weight: bold; }}\n"
        ".legend, .target {{ fill: #6b7280; font-size: 12px; }}\n"
        ".rank, .round {{ font-weight: bold; }}\n"
        ".rank, .held, .carried, .target {{ text-anchor: middle; }}\n"
        ".carried {{ fill: #7c2d12; }}\n"
        ".box {{ fill: #ffffff; stroke: #9ca3af; }}\n"
        ".changed {{ fill: #dbeafe; stroke: #3b82f6; }}\n"
        ".empty {{ fill: none; stroke-dasharray: 3 3; }}\n"
        ".lane {{ fill: none; stroke: #e5e7eb; }}\n"
        ".arrow {{ fill: none; stroke-width: 1.5; }}\n"
        ".up {{ stroke: #2563eb; }}\n.down {{ stroke: #d97706; "
        "}}\n</style>\n<defs>\n{4}{5}</defs>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#fcfcfb\"/>\n{6}</svg>\n",
        width, height, escaped(heading()), font, head("up", "#2563eb"), head("down", "#d97706"),
        out_);
  }

  static std::string head(std::string_view name, std::string_view colour) {
    return fmt::format(
        "<marker id=\"{}-head\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" markerWidth=\"9\" "
        "markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
        "<path d=\"M0 0 L10 5 L0 10 z\" fill=\"{}\"/></marker>\n",
        name, colour);
  }

  const Trace& trace_;
  const Algorithm& algorithm_;
  Labels labels_;

  double box_width_ = 0;
  std::string out_;
};

}  // namespace

std::string picture(const Trace& trace, const Algorithm& algorithm) {
  return Picture(trace, algorithm).draw();
}

}  // namespace tutti::tools
