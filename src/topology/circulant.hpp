// Skips of the circulant graph: s[0] = 1, ..., s[q] = p with q = ceil(lg p), each half of the next,
// rounded up (Traeff, arXiv 2410.14234). Powers of two exactly when p is one.
#pragma once

#include <vector>

#include "topology/logarithm.hpp"

namespace tutti {

inline std::vector<int> circulant_skips(int p) {
  std::vector<int> skips(static_cast<std::size_t>(ceil_lg(p)) + 1);
  int skip = p;
  for (auto s = skips.rbegin(); s != skips.rend(); ++s) {
    *s = skip;
    skip = (skip + 1) / 2;
  }
  return skips;
}

}  // namespace tutti
