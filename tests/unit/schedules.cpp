// What holds for the schedule of every rank of every algorithm, found by reading it once through.
#include <map>
#include <set>

#include "support.hpp"
#include "verify/campaign.hpp"
#include "verify/verify.hpp"

namespace tutti {
namespace {

bool writes(const Step& step, std::size_t piece) {
  return step.kind == Kind::recv || (!step.is_message() && piece + 1 == step.pieces);
}

bool touch_the_same(const Schedule& schedule, std::size_t i, std::size_t j) {
  const Slices first = slices_of(schedule, i), second = slices_of(schedule, j);
  for (std::size_t a = 0; a < first.size(); ++a) {
    for (std::size_t b = 0; b < second.size(); ++b) {
      const bool matters = writes(schedule.steps[i], a) || writes(schedule.steps[j], b);
      if (matters && overlap(first[a], second[b])) return true;
    }
  }
  return false;
}

// Walks through the steps as they are issued, and keeps what is under way.
class Reader {
 public:
  explicit Reader(const Schedule& schedule) : schedule_(schedule) {}

  void read() {
    for (std::uint32_t i = 0; i < schedule_.steps.size(); ++i) {
      for (const std::uint32_t waited : waits_of(schedule_, i)) complete(waited);
      for (const std::uint32_t other : under_way_) {
        EXPECT_FALSE(touch_the_same(schedule_, i, other)) << i << " needs to wait for " << other;
      }
      if (schedule_.steps[i].is_message()) post(i);
    }
    for (const std::uint32_t waited : schedule_.last_waits) complete(waited);
    EXPECT_TRUE(under_way_.empty()) << "a message nobody waits for";
  }

 private:
  void complete(std::uint32_t message) {
    EXPECT_EQ(under_way_.erase(message), 1u) << "waits for " << message << ", not under way";
    slots_.erase(schedule_.steps[message].slot);
  }
  void post(std::uint32_t message) {
    const int slot = schedule_.steps[message].slot;
    EXPECT_GE(slot, 0);
    EXPECT_LT(slot, schedule_.slots);
    EXPECT_TRUE(slots_.insert(slot).second) << "slot " << slot << " is taken, step " << message;
    under_way_.insert(message);
  }

  const Schedule& schedule_;
  std::set<std::uint32_t> under_way_;
  std::set<int> slots_;
};

// A round; in a reduction over a tree as wide as messages overlap, as many as are under way to a
// rank together.
int rounds_ahead(const Algorithm& algorithm, const Call& call) {
  if (algorithm.collective != Collective::reduce) return 1;
  if (algorithm.name == "postal") return std::max(call.parameter, 2) - 1;
  const bool has_nodes = algorithm.name == "node_tree" && call.placement;
  return has_nodes ? std::max(call.parameter, 3) - 1 : 1;
}

void expect_receives_at_most_so_far_ahead(const Schedule& schedule, int rounds) {
  int least_after = schedule.rounds;
  for (std::size_t i = schedule.steps.size(); i-- > 0;) {
    const Step& step = schedule.steps[i];
    if (step.kind == Kind::recv) {
      EXPECT_GE(least_after, step.round - rounds) << "step " << i;
    }
    least_after = std::min(least_after, step.round);
  }
}

void expect_tags_count(const Schedule& schedule) {
  std::map<std::pair<Kind, Rank>, std::set<int>> tags;
  for (const Step& step : schedule.steps) {
    if (step.is_message()) tags[{step.kind, step.peer}].insert(step.tag);
  }
  std::map<std::pair<Kind, Rank>, int> messages;
  for (const Step& step : schedule.steps) {
    if (step.is_message()) ++messages[{step.kind, step.peer}];
  }
  for (const auto& [where, used] : tags) {
    EXPECT_EQ(static_cast<int>(used.size()), messages[where]);
    EXPECT_EQ(*used.begin(), 0);
    EXPECT_EQ(*used.rbegin(), messages[where] - 1);
  }
}

void expect_normal_slices(const Schedule& schedule) {
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    const Slices pieces = slices_of(schedule, i);
    for (const Slice& piece : pieces) {
      EXPECT_GT(piece.size, 0) << "step " << i;
      if (schedule.steps[i].is_message()) {
        EXPECT_EQ(piece.buffer, pieces[0].buffer) << "step " << i;
      }
    }
    if (schedule.steps[i].kind == Kind::copy) {
      EXPECT_NE(pieces[0], pieces[1]) << "step " << i;
    }
  }
}

using SchedulesOf = PerAlgorithm;

// Fragments, of which the proof allows several, are not for algorithms to write.
void expect_one_message_a_round(const Schedule& schedule) {
  std::set<std::pair<Kind, int>> seen;
  for (const Step& step : schedule.steps) {
    if (!step.is_message()) continue;
    EXPECT_TRUE(seen.emplace(step.kind, step.round).second) << "two in round " << step.round;
  }
}

TEST_P(SchedulesOf, AreWellFormed) {
  for (const int p : {1, 2, 3, 5, 8, 11, 12, 17}) {
    if (p > as_far_as(17, 5)) break;
    for (const Case& each : cases(algorithm(), p)) {
      if (each.call.root > 2) continue;
      SCOPED_TRACE(to_string(each));
      for (const Schedule& schedule : build_all(algorithm(), each.call, each.in_place)) {
        Reader(schedule).read();
        expect_receives_at_most_so_far_ahead(schedule, rounds_ahead(algorithm(), each.call));
        expect_tags_count(schedule);
        expect_normal_slices(schedule);
        expect_one_message_a_round(schedule);
        if (HasFailure()) FAIL() << to_string(schedule);
      }
    }
  }
}

TEST_P(SchedulesOf, AreTheSameEachTime) {
  const Case each = cases(algorithm(), served(algorithm(), 1, 7).back()).back();
  const auto text = [&] {
    std::string all;
    for (const Schedule& schedule : build_all(algorithm(), each.call, each.in_place)) {
      all += to_string(schedule);
    }
    return all;
  };
  EXPECT_EQ(text(), text());
}

TEST_P(SchedulesOf, BeginWithWhatNeedsNoAnswers) {
  std::size_t led = 0;
  const auto expect_begins = [&](const Schedule& whole, const Schedule& lead) {
    ASSERT_EQ(whole.lead, lead.steps.size());
    led += lead.steps.size();
    for (std::uint32_t i = 0; i < whole.lead; ++i) {
      EXPECT_EQ(slices_of(whole, i), slices_of(lead, i));
      Step first = whole.steps[i];
      first.slices = lead.steps[i].slices;
      EXPECT_EQ(first, lead.steps[i]);
    }
  };
  for (const Case& each : cases(algorithm(), served(algorithm(), 1, 7).back())) {
    SCOPED_TRACE(to_string(each));
    const std::vector<Schedule> all = build_all(algorithm(), each.call, each.in_place);
    for (Rank rank = 0; rank < each.call.p && !HasFailure(); ++rank) {
      const Call unanswered = call_of_rank(each.call, each.in_place, rank);
      const bool leads = algorithm().question.lead != nullptr;
      expect_begins(all[static_cast<std::size_t>(rank)],
                    leads ? build_lead(algorithm(), unanswered, rank) : Schedule{});
    }
  }
  EXPECT_EQ(led > 0, algorithm().question.lead != nullptr);
}

TEST_P(SchedulesOf, SendNothingIfThereIsOneRank) {
  for (const Case& each : cases(algorithm(), 1)) {
    const std::vector<Schedule> all = build_all(algorithm(), each.call, each.in_place);
    for (const Step& step : all.front().steps) {
      EXPECT_FALSE(step.is_message()) << to_string(each);
    }
  }
}

// One after the other, as cards are.
std::shared_ptr<const Placement> dealt(int p, int nodes) {
  std::vector<std::uint64_t> node_of;
  for (Rank rank = 0; rank < p; ++rank) node_of.push_back(static_cast<std::uint64_t>(rank % nodes));
  return placed_on(node_of);
}

TEST_P(SchedulesOf, AreRightWhereRanksAreDealtToNodes) {
  for (const int p : {5, 8, 12}) {
    if (!fits(algorithm(), p) || p > as_far_as(12, 5)) continue;
    for (Case each : cases(algorithm(), p)) {
      each.call.placement = dealt(p, 3);
      each.call.unit_bytes = 1 << 16;
      EXPECT_EQ(verify(each.call, each.in_place, build_all(algorithm(), each.call, each.in_place)),
                "")
          << to_string(each);
    }
  }
}

TUTTI_FOR_EVERY_ALGORITHM(SchedulesOf);

int messages_between_nodes(const Algorithm& algorithm, const Call& call) {
  int count = 0;
  for (Rank rank = 0; rank < call.p; ++rank) {
    for (const Step& step : build(algorithm, call, rank).steps) {
      if (step.kind != Kind::send) continue;
      if (call.placement->node(rank) != call.placement->node(step.peer)) ++count;
    }
  }
  return count;
}

TEST(Order, IsByNodeWhereRanksAreAlike) {
  const Algorithm& chain = *find_algorithm(Collective::bcast, "chain");
  Call call{.collective = Collective::bcast, .p = 12, .root = 4, .layout = Layout(12, 12)};
  call.unit_bytes = 1 << 16;
  call.parameter = 1;
  call.placement = dealt(12, 3);
  EXPECT_EQ(messages_between_nodes(chain, call), 3) << "it begins in the middle of a node";
  call.unit_bytes = 1;
  EXPECT_EQ(call.order(), nullptr) << "a short message";
  call.unit_bytes = 1 << 16;
  call.placement = placed_in_blocks(12, 4);
  EXPECT_EQ(call.order(), nullptr) << "ranks are numbered so";
  EXPECT_EQ(messages_between_nodes(chain, call), 2);

  const Algorithm& tree = *find_algorithm(Collective::reduce, "chain");
  Call sum{.collective = Collective::reduce, .p = 12, .layout = Layout(12, 12)};
  sum.unit_bytes = 1 << 16;
  sum.parameter = 1;
  sum.placement = dealt(12, 3);
  EXPECT_EQ(messages_between_nodes(tree, sum), 2);
  sum.commutative = false;
  EXPECT_EQ(messages_between_nodes(tree, sum), 11) << "operands keep their order";
}

TEST(SchedulesReader, NoticesAMissingWait) {
  const Schedule schedule = Handwritten().recv({out(0, 4)}, 1, 0).copy(out(0, 4), out(4, 4));
  EXPECT_TRUE(touch_the_same(schedule, 0, 1));
}

}  // namespace
}  // namespace tutti
