// What an algorithm is: one file that writes a schedule, and the facts it is registered with.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "algorithms/call.hpp"
#include "passes/lowering.hpp"
#include "schedule/builder.hpp"

namespace tutti {

// What a call must be, and for people.
struct Condition {
  bool (*holds)(const Call& call) = [](const Call&) { return true; };
  std::string_view text = {};
};

struct Requirements {
  bool commutative = false;  // the operator must commute
  bool divisible = false;    // operands are cut: the operator must take any length
  bool agreement = false;    // ranks must have told each other of their blocks: Call::agreed
  Condition also{};          // what only this algorithm asks for
};

// A block, by the virtual ranks it travels between.
struct Pair {
  Rank from;
  Rank to;
};

// What an algorithm must know of blocks that pass through a rank on their way between others.
// Before its own schedule all ranks run another, which tells them.
struct Question {
  // The blocks; Call::told has their sizes in this order.
  std::vector<Pair> (*about)(const Call& call, Rank me) = nullptr;
  // Writes the schedule by which rank `me` learns of them. In the call it is given every block is
  // one unit: the block's size. The output has a unit for each block asked about.
  void (*write)(const Call& call, Rank me, ScheduleBuilder& out) = nullptr;
  // Formula for the seconds it takes at most, a size being a number of 8 bytes.
  std::string_view cost = "0";
  // Writes the first steps of the algorithm's own schedule, those that need no answers: messages
  // that wait for nothing, and travel while ranks ask. `write` then writes the others.
  void (*lead)(const Call& call, Rank me, ScheduleBuilder& out) = nullptr;
};

// What an algorithm leaves open for its caller to choose.
enum class Open : std::uint8_t {
  nothing,
  segments,  // slices of the message, one after the other through a pipeline
  radix,     // of the numbers that a round's distances are digits of
  window,    // rounds whose messages may be under way together
};

struct Parameter {
  Open open = Open::nothing;
  // Formula for the value that takes least time, before it is rounded.
  std::string_view best = {};
  // Formula for the largest that is chosen, if there is one.
  std::string_view most = {};
};

// What differs in the exclusive scan that the file of a scan serves too: there nobody combines the
// last rank's operand. What is left out is the scan's.
struct Exclusive {
  std::string_view cost = {};
  double within = 0;
  std::string_view best = {};  // of the parameter
};

std::string_view to_string(Open open);  // as a variable of formulas
int least(Open open);
int most(Open open, const Call& call);  // segments: one, if operands have to stay whole
// Values to prove and to measure; for what is not open, that alone.
std::vector<int> worth_trying(Open open, int p);

struct Algorithm {
  Collective collective;
  std::string_view name;
  std::string_view summary;
  std::string_view source;  // paper and section
  Requirements requires_{};
  // Formulas (model/formula.hpp) in p, n, alpha, beta, gamma and the parameter. Rounds and seconds
  // are those of the slowest rank; what a question takes comes on top.
  std::string_view rounds;
  std::string_view cost;
  // The cost is a tight upper bound: what a schedule takes lies between cost/within and cost. One
  // where the formula is exact for every p (and n a multiple of p).
  double within = 1;
  // Writes the schedule of virtual rank `me`: a pure function of its arguments.
  void (*write)(const Call& call, Rank me, ScheduleBuilder& out);
  // The source's own formula, where `cost` is not the same, and how they differ.
  std::string_view published = {};
  std::string_view difference = {};
  Parameter parameter{};
  Question question{};
  Exclusive exclusive{};
  // A message with data waits for its receiver, however short it is (Schedule::synchronous).
  bool synchronous = false;
};

// Whether the algorithm can serve that many ranks.
bool fits(const Algorithm& algorithm, int p);
// Whether it serves calls in place only.
bool only_in_place(const Algorithm& algorithm);

// Whether the algorithm can serve the call.
bool accepts(const Algorithm& algorithm, const Call& call);

// The call with a parameter that suits it: the least, where it leaves it open; one segment, where
// operands have to stay whole.
Call with_parameter(const Algorithm& algorithm, const Call& call);

// The schedule of a rank in the communicator's numbering, with a parameter, as it is run.
Schedule build(const Algorithm& algorithm, const Call& call, Rank rank,
               const Carriage& carriage = {});
// The same for the algorithm's question, if it has one: of a call with sizes for blocks.
Call about_sizes(const Call& call);
Schedule build_question(const Algorithm& algorithm, const Call& call, Rank rank);
// The first steps of what build() gives: those that the rank can take before it asks.
Schedule build_lead(const Algorithm& algorithm, const Call& call, Rank rank,
                    const Carriage& carriage = {});

// A pipeline may be longer than one schedule should describe, a reduction take more scratch than a
// program has to spare. The message is then taken in windows, one after the other: `count` times
// the same call, and a shorter one for what remains. Each is proved by itself, and all ranks have
// the same.
struct Windows {
  Call each;
  Units count = 1;
  std::optional<Call> rest{};
};
Windows windows(const Algorithm& algorithm, const Call& call);

}  // namespace tutti
