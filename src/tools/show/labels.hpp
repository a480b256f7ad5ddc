// How blocks and partial results are written in drawings.
#pragma once

#include <string>
#include <vector>

#include "tools/show/trace.hpp"

namespace tutti::tools {

class Labels {
 public:
  explicit Labels(const Trace& trace);

  // One line for each group of blocks that belong together.
  std::vector<std::string> of(const Cells& cells) const;
  // What the labels of this drawing mean.
  std::string legend() const;

 private:
  enum class Style { ranks, blocks, ranks_and_blocks, products, whole_message };
  static Style style_for(const Call& call);
  std::string line(const std::set<ValueId>& values, const std::set<Units>& blocks) const;
  std::string print_product(ValueId value) const;

  const Trace& trace_;
  Style style_;
};

// `text` if it has at most `width` characters; otherwise broken at spaces, then after commas.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

}  // namespace tutti::tools
