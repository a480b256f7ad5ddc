// What Tutti costs a short call before any message moves: finding the cached schedule of an 8-byte
// allreduce at p = 64 and walking it over a transport that does nothing.
//
//   overhead [--check] [Google Benchmark's options]
//
// --check: exit status 1 if a call of known shape takes more than 250 ns or allocates. Times are
// the least of several repetitions, so that other work on the machine does not count.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cache.hpp"
#include "runtime/executor.hpp"
#include "select/select.hpp"

namespace {

std::atomic<std::int64_t> allocations{0};

void* counted(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* memory = std::malloc(std::max<std::size_t>(bytes, 1));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// The array forms call these.
void* operator new(std::size_t bytes) { return counted(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace tutti {

namespace {

constexpr double most_ns = 250;
constexpr int p = 64;
constexpr Rank me = 21;
constexpr const char* hot = "known_shape";
constexpr const char* cold = "new_shape";

// Looks at every step as a real transport must, and does nothing with it.
struct NullTransport {
  void send(const Step& step, std::uint32_t number) { see(step, number); }
  void recv(const Step& step, std::uint32_t number) { see(step, number); }
  void reduce(const Step& step, std::uint32_t number) { see(step, number); }
  void copy(const Step& step, std::uint32_t number) { see(step, number); }
  void wait(const Step& step) { see(step, 0); }
  bool is_complete(const Step& step) { return see(step, 0), true; }
  void wait_for_some(std::span<const Step* const>) {}
  void wait_for_all() {}

  static void see(const Step& step, std::uint32_t number) {
    benchmark::DoNotOptimize(&step);
    benchmark::DoNotOptimize(step.slot);
    benchmark::DoNotOptimize(number);
  }
};

struct Entry {
  Schedule schedule;
  std::size_t bytes() const { return sizeof(Entry) + schedule.bytes(); }
};

CallKey key_of_call(std::int64_t count) {
  return {.collective = Collective::allreduce,
          .send_count = count,
          .recv_count = count,
          .send_type = 7,
          .recv_type = 7,
          .op = 3};
}

// The slow way, once per shape of call.
std::unique_ptr<Entry> prepare(const Selector& selector) {
  const Call call{.collective = Collective::allreduce, .p = p, .layout = {1, p}, .unit_bytes = 8};
  const Choice choice = selector.choose(call);
  return std::make_unique<Entry>(Entry{build(*choice.algorithm, call, me)});
}

// What every call does, as serve() in src/runtime does it.
void serve(ScheduleCache<Entry>& cache, const Selector& selector) {
  CallKey key = key_of_call(1);
  benchmark::DoNotOptimize(key);
  const Entry* entry = cache.find(key);
  if (entry == nullptr) entry = cache.insert(key, prepare(selector));
  NullTransport transport;
  execute(entry->schedule, transport);
}

// `between` runs before each call.
template <class Between>
void time_calls(benchmark::State& state, Between between) {
  const Selector selector;
  ScheduleCache<Entry> cache(std::size_t{16} << 20);
  cache.insert(key_of_call(2), std::make_unique<Entry>());
  serve(cache, selector);
  const std::int64_t before = allocations;
  for (auto each : state) {
    (void)each;
    between(cache);
    serve(cache, selector);
  }
  state.counters["allocations"] = benchmark::Counter(static_cast<double>(allocations - before),
                                                     benchmark::Counter::kAvgIterations);
}

void known_shape(benchmark::State& state) {
  time_calls(state, [](ScheduleCache<Entry>&) {});
}

// The last call was of another shape: the cache has to search.
void other_shape_between(benchmark::State& state) {
  time_calls(state, [](ScheduleCache<Entry>& cache) {
    benchmark::DoNotOptimize(cache.find(key_of_call(2)));
  });
}

void new_shape(benchmark::State& state) {
  time_calls(state, [](ScheduleCache<Entry>& cache) { cache.clear(); });
}

// Prints as usual, and keeps what --check looks at.
class Reporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.run_name.function_name == cold) continue;
      double& least = run.run_name.function_name == hot ? least_ns_ : least_searching_ns_;
      least = std::min(least, run.GetAdjustedCPUTime());
      most_allocations_ = std::max(most_allocations_, run.counters.at("allocations").value);
    }
  }

  bool passes() const {
    const bool ok = std::max(least_ns_, least_searching_ns_) <= most_ns && most_allocations_ < 0.01;
    std::printf("%s: %.0f ns, %.0f ns after another shape (at most %.0f), %.2f allocations\n",
                ok ? "ok" : "FAIL", least_ns_, least_searching_ns_, most_ns, most_allocations_);
    return ok;
  }

 private:
  double least_ns_ = std::numeric_limits<double>::max();
  double least_searching_ns_ = std::numeric_limits<double>::max();
  double most_allocations_ = 0;
};

void configure(benchmark::internal::Benchmark* one) { one->Repetitions(10)->MinTime(0.02); }

int main_of(int argc, char** argv) {
  char** const end = std::remove_if(argv + 1, argv + argc,
                                    [](char* each) { return std::string_view(each) == "--check"; });
  const bool check = end != argv + argc;
  int rest = static_cast<int>(end - argv);
  benchmark::Initialize(&rest, argv);
  if (benchmark::ReportUnrecognizedArguments(rest, argv)) return 2;
  configure(benchmark::RegisterBenchmark(hot, known_shape));
  configure(benchmark::RegisterBenchmark("other_shape_between", other_shape_between));
  configure(benchmark::RegisterBenchmark(cold, new_shape));
  Reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  return check && !reporter.passes() ? 1 : 0;
}

}  // namespace

}  // namespace tutti

int main(int argc, char** argv) { return tutti::main_of(argc, argv); }
