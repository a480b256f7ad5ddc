// Ranks as threads of one process, under ThreadSanitizer.
//
// All share what a process has once: the selector, what simulations found, the report, the lists of
// algorithms. Messages go from memory to memory in whichever thread comes second, so a rank that
// touches them before it has waited is seen. What only a reduction is for it reads from the
// sender's memory. Two communicators are busy at once.
//
//   ranks_as_threads [hasty]    hasty: ranks wait for no message; ThreadSanitizer has to complain
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <tuple>
#include <vector>

#include "algorithms/registry.hpp"
#include "execute/executor.hpp"
#include "runtime/report.hpp"
#include "select/select.hpp"

namespace tutti {
namespace {

using Values = std::vector<std::int64_t>;
using Memory = std::array<Values, 3>;  // in the order of enum Buffer
using Random = std::mt19937;

bool hasty = false;
std::atomic<int> wrong = 0, compared = 0, combined = 0;

void delay(Random& random) {
  const auto drawn = random() % 16;
  if (drawn == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 50));
  if (drawn < 4) std::this_thread::yield();
}

struct Piece {
  std::int64_t* at;
  Units size;
};
struct Request {
  std::vector<Piece> pieces;
  bool reads = false;  // receives nothing: the receiver reads from the sender's
  std::shared_ptr<Request> sender{};
  bool complete = false;
};
using RequestPtr = std::shared_ptr<Request>;

Values carried_by(const Request& request) {
  Values carried;
  for (const Piece& piece : request.pieces) {
    carried.insert(carried.end(), piece.at, piece.at + piece.size);
  }
  return carried;
}

// Of one communicator. Matches by rank and tag, first come, first served.
class Wire {
 public:
  using Way = std::tuple<Rank, Rank, int>;  // from, to, tag

  void send(const Way& way, const RequestPtr& request) { post(sent_, received_, way, request); }
  void receive(const Way& way, const RequestPtr& request) { post(received_, sent_, way, request); }

  bool is_complete(const Request& request) {
    const std::lock_guard lock(mutex_);
    return request.complete;
  }
  void complete(Request& request) {
    const std::lock_guard lock(mutex_);
    request.complete = true;
    changed_.notify_all();
  }
  template <class Done>
  void wait_until(Done done) {
    if (hasty) return;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, done);
  }

 private:
  using Posted = std::map<Way, std::deque<RequestPtr>>;

  void post(Posted& own, Posted& others, const Way& way, const RequestPtr& request) {
    RequestPtr other;
    {
      const std::lock_guard lock(mutex_);
      std::deque<RequestPtr>& waiting = others[way];
      if (waiting.empty()) {
        own[way].push_back(request);
        return;
      }
      other = waiting.front();
      waiting.pop_front();
    }
    const RequestPtr &from = &own == &sent_ ? request : other,
                     &to = &own == &sent_ ? other : request;
    if (to->reads) {
      to->sender = from;
    } else {
      move(*from, *to);
      complete(*from);
    }
    complete(*to);
  }

  static void move(const Request& from, const Request& to) {
    const Values carried = carried_by(from);
    const std::int64_t* next = carried.data();
    for (const Piece& piece : to.pieces) {
      std::copy_n(next, piece.size, piece.at);
      next += piece.size;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Posted sent_, received_;
};

// The transport of one rank's schedule.
class Transport {
 public:
  Transport(const Schedule& schedule, Rank rank, Wire& wire, Random& random, Units in, Units out)
      : memory{Values(static_cast<std::size_t>(in)), Values(static_cast<std::size_t>(out)),
               Values(static_cast<std::size_t>(schedule.scratch))},
        schedule_(schedule),
        rank_(rank),
        wire_(wire),
        random_(random),
        requests_(static_cast<std::size_t>(schedule.slots)) {}

  void send(const Step& step, std::uint32_t) {
    wire_.send({rank_, step.peer, step.tag}, started(step));
  }
  void recv(const Step& step, std::uint32_t) {
    wire_.receive({step.peer, rank_, step.tag}, started(step));
  }
  void exchange(const Step& first, std::uint32_t number) {
    perform(first, number, *this);
    perform(schedule_.steps[number + 1], number + 1, *this);
  }
  bool is_complete(const Step& step) { return wire_.is_complete(*request(step)); }
  bool test(const Step& step) { return is_complete(step); }
  void wait(const Step& step) {
    wire_.wait_until([&] { return request(step)->complete; });
  }
  void wait_for_some(std::span<const Step* const> steps) {
    wire_.wait_until([&] {
      return std::ranges::any_of(steps, [&](const Step* step) { return request(*step)->complete; });
    });
  }
  void wait_for_all() {
    wire_.wait_until([&] {
      return std::ranges::all_of(
          requests_, [](const RequestPtr& each) { return each == nullptr || each->complete; });
    });
  }
  void reduce(const Step& step, std::uint32_t) {
    delay(random_);
    const Slice* slices = schedule_.slices_of(step);
    std::transform(at(slices[0]), at(slices[0]) + slices[0].size, at(slices[1]), at(slices[2]),
                   std::plus<>());
  }
  void recv_reduce(const Step& step, std::uint32_t) {
    delay(random_);
    const Slice* slices = schedule_.slices_of(step);
    const Slice& own = slices[0].buffer == Buffer::message ? slices[1] : slices[0];
    Request& sender = *request(step)->sender;
    const Values carried = carried_by(sender);
    std::transform(at(own), at(own) + own.size, carried.begin(), at(slices[2]), std::plus<>());
    wire_.complete(sender);
    ++combined;
  }
  void copy(const Step& step, std::uint32_t) {
    const Slice* slices = schedule_.slices_of(step);
    std::copy_n(at(slices[0]), slices[0].size, at(slices[1]));
  }

  std::int64_t* at(const Slice& slice, Units index = 0) {
    return memory[static_cast<std::size_t>(slice.buffer)].data() + slice.offset + index;
  }

  Memory memory;

 private:
  RequestPtr& request(const Step& step) { return requests_[static_cast<std::size_t>(step.slot)]; }
  const RequestPtr& started(const Step& step) {
    delay(random_);
    RequestPtr& place = request(step);
    place = std::make_shared<Request>();
    place->reads = step.computes();
    if (place->reads) return place;
    for (const Slice& piece : touched(step, schedule_.slices)) {
      place->pieces.push_back({at(piece), piece.size});
    }
    return place;
  }

  const Schedule& schedule_;
  Rank rank_;
  Wire& wire_;
  Random& random_;
  std::vector<RequestPtr> requests_;
};

std::int64_t value(Rank rank, Units index) { return 1000 * rank + index; }

// What all ranks are to get; of a broadcast rank 0 has it before.
Values result(const Call& call) {
  Values values(static_cast<std::size_t>(call.n()));
  for (Units i = 0; i < call.n(); ++i) {
    std::int64_t& each = values[static_cast<std::size_t>(i)];
    if (call.collective == Collective::bcast) each = value(0, i);
    if (call.collective == Collective::allgather) {
      each = value(static_cast<Rank>(i / call.layout.size(0)), i % call.layout.size(0));
    }
    for (Rank rank = 0; call.collective == Collective::allreduce && rank < call.p; ++rank) {
      each += value(rank, i);
    }
  }
  return values;
}

// Where ranks are hasty their messages may move later: `kept` takes the memory then, and nothing is
// read where it lies, so that they race for values and for nothing else.
void run(const Algorithm& algorithm, const Call& call, Rank me, Wire& wire, Random& random,
         std::vector<Memory>& kept) {
  Carriage carriage;
  if (!hasty && random() % 2 == 0) carriage.readable = [](Rank) { return true; };
  const Schedule schedule = build(algorithm, call, me, carriage);
  Transport transport(schedule, me, wire, random, call.input_units(me), call.output_units(me));
  const Slice mine = call.input(me);
  for (Units i = 0; i < mine.size; ++i) *transport.at(mine, i) = value(me, i);
  execute(schedule, transport);
  ++compared;
  if (hasty) {
    kept.push_back(std::move(transport.memory));
  } else if (transport.memory[1] != result(call)) {
    ++wrong;
  }
}

// What the ranks of a process share.
struct Process {
  Selector selector;
  runtime::Report report;
  std::latch start, end;
};

Call call_of(Collective collective, int p, Units units, std::shared_ptr<const Placement> nodes) {
  Call call{.collective = collective,
            .p = p,
            .layout = Layout(units * p, p),
            .unit_bytes = sizeof(std::int64_t)};
  call.placement = std::move(nodes);
  return call;
}

// One rank's program: what is chosen for calls of several sizes, then every algorithm.
void rank_of(Process& process, Wire& wire, int p, Rank me, unsigned seed) {
  Random random(seed);
  std::vector<Memory> kept;
  process.start.arrive_and_wait();
  const std::vector<std::uint64_t> node_of{0, 0, 1, 1, 2};
  const auto nodes = std::make_shared<const Placement>(node_of);
  for (const Collective collective :
       {Collective::allreduce, Collective::bcast, Collective::allgather}) {
    const std::string_view name = info(collective).name;
    for (const Units units : {1, 40, 3000}) {
      Call call = call_of(collective, p, units, nodes);
      const Choice choice = process.selector.choose(call);
      call.parameter = choice.parameter;
      run(*choice.algorithm, call, me, wire, random, kept);
      process.report.count(collective, p, choice.algorithm->name, runtime::By::messages,
                           call.bytes(), 1e-6);
    }
    for (const Algorithm* each : algorithms_of(collective)) {
      const Call call = with_parameter(*each, call_of(collective, p, 12, nullptr));
      if (!accepts(*each, call)) continue;
      run(*each, call, me, wire, random, kept);
      process.report.count(collective, p, name, runtime::By::messages, call.bytes(), 1e-6);
    }
  }
  if (me == 0 && process.report.text(p, nullptr).empty()) ++wrong;
  process.end.arrive_and_wait();
}

void run_all(unsigned seed) {
  constexpr int p = 5, communicators = 2;
  Process process{.selector = Selector(),
                  .report = {},
                  .start = std::latch(p * communicators),
                  .end = std::latch(p * communicators)};
  std::array<Wire, communicators> wires;
  std::vector<std::thread> threads;
  for (Wire& wire : wires) {
    for (Rank me = 0; me < p; ++me) {
      threads.emplace_back(rank_of, std::ref(process), std::ref(wire), p, me, ++seed);
    }
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) {
  tutti::hasty = argc > 1 && std::strcmp(argv[1], "hasty") == 0;
  for (unsigned seed = 100; seed <= 500; seed += 100) tutti::run_all(seed);
  std::printf("%d results, %d wrong, %d messages combined where they lay\n", tutti::compared.load(),
              tutti::wrong.load(), tutti::combined.load());
  return tutti::wrong == 0 && tutti::compared > 1000 && tutti::combined > 500 ? 0 : 1;
}
