// What Tutti costs a short call before any message moves: finding the cached schedule of an 8-byte
// allreduce at p = 64 and walking it over a transport that does nothing.
//
//   overhead [Google Benchmark's options]    times
//   overhead --calls N                       N calls of known shape and N after another shape, for
//                                            bench/goals.py, which counts instructions inside
//                                            `counted`; exit status 1 if a call allocates
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "execute/cache.hpp"
#include "execute/executor.hpp"
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

constexpr int p = 64;
constexpr Rank me = 21;

// Looks at every step as a real transport must, and does nothing with it.
struct NullTransport {
  void send(const Step& step, std::uint32_t number) { see(step, number); }
  void recv(const Step& step, std::uint32_t number) { see(step, number); }
  void exchange(const Step& first, std::uint32_t number) {
    see(first, number);
    see((&first)[1], number + 1);
  }
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
std::shared_ptr<Entry> prepare(const Selector& selector) {
  const Call call{.collective = Collective::allreduce, .p = p, .layout = {1, p}, .unit_bytes = 8};
  const Choice choice = selector.choose(call);
  return std::make_shared<Entry>(Entry{build(*choice.algorithm, call, me)});
}

// What every call does, as serve() in src/runtime does it.
void serve(ScheduleCache<Entry>& cache, const Selector& selector) {
  CallKey key = key_of_call(1);
  benchmark::DoNotOptimize(key);
  const std::shared_ptr<Entry>* entry = cache.find(key);
  if (entry == nullptr) {
    cache.insert(key, prepare(selector));
    entry = cache.find(key);
  }
  NullTransport transport;
  execute((*entry)->schedule, transport);
}

// `between` runs before each call.
template <class Between>
void time_calls(benchmark::State& state, Between between) {
  const Selector selector;
  ScheduleCache<Entry> cache(std::size_t{16} << 20);
  cache.insert(key_of_call(2), std::make_shared<Entry>());
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

void configure(benchmark::internal::Benchmark* one) { one->Repetitions(10)->MinTime(0.02); }

int time_all(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  configure(benchmark::RegisterBenchmark("known_shape", known_shape));
  configure(benchmark::RegisterBenchmark("other_shape_between", other_shape_between));
  configure(benchmark::RegisterBenchmark("new_shape", new_shape));
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

extern "C" [[gnu::noinline]] void counted(ScheduleCache<Entry>& cache, const Selector& selector,
                                          int calls) {
  for (int i = 0; i < calls; ++i) serve(cache, selector);
  for (int i = 0; i < calls; ++i) {
    benchmark::DoNotOptimize(cache.find(key_of_call(2)));
    serve(cache, selector);
  }
}

int call(int calls) {
  const Selector selector;
  ScheduleCache<Entry> cache(std::size_t{16} << 20);
  cache.insert(key_of_call(2), std::make_shared<Entry>());
  serve(cache, selector);
  const std::int64_t before = allocations;
  counted(cache, selector, calls);
  std::printf("%lld allocations in %d calls\n", static_cast<long long>(allocations - before),
              2 * calls);
  return allocations == before ? 0 : 1;
}

int main_of(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--calls") return call(std::atoi(argv[2]));
  return time_all(argc, argv);
}

}  // namespace

}  // namespace tutti

int main(int argc, char** argv) { return tutti::main_of(argc, argv); }
