// Irregular gathers and scatters along merges of neighbouring groups (topology/merge_tree.hpp).
#pragma once

#include "algorithms/blocks.hpp"
#include "schedule/builder.hpp"
#include "topology/merge_tree.hpp"

namespace tutti::phase {

// What a rank collects in an irregular gather whose sizes all ranks know, its own block included.
struct Collected {
  std::vector<Merge> merges;
  Rank first;
  int count;
};
Collected collected(const Call& call, Rank me);
// Where it has them: the root in its buffer, others in scratch, unless there is but their own.
BlocksAt collected_at(const Call& call, Rank me, const Collected& mine, ScheduleBuilder& out);

}  // namespace tutti::phase
