// What schedules would take on the hosts of this directory, by a model of what they share: one
// processor, which handles the messages of all ranks one after the other.
//
//   one_processor COLLECTIVE P SIZE MBIT DELAY_US MESSAGE_US KIB_US
//
// A message keeps the processor busy for MESSAGE_US and KIB_US for each KiB, half of it when it is
// sent and half when it has come. Ports carry MBIT, the way takes DELAY_US
// (src/interpret/shared_processor.hpp). Arithmetic takes no time.
//
// Prints, for each algorithm and each value of its parameter worth a try, the fastest first, after
// a head: algorithm,messages,time,processor,network
// `time` is that of the slowest rank, `processor` what of it the processor was busy for, `network`
// the time with a processor that needs none; all in multiples of the least that a port needs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/ranks.hpp"
#include "algorithms/registry.hpp"
#include "interpret/shared_processor.hpp"
#include "model/simulate.hpp"
#include "tools/cli/numbers.hpp"
#include "tools/cli/options.hpp"

namespace {

using namespace tutti;

using Costs = SharedProcessor::Costs;

Simulation run(const std::vector<Schedule>& schedules, Units unit, const Costs& costs) {
  const Machine machine{.alpha = costs.delay, .beta = costs.port, .gamma = 0};
  return simulate(schedules, unit, machine, [&](std::size_t ranks, EventQueue& events, Ends& ends) {
    return std::make_unique<SharedProcessor>(ranks, costs, events, ends);
  });
}

struct Row {
  std::string name;
  std::int64_t messages;
  double time, processor, network;
};

// Four segment counts for each power of two.
std::vector<int> values(Open open, int p) {
  if (open != Open::segments) return worth_trying(open, p);
  std::vector<int> segments;
  for (int i = 0; i <= 4 * 7; ++i) {
    const int value = static_cast<int>(std::lround(std::exp2(i / 4.0)));
    if (segments.empty() || value > segments.back()) segments.push_back(value);
  }
  return segments;
}

std::vector<Row> rows(const Call& call, const Costs& costs) {
  const Costs network{costs.port, costs.delay, 0, 0};
  const Machine machine{.alpha = 0, .beta = costs.port, .gamma = 0};
  const double bound = lower_bound(call.collective, call.p, call.bytes(), machine);
  if (!(bound > 0) || std::isinf(bound)) {
    throw std::invalid_argument("give a call that moves bytes between ranks, and MBIT over 0");
  }
  std::vector<Row> result;
  for (const Algorithm* algorithm : algorithms_of(call.collective)) {
    if (!accepts(*algorithm, call)) continue;
    const Open open = algorithm->parameter.open;
    for (const int parameter : values(open, call.p)) {
      if (parameter > most(open, call)) continue;
      Call each = call;
      each.parameter = parameter;
      const auto schedules = build_all(*algorithm, each, usual(*algorithm));
      const Simulation taken = run(schedules, call.unit_bytes, costs);
      const double messages = static_cast<double>(taken.messages);
      const double processor = 2 * (messages * costs.message + taken.bytes * costs.byte);
      result.push_back({open == Open::nothing ? std::string(algorithm->name)
                                              : fmt::format("{}:{}", algorithm->name, parameter),
                        taken.messages, taken.seconds / bound, processor / bound,
                        run(schedules, call.unit_bytes, network).seconds / bound});
    }
  }
  std::sort(result.begin(), result.end(),
            [](const Row& a, const Row& b) { return a.time < b.time; });
  return result;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 8) {
    throw std::invalid_argument("give COLLECTIVE P SIZE MBIT DELAY_US MESSAGE_US KIB_US");
  }
  const auto number = [&](int i) {
    char* end = nullptr;
    const double value = std::strtod(argv[i], &end);
    if (end == argv[i] || *end != '\0' || !(value >= 0)) {
      throw std::invalid_argument(fmt::format("'{}' is not a number from 0 up", argv[i]));
    }
    return value;
  };
  const Call call = call_of_bytes(tools::parse_collective(argv[1]),
                                  tools::parse_ranks(argv[2]).first, tools::parse_size(argv[3]));
  const Costs costs{8e-6 / number(4), number(5) * 1e-6, number(6) * 1e-6 / 2,
                    number(7) * 1e-6 / 1024 / 2};
  const std::vector<Row> all = rows(call, costs);
  fmt::print("algorithm,messages,time,processor,network\n");
  for (const Row& row : all) {
    fmt::print("{},{},{:.2f},{:.2f},{:.2f}\n", row.name, row.messages, row.time, row.processor,
               row.network);
  }
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "one_processor: {}\n", error.what());
  return 1;
}
