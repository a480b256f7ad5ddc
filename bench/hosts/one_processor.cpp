// What schedules would take on the hosts of this directory, by a model of what they share: one
// processor, which handles the messages of all ranks one after the other.
//
//   one_processor COLLECTIVE P SIZE MBIT DELAY_US MESSAGE_US KIB_US
//
// A message keeps the processor busy for MESSAGE_US and KIB_US for each KiB, half of it when it is
// sent and half when it has come. On its way it passes its sender's port and, DELAY_US later, its
// receiver's, at MBIT each; first come, first served. A rank that may go on waits for the processor
// in the order in which ranks asked for it, and gives it back when it has nothing left to do. No
// message waits for its receiver, and arithmetic takes no time.
//
// Prints, for each algorithm and each value of its parameter worth a try, the fastest first, after
// a head: algorithm,messages,time,processor,network
// `time` is that of the slowest rank, `processor` what of it the processor was busy for, `network`
// the time with a processor that needs none; all in multiples of the least that a port needs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/ranks.hpp"
#include "algorithms/registry.hpp"
#include "model/simulate.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/sizes.hpp"

namespace {

using namespace tutti;

struct Costs {
  double port;     // seconds per byte
  double delay;    // seconds
  double message;  // seconds of the processor, at each end
  double byte;     // the same per byte
};

struct Taken {
  double time = 0, processor = 0;
  std::int64_t messages = 0;
};

struct Message {
  Rank to;
  std::uint32_t step;  // the receiver's
  double bytes;
  bool is_through = false;  // its receiver's port
};

class Hosts {
 public:
  Hosts(const std::vector<Schedule>& schedules, Units unit, const Costs& costs)
      : schedules_(schedules), unit_(static_cast<double>(unit)), costs_(costs) {
    ranks_.resize(schedules.size());
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const Schedule& own = schedules[r];
      ranks_[r].done.resize(own.steps.size());
      ranks_[r].next.resize(static_cast<std::size_t>(own.strands));
      for (std::uint32_t s = 0; s < own.steps.size(); ++s) {
        const Step& step = own.steps[s];
        if (step.kind == Kind::recv) ranks_[r].receives[{step.peer, step.tag}] = s;
      }
      ask(static_cast<Rank>(r));
    }
  }

  Taken run() {
    while (!asking_.empty() || !under_way_.empty()) {
      if (asking_.empty()) now_ = std::max(now_, under_way_.top().first);
      move_messages();
      if (asking_.empty()) continue;
      const Rank rank = asking_.front();
      asking_.pop_front();
      serve(rank);
    }
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      if (!is_over(r)) throw std::runtime_error("a rank waits for what nobody sends");
    }
    return taken_;
  }

 private:
  struct State {
    std::map<std::pair<Rank, int>, std::uint32_t> receives;  // by sender and tag
    std::vector<Message> arrived;
    std::vector<bool> done;                      // per step, for receives
    std::vector<std::uint32_t> next;             // per strand
    double sends_until = 0, receives_until = 0;  // its ports
    bool asks = false;
  };
  using Event = std::pair<double, std::size_t>;  // when, and of which message

  State& state(Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const Schedule& schedule(Rank rank) const { return schedules_[static_cast<std::size_t>(rank)]; }

  void ask(Rank rank) {
    if (std::exchange(state(rank).asks, true)) return;
    asking_.push_back(rank);
  }

  // By what is over by now: messages reach their receiver's port, and pass it.
  void move_messages() {
    while (!under_way_.empty() && under_way_.top().first <= now_) {
      const auto [time, number] = under_way_.top();
      under_way_.pop();
      Message& message = messages_[number];
      State& to = state(message.to);
      if (std::exchange(message.is_through, true)) {
        to.arrived.push_back(message);
        ask(message.to);
      } else {
        to.receives_until = std::max(to.receives_until, time) + message.bytes * costs_.port;
        under_way_.emplace(to.receives_until, number);
      }
    }
  }

  void work(double bytes) {
    const double seconds = costs_.message + bytes * costs_.byte;
    now_ += seconds;
    taken_.processor += seconds;
  }

  // The rank has the processor, and need not ask for what comes meanwhile.
  void serve(Rank rank) {
    State& self = state(rank);
    do {
      for (const Message& message : std::exchange(self.arrived, {})) {
        work(message.bytes);
        self.done[message.step] = true;
      }
      while (issue(rank)) {
      }
      move_messages();
    } while (!self.arrived.empty());
    self.asks = false;
    taken_.time = std::max(taken_.time, now_);
  }

  bool has_come(Rank rank, const Step& step) {
    const Schedule& own = schedule(rank);
    for (std::uint32_t w = 0; w < step.wait_count; ++w) {
      const std::uint32_t earlier = own.waits[step.waits + w];
      if (own.steps[earlier].kind == Kind::recv && !state(rank).done[earlier]) return false;
    }
    return true;
  }

  // A step of each strand that need not wait. False if there is none.
  bool issue(Rank rank) {
    const std::vector<Step>& steps = schedule(rank).steps;
    bool has_any = false;
    for (std::size_t strand = 0; strand < state(rank).next.size(); ++strand) {
      std::uint32_t& next = state(rank).next[strand];
      while (next < steps.size() && steps[next].strand != strand) ++next;
      if (next == steps.size() || !has_come(rank, steps[next])) continue;
      if (steps[next].kind == Kind::send) send(rank, steps[next]);
      ++next;
      has_any = true;
    }
    return has_any;
  }

  void send(Rank rank, const Step& step) {
    const double bytes = static_cast<double>(schedule(rank).size_of(step)) * unit_;
    work(bytes);
    double& out = state(rank).sends_until;
    const double begin = std::max(now_, out);
    out = begin + bytes * costs_.port;
    messages_.push_back({step.peer, state(step.peer).receives.at({rank, step.tag}), bytes});
    under_way_.emplace(begin + costs_.delay, messages_.size() - 1);
    ++taken_.messages;
  }

  bool is_over(std::size_t rank) const {
    const State& self = ranks_[rank];
    return std::all_of(self.next.begin(), self.next.end(),
                       [&](auto next) { return next >= schedules_[rank].steps.size(); });
  }

  const std::vector<Schedule>& schedules_;
  double unit_;
  Costs costs_;
  std::vector<State> ranks_;
  std::vector<Message> messages_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> under_way_;
  std::deque<Rank> asking_;
  double now_ = 0;
  Taken taken_;
};

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
      const Taken taken = Hosts(schedules, call.unit_bytes, costs).run();
      result.push_back({open == Open::nothing ? std::string(algorithm->name)
                                              : fmt::format("{}:{}", algorithm->name, parameter),
                        taken.messages, taken.time / bound, taken.processor / bound,
                        Hosts(schedules, call.unit_bytes, network).run().time / bound});
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
