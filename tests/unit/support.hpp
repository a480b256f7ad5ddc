// What several unit tests need: the registered algorithms as test parameters, and schedules written
// out by hand, step by step, right or wrong.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/registry.hpp"

namespace tutti {

// How far a test goes: less far with sanitizers, which make everything some ten times as slow.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool has_sanitizers = true;
#elif defined(__has_feature)
constexpr bool has_sanitizers = __has_feature(address_sanitizer);
#else
constexpr bool has_sanitizers = false;
#endif
constexpr int as_far_as(int most, int most_with_sanitizers) {
  return has_sanitizers ? most_with_sanitizers : most;
}

inline std::vector<const Algorithm*> every_algorithm() {
  const auto all = algorithms();
  return {all.begin(), all.end()};
}

inline std::string full_name(const Algorithm& algorithm) {
  return std::string(to_string(algorithm.collective)) + "_" + std::string(algorithm.name);
}

// The numbers of ranks it can serve, of first .. last.
inline std::vector<int> served(const Algorithm& algorithm, int first, int last) {
  std::vector<int> all;
  for (int p = first; p <= last; ++p) {
    if (fits(algorithm, p)) all.push_back(p);
  }
  return all;
}

class PerAlgorithm : public testing::TestWithParam<const Algorithm*> {
 protected:
  static const Algorithm& algorithm() { return *GetParam(); }
};

// Makes a TEST_P fixture run once for each line of algorithms.def.
#define TUTTI_FOR_EVERY_ALGORITHM(fixture)                 \
  INSTANTIATE_TEST_SUITE_P(                                \
      Each, fixture, testing::ValuesIn(every_algorithm()), \
      [](const testing::TestParamInfo<const Algorithm*>& info) { return full_name(*info.param); })

inline Slice in(Units offset, Units size) { return {Buffer::in, offset, size}; }
inline Slice out(Units offset, Units size) { return {Buffer::out, offset, size}; }
inline Slice scratch(Units offset, Units size) { return {Buffer::scratch, offset, size}; }

using Numbers = std::vector<std::uint32_t>;

inline Numbers waits_of(const Schedule& schedule, std::size_t step) {
  const auto first = schedule.waits.begin() + schedule.steps[step].waits;
  return {first, first + schedule.steps[step].wait_count};
}
inline Slices slices_of(const Schedule& schedule, std::size_t step) {
  const Slice* first = schedule.slices_of(schedule.steps[step]);
  return {first, first + schedule.steps[step].pieces};
}

// Writes exactly the steps it is told, in that order, with the waits it is told: unlike the
// builder it derives and checks nothing, so that wrong schedules can be written.
class Handwritten {
 public:
  explicit Handwritten(Units scratch = 0) { schedule_.scratch = scratch; }

  Handwritten& send(const Slices& pieces, Rank peer, int round, const Numbers& waits = {},
                    int tag = 0) {
    return message(Kind::send, pieces, peer, round, waits, tag);
  }
  Handwritten& recv(const Slices& pieces, Rank peer, int round, const Numbers& waits = {},
                    int tag = 0) {
    return message(Kind::recv, pieces, peer, round, waits, tag);
  }
  Handwritten& copy(const Slice& from, const Slice& to, const Numbers& waits = {}) {
    return add({.kind = Kind::copy}, {from, to}, waits);
  }
  Handwritten& reduce(const Slice& left, const Slice& right, const Slice& into,
                      const Numbers& waits = {}) {
    return add({.kind = Kind::reduce}, {left, right, into}, waits);
  }
  // Completed after the last step; without it, nothing is.
  Handwritten& wait_at_end(const Numbers& steps) {
    schedule_.last_waits = steps;
    return *this;
  }
  // Of the steps that follow.
  Handwritten& strand(int number) {
    strand_ = static_cast<std::uint8_t>(number);
    schedule_.strands = std::max(schedule_.strands, number + 1);
    return *this;
  }
  Handwritten& rounds(int count) {
    schedule_.rounds = count;
    return *this;
  }
  operator Schedule() const { return schedule_; }

 private:
  Handwritten& message(Kind kind, const Slices& pieces, Rank peer, int round, const Numbers& waits,
                       int tag) {
    schedule_.rounds = std::max(schedule_.rounds, round + 1);
    return add({.kind = kind, .peer = peer, .tag = tag, .round = round, .slot = schedule_.slots++},
               pieces, waits);
  }
  Handwritten& add(Step step, const Slices& pieces, const Numbers& waits) {
    step.strand = strand_;
    step.slices = static_cast<std::uint32_t>(schedule_.slices.size());
    step.pieces = static_cast<std::uint32_t>(pieces.size());
    step.waits = static_cast<std::uint32_t>(schedule_.waits.size());
    step.wait_count = static_cast<std::uint32_t>(waits.size());
    schedule_.slices.insert(schedule_.slices.end(), pieces.begin(), pieces.end());
    schedule_.waits.insert(schedule_.waits.end(), waits.begin(), waits.end());
    schedule_.steps.push_back(step);
    return *this;
  }

  Schedule schedule_;
  std::uint8_t strand_ = 0;
};

}  // namespace tutti
