// How many bytes ranks of a node copy and combine for a call through their memory: no more than on
// 2026-11-29, and as many as it takes. Beside it what is possible without reading each other's
// memory, and by messages.
//
// This program's memcpy and process_vm_readv count what they move (-Wl,--wrap), so whatever the
// medium does is counted, as long as it does it with them. Ranks take turns, so that each keeps up
// with the others, and every run counts the same.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "algorithms/registry.hpp"
#include "execute/executor.hpp"
#include "medium/carrier.hpp"
#include "medium/shared_object.hpp"
#include "model/simulate.hpp"
#include "passes/publications.hpp"

namespace {

// By all threads.
std::atomic<std::size_t> copied = 0, combined = 0;

}  // namespace

extern "C" {
void* __real_memcpy(void* to, const void* from, std::size_t bytes);
void* __wrap_memcpy(void* to, const void* from, std::size_t bytes) {
  copied += bytes;
  return __real_memcpy(to, from, bytes);
}
ssize_t __real_process_vm_readv(pid_t process, const iovec* to, unsigned long count,
                                const iovec* from, unsigned long from_count, unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t process, const iovec* to, unsigned long count,
                                const iovec* from, unsigned long from_count, unsigned long flags) {
  const ssize_t read = __real_process_vm_readv(process, to, count, from, from_count, flags);
  copied += static_cast<std::size_t>(std::max(read, ssize_t{0}));
  return read;
}
}

namespace tutti {
namespace {

using Element = double;

void add(const char* left, const char* right, char* into, std::size_t elements) {
  combined += elements * sizeof(Element);
  const auto* const l = reinterpret_cast<const Element*>(left);
  const auto* const r = reinterpret_cast<const Element*>(right);
  auto* const sum = reinterpret_cast<Element*>(into);
  for (std::size_t i = 0; i < elements; ++i) sum[i] = l[i] + r[i];
}

// Ranks are threads, of which one goes on at a time: the next one, each time that it would wait.
class Turns {
 public:
  explicit Turns(int ranks) : is_through_(static_cast<std::size_t>(ranks)) {}

  void begin(Rank me) {
    std::unique_lock lock(mutex_);
    wait_for(me, lock);
  }
  void pass(Rank me) {
    std::unique_lock lock(mutex_);
    go_on_with_next();
    wait_for(me, lock);
  }
  void end(Rank me) {
    const std::unique_lock lock(mutex_);
    is_through_[static_cast<std::size_t>(me)] = true;
    if (!std::ranges::all_of(is_through_, std::identity())) go_on_with_next();
  }

 private:
  void wait_for(Rank me, std::unique_lock<std::mutex>& lock) {
    changed_.wait(lock, [&] { return turn_ == static_cast<std::size_t>(me); });
  }
  void go_on_with_next() {
    do turn_ = (turn_ + 1) % is_through_.size();
    while (is_through_[turn_]);
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t turn_ = 0;
  std::vector<bool> is_through_;  // by rank
};

// One rank of a call: its buffers, its schedule, and a transport as runtime/node_transport.hpp has
// it.
class Node {
 public:
  Node(char* memory, const Algorithm& algorithm, const Call& call, Rank me, SingleCopy single_copy,
       Turns& turns)
      : me_(me),
        turns_(turns),
        medium_(memory, call.p, me, Waits::spinning),
        carrier_(medium_, std::move(single_copy)),
        unit_bytes_(static_cast<std::size_t>(call.unit_bytes)),
        schedule_(build(algorithm, call, me, carriage(call))),
        publications_(publications(schedule_)) {
    const auto n = static_cast<std::size_t>(call.n());
    const auto scratch = static_cast<std::size_t>(schedule_.scratch);
    for (std::size_t i = 0; const std::size_t units : {n, n, scratch})
      buffers_[i++].resize(units * unit_bytes_);
    for (const Step& step : schedule_.steps) pieces_.push_back(pieces_of(step));
    carrier_.begin({buffers_[0].data(), buffers_[1].data(), buffers_[2].data()}, 1, 0, add,
                   unit_bytes_, nullptr, schedule_.slots);
  }

  void run() {
    turns_.begin(me_);
    execute(schedule_, *this);
    turns_.end(me_);
  }

  void send(const Step& step, std::uint32_t number) {
    carrier_.send(step.slot, step.peer, pieces_[number], bytes_of(step), publications_[number]);
  }
  void recv(const Step& step, std::uint32_t number) {
    const std::vector<Piece>& pieces = pieces_[number];
    Target target{.pieces = pieces};
    if (step.kind == Kind::recv_reduce) {
      const bool is_left = schedule_.slices_of(step)[0].buffer == Buffer::message;
      target = {
          .operand = &pieces[is_left ? 1 : 0], .into = &pieces[2], .message_is_left = is_left};
    }
    carrier_.receive(step.slot, step.peer, target, bytes_of(step));
  }
  void exchange(const Step& first, std::uint32_t number) {
    const Step& second = schedule_.steps[number + 1];
    for (const Step* each : {&first, &second})
      each->kind == Kind::send ? send(*each, number++) : recv(*each, number++);
    if (first.kind == Kind::recv) wait_until([&] { return is_over(first) && is_over(second); });
  }
  void wait(const Step& step) {
    wait_until([&] { return is_over(step); });
  }
  bool is_complete(const Step& step) const { return is_over(step); }
  void wait_for_some(std::span<const Step* const>) { carrier_.progress(); }
  void wait_for_all() {
    wait_until([&] { return carrier_.is_idle(); });
  }
  void reduce(const Step&, std::uint32_t number) {
    const std::vector<Piece>& pieces = pieces_[number];
    add(at(pieces[0]), at(pieces[1]), at(pieces[2]), pieces[2].bytes / unit_bytes_);
  }
  void copy(const Step&, std::uint32_t number) {
    const std::vector<Piece>& pieces = pieces_[number];
    std::memcpy(at(pieces[1]), at(pieces[0]), pieces[0].bytes);
  }
  void recv_reduce(const Step&, std::uint32_t) {}  // it was combined as it came

 private:
  bool is_over(const Step& step) const { return carrier_.is_over(step.slot); }
  template <class IsOver>
  void wait_until(IsOver is_over) {
    while (!is_over()) {
      carrier_.progress();
      turns_.pass(me_);
    }
  }
  // As communicators of one node have it.
  static Carriage carriage(const Call& call) {
    Carriage found;
    if (info(call.collective).reduces) found.readable = [](Rank) { return true; };
    return found;
  }
  std::vector<Piece> pieces_of(const Step& step) const {
    std::vector<Piece> pieces;
    for (const Slice& slice : touched(step, schedule_.slices)) {
      pieces.push_back(
          {static_cast<std::uint8_t>(slice.buffer),
           static_cast<std::ptrdiff_t>(slice.offset) * static_cast<std::ptrdiff_t>(unit_bytes_),
           static_cast<std::size_t>(slice.size) * unit_bytes_, nullptr});
    }
    return pieces;
  }
  std::size_t bytes_of(const Step& step) const {
    return static_cast<std::size_t>(schedule_.size_of(step)) * unit_bytes_;
  }
  char* at(const Piece& piece) { return buffers_[piece.buffer].data() + piece.offset; }

  Rank me_;
  Turns& turns_;
  Medium medium_;
  Carrier carrier_;
  std::size_t unit_bytes_;
  Schedule schedule_;
  std::vector<std::uint32_t> publications_;  // by step
  std::array<std::vector<char>, 3> buffers_;
  std::vector<std::vector<Piece>> pieces_;  // by step
};

enum class Long : std::uint8_t { in_cells, read };  // how long data go

struct Moved {
  double copied, combined;
};

// Of a rank in the mean, in n.
Moved count(const Algorithm& algorithm, const Call& call, Long how) {
  SharedObject memory = SharedObject::create(Medium::bytes(call.p));
  memory.forget_name();
  const SingleCopy single_copy =
      how == Long::read ? SingleCopy(std::vector<pid_t>(static_cast<std::size_t>(call.p), getpid()))
                        : SingleCopy{};
  Turns turns(call.p);
  std::vector<std::unique_ptr<Node>> ranks;
  for (Rank me = 0; me < call.p; ++me)
    ranks.push_back(
        std::make_unique<Node>(memory.memory(), algorithm, call, me, single_copy, turns));
  copied = combined = 0;
  std::vector<std::thread> threads;
  for (const auto& rank : ranks) threads.emplace_back(&Node::run, rank.get());
  for (std::thread& thread : threads) thread.join();
  const double all = call.p * call.bytes();
  return {static_cast<double>(copied) / all, static_cast<double>(combined) / all};
}

using AtRanks = std::array<double, 3>;
constexpr std::array ranks_tried{2, 4, 8};
constexpr std::int64_t short_bytes = 64 << 10, long_bytes = 1 << 20;

// Copies of a rank in the mean, in n. Found are those of its own block too.
struct Figures {
  Collective collective;
  const char* algorithm;
  double (*possible)(double p);     // through memory, where no rank reads another's
  double (*by_messages)(double p);  // each is copied in and out
  AtRanks in_cells, long_in_cells, read, long_read;  // on 2026-11-29, of the two lengths
};

void PrintTo(const Figures& figures, std::ostream* out) { *out << figures.algorithm; }

// What comes from others, of n.
double others(double p) { return (p - 1) / p; }

constexpr std::array all{Figures{Collective::allreduce,
                                 "halving_doubling",
                                 [](double p) { return 2 * others(p); },
                                 [](double p) { return 4 * others(p); },
                                 {1.5, 2.25, 2.625},
                                 {1.5, 2.25, 2.625},
                                 {1, 1.75, 2.125},
                                 {1, 1.5, 1.75}},
                         Figures{Collective::bcast,
                                 "binomial",
                                 [](double) { return 1.0; },
                                 [](double p) { return 2 * others(p); },
                                 {1, 1.25, 1.375},
                                 {1, 1.5, 1.75},
                                 {0.5, 0.75, 0.875},
                                 {0.5, 0.75, 0.875}},
                         Figures{Collective::allgather,
                                 "ring",
                                 [](double) { return 1.0; },
                                 [](double p) { return 2 * others(p); },
                                 {1.5, 1.75, 1.875},
                                 {1.5, 1.75, 1.875},
                                 {1, 1.75, 1.875},
                                 {1, 1, 1}},
                         Figures{Collective::alltoall,
                                 "pairwise",
                                 [](double p) { return 2 * others(p); },
                                 [](double p) { return 2 * others(p); },
                                 {1.5, 1.75, 1.875},
                                 {1.5, 1.75, 1.875},
                                 {1, 1.75, 1.875},
                                 {1, 1, 1}}};

const AtRanks& most_of(const Figures& figures, std::int64_t n, Long how) {
  if (how == Long::in_cells) return n == long_bytes ? figures.long_in_cells : figures.in_cells;
  return n == long_bytes ? figures.long_read : figures.read;
}

class CopiedBytes : public testing::TestWithParam<std::tuple<Figures, std::int64_t, Long>> {};

TEST_P(CopiedBytes, AreNoMoreThanBefore) {
  constexpr double rounding = 1e-6;
  const auto& [figures, n, how] = GetParam();
  const Algorithm& algorithm = *find_algorithm(figures.collective, figures.algorithm);
  const AtRanks& most = most_of(figures, n, how);
  for (std::size_t i = 0; i < ranks_tried.size(); ++i) {
    const int p = ranks_tried[i];
    const Call call = with_parameter(algorithm, call_of_bytes(figures.collective, p, n));
    const Moved found = count(algorithm, call, how);
    fmt::print(
        "{}, p = {}: {:.3f} n copied, {:.3f} possible, {:.3f} by messages; {:.3f} combined\n",
        to_string(figures.collective), p, found.copied, figures.possible(p), figures.by_messages(p),
        found.combined);
    EXPECT_LE(found.copied, most[i] + rounding) << "p = " << p;
    EXPECT_GE(found.copied, others(p) - rounding) << "not all is counted, p = " << p;
    const bool reduces = info(figures.collective).reduces;
    EXPECT_NEAR(found.combined, reduces ? others(p) : 0, rounding) << "p = " << p;
  }
}

INSTANTIATE_TEST_SUITE_P(Node, CopiedBytes,
                         testing::Combine(testing::ValuesIn(all),
                                          testing::Values(short_bytes, long_bytes),
                                          testing::Values(Long::in_cells, Long::read)));

}  // namespace
}  // namespace tutti
