// A message in parts that take turns: while a message of one travels, others are combined.
#pragma once

#include "algorithms/call.hpp"
#include "schedule/builder.hpp"

namespace tutti::phase {

using Write = void (*)(const Call& call, Rank me, ScheduleBuilder& out);

// The message in parts, each by `write`, round by round in turn, with a message of each under way:
// while those travel, others are waited for or combined. Segments are divided between the parts.
// For collectives in which elements do not depend on each other.
void by_turns(const Call& call, Rank me, int parts, Write write, ScheduleBuilder& out);

// Of a pipeline of so many segments: their cube root, six at most. The more, the less of its
// messages' latency is waited for; but each part has to be filled. Found by simulation: short
// segments are many, and need more messages under way.
int parts_of(int segments);
// The same of a pipeline, in so many parts.
void pipelines_by_turns(const Call& call, Rank me, Write write, ScheduleBuilder& out);

// The same in two parts of as many segments, the second a message's latency behind the first. Two
// that start together stay together where messages share a rank's connection: both wait for latency
// at a time, and then both share. Apart, one has the connection while the other waits, and its
// latency costs nothing. Both are in the same round of the graph then, so what shares a rank's
// connection also shares its peer's.
void pipelines_apart(const Call& call, Rank me, Write write, ScheduleBuilder& out);

}  // namespace tutti::phase
