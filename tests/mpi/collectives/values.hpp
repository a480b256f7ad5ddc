// The values the tests move and reduce: pure functions of (seed, rank, index).
//
// Every rank can compute what every other rank put in, so results are checked against a plain
// loop on one rank and never against another collective. A value is a 64-bit integer, whatever
// leaf (int, double, char...) it is stored in; doubles hold small integers, so sums are exact.
#pragma once

#include <cstdint>

namespace tutti::test {

using Value = std::int64_t;
using Seed = std::uint64_t;

// Spreads the bits of x over the whole word.
constexpr Seed scramble(Seed x) {
  x = (x ^ (x >> 31)) * 0xd6e8feb86659fd93ULL;
  x = (x ^ (x >> 29)) * 0xca5a826395121157ULL;
  return x ^ (x >> 32);
}

constexpr Seed scramble(Seed seed, Seed a, Seed b) {
  return scramble(scramble(scramble(seed + 0x51ed270b1ULL) + a) + b);
}

// What `rank` holds at leaf `index` of its packed stream, for the data-movement collectives.
constexpr Value movement_value(Seed seed, int rank, long index) {
  return static_cast<std::int32_t>(
      scramble(seed, static_cast<Seed>(rank), static_cast<Seed>(index)));
}

// Random numbers that are the same on every rank that starts from the same seed.
class SharedRandom {
 public:
  explicit SharedRandom(Seed seed) : state_(scramble(seed)) {}

  Seed next() { return scramble(state_ += 0x9f4a7c15f39cc060ULL + 1); }

  // Uniform in [0, limit).
  int below(int limit) { return static_cast<int>((next() >> 16) % static_cast<Seed>(limit)); }

 private:
  Seed state_;
};

}  // namespace tutti::test
