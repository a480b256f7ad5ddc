// cluster_bench: completion time of one collective call on a simulated cluster (SimGrid/SMPI 3.32).
//
// Run by smpirun, one process holding all ranks; normally through sweep.py. All ranks start at the
// same instant of simulated time, and the time of a call is that of the last rank to finish, so a
// figure repeats to the last digit. What is measured is called as MPI_Xxx, so a library that
// interposes those symbols is measured; the benchmark itself talks through PMPI_Xxx. Built twice
// from this source: plain (SMPI's own selectors) and linked with libtutti.a.
//
//   --collectives=a,b  which (names below; scan_chain etc. are written out in reference_scan.hpp)
//   --sizes=8,1024     n in bytes of the whole message (defined per collective in call.hpp)
//   --check            verify every element of every result
//   --dry              move no large payloads: same times, far less memory; results mean nothing
//   --gamma=G          seconds per byte of MPI_SUM (default 0: free; MPI_MAXLOC always is)
//   --reps=R           calls per case (default 2); --rep-wall=S stops repeating after S wall
//   seconds
//   --root=R           (default 0)
//
// Prints per case: ROW,collective,p,n,t_us,t_first_us,bound_bytes,wall_s,wrong
// t is of the last repetition; the first may include the library's set-up of a communicator. wrong
// counts wrong elements over all ranks and repetitions, and is empty unless --check.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "call.hpp"
#include "expect.hpp"
#include "reference_scan.hpp"
#include "simulation.hpp"

// A library that reduces with loops of its own calls this (declared weak there), to be charged like
// everybody else.
extern "C" void rig_charge_reduction(size_t bytes) {
  cluster::pass_reduction_time(static_cast<double>(bytes));
}

namespace cluster {
namespace {

struct Options {
  std::vector<std::string> collectives;
  std::vector<long> sizes;
  bool check = false;
  bool dry = false;
  double gamma = 0;
  int reps = 2;
  double rep_wall = 3;
  int root = 0;
};

struct Buffers {
  double* in;
  double* out;
  double* scratch;  // for the reference scans
};

struct Collective {
  const char* name;
  void (*lay_out)(Call&);
  double (*bound_bytes)(const Call&);
  Pieces (*expected)(const Call&);
  void (*run)(const Call&, Buffers);
};

// ---- The measured calls. ----

void run_barrier(const Call&, Buffers) { MPI_Barrier(MPI_COMM_WORLD); }
void run_bcast(const Call& c, Buffers b) {
  MPI_Bcast(b.in, c.count, MPI_DOUBLE, c.root, MPI_COMM_WORLD);
}
void run_reduce(const Call& c, Buffers b) {
  MPI_Reduce(b.in, b.out, c.count, MPI_DOUBLE, MPI_SUM, c.root, MPI_COMM_WORLD);
}
void run_allreduce(const Call& c, Buffers b) {
  MPI_Allreduce(b.in, b.out, c.count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
void run_scan(const Call& c, Buffers b) {
  MPI_Scan(b.in, b.out, c.count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
void run_exscan(const Call& c, Buffers b) {
  MPI_Exscan(b.in, b.out, c.count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
void run_reduce_scatter_block(const Call& c, Buffers b) {
  MPI_Reduce_scatter_block(b.in, b.out, c.count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
void run_reduce_scatter(const Call& c, Buffers b) {
  MPI_Reduce_scatter(b.in, b.out, c.blocks.counts.data(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
void run_gather(const Call& c, Buffers b) {
  MPI_Gather(b.in, c.count, MPI_DOUBLE, b.out, c.count, MPI_DOUBLE, c.root, MPI_COMM_WORLD);
}
void run_scatter(const Call& c, Buffers b) {
  MPI_Scatter(b.in, c.count, MPI_DOUBLE, b.out, c.count, MPI_DOUBLE, c.root, MPI_COMM_WORLD);
}
void run_allgather(const Call& c, Buffers b) {
  MPI_Allgather(b.in, c.count, MPI_DOUBLE, b.out, c.count, MPI_DOUBLE, MPI_COMM_WORLD);
}
void run_alltoall(const Call& c, Buffers b) {
  MPI_Alltoall(b.in, c.count, MPI_DOUBLE, b.out, c.count, MPI_DOUBLE, MPI_COMM_WORLD);
}
void run_gatherv(const Call& c, Buffers b) {
  MPI_Gatherv(b.in, c.count, MPI_DOUBLE, b.out, c.blocks.counts.data(), c.blocks.offsets.data(),
              MPI_DOUBLE, c.root, MPI_COMM_WORLD);
}
void run_scatterv(const Call& c, Buffers b) {
  MPI_Scatterv(b.in, c.blocks.counts.data(), c.blocks.offsets.data(), MPI_DOUBLE, b.out, c.count,
               MPI_DOUBLE, c.root, MPI_COMM_WORLD);
}
void run_allgatherv(const Call& c, Buffers b) {
  MPI_Allgatherv(b.in, c.count, MPI_DOUBLE, b.out, c.blocks.counts.data(), c.blocks.offsets.data(),
                 MPI_DOUBLE, MPI_COMM_WORLD);
}
void run_alltoallv(const Call& c, Buffers b) {
  MPI_Alltoallv(b.in, c.blocks.counts.data(), c.blocks.offsets.data(), MPI_DOUBLE, b.out,
                c.received.counts.data(), c.received.offsets.data(), MPI_DOUBLE, MPI_COMM_WORLD);
}
void run_scan_chain(const Call& c, Buffers b) { chain_scan(c, {b.in, b.out, b.scratch}); }
void run_exscan_chain(const Call& c, Buffers b) { chain_exscan(c, {b.in, b.out, b.scratch}); }
void run_scan_doubling(const Call& c, Buffers b) {
  doubling_scan(c, {b.in, b.out, b.scratch}, false);
}
void run_exscan_doubling(const Call& c, Buffers b) {
  doubling_scan(c, {b.in, b.out, b.scratch}, true);
}

// MPI_MAXLOC on pairs made from `in`; what comes back is encoded into `out`. Neither takes
// simulated time.
struct Pair {
  double value;
  int rank;
};

void run_maxloc(const Call& c, Buffers b, bool all) {
  std::vector<Pair> mine(c.count), result(c.count);
  for (int i = 0; i < c.count; ++i) mine[i] = {b.in[i], c.me};
  if (all) {
    MPI_Allreduce(mine.data(), result.data(), c.count, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  } else {
    MPI_Reduce(mine.data(), result.data(), c.count, MPI_DOUBLE_INT, MPI_MAXLOC, c.root,
               MPI_COMM_WORLD);
  }
  for (int i = 0; i < c.count; ++i) b.out[i] = encode_pair(result[i].value, result[i].rank);
}
void run_allreduce_maxloc(const Call& c, Buffers b) { run_maxloc(c, b, true); }
void run_reduce_maxloc(const Call& c, Buffers b) { run_maxloc(c, b, false); }

// clang-format off
constexpr Collective kCollectives[] = {
    {"barrier", lay_out_nothing, no_bytes, expect_nothing, run_barrier},
    {"bcast", lay_out_vector, vector_bytes, expect_root_vector, run_bcast},
    {"reduce", lay_out_vector, vector_bytes, expect_sum_at_root, run_reduce},
    {"allreduce", lay_out_vector, allreduce_bytes, expect_sum, run_allreduce},
    {"reduce_maxloc", lay_out_pairs, pair_bytes, expect_maxloc_at_root, run_reduce_maxloc},
    {"allreduce_maxloc", lay_out_pairs, allreduce_pair_bytes, expect_maxloc, run_allreduce_maxloc},
    {"scan", lay_out_vector, vector_bytes, expect_scan, run_scan},
    {"exscan", lay_out_vector, vector_bytes, expect_exscan, run_exscan},
    {"reduce_scatter_block", lay_out_scatter, all_but_smallest, expect_my_sum,
     run_reduce_scatter_block},
    {"reduce_scatter", lay_out_reduce_scatter, all_but_smallest, expect_my_sum, run_reduce_scatter},
    {"gather", lay_out_gather, all_but_root, expect_all_at_root, run_gather},
    {"scatter", lay_out_scatter, all_but_root, expect_my_block, run_scatter},
    {"allgather", lay_out_gather, all_but_smallest, expect_all_blocks, run_allgather},
    {"alltoall", lay_out_alltoall, all_but_smallest, expect_exchange, run_alltoall},
    {"gatherv", lay_out_gatherv, all_but_root, expect_all_at_root, run_gatherv},
    {"scatterv", lay_out_scatterv, all_but_root, expect_my_block, run_scatterv},
    {"allgatherv", lay_out_gatherv, all_but_smallest, expect_all_blocks, run_allgatherv},
    {"allgatherv_skewed", lay_out_skewed_gather, all_but_smallest, expect_all_blocks,
     run_allgatherv},
    {"reduce_scatter_skewed", lay_out_skewed_reduce_scatter, all_but_smallest, expect_my_sum,
     run_reduce_scatter},
    {"alltoallv", lay_out_alltoallv, busiest_exchange, expect_exchange_v, run_alltoallv},
    {"scan_chain", lay_out_reference_scan, vector_bytes, expect_scan, run_scan_chain},
    {"scan_doubling", lay_out_reference_scan, vector_bytes, expect_scan, run_scan_doubling},
    {"exscan_chain", lay_out_reference_scan, vector_bytes, expect_exscan, run_exscan_chain},
    {"exscan_doubling", lay_out_reference_scan, vector_bytes, expect_exscan, run_exscan_doubling},
};
// clang-format on

// ---- The benchmark's own agreement: binomial trees over PMPI messages with tags of its own, so
// neither a broken selector nor an interposed library can disturb it. (On MPI_COMM_WORLD: to
// duplicate it would cost the selectors O(p^2) wall time in SMPI.) ----

double larger(double a, double b) { return std::max(a, b); }
double plus(double a, double b) { return a + b; }

double agree(double mine, double (*combine)(double, double), int me, int p) {
  constexpr int up = 29001, down = 29002;
  int distance = 1;
  for (; distance < p && !(me & distance); distance <<= 1) {
    if (me + distance >= p) continue;
    double theirs = 0;
    PMPI_Recv(&theirs, 1, MPI_DOUBLE, me + distance, up, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mine = combine(mine, theirs);
  }
  if (me != 0) {
    PMPI_Send(&mine, 1, MPI_DOUBLE, me - distance, up, MPI_COMM_WORLD);
    PMPI_Recv(&mine, 1, MPI_DOUBLE, me - distance, down, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (distance >>= 1; distance > 0; distance >>= 1) {
    if (me + distance < p) PMPI_Send(&mine, 1, MPI_DOUBLE, me + distance, down, MPI_COMM_WORLD);
  }
  return mine;
}

double wall_seconds() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

// ---- One case. ----

struct Timing {
  double first = 0, last = 0;  // simulated seconds
  double wall = 0;             // of the first repetition
  double wrong = 0;            // elements
};

struct Storage {
  std::vector<double> in, out, scratch;
};

Buffers make_buffers(const Call& call, bool dry, Storage& storage) {
  if (dry) return {dry_buffer(0), dry_buffer(1), dry_buffer(2)};
  storage.in.resize(std::max(1L, call.in_size));
  storage.out.resize(std::max(1L, call.out_size));
  storage.scratch.resize(call.scratch_size);
  return {storage.in.data(), storage.out.data(), storage.scratch.data()};
}

Timing time_case(const Collective& collective, const Call& call, const Options& options) {
  Storage storage;
  const Buffers buffers = make_buffers(call, options.dry, storage);
  const bool in_holds_result = std::strcmp(collective.name, "bcast") == 0;
  const double* result = in_holds_result ? buffers.in : buffers.out;
  Timing timing;
  for (int rep = 0; rep < options.reps; ++rep) {
    if (rep > 0 && timing.wall > options.rep_wall) break;
    const double wall_start = wall_seconds();
    fill(storage.in, call.me, rep);
    std::fill(storage.out.begin(), storage.out.end(), -1.0);
    const double start = start_together();
    collective.run(call, buffers);
    timing.last = agree(seconds_since(start), larger, call.me, call.p);
    if (options.check) {
      const auto wrong = count_wrong(collective.expected(call), result, rep);
      timing.wrong += agree(static_cast<double>(wrong), plus, call.me, call.p);
    }
    if (rep > 0) continue;
    timing.first = timing.last;
    timing.wall = agree(wall_seconds() - wall_start, larger, call.me, call.p);
  }
  return timing;
}

void print_row(const Collective& collective, const Call& call, const Timing& t, bool checked) {
  const double bound_bytes = call.p > 1 ? collective.bound_bytes(call) : 0;
  std::printf("ROW,%s,%d,%ld,%.4f,%.4f,%.0f,%.2f,%s\n", collective.name, call.p, call.n,
              t.last * 1e6, t.first * 1e6, bound_bytes, t.wall,
              checked ? std::to_string(std::lround(t.wrong)).c_str() : "");
  std::fflush(stdout);
}

// ---- Options. ----

[[noreturn]] void refuse(int me, const std::string& why) {
  if (me == 0) std::fprintf(stderr, "cluster_bench: usage: %s\n", why.c_str());
  PMPI_Abort(MPI_COMM_WORLD, 2);
  std::abort();
}

const Collective& find_collective(const std::string& name, int me) {
  std::string known;
  for (const Collective& collective : kCollectives) {
    if (name == collective.name) return collective;
    known += std::string(" ") + collective.name;
  }
  refuse(me, "unknown collective '" + name + "'; known are:" + known);
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

double number(const std::string& text, const std::string& key, double least, int me) {
  char* end = nullptr;
  const double parsed = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(parsed >= least)) {
    refuse(me, key + "=" + text + ": a number of at least " + std::to_string(least) + " is needed");
  }
  return parsed;
}

void read_option(const std::string& argument, Options& options, int me) {
  const size_t equals = argument.find('=');
  const std::string key = argument.substr(0, equals);
  const std::string text = equals == std::string::npos ? "" : argument.substr(equals + 1);
  auto value = [&](double least) { return number(text, key, least, me); };
  if (key == "--check")
    options.check = true;
  else if (key == "--dry")
    options.dry = true;
  else if (key == "--collectives")
    options.collectives = split(text);
  else if (key == "--gamma")
    options.gamma = value(0);
  else if (key == "--reps")
    options.reps = static_cast<int>(value(1));
  else if (key == "--rep-wall")
    options.rep_wall = value(0);
  else if (key == "--root")
    options.root = static_cast<int>(value(0));
  else if (key == "--sizes") {
    for (const std::string& size : split(text)) {
      options.sizes.push_back(static_cast<long>(number(size, key, 0, me)));
    }
  } else
    refuse(me, "unknown option '" + argument + "' (see the head of collective.cpp)");
}

Options read_options(int argc, char** argv, int me, int p) {
  Options options;
  for (int i = 1; i < argc; ++i) read_option(argv[i], options, me);
  if (options.check && options.dry) refuse(me, "--check needs payloads; --dry moves none");
  if (options.collectives.empty() || options.sizes.empty()) {
    refuse(me, "--collectives=... and --sizes=... are needed");
  }
  if (options.root >= p) refuse(me, "--root must be below p = " + std::to_string(p));
  return options;
}

void run(int argc, char** argv) {
  int me = 0, p = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  PMPI_Comm_size(MPI_COMM_WORLD, &p);
  const Options options = read_options(argc, argv, me, p);
  set_price(me, options.gamma, options.dry);
  if (options.dry) smpi_comm_set_copy_data_callback(copy_small_only);
  for (const std::string& name : options.collectives) {
    const Collective& collective = find_collective(name, me);
    for (long n : options.sizes) {
      Call call;
      call.p = p;
      call.me = me;
      call.root = options.root;
      call.n = n;
      collective.lay_out(call);
      const Timing timing = time_case(collective, call, options);
      if (me == 0) print_row(collective, call, timing, options.check);
    }
  }
}

}  // namespace
}  // namespace cluster

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);  // as any program does, so that an interposed library sees it
  cluster::run(argc, argv);
  MPI_Finalize();
  return 0;
}
