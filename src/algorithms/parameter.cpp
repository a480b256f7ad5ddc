#include <algorithm>

#include "algorithms/algorithm.hpp"
#include "topology/binomial.hpp"

namespace tutti {

namespace {

constexpr Units most_segments = 1 << 14;  // a schedule has several steps for each
constexpr int every_radix = 24;           // up to here

std::vector<int> sorted_from(int least, std::vector<int> values) {
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
  std::erase_if(values, [&](int value) { return value < least; });
  return values;
}

// One, few, and as many as the pipeline has rounds to fill, and more.
std::vector<int> some_segments(int p) {
  const int q = ceil_lg(p);
  return sorted_from(1, {1, 2, 3, q, 2 * q, 2 * q + 3});
}

std::vector<int> some_radices(int p) {
  int root = 2;
  while (root * root < p) ++root;
  std::vector<int> values{2, 3, root, root + 1, p / 2, p - 1, std::max(p, 2)};
  for (int radix = 2; p <= every_radix && radix <= p; ++radix) values.push_back(radix);
  return sorted_from(2, values);
}

}  // namespace

std::string_view to_string(Open open) {
  switch (open) {
    case Open::nothing:
      return "";
    case Open::segments:
      return "segments";
    case Open::radix:
      return "radix";
  }
  return "";
}

int least(Open open) { return open == Open::nothing ? 0 : open == Open::radix ? 2 : 1; }

int most(Open open, const Call& call) {
  const Units bound = open == Open::segments ? std::min(call.n(), most_segments)
                      : open == Open::radix  ? Units{call.p}
                                             : 0;
  return static_cast<int>(std::max<Units>(bound, least(open)));
}

std::vector<int> worth_trying(Open open, int p) {
  switch (open) {
    case Open::nothing:
      return {0};
    case Open::segments:
      return some_segments(p);
    case Open::radix:
      return some_radices(p);
  }
  return {0};
}

}  // namespace tutti
