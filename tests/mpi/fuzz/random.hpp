// Random numbers that every rank draws alike, because they depend on the seed alone.
#pragma once

#include <utility>
#include <vector>

#include "../collectives/values.hpp"

namespace tutti::fuzz {

using test::scramble;
using test::Seed;

class Random {
 public:
  explicit Random(Seed seed) : state_(scramble(seed)) {}
  // A sequence of its own for every (seed, a, b).
  Random(Seed seed, Seed a, Seed b) : state_(scramble(seed, a, b)) {}

  Seed next() { return scramble(state_ += 0x9e3779b97f4a7c15ULL); }

  // Uniform in [0, limit).
  int below(int limit) { return static_cast<int>((next() >> 16) % static_cast<Seed>(limit)); }
  // Uniform in [low, high].
  int between(int low, int high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }

  template <class List>
  const typename List::value_type& pick(const List& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
  }

  // 0 to size - 1 in random order.
  std::vector<int> permutation(int size) {
    std::vector<int> result;
    for (int i = 0; i < size; ++i) {
      result.push_back(i);
      std::swap(result.back(), result[static_cast<std::size_t>(below(i + 1))]);
    }
    return result;
  }

 private:
  Seed state_;
};

}  // namespace tutti::fuzz
