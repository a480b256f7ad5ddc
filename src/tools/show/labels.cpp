#include "tools/show/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "tools/cli/table.hpp"

namespace tutti::tools {

// "0-2,5": increasing numbers, consecutive ones joined.
static std::string print_ranges(const std::set<Units>& numbers) {
  std::string text;
  for (auto first = numbers.begin(); first != numbers.end();) {
    auto last = first;
    while (std::next(last) != numbers.end() && *std::next(last) == *last + 1) ++last;
    text += text.empty() ? "" : ",";
    text += first == last ? fmt::format("{}", *first) : fmt::format("{}-{}", *first, *last);
    first = std::next(last);
  }
  return text;
}

Labels::Labels(const Trace& trace) : trace_(trace), style_(style_for(trace.call)) {}

Labels::Style Labels::style_for(const Call& call) {
  if (info(call.collective).reduces) return Style::products;
  switch (info(call.collective).regular) {
    case Collective::bcast:
      return call.n() == call.p ? Style::blocks : Style::whole_message;
    case Collective::scatter:
      return Style::blocks;
    case Collective::alltoall:
      return Style::ranks_and_blocks;
    default:
      return Style::ranks;
  }
}

// The runs of a product, as Products prints them, in the notation of drawings.
std::string Labels::print_product(ValueId value) const {
  std::string text = trace_.values.describe(value);
  const auto replace = [&](std::string_view old, std::string_view by) {
    for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at)) {
      text.replace(at, old.size(), by);
    }
  };
  replace("..", "-");
  replace(" op ", ",");
  return text;
}

std::string Labels::line(const std::set<ValueId>& values, const std::set<Units>& blocks) const {
  switch (style_) {
    case Style::ranks:
      return print_ranges({values.begin(), values.end()});
    case Style::blocks:
      return print_ranges(blocks);
    case Style::ranks_and_blocks:
      return fmt::format("{}:{}", print_ranges({values.begin(), values.end()}),
                         print_ranges(blocks));
    case Style::products: {
      const std::string product = "Σ" + print_product(*values.begin());
      return trace_.call.n() == trace_.call.p && trace_.call.p > 1
                 ? fmt::format("{} {}", print_ranges(blocks), product)
                 : product;
    }
    case Style::whole_message:
      return "all";
  }
  return {};
}

std::vector<std::string> Labels::of(const Cells& cells) const {
  std::map<ValueId, std::set<Units>> blocks_of;
  for (const Cell& cell : cells) blocks_of[cell.value].insert(cell.index);
  // Contributions of which the same blocks are there go into one line; products never do.
  std::vector<std::pair<std::set<ValueId>, std::set<Units>>> groups;
  for (const auto& [value, blocks] : blocks_of) {
    bool joined = false;
    for (auto& [values, common] : groups) {
      if (style_ == Style::products || common != blocks) continue;
      values.insert(value);
      joined = true;
      break;
    }
    if (!joined) groups.push_back({{value}, blocks});
  }
  if (style_ == Style::products)
    std::ranges::sort(groups, {}, [](auto& group) { return group.second; });
  std::vector<std::string> lines;
  lines.reserve(groups.size());
  for (const auto& [values, blocks] : groups) lines.push_back(line(values, blocks));
  return lines;
}

std::string Labels::legend() const {
  switch (style_) {
    case Style::ranks:
      if (trace_.call.collective == Collective::barrier) {
        return "2-5: ranks 2 to 5 are known to have arrived.";
      }
      return "2-5: the blocks of ranks 2 to 5.";
    case Style::blocks:
      return "2-5: blocks 2 to 5 of the root's message.";
    case Style::ranks_and_blocks:
      return "2:3-5: the blocks that rank 2 has for ranks 3 to 5.";
    case Style::products:
      return trace_.call.n() == trace_.call.p
                 ? "2-3 Σ0,4-5: blocks 2 and 3, reduced over ranks 0, 4 and 5."
                 : "Σ0,4-5: the whole vector, reduced over ranks 0, 4 and 5.";
    case Style::whole_message:
      return "all: the whole message.";
  }
  return {};
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  if (width_of(text) <= width) return {text};
  std::vector<std::string> lines;
  std::string line, word;
  const auto end_line = [&] {
    if (!line.empty()) lines.push_back(std::exchange(line, ""));
  };
  const auto end_word = [&] {
    if (width_of(line + word) > width) end_line();
    line += std::exchange(word, "");
  };
  for (char c : text) {
    if (c != ' ') word += c;
    if (c == ' ' || c == ',') end_word();
    if (c == ' ') end_line();
  }
  end_word();
  end_line();
  return lines;
}

}  // namespace tutti::tools
