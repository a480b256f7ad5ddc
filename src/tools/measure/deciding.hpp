// When a race is over.
#pragma once

#include <cstddef>

#include "tools/measure/bench_measure.hpp"

namespace tutti::tools {

// Whether everyone who takes part took the same time in each round, as on a simulated cluster: more
// rounds tell nothing.
bool repeats_itself(const Race& race);
// Who took so many times as long as another has lost. Calls that surely are long differ less from
// one to the next than short ones, and cost most of the time there is.
struct Hopeless {
  double times;
  double times_if_long;
};
// Drops those from first to last - 1 who took so many times as long, every time, as another of them
// ever did, its first call included: few rounds show that.
void drop_hopeless(Race& race, std::size_t first, std::size_t last, const Hopeless& hopeless);
// Whether it is so too where calls follow each other at once: programs make short ones like that,
// and a rank that only sends is then soon ahead of the others. Both have been measured. Long calls
// differ little from that, and are not asked about.
bool is_surely_faster_in_a_row(Race& race, std::size_t one, std::size_t other);
// Drops those from first to last - 1 that have lost, but never `native`. True if who is left is
// alone, or as good as the others for sure.
bool is_decided(Race& race, std::size_t native, std::size_t first, std::size_t last);

}  // namespace tutti::tools
