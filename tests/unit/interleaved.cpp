// Several operations of each rank in progress together, over one wire: tags keep them apart, and
// each can stop wherever a message has not come.
#include <gmock/gmock.h>

#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <tuple>

#include "algorithms/ranks.hpp"
#include "algorithms/registry.hpp"
#include "execute/executor.hpp"

namespace tutti {
namespace {

using Values = std::vector<std::int64_t>;
constexpr int step_tags = 4096;

struct Request {
  Values carried;
  bool complete = false;
};
using RequestPtr = std::shared_ptr<Request>;

// Matches as MPI does: by rank and tag, first come, first served.
class Wire {
 public:
  using Way = std::tuple<Rank, Rank, int>;  // from, to, tag

  void send(const Way& way, const RequestPtr& request) {
    sent_[way].push_back(request);
    match(way);
  }
  void receive(const Way& way, const RequestPtr& request) {
    posted_[way].push_back(request);
    match(way);
  }

 private:
  void match(const Way& way) {
    auto &sent = sent_[way], &posted = posted_[way];
    while (!sent.empty() && !posted.empty()) {
      posted.front()->carried = sent.front()->carried;
      posted.front()->complete = sent.front()->complete = true;
      sent.pop_front();
      posted.pop_front();
    }
  }
  std::map<Way, std::deque<RequestPtr>> sent_, posted_;
};

// One operation of one rank. A send is complete at once, or when it is received.
class Operation {
 public:
  Operation(Schedule schedule, Rank rank, int number, Wire& wire, std::mt19937& random,
            std::array<Values, 3> memory)
      : memory(std::move(memory)),
        schedule_(std::move(schedule)),
        rank_(rank),
        tags_(number % 8 * step_tags),
        wire_(wire),
        random_(random),
        requests_(static_cast<std::size_t>(schedule_.slots)) {
    this->memory[2].resize(static_cast<std::size_t>(schedule_.scratch));
  }

  bool go_on() {
    if (!over_) over_ = tutti::advance<Waiting::poll>(schedule_, *this, cursor_);
    return over_;
  }

  void send(const Step& step, std::uint32_t) {
    const auto request = std::make_shared<Request>();
    for (const Slice& piece : touched(step, schedule_.slices)) {
      const auto* from = at(piece);
      request->carried.insert(request->carried.end(), from, from + piece.size);
    }
    request->complete = random_() % 2 == 0;
    wire_.send({rank_, step.peer, tag(step)}, request);
    request_of(step) = request;
  }
  void recv(const Step& step, std::uint32_t) {
    request_of(step) = std::make_shared<Request>();
    wire_.receive({step.peer, rank_, tag(step)}, request_of(step));
    if (!step.computes()) receiving_[step.slot] = &step;
  }
  void exchange(const Step& first, std::uint32_t number) {
    perform(first, number, *this);
    perform(schedule_.steps[number + 1], number + 1, *this);
  }
  bool test(const Step& step) {
    if (!request_of(step)->complete) return false;
    const auto receive = receiving_.find(step.slot);
    if (receive == receiving_.end() || receive->second != &step) return true;
    std::size_t taken = 0;
    for (const Slice& piece : touched(step, schedule_.slices)) {
      std::copy_n(request_of(step)->carried.begin() + static_cast<std::ptrdiff_t>(taken),
                  piece.size, at(piece));
      taken += static_cast<std::size_t>(piece.size);
    }
    receiving_.erase(receive);
    return true;
  }
  void copy(const Step& step, std::uint32_t) {
    const Slice* slices = schedule_.slices_of(step);
    std::copy_n(at(slices[0]), slices[0].size, at(slices[1]));
  }
  void reduce(const Step& step, std::uint32_t) {
    const Slice* slices = schedule_.slices_of(step);
    std::transform(at(slices[0]), at(slices[0]) + slices[0].size, at(slices[1]), at(slices[2]),
                   std::plus<>());
  }
  void recv_reduce(const Step& step, std::uint32_t) {
    const Slice* slices = schedule_.slices_of(step);
    const Slice& own = slices[0].buffer == Buffer::message ? slices[1] : slices[0];
    std::transform(at(own), at(own) + own.size, request_of(step)->carried.begin(), at(slices[2]),
                   std::plus<>());
    ++combined_as_received;
  }
  std::array<Values, 3> memory;
  int combined_as_received = 0;

 private:
  std::int64_t* at(const Slice& slice) {
    return memory[static_cast<std::size_t>(slice.buffer)].data() + slice.offset;
  }
  int tag(const Step& step) const { return tags_ + step.tag % step_tags; }
  RequestPtr& request_of(const Step& step) {
    return requests_[static_cast<std::size_t>(step.slot)];
  }

  Schedule schedule_;
  Rank rank_;
  int tags_;
  Wire& wire_;
  std::mt19937& random_;
  std::vector<RequestPtr> requests_;
  std::map<int, const Step*> receiving_;
  Cursor cursor_;
  bool over_ = false;
};

// An allreduce, whose result is the same everywhere: `number` and the rank are in its input.
struct Setting {
  const Algorithm* algorithm;
  Call call;
  Carriage carriage;
};

Values input_of(Rank rank, int number, Units n) {
  Values values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1000 * number + 10'000 * rank);
  return values;
}

Values sum_of_all(int p, int number, Units n) {
  Values sum(static_cast<std::size_t>(n));
  for (Rank rank = 0; rank < p; ++rank) {
    const Values each = input_of(rank, number, n);
    std::transform(sum.begin(), sum.end(), each.begin(), sum.begin(), std::plus<>());
  }
  return sum;
}

std::vector<Setting> settings(int p, std::mt19937& random) {
  std::vector<Setting> result;
  const auto all = algorithms_of(Collective::allreduce);
  const std::size_t count = 2 + random() % 7;
  while (result.size() < count) {
    Call call{.collective = Collective::allreduce,
              .p = p,
              .layout = Layout(static_cast<Units>(random() % 50), p),
              .unit_bytes = 8};
    const Algorithm* algorithm = all[random() % all.size()];
    if (!accepts(*algorithm, call) || call.n() == 0) continue;
    const int readable = static_cast<int>(random() % 3);  // none, all, of every other rank
    result.push_back({algorithm, with_parameter(*algorithm, call), {}});
    if (readable == 0) continue;
    result.back().carriage.readable = [=](Rank peer) { return peer % readable == 0; };
  }
  return result;
}

TEST(Interleaved, TwoToEightOperationsInAnyOrder) {
  int combined_as_received = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const int p = 2 + static_cast<int>(random() % 7);
    const std::vector<Setting> all = settings(p, random);
    Wire wire;
    std::vector<std::unique_ptr<Operation>> operations;  // of rank 0, then of rank 1 ...
    for (Rank rank = 0; rank < p; ++rank) {
      for (int number = 0; number < static_cast<int>(all.size()); ++number) {
        const auto& [algorithm, call, carriage] = all[static_cast<std::size_t>(number)];
        const auto schedules = build_all(*algorithm, call, InPlace::none, carriage);
        operations.push_back(std::make_unique<Operation>(
            schedules[static_cast<std::size_t>(rank)], rank, number, wire, random,
            std::array{input_of(rank, number, call.n()), Values(static_cast<std::size_t>(call.n())),
                       Values{}}));
      }
    }
    std::vector<std::size_t> left(operations.size());
    std::iota(left.begin(), left.end(), 0);
    for (int turns = 0; !left.empty(); ++turns) {
      ASSERT_LT(turns, 1'000'000) << "nobody can go on";
      const std::size_t which = random() % left.size();
      if (!operations[left[which]]->go_on()) continue;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(which));
    }
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const int number = static_cast<int>(i % all.size());
      const Units n = all[static_cast<std::size_t>(number)].call.n();
      ASSERT_EQ(operations[i]->memory[1], sum_of_all(p, number, n));
      combined_as_received += operations[i]->combined_as_received;
    }
  }
  EXPECT_GT(combined_as_received, 1000);
}

}  // namespace
}  // namespace tutti
