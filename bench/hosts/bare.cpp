// What two processes can do at best through memory that they share: bare loops, each on a processor
// of its own, with no MPI, no schedule and nothing to agree about.
//
//   hosts_bare SECONDS
//
// SECONDS is how long a case takes. Calls are timed as hosts_bench times them: some in a row after
// a barrier, by the slower process, the mean of the middle half. Prints collective,asked,bare_us.
//
// Each process has a side of the memory that it alone writes. Flags only grow, and have a line of
// their own. Long data go through rings of cells, which stay in the cache.
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>

#include "medium/waiting.hpp"
#include "middle_half.hpp"

namespace {

using tutti::pause_a_moment;

constexpr std::size_t line = 128, cells = 4, cell_bytes = 32 << 10, slice_bytes = 16 << 10;
constexpr std::size_t slice = slice_bytes / sizeof(double);
constexpr double batch_seconds = 30e-6;

struct alignas(line) Flag {
  std::atomic<std::uint64_t> value;

  void raise(std::uint64_t to) { value.store(to, std::memory_order_release); }
  void wait_for(std::uint64_t least) const {
    while (value.load(std::memory_order_acquire) < least) pause_a_moment();
  }
};
static_assert(sizeof(Flag) == line);

struct Side {
  Flag arrived, filled, combined, read;
  // A call's word is written again two calls later: then the other has answered the one between.
  struct alignas(line) Line {
    std::atomic<std::uint64_t> number;
    double data;
  };
  std::array<Line, 2> words;
  double seconds;  // that its last batch took
  alignas(line) std::array<std::array<char, cell_bytes>, cells> cell;
  std::array<std::array<double, slice>, cells> result;
};

double now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

class Process {
 public:
  Process(Side* sides, int me) : me_(me), mine_(sides[me]), theirs_(sides[1 - me]) {}

  bool is_first() const { return me_ == 0; }

  void barrier() {
    mine_.arrived.raise(++barriers_);
    theirs_.arrived.wait_for(barriers_);
  }

  double sum(double value) {
    const std::uint64_t number = ++words_;
    Side::Line& to = mine_.words[number % 2];
    const Side::Line& from = theirs_.words[number % 2];
    to.data = value;
    to.number.store(number, std::memory_order_release);
    while (from.number.load(std::memory_order_acquire) < number) pause_a_moment();
    return value + from.data;
  }

  // Each adds up half of the elements, a whole number of slices. While it adds one slice, it has
  // written the next for the other.
  void sum(const double* in, double* out, std::size_t elements) {
    const std::size_t half = elements / 2, slices = half / slice;
    const std::size_t my_half = is_first() ? 0 : half, their_half = half - my_half;
    for (std::size_t i = 0; i < slices + 2; ++i) {
      if (i < slices) give(in + their_half + i * slice, slices_ + i);
      if (i >= 1 && i <= slices) {
        const std::size_t at = my_half + (i - 1) * slice;
        add(in + at, out + at, slices_ + i - 1);
      }
      if (i >= 2) take(out + their_half + (i - 2) * slice, slices_ + i - 2);
    }
    slices_ += slices;
  }

  // From the first to the other.
  void broadcast(char* data, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += cell_bytes, ++sent_) {
      const std::size_t now = std::min(cell_bytes, bytes - at);
      if (is_first()) {
        theirs_.read.wait_for(sent_ < cells ? 0 : sent_ + 1 - cells);
        std::memcpy(mine_.cell[sent_ % cells].data(), data + at, now);
        mine_.filled.raise(sent_ + 1);
      } else {
        theirs_.filled.wait_for(sent_ + 1);
        std::memcpy(data + at, theirs_.cell[sent_ % cells].data(), now);
        mine_.read.raise(sent_ + 1);
      }
    }
  }

  // Of one call, by the slower process.
  double time(const std::function<void()>& call, int calls) {
    barrier();
    const double start = now();
    for (int i = 0; i < calls; ++i) call();
    mine_.seconds = now() - start;
    barrier();
    const double longer = std::max(mine_.seconds, theirs_.seconds);
    barrier();
    return longer / calls;
  }

  // Both count and stop alike, as both know the same times.
  void measure(const char* collective, std::size_t bytes, double seconds,
               const std::function<void()>& call) {
    int calls = 1;
    while (time(call, calls) * calls < batch_seconds) calls *= 2;
    std::vector<double> times;
    for (double took = 0; took < seconds || times.size() < 9; took += times.back() * calls)
      times.push_back(time(call, calls));
    if (is_first())
      fmt::print("{},{},{:.4g}\n", collective, bytes, mean_of_middle_half(times) * 1e6);
  }

  // Rings begin anew where their numbers mean something else.
  void begin_anew() {
    barrier();
    for (Flag* flag : {&mine_.filled, &mine_.combined, &mine_.read}) flag->raise(0);
    slices_ = sent_ = 0;
    barrier();
  }

 private:
  static void add(const double* __restrict own, const double* __restrict other,
                  double* __restrict into, double* __restrict result) {
    for (std::size_t i = 0; i < slice; ++i) into[i] = result[i] = own[i] + other[i];
  }
  void give(const double* from, std::uint64_t number) {
    theirs_.read.wait_for(number < cells ? 0 : number + 1 - cells);
    std::memcpy(mine_.cell[number % cells].data(), from, slice_bytes);
    mine_.filled.raise(number + 1);
  }
  void add(const double* own, double* into, std::uint64_t number) {
    theirs_.filled.wait_for(number + 1);
    add(own, reinterpret_cast<const double*>(theirs_.cell[number % cells].data()), into,
        mine_.result[number % cells].data());
    mine_.combined.raise(number + 1);
  }
  void take(double* into, std::uint64_t number) {
    theirs_.combined.wait_for(number + 1);
    std::memcpy(into, theirs_.result[number % cells].data(), slice_bytes);
    mine_.read.raise(number + 1);
  }

  int me_;
  Side& mine_;
  Side& theirs_;
  std::uint64_t barriers_ = 0, words_ = 0, slices_ = 0, sent_ = 0;
};

void require(bool is_right) {
  if (!is_right) throw std::runtime_error("a bare loop gives a wrong result");
}

void measure_all(Process& me, double seconds) {
  fmt::print("{}", me.is_first() ? "collective,asked,bare_us\n" : "");
  me.measure("barrier", 0, seconds, [&] { me.barrier(); });
  double word = 0;
  me.measure("allreduce", 8, seconds, [&] { word = me.sum(me.is_first() ? 1.0 : 2.0); });
  require(word == 3);
  constexpr std::size_t elements = (256 << 10) / sizeof(double);
  const std::vector<double> in(elements, me.is_first() ? 1.0 : 2.0);
  std::vector<double> out(elements);
  me.measure("allreduce", elements * sizeof(double), seconds,
             [&] { me.sum(in.data(), out.data(), elements); });
  require(std::ranges::all_of(out, [](double each) { return each == 3; }));
  me.begin_anew();
  for (const std::size_t bytes : {std::size_t{1} << 20, std::size_t{4} << 20}) {
    std::vector<char> data(bytes, me.is_first() ? 'y' : 'n');
    me.measure("bcast", bytes, seconds, [&] { me.broadcast(data.data(), bytes); });
    require(std::ranges::all_of(data, [](char each) { return each == 'y'; }));
  }
}

// The first processors that this process may use, one for each.
void bind_to(int number) {
  cpu_set_t all, one;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return;
  CPU_ZERO(&one);
  for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &all) && seen++ == number) CPU_SET(cpu, &one);
  }
  if (CPU_COUNT(&one) != 1 || sched_setaffinity(0, sizeof one, &one) != 0)
    throw std::runtime_error("each process needs a processor");
}

// If it fails, the other would wait for it for ever.
int run(Side* sides, int me, pid_t other, double seconds) {
  try {
    bind_to(me);
    Process process(sides, me);
    measure_all(process, seconds);
  } catch (const std::exception& error) {
    fmt::print(stderr, "hosts_bare: {}\n", error.what());
    kill(other, SIGTERM);
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc == 2 ? std::strtod(argv[1], nullptr) : 0;
  if (seconds <= 0) {
    fmt::print(stderr, "usage: hosts_bare SECONDS\n");
    return 2;
  }
  void* const memory =
      mmap(nullptr, 2 * sizeof(Side), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  auto* const sides = static_cast<Side*>(memory);
  const pid_t other = fork();
  if (other < 0) return 1;
  if (other == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return run(sides, 1, getppid(), seconds);
  }
  const int result = run(sides, 0, other, seconds);
  int of_other = 0;
  waitpid(other, &of_other, 0);
  return result != 0 || of_other != 0 ? 1 : 0;
}
