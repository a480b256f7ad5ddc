#include "interpret/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <memory_resource>
#include <optional>
#include <unordered_map>
#include <utility>

#include "passes/publications.hpp"

namespace tutti {

namespace {

// Where a strand has come to.
struct Place {
  std::uint32_t next = 0;       // the step to issue
  std::uint32_t next_wait = 0;  // within the wait list of that step
};

struct RankState {
  std::vector<Place> strands;
  std::size_t turn = 0;         // the strand that goes on next
  std::uint32_t last_wait = 0;  // within the last waits
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

// Ranks that all do the same.
struct Many {
  int p;
  Peers peers;
};

class Interpreter final : Ends {
 public:
  Interpreter(std::span<const Schedule> schedules, const Machine& machine, Units unit_bytes,
              Sends sends, Observer& observer, const MakeNetwork& make_network,
              std::optional<Many> alike = {})
      : schedules_(schedules),
        alike_(alike),
        machine_(machine),
        unit_bytes_(static_cast<double>(unit_bytes)),
        sends_(sends),
        observer_(observer),
        ranks_(schedules.size()),
        events_(shortest_time(machine)),
        network_(make_network(schedules.size(), events_, *this)) {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      ranks_[r].strands.resize(are_apart(schedules[r]) ? schedules[r].strands : 1);
      for (std::size_t s = 0; s < ranks_[r].strands.size(); ++s) find_next(static_cast<Rank>(r), s);
      ranks_[r].done.assign(schedules[r].steps.size(), -1);
      events_.at(0, EventKind::rank_goes_on, r);
    }
    run_.finished.resize(schedules.size());
    if (machine.f_alpha != 1 || machine.f_beta != 1) note_traffic();
    if (network_->combines()) note_publications();
  }

  Run run() && {
    while (!events_.is_empty() && run_.error.empty()) {
      const Event event = events_.next();
      if (event.what() == EventKind::rank_goes_on) {
        go_on(static_cast<Rank>(event.subject), event.time);
      } else {
        network_->handle(event);
      }
    }
    if (run_.error.empty()) check_finished();
    run_.copied = network_->copied();
    return std::move(run_);
  }

 private:
  const Step& step(Rank rank, std::uint32_t number) const {
    return schedule_of(rank).steps[number];
  }
  const Schedule& schedule_of(Rank rank) const {
    return schedules_[static_cast<std::size_t>(rank)];
  }
  RankState& state(Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  // Issues steps until one has to wait, or takes time.
  void go_on(Rank rank, double now) {
    RankState& self = state(rank);
    const Schedule& schedule = schedule_of(rank);
    if (self.finished || events_.after(self.busy_until, now)) return;
    if (self.blocked && !is_released(rank, now)) return;
    if (!issue_steps(rank, now)) return;
    const auto last = static_cast<std::uint32_t>(schedule.last_waits.size());
    if (!pass_waits(rank, schedule.last_waits.data(), last, self.last_wait, now)) return;
    self.finished = true;
    run_.finished[static_cast<std::size_t>(rank)] = now;
    run_.seconds = std::max(run_.seconds, now);
  }

  // Whether the step that it is blocked in is over: a send, and the receive that came with it if
  // the receive was first.
  bool is_released(Rank rank, double now) {
    RankState& self = state(rank);
    const std::uint32_t last = self.strands.front().next;
    const auto is_over = [&](std::uint32_t number) {
      return self.done[number] >= 0 && !events_.after(self.done[number], now);
    };
    const bool is_send = step(rank, last).kind == Kind::send;
    if ((is_send && !is_over(last)) || (is_second(rank, last) && !is_over(last - 1))) return false;
    self.blocked = false;
    advance(rank, 0);
    return true;
  }

  // Of an exchange.
  bool is_second(Rank rank, std::uint32_t number) const {
    return number > 0 && step(rank, number - 1).joined;
  }

  // Whether its strands go on each for itself. One that is blocked would block them all.
  bool are_apart(const Schedule& schedule) const {
    return schedule.strands > 1 && sends_ != Sends::blocking;
  }

  // The first step of the strand that is not before `next`.
  void find_next(Rank rank, std::size_t strand) {
    const std::vector<Step>& steps = schedule_of(rank).steps;
    std::uint32_t& next = state(rank).strands[strand].next;
    if (!are_apart(schedule_of(rank))) return;
    while (next < steps.size() && steps[next].strand != strand) ++next;
  }

  void advance(Rank rank, std::size_t strand) {
    Place& place = state(rank).strands[strand];
    place = {place.next + 1, 0};
    find_next(rank, strand);
  }

  // A step of each strand by turns. True if none is left; else all have to wait, or one takes time.
  bool issue_steps(Rank rank, double now) {
    RankState& self = state(rank);
    const Schedule& schedule = schedule_of(rank);
    const std::size_t strands = self.strands.size();
    std::size_t waiting = 0, over = 0;  // so many in a row
    while (waiting < strands) {
      const std::size_t strand = self.turn;
      self.turn = strand + 1 < strands ? strand + 1 : 0;
      auto& [next, next_wait] = self.strands[strand];
      const bool is_over = next == schedule.steps.size();
      ++waiting;
      over += is_over;
      if (is_over) continue;
      const Step& current = schedule.steps[next];
      const std::uint32_t* waits = schedule.waits.data() + current.waits;
      if (!pass_waits(rank, waits, current.wait_count, next_wait, now)) continue;
      if (current.kind == Kind::recv_reduce && !has_come(rank, next, next_wait, now)) continue;
      waiting = over = 0;
      if (!issue(rank, strand, now)) return false;
    }
    return over == strands;
  }

  // `passed` of them were before.
  bool pass_waits(Rank rank, const std::uint32_t* waits, std::uint32_t count, std::uint32_t& passed,
                  double now) {
    RankState& self = state(rank);
    for (; passed < count; ++passed) {
      const std::uint32_t waited = waits[passed];
      if (!step(rank, waited).is_message()) continue;
      const double done = self.done[waited];
      if (done < 0 || events_.after(done, now)) return false;  // delivery wakes the rank
      observer_.waited(rank, waited);
    }
    return true;
  }

  // What a step receives to combine. The receive is posted the first time, when the step has passed
  // its wait list.
  bool has_come(Rank rank, std::uint32_t number, std::uint32_t& passed, double now) {
    if (passed == step(rank, number).wait_count) {
      ++passed;
      observer_.posted(rank, number);
      post(rank, number, now);
    }
    const double done = state(rank).done[number];
    if (done < 0 || events_.after(done, now)) return false;
    observer_.waited(rank, number);
    return true;
  }

  // False if the rank cannot go on now.
  bool issue(Rank rank, std::size_t strand, double now) {
    RankState& self = state(rank);
    const std::uint32_t number = self.strands[strand].next;
    const Step& current = step(rank, number);
    if (!current.computes()) {
      observer_.posted(rank, number);
      post(rank, number, now);
      self.blocked = sends_ == Sends::blocking && !current.joined &&
                     (current.kind == Kind::send || is_second(rank, number));
      if (!self.blocked) advance(rank, strand);
      return !self.blocked;
    }
    observer_.computed(rank, number);
    advance(rank, strand);
    if (!current.reduces()) return true;
    const double bytes = static_cast<double>(schedule_of(rank).size_of(current)) * unit_bytes_;
    const bool is_done = current.kind == Kind::recv_reduce && network_->combines();
    if (bytes * machine_.gamma == 0 || is_done) return true;
    self.busy_until = now + bytes * machine_.gamma;
    events_.at(self.busy_until, EventKind::rank_goes_on, static_cast<std::size_t>(rank));
    return false;
  }

  void post(Rank rank, std::uint32_t number, double now) {
    const Step& current = step(rank, number);
    const bool sends = current.kind == Kind::send;
    const int p = alike_ ? alike_->p : static_cast<int>(schedules_.size());
    if (current.peer < 0 || current.peer >= p || current.peer == rank) {
      run_.error = fmt::format("rank {} names rank {} as its peer", rank, current.peer);
      return;
    }
    Rank from = sends ? rank : current.peer;
    Rank to = sends ? current.peer : rank;
    // What comes from others is what rank 0 sends as far.
    if (alike_ && !sends) {
      to = alike_->peers == Peers::shifted ? p - current.peer : current.peer;
      from = rank;
    }
    const auto [found, fresh] = open_.try_emplace((Units{current.tag} * p + from) * p + to, 0);
    if (fresh) found->second = alike_ ? network_->add(rank, rank) : network_->add(from, to);
    const std::size_t index = found->second;
    Message& message = network_->message(index);
    const bool under_way = message.runs_ahead;
    (sends ? message.send : message.recv) = number;
    message.is_combined |= current.kind == Kind::recv_reduce;
    if (sends) describe(message);
    if (fresh) {
      if (message.runs_ahead) network_->ready(index, now);
      return;
    }
    open_.erase(found);
    if (!check_sides(message)) return;
    ++run_.messages;
    run_.units += schedule_of(from).size_of(step(from, message.send));
    if (under_way) {
      network_->receive_posted(index, now);
    } else {
      network_->ready(index, now);
    }
  }

  // What the network has to know of a message that is sent.
  void describe(Message& message) const {
    const Step& send = step(message.from, message.send);
    message.bytes = static_cast<double>(schedule_of(message.from).size_of(send)) * unit_bytes_;
    message.round = send.round;
    message.one_way = !traffic_.empty() && !traffic(message.from, send.round).receives &&
                      !traffic(message.to, send.round).sends;
    const bool waits = schedule_of(message.from).synchronous && message.bytes > 0;
    message.runs_ahead = sends_ != Sends::blocking && !waits && network_->runs_ahead(message);
    if (publications_.empty()) return;
    const std::uint32_t publication =
        publications_[static_cast<std::size_t>(message.from)][message.send];
    message.is_repeated = publication > 0 && publication != message.send + 1;
  }

  // Whether a message has a send and a receive, of the same size.
  bool check_sides(const Message& message) {
    const auto [from, to] = std::pair(message.from, message.to);
    if (message.send == Message::none || message.recv == Message::none) {
      run_.error = fmt::format("ranks {} and {} use a message tag twice", from, to);
      return false;
    }
    const Units sent = schedule_of(from).size_of(step(from, message.send));
    const Units expected = schedule_of(to).size_of(step(to, message.recv));
    if (sent == expected) return true;
    run_.error = fmt::format("rank {} sends {} units to rank {}, which expects {}", from, sent, to,
                             expected);
    return false;
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

  void note_publications() {
    for (const Schedule& each : schedules_) {
      publications_.push_back(each.strands == 1 ? publications(each)
                                                : std::vector<std::uint32_t>(each.steps.size()));
    }
  }

  Traffic traffic(Rank rank, int round) const {
    const std::vector<Traffic>& rounds = traffic_[static_cast<std::size_t>(rank)];
    const auto wanted = static_cast<std::size_t>(round);
    return wanted < rounds.size() ? rounds[wanted] : Traffic{};
  }

  void sent(const Message& message, double time) override {
    state(message.from).done[message.send] = time;
    events_.at(time, EventKind::rank_goes_on, static_cast<std::size_t>(message.from));
  }

  void received(const Message& message, double time) override {
    observer_.delivered(message.from, message.send, message.to, message.recv);
    state(message.to).done[message.recv] = time;
    events_.at(time, EventKind::rank_goes_on, static_cast<std::size_t>(message.to));
  }

  void check_finished() {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      if (ranks_[r].finished) continue;
      run_.error = fmt::format("deadlock: rank {} waits for ever before or in step {}", r,
                               ranks_[r].strands.front().next);
      return;
    }
    for (const auto& [key, index] : open_) {
      const Message& lost = network_->message(index);
      run_.error =
          fmt::format("a message from rank {} to rank {} has only one side", lost.from, lost.to);
    }
  }

  std::span<const Schedule> schedules_;
  std::optional<Many> alike_;  // there is one schedule then
  const Machine& machine_;
  double unit_bytes_;
  Sends sends_;
  Observer& observer_;
  std::vector<RankState> ranks_;
  std::vector<std::vector<Traffic>> traffic_;  // by rank and round; empty if it makes no difference
  // By rank and step; empty if they make no difference.
  std::vector<std::vector<std::uint32_t>> publications_;
  std::pmr::unsynchronized_pool_resource memory_;
  std::pmr::unordered_map<std::int64_t, std::size_t> open_{&memory_};  // with one side posted
  EventQueue events_;
  std::unique_ptr<Network> network_;
  Run run_;
};

}  // namespace

Run interpret(std::span<const Schedule> schedules, const Machine& machine, Units unit_bytes,
              Sends sends, Observer& observer, const MakeNetwork& network) {
  return Interpreter(schedules, machine, unit_bytes, sends, observer, network).run();
}

Run interpret_alike(const Schedule& schedule, int p, Peers peers, const Machine& machine,
                    Units unit_bytes, Observer& observer) {
  Run run = Interpreter({&schedule, 1}, machine, unit_bytes, Sends::buffered_until_waited, observer,
                        network_of(machine, nullptr), Many{p, peers})
                .run();
  run.finished.clear();
  run.messages *= p;
  run.units *= p;
  return run;
}

Run interpret(std::span<const Schedule> schedules, const Machine& machine, Units unit_bytes,
              Sends sends, Observer& observer, const Placement* placement) {
  return interpret(schedules, machine, unit_bytes, sends, observer, network_of(machine, placement));
}

}  // namespace tutti
