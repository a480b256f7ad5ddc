// fuzz: random collective calls, each made by Tutti and natively, and compared byte by byte.
//
//   LD_PRELOAD=libtutti.so mpirun -np P fuzz [--seed S] [--cases N] [--first N]
//                                            [--collective NAME] [--judge] [--limits] [--trace]
//
// Plain MPI: MPI_Xxx is Tutti's when it is preloaded, PMPI_Xxx is the native library's. Case N of
// seed S on P ranks is the same in every run. scripts/fuzz runs many.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "comms.hpp"
#include "facts.hpp"
#include "options.hpp"
#include "watch.hpp"

namespace tutti::fuzz {

namespace {

struct World {
  int rank = 0;
  int size = 1;
};

World world() {
  World result;
  MPI_Comm_rank(MPI_COMM_WORLD, &result.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &result.size);
  return result;
}

constexpr const char* library =
#if defined(MPICH_VERSION)
    "mpich";
#else
    "openmpi";
#endif

class Fuzz {
 public:
  explicit Fuzz(const Options& options) : options_(options), comms_(options.seed) {}

  // True on all ranks if nothing differed.
  bool run() {
    if (world_.rank == 0) {
      std::printf("seed %llu, cases from %ld on, %d ranks\n",
                  static_cast<unsigned long long>(options_.seed), options_.first, world_.size);
      std::fflush(stdout);
    }
    long made = 0;
    while (made < options_.cases) {
      run_case(options_.first + made++);
      if (made % cases_between_looks == 0 && sum_of_differences() >= most_differences) break;
    }
    watch_call("after the last case");
    const long differences = sum_of_differences();
    if (world_.rank == 0) {
      std::printf("%ld cases left out: native library wrong\n", cases_[1] + cases_[2]);
      std::printf("%ld of them compared with plain messages instead\n", cases_[1]);
      std::printf("%ld cases left out: known limit of Tutti (--limits makes them)\n", limited_);
      std::printf("%ld cases compared, %ld differences\n", cases_[0], differences);
    }
    return differences == 0;
  }

 private:
  static constexpr long cases_between_looks = 50;
  static constexpr long most_differences = 10;

  void run_case(long number) {
    watch_call("case " + std::to_string(number));
    watch("between calls");
    Random random(options_.seed, 0xca5e, static_cast<Seed>(number));
    const auto members = draw_members(options_.seed, number, world_.size);
    const std::vector<Call> calls = draw_case(random, static_cast<int>(members.size()));
    if (!options_.collective.empty() && options_.collective != calls[0].about().name) return;
    Right right = Right::collective;
    bool limited = false;
    for (const Call& call : calls) {
      const native::Facts about = facts(call);
      right = std::max(right, native::what_is_right(about));
      limited = limited || native::is_known_limit(about);
    }
    if (limited && right != Right::nothing && !options_.limits) {
      ++limited_;
      return;
    }
    // Where the native library serves some calls, it is not to be asked what it gets wrong.
    if (right == Right::messages && !tutti_serves_all_) right = Right::nothing;
    ++cases_[static_cast<std::size_t>(right)];
    if (right == Right::nothing) return;
    const Against against = right == Right::messages ? Against::messages : options_.against;
    if (const auto group = comms_.get(number)) run_calls(number, calls, *group, against);
  }

  void run_calls(long number, const std::vector<Call>& calls, const Group& group, Against against) {
    auto objects = std::make_unique<Objects>();
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls[i].forgets) objects = std::make_unique<Objects>();
      const std::string text = "case " + std::to_string(number) + ", call " +
                               std::to_string(i + 1) + " of " + std::to_string(calls.size()) +
                               ": " + describe(calls[i], group.rank) + "; " + repeat(number);
      watch_call(text);
      if (options_.trace) std::fprintf(stderr, "%s\n", text.c_str());
      const Outcome outcome = run_call(calls[i], group, against, *objects);
      if (outcome.kind == Outcome::same) continue;
      ++differences_;
      std::printf("DIFFERENT on rank %d (%d of the world): %s; %s\n", group.rank, world_.rank,
                  outcome.text.c_str(), text.c_str());
      std::fflush(stdout);
      // After an error the other ranks may wait forever.
      if (outcome.kind == Outcome::failed) {
        sleep(1);  // until the line has gone through mpirun
        PMPI_Abort(MPI_COMM_WORLD, 1);
      }
    }
  }

  // How to run one case again.
  std::string repeat(long number) const {
    const char* forced = std::getenv("TUTTI_FORCE");
    if (forced == nullptr && std::getenv("TUTTI_NATIVE_FIRST") != nullptr) forced = "''";
    std::string text = std::string("repeat: scripts/fuzz --lib ") + library + " --ranks " +
                       std::to_string(world_.size) + " --seed " + std::to_string(options_.seed) +
                       " --first " + std::to_string(number) + " --cases 1";
    return text + (forced != nullptr ? std::string(" --force ") + forced : "");
  }

  long sum_of_differences() const {
    long sum = 0;
    PMPI_Allreduce(&differences_, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return sum;
  }

  const Options& options_;
  const bool tutti_serves_all_ = std::getenv("TUTTI_USER_OPS") != nullptr;
  const World world_ = world();
  CommPool comms_;
  std::array<long, 3> cases_{};  // by what is right
  long limited_ = 0;
  long differences_ = 0;
};

}  // namespace

}  // namespace tutti::fuzz

int main(int argc, char** argv) {
  const tutti::fuzz::Options options = tutti::fuzz::parse(argc, argv);
  if (MPI_Allreduce == PMPI_Allreduce) {
    std::fprintf(stderr, "fuzz: libtutti.so is not preloaded, so there is nothing to compare\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  tutti::fuzz::start_watching();
  const bool good = tutti::fuzz::Fuzz(options).run();
  MPI_Finalize();
  return good ? 0 : 1;
}
