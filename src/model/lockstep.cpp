#include "model/lockstep.hpp"

#include <algorithm>
#include <map>

namespace tutti {

namespace {

// What goes on in a round: bytes.
struct NodeTraffic {
  double far_out = 0, far_in = 0, near = 0;
};
struct RoundTraffic {
  std::map<int, NodeTraffic> nodes{};
  int far = 0, near = 0;  // messages
  double slowest = 0;     // message, in seconds without latency
  double reduced = 0;     // by the rank that reduces most
};

class Sum {
 public:
  Sum(Units unit_bytes, const Machine& machine, const Placement* placement)
      : unit_bytes_(static_cast<double>(unit_bytes)), machine_(machine), placement_(placement) {}

  void add(const RankSchedule& each) {
    if (rounds_.size() < static_cast<std::size_t>(each.schedule.rounds)) {
      rounds_.resize(static_cast<std::size_t>(each.schedule.rounds));
    }
    std::map<int, double> reduced;
    for (const Step& step : each.schedule.steps) {
      const double bytes = static_cast<double>(each.schedule.size_of(step)) * unit_bytes_;
      if (step.is_message()) add_message(each.rank, step, bytes);
      if (step.reduces()) reduced[step.round] += bytes;
    }
    for (const auto& [round, bytes] : reduced) {
      double& most = rounds_[static_cast<std::size_t>(round)].reduced;
      most = std::max(most, bytes);
    }
  }

  Lockstep seconds() const {
    Lockstep sum;
    for (const RoundTraffic& round : rounds_) {
      sum.latency += latency_of(round);
      sum.work += work_of(round);
    }
    return sum;
  }

 private:
  bool is_near(Rank a, Rank b) const {
    return placement_ != nullptr && placement_->node(a) == placement_->node(b);
  }

  void add_message(Rank rank, const Step& step, double bytes) {
    RoundTraffic& round = rounds_[static_cast<std::size_t>(step.round)];
    const bool near = is_near(rank, step.peer);
    ++(near ? round.near : round.far);
    round.slowest = std::max(round.slowest, bytes * (near ? machine_.near_beta : machine_.beta));
    if (placement_ == nullptr) return;
    NodeTraffic& node = round.nodes[placement_->node(rank)];
    if (near && step.kind == Kind::send) node.near += bytes;
    if (!near) (step.kind == Kind::send ? node.far_out : node.far_in) += bytes;
  }

  // What travels far in one round travels near in others: on the way of a block they take turns.
  double latency_of(const RoundTraffic& round) const {
    const int messages = std::max(round.near + round.far, 1);
    return (round.far * machine_.alpha + round.near * machine_.near_alpha) / messages;
  }

  double work_of(const RoundTraffic& round) const {
    double busiest = round.slowest;
    for (const auto& [number, node] : round.nodes) {
      busiest = std::max({busiest, node.far_out * machine_.beta, node.far_in * machine_.beta,
                          node.near * machine_.near_together});
    }
    return busiest + round.reduced * machine_.gamma;
  }

  double unit_bytes_;
  const Machine& machine_;
  const Placement* placement_;
  std::vector<RoundTraffic> rounds_;
};

}  // namespace

Lockstep lockstep(std::span<const RankSchedule> ranks, Units unit_bytes, const Machine& machine,
                  const Placement* placement) {
  Sum result(unit_bytes, machine, placement);
  for (const RankSchedule& each : ranks) result.add(each);
  return result.seconds();
}

}  // namespace tutti
