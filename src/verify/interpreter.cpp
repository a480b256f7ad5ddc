#include "verify/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "verify/shared.hpp"

namespace tutti {

namespace {

constexpr std::uint32_t none = ~0u;
constexpr std::size_t no_port = ~std::size_t{0};

struct Message {
  std::uint32_t send = none, recv = none;
  Rank from = 0, to = 0;
  std::size_t woken_by = no_port;  // the port it waited for last
  double arrived = -1;             // before its receive was posted
  std::size_t to_pass = 0;         // how much of what it shares with others is still on its way
};

// One direction of the connection of a rank, or of a node, to the network.
struct Port {
  using Waiting = std::tuple<int, std::int64_t, std::size_t>;  // round, when it came, message
  double free_at = 0;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
};

struct RankState {
  std::uint32_t next = 0;       // the step to issue
  std::uint32_t next_wait = 0;  // within the wait list of that step, or within the last waits
  std::vector<double> done;     // per step: when its message was delivered, or negative
  double busy_until = 0;        // with a reduction
  bool blocked = false;         // in a send
  bool finished = false;
};

// Seconds; times that differ by less are the same.
double shortest_time(const Machine& machine) {
  if (machine.alpha > 0) return machine.alpha * 1e-6;
  return machine.beta > 0 ? machine.beta * 1e-3 : 1e-15;
}

// What a rank does in a round.
struct Traffic {
  bool sends = false, receives = false;
};

enum class Happening : std::uint8_t {
  rank_goes_on,
  port_free,
  data_passed,
  data_starts,
  message_ready
};

// Later events compare greater; at one time ranks go on first, then messages start by round.
struct Event {
  std::int64_t instant;
  double time;
  Happening what;
  int round;
  std::int64_t sequence;
  std::size_t subject;  // rank, port or message

  bool operator>(const Event& other) const {
    return std::tie(instant, what, round, sequence) >
           std::tie(other.instant, other.what, other.round, other.sequence);
  }
};

class Interpreter {
 public:
  Interpreter(std::span<const Schedule> schedules, const Machine& machine, Units unit_bytes,
              Sends sends, Observer& observer, const Placement* placement)
      : schedules_(schedules),
        machine_(machine),
        placement_(placement),
        instant_(shortest_time(machine)),
        unit_bytes_(static_cast<double>(unit_bytes)),
        sends_(sends),
        observer_(observer),
        ranks_(schedules.size()),
        ports_(2 * (schedules.size() + nodes())),
        shared_(ports_.size(), Shared(machine.beta, machine.beta)) {
    shared_.insert(shared_.end(), nodes(), Shared(machine.near_beta, machine.near_together));
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      ranks_[r].done.assign(schedules[r].steps.size(), -1);
      at(0, Happening::rank_goes_on, r);
    }
    run_.finished.resize(schedules.size());
    if (machine.f_alpha != 1 || machine.f_beta != 1 || machine.overlap > 0) note_traffic();
  }

  Run run() && {
    while (!events_.empty() && run_.error.empty()) {
      const Event event = events_.top();
      events_.pop();
      handle(event);
    }
    if (run_.error.empty()) check_finished();
    return std::move(run_);
  }

 private:
  std::size_t nodes() const {
    return static_cast<std::size_t>(placement_ != nullptr ? placement_->nodes() : 0);
  }
  const Step& step(Rank rank, std::uint32_t number) const {
    return schedules_[static_cast<std::size_t>(rank)].steps[number];
  }
  RankState& state(Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  // Times that differ by rounding errors only are one instant: what happens then happens by round.
  std::int64_t instant(double time) const { return std::llround(time / instant_); }
  double never() const { return 1e18 * instant_; }
  bool after(double time, double now) const { return instant(time) > instant(now); }

  // Returns the number of the event.
  std::int64_t at(double time, Happening what, std::size_t subject, int round = 0) {
    events_.push({instant(time), time, what, round, ++sequence_, subject});
    return sequence_;
  }

  void handle(const Event& event) {
    switch (event.what) {
      case Happening::rank_goes_on:
        return go_on(static_cast<Rank>(event.subject), event.time);
      case Happening::port_free:
        return wake_next(event.subject, event.time);
      case Happening::data_passed:
        return pass(event);
      case Happening::data_starts:
        return start(event.subject, event.time);
      case Happening::message_ready:
        return transfer(event.subject, event.time);
    }
  }

  int round_of(const Message& message) const { return step(message.from, message.send).round; }

  void ready(std::size_t message, double now) {
    at(now, Happening::message_ready, message, round_of(messages_[message]));
  }

  // The first message that waits for the port tries again; if it has to wait for another one, the
  // next tries.
  void wake_next(std::size_t port, double now) {
    auto& waiting = ports_[port].waiting;
    if (waiting.empty()) return;
    const std::size_t message = std::get<std::size_t>(waiting.top());
    waiting.pop();
    messages_[message].woken_by = port;
    ready(message, now);
  }

  void wait_for(std::size_t port, std::size_t index, double now) {
    Message& message = messages_[index];
    ports_[port].waiting.emplace(round_of(message), ++sequence_, index);
    const std::size_t before = std::exchange(message.woken_by, no_port);
    if (before != no_port && !after(ports_[before].free_at, now)) wake_next(before, now);
  }

  // Issues steps until one has to wait, or takes time.
  void go_on(Rank rank, double now) {
    RankState& self = state(rank);
    const Schedule& schedule = schedules_[static_cast<std::size_t>(rank)];
    if (self.finished || after(self.busy_until, now)) return;
    if (self.blocked) {
      const double done = self.done[self.next];
      if (done < 0 || after(done, now)) return;
      self.blocked = false;
      advance(self);
    }
    while (self.next < schedule.steps.size()) {
      const Step& current = schedule.steps[self.next];
      if (!pass_waits(rank, schedule.waits.data() + current.waits, current.wait_count, now)) return;
      if (!issue(rank, now)) return;
    }
    const auto last = static_cast<std::uint32_t>(schedule.last_waits.size());
    if (!pass_waits(rank, schedule.last_waits.data(), last, now)) return;
    self.finished = true;
    run_.finished[static_cast<std::size_t>(rank)] = now;
    run_.seconds = std::max(run_.seconds, now);
  }

  void advance(RankState& self) {
    ++self.next;
    self.next_wait = 0;
  }

  bool pass_waits(Rank rank, const std::uint32_t* waits, std::uint32_t count, double now) {
    RankState& self = state(rank);
    for (; self.next_wait < count; ++self.next_wait) {
      const std::uint32_t waited = waits[self.next_wait];
      if (!step(rank, waited).is_message()) continue;
      const double done = self.done[waited];
      if (done < 0 || after(done, now)) return false;  // delivery wakes the rank
      observer_.waited(rank, waited);
    }
    return true;
  }

  // False if the rank cannot go on now.
  bool issue(Rank rank, double now) {
    RankState& self = state(rank);
    const std::uint32_t number = self.next;
    const Step& current = step(rank, number);
    if (current.is_message()) {
      observer_.posted(rank, number);
      post(rank, number, now);
      if (current.kind == Kind::send && sends_ == Sends::blocking) {
        self.blocked = true;
        return false;
      }
      advance(self);
      return true;
    }
    observer_.computed(rank, number);
    advance(self);
    if (current.kind != Kind::reduce) return true;
    const double bytes = static_cast<double>(schedule_of(rank).size_of(current)) * unit_bytes_;
    if (bytes * machine_.gamma == 0) return true;
    self.busy_until = now + bytes * machine_.gamma;
    at(self.busy_until, Happening::rank_goes_on, static_cast<std::size_t>(rank));
    return false;
  }

  const Schedule& schedule_of(Rank rank) const {
    return schedules_[static_cast<std::size_t>(rank)];
  }

  void post(Rank rank, std::uint32_t number, double now) {
    const Step& current = step(rank, number);
    const bool sends = current.kind == Kind::send;
    const Rank from = sends ? rank : current.peer;
    const Rank to = sends ? current.peer : rank;
    const auto p = static_cast<std::int64_t>(schedules_.size());
    if (current.peer < 0 || current.peer >= p || current.peer == rank) {
      run_.error = fmt::format("rank {} names rank {} as its peer", rank, current.peer);
      return;
    }
    const std::int64_t key = (current.tag * p + from) * p + to;
    const auto [found, fresh] = open_.try_emplace(key, messages_.size());
    if (fresh) messages_.push_back({.from = from, .to = to});
    Message& message = messages_[found->second];
    const bool under_way = !fresh && message.send != none && runs_ahead(message);
    (sends ? message.send : message.recv) = number;
    if (fresh && sends && runs_ahead(message)) ready(found->second, now);
    if (fresh) return;
    if (message.send == none || message.recv == none) {
      run_.error = fmt::format("ranks {} and {} use a message tag twice", from, to);
      return;
    }
    if (size_of(message) != schedule_of(to).size_of(step(to, message.recv))) {
      run_.error =
          fmt::format("rank {} sends {} units to rank {}, which expects {}", from, size_of(message),
                      to, schedule_of(to).size_of(step(to, message.recv)));
      return;
    }
    if (!under_way) ready(found->second, now);
    if (message.arrived >= 0) arrive(message, now);
    open_.erase(found);
  }

  Units size_of(const Message& message) const {
    return schedule_of(message.from).size_of(step(message.from, message.send));
  }
  double bytes_of(const Message& message) const {
    return static_cast<double>(size_of(message)) * unit_bytes_;
  }
  // Whether it leaves though its receive is not posted, and its sender goes on.
  bool runs_ahead(const Message& message) const {
    return bytes_of(message) < machine_.overlap && sends_ != Sends::blocking;
  }

  void note_traffic() {
    for (const Schedule& schedule : schedules_) {
      std::vector<Traffic>& rounds = traffic_.emplace_back(schedule.rounds);
      for (const Step& each : schedule.steps) {
        if (!each.is_message()) continue;
        Traffic& round = rounds[static_cast<std::size_t>(each.round)];
        (each.kind == Kind::send ? round.sends : round.receives) = true;
      }
    }
  }

  // What a rank does in a round; nothing known where it makes no difference.
  Traffic traffic(Rank rank, int round) const {
    if (traffic_.empty()) return {};
    const std::vector<Traffic>& rounds = traffic_[static_cast<std::size_t>(rank)];
    const auto wanted = static_cast<std::size_t>(round);
    return wanted < rounds.size() ? rounds[wanted] : Traffic{};
  }

  bool is_near(const Message& message) const {
    return placement_ != nullptr && placement_->node(message.from) == placement_->node(message.to);
  }

  // Whether the ends of a message only send and only receive in its round.
  bool is_one_way(const Message& message) const {
    const int round = round_of(message);
    return !traffic_.empty() && !traffic(message.from, round).receives &&
           !traffic(message.to, round).sends;
  }
  double latency(const Message& message) const {
    if (is_near(message)) return machine_.near_alpha;
    return machine_.alpha * (is_one_way(message) ? machine_.f_alpha : 1);
  }
  // Bytes, as many as take this time both ways.
  double weight(const Message& message) const {
    const bool less = !is_near(message) && is_one_way(message);
    return bytes_of(message) * (less ? machine_.f_beta : 1);
  }

  // The ports a message goes through: those of its ranks, and between nodes those of the nodes.
  struct Path {
    std::array<std::size_t, 4> ports;
    std::size_t length;
  };
  Path path(const Message& message) const {
    const auto from = static_cast<std::size_t>(message.from);
    const auto to = static_cast<std::size_t>(message.to);
    if (placement_ == nullptr || is_near(message)) return {{2 * from, 2 * to + 1}, 2};
    const std::size_t first = 2 * schedules_.size();
    return {
        {2 * from, 2 * to + 1, first + 2 * node(message.from), first + 2 * node(message.to) + 1},
        4};
  }
  std::size_t node(Rank rank) const { return static_cast<std::size_t>(placement_->node(rank)); }

  void occupy(std::size_t port, double until) {
    ports_[port].free_at = until;
    if (until < never()) at(until, Happening::port_free, port);
  }

  // Both sides are posted, or one that runs ahead: the message starts, unless what it needs is
  // busy.
  void transfer(std::size_t index, double now) {
    Message& message = messages_[index];
    const Path way = machine_.overlap > 0 ? Path{{processor(message.from)}, 1} : path(message);
    for (std::size_t i = 0; i < way.length; ++i) {
      if (after(ports_[way.ports[i]].free_at, now)) return wait_for(way.ports[i], index, now);
    }
    ++run_.messages;
    run_.units += size_of(message);
    if (machine_.overlap == 0) {
      if (!is_near(message)) return follow(message, way, now);
      for (std::size_t i = 0; i < way.length; ++i) occupy(way.ports[i], never());
      at(now + latency(message), Happening::data_starts, index);
      return;
    }
    const double busy = busy_time(message);
    occupy(way.ports[0], now + busy);
    at(now + latency(message) - busy, Happening::data_starts, index);
    if (runs_ahead(message)) sent_by(message, now + busy);
  }

  // Where messages overlap, a port of its stands for a rank's processor.
  static std::size_t processor(Rank rank) { return 2 * static_cast<std::size_t>(rank); }
  // For how long a message keeps the processor at each of its ends busy.
  double busy_time(const Message& message) const {
    return is_near(message) ? machine_.near_busy * machine_.near_alpha
                            : machine_.busy * machine_.alpha;
  }

  // The next message of its ranks starts when this one is through.
  void follow(const Message& message, const Path& way, double now) {
    const double data = weight(message) * machine_.beta;
    const double done = now + latency(message) + data;
    for (std::size_t i = 0; i < way.length; ++i) occupy(way.ports[i], i < 2 ? done : now + data);
    sent_by(message, done);
    received_by(message, done);
  }

  // Its latency is over: from now on it shares with others.
  void start(std::size_t index, double now) {
    Message& message = messages_[index];
    Path way = path(message);
    if (is_near(message)) way = {{ports_.size() + node(message.from)}, 1};
    message.to_pass = way.length;
    for (std::size_t i = 0; i < way.length; ++i) {
      shared_[way.ports[i]].join(index, weight(message), now);
      expect(way.ports[i], now);
    }
  }

  void expect(std::size_t place, double now) {
    Shared& shared = shared_[place];
    if (!shared.is_idle()) shared.expected = at(shared.next(now), Happening::data_passed, place);
  }

  void pass(const Event& event) {
    Shared& shared = shared_[event.subject];
    if (event.sequence != shared.expected) return;  // another message has joined since
    Message& message = messages_[shared.leave(event.time)];
    expect(event.subject, event.time);
    if (--message.to_pass > 0) return;
    if (state(message.from).done[message.send] < 0) sent_by(message, event.time);
    if (machine_.overlap > 0) return arrive(message, event.time);
    received_by(message, event.time);
    const Path way = path(message);
    occupy(way.ports[0], event.time);
    occupy(way.ports[1], event.time);
  }

  // Its sender may go on then.
  void sent_by(const Message& message, double time) {
    const auto from = static_cast<std::size_t>(message.from);
    ranks_[from].done[message.send] = time;
    at(time, Happening::rank_goes_on, from);
  }

  // The receiver's processor sees to it, when its receive is posted.
  void arrive(Message& message, double now) {
    message.arrived = now;
    if (message.recv == none) return;
    const std::size_t place = processor(message.to);
    const double done = std::max(now, ports_[place].free_at) + busy_time(message);
    occupy(place, done);
    received_by(message, done);
  }

  void received_by(const Message& message, double time) {
    const auto to = static_cast<std::size_t>(message.to);
    observer_.delivered(message.from, message.send, message.to, message.recv);
    ranks_[to].done[message.recv] = time;
    at(time, Happening::rank_goes_on, to);
  }

  void check_finished() {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      if (ranks_[r].finished) continue;
      run_.error =
          fmt::format("deadlock: rank {} waits for ever before or in step {}", r, ranks_[r].next);
      return;
    }
    for (const auto& [key, index] : open_) {
      const Message& lost = messages_[index];
      run_.error =
          fmt::format("a message from rank {} to rank {} has only one side", lost.from, lost.to);
    }
  }

  std::span<const Schedule> schedules_;
  Machine machine_;
  const Placement* placement_;
  double instant_;  // seconds
  double unit_bytes_;
  Sends sends_;
  Observer& observer_;
  std::vector<RankState> ranks_;
  std::vector<Port> ports_;                    // out, in of ranks; out, in of nodes
  std::vector<Shared> shared_;                 // behind the ports, then the memories of nodes
  std::vector<std::vector<Traffic>> traffic_;  // by rank and round; empty if it makes no difference
  std::vector<Message> messages_;
  std::unordered_map<std::int64_t, std::size_t> open_;  // messages with one side posted
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::int64_t sequence_ = 0;
  Run run_;
};

}  // namespace

Run interpret(std::span<const Schedule> schedules, const Machine& machine, Units unit_bytes,
              Sends sends, Observer& observer, const Placement* placement) {
  return Interpreter(schedules, machine, unit_bytes, sends, observer, placement).run();
}

}  // namespace tutti
