#include "tools/measure/machine_measure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <random>

#include "passes/lowering.hpp"
#include "runtime/nodes.hpp"
#include "tools/cli/progress.hpp"
#include "tools/measure/bench_measure.hpp"
#include "tools/measure/pair_memory.hpp"
#include "tools/measure/statistics.hpp"

namespace tutti::tools {

namespace {

constexpr int tag = 1;
constexpr int short_message = 8;  // bytes
constexpr int larger_message = 1 << 20;
constexpr int largest_message = 4 << 20;
constexpr int burst = 16;           // messages under way together
constexpr int most_messages = 128;  // of a larger message, as fragments
constexpr int batches = 15;
constexpr int long_batches = 5;  // of what takes longer than `surely_long`
constexpr double batch_seconds = 1e-3;
constexpr int most_calls = 1000;

struct Ends {
  int a = 0, b = 0;
};

int shift_rounds(const std::vector<int>& ranks) {
  return std::min(static_cast<int>(ranks.size()) - 1, 3);
}

class Bench {
 public:
  explicit Bench(const Session& session)
      : rank_(session.rank), out_(largest_message), in_(largest_message) {}

  bool is_one_of(Ends ends) const { return rank_ == ends.a || rank_ == ends.b; }

  // Seconds a call takes on the slowest rank: all ranks take part, `call` does this rank's share.
  template <class Call>
  std::vector<double> samples(Call call) {
    int calls = 1;
    double took = batch(call, calls);
    while (calls < most_calls && took * calls < batch_seconds) took = batch(call, calls *= 2);
    const int wanted = took >= surely_long ? long_batches : batches;
    std::vector<double> seconds;
    for (int i = 0; i < wanted; ++i) seconds.push_back(batch(call, calls));
    std::ranges::sort(seconds);
    return seconds;
  }

  std::vector<double> one_way(Ends ends, int bytes) {
    std::vector<double> seconds = samples([&] {
      if (rank_ == ends.a) send(ends.b, bytes), receive(ends.b, bytes);
      if (rank_ == ends.b) receive(ends.a, bytes), send(ends.a, bytes);
    });
    for (double& each : seconds) each /= 2;
    return seconds;
  }
  std::vector<double> exchange(Ends ends, int bytes, int messages = 1) {
    return samples([&] {
      const int partner = rank_ == ends.a ? ends.b : ends.a;
      if (is_one_of(ends)) swap(partner, partner, bytes, messages);
    });
  }
  // Every rank with a partner of its own, or none.
  std::vector<double> all_exchange(const std::vector<int>& partners, int bytes) {
    const int partner = partners[static_cast<std::size_t>(rank_)];
    return samples([&] {
      if (partner != rank_) swap(partner, partner, bytes, 1);
    });
  }

  // Rounds in which each of `ranks` sends to one that comes after it, and receives from one before
  // it.
  std::vector<double> shifts(const std::vector<int>& ranks, int bytes, int messages) {
    const auto found = std::ranges::find(ranks, rank_);
    const auto p = static_cast<int>(ranks.size()), me = static_cast<int>(found - ranks.begin());
    return samples([&] {
      for (int distance = 1; distance <= shift_rounds(ranks) && me < p; ++distance) {
        swap(ranks[static_cast<std::size_t>((me + distance) % p)],
             ranks[static_cast<std::size_t>((me - distance + p) % p)], bytes, messages);
      }
    });
  }

  // Whether messages of so many bytes leave although nobody receives them.
  bool is_eager(Ends ends, int bytes) {
    int eager = 0;
    char word = 0;
    if (rank_ == ends.a) {
      MPI_Request request;
      PMPI_Isend(out_.data(), bytes, MPI_BYTE, ends.b, tag, MPI_COMM_WORLD, &request);
      PMPI_Sendrecv(&word, 1, MPI_BYTE, ends.b, tag + 1, &word, 1, MPI_BYTE, ends.b, tag + 1,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      PMPI_Test(&request, &eager, MPI_STATUS_IGNORE);
      PMPI_Send(&word, 1, MPI_BYTE, ends.b, tag + 1, MPI_COMM_WORLD);
      PMPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank_ == ends.b) {
      PMPI_Sendrecv(&word, 1, MPI_BYTE, ends.a, tag + 1, &word, 1, MPI_BYTE, ends.a, tag + 1,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      PMPI_Recv(&word, 1, MPI_BYTE, ends.a, tag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      receive(ends.a, bytes);
    }
    PMPI_Bcast(&eager, 1, MPI_INT, ends.a, MPI_COMM_WORLD);
    return eager != 0;
  }

  // Of messages of so many bytes that leave together: when the first has arrived, as a part of when
  // the last has.
  double first_of_burst(Ends ends, int bytes) {
    std::array<double, batches> parts{};
    for (double& part : parts) {
      PMPI_Barrier(MPI_COMM_WORLD);
      MPI_Request requests[burst];
      if (rank_ == ends.a) {
        receive(ends.b, 0);
        start_sends(ends.b, bytes, burst, requests);
        PMPI_Waitall(burst, requests, MPI_STATUSES_IGNORE);
      } else if (rank_ == ends.b) {
        start_receives(ends.a, bytes, burst, requests);
        const double start = PMPI_Wtime();
        send(ends.a, 0);
        PMPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        const double first = PMPI_Wtime();
        PMPI_Waitall(burst, requests, MPI_STATUSES_IGNORE);
        part = (first - start) / (PMPI_Wtime() - start);
      }
    }
    std::ranges::sort(parts);
    PMPI_Bcast(&parts[batches / 2], 1, MPI_DOUBLE, ends.b, MPI_COMM_WORLD);
    return parts[batches / 2];
  }

  // Seconds per byte of a sum of doubles.
  Estimate reduction() {
    constexpr int count = (256 << 10) / sizeof(double);
    std::vector<double> left(count, 1), right(count, 1);
    std::vector<double> seconds =
        samples([&] { PMPI_Reduce_local(left.data(), right.data(), count, MPI_DOUBLE, MPI_SUM); });
    for (double& each : seconds) each /= count * sizeof(double);
    return estimate(seconds);
  }

  static Estimate estimate(const std::vector<double>& seconds) {
    const auto [lower, middle, upper] = quartiles(seconds);
    return {middle, middle > 0 ? (upper - lower) / middle : 0};
  }

 private:
  template <class Call>
  double batch(Call& call, int calls) {
    PMPI_Barrier(MPI_COMM_WORLD);
    const double start = PMPI_Wtime();
    for (int i = 0; i < calls; ++i) call();
    return combined((PMPI_Wtime() - start) / calls, MPI_DOUBLE, MPI_MAX);
  }
  void send(int to, int bytes) { PMPI_Send(out_.data(), bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD); }
  void receive(int from, int bytes) {
    PMPI_Recv(in_.data(), bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  void start_receives(int from, int bytes, int messages, MPI_Request* requests) {
    for (int i = 0; i < messages; ++i) {
      PMPI_Irecv(in_.data() + std::ptrdiff_t{i} * bytes, bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD,
                 &requests[i]);
    }
  }
  void start_sends(int to, int bytes, int messages, MPI_Request* requests) {
    for (int i = 0; i < messages; ++i) {
      PMPI_Isend(out_.data(), bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &requests[i]);
    }
  }
  // As schedules are run: of long messages to and from one rank the sends first.
  void swap(int to, int from, int bytes, int messages) {
    MPI_Request requests[2 * most_messages];
    const bool sends_first = to == from && bytes >= long_message;
    if (!sends_first) start_receives(from, bytes, messages, requests);
    start_sends(to, bytes, messages, requests + messages);
    if (sends_first) start_receives(from, bytes, messages, requests);
    PMPI_Waitall(2 * messages, requests, MPI_STATUSES_IGNORE);
  }

  int rank_;
  std::vector<char> out_, in_;
};

// Seconds per byte or message, from how much longer so many more take. Sorted samples pair by their
// rank: the quickest of one with the quickest of the other.
Estimate slope(const std::vector<double>& shorter, const std::vector<double>& longer, double more) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < shorter.size(); ++i)
    slopes.push_back((longer[i] - shorter[i]) / more);
  return Bench::estimate(slopes);
}

// The least power of two that waits for its receiver.
double eager_limit(Bench& bench, Ends ends) {
  for (int bytes = 64; bytes < largest_message; bytes *= 2) {
    if (!bench.is_eager(ends, bytes)) return bytes;
  }
  return largest_message;
}

// The largest power of two that does not wait, and arrives in order; 0 if none does of those that
// take the connection much longer than the processors: how others arrive says nothing.
double in_order_limit(Bench& bench, Ends ends, const Level& level) {
  constexpr double early = 0.35;  // part of a burst's time
  double bytes = std::min(level.eager / 2, 1.0 * largest_message / burst);
  for (; bytes * level.beta.value > 2 * level.busy.value; bytes /= 2) {
    if (bench.first_of_burst(ends, static_cast<int>(bytes)) < early) return bytes;
  }
  return 0;
}

Level measure_level(Bench& bench, std::optional<Ends> ends) {
  if (!ends) return {};
  Level level{.exists = true};
  for (int bytes = short_message; bytes <= largest_message; bytes *= 8) {
    level.sizes.push_back({static_cast<double>(bytes), median(bench.one_way(*ends, bytes)),
                           median(bench.exchange(*ends, bytes))});
  }
  const auto both = bench.exchange(*ends, short_message);
  const auto one = bench.one_way(*ends, short_message);
  level.alpha = Bench::estimate(both);
  level.alpha_one_way = Bench::estimate(one);
  const double more = largest_message - larger_message;
  level.beta =
      slope(bench.exchange(*ends, larger_message), bench.exchange(*ends, largest_message), more);
  level.beta_one_way =
      slope(bench.one_way(*ends, larger_message), bench.one_way(*ends, largest_message), more);
  level.busy = slope(both, bench.exchange(*ends, short_message, burst), burst - 1);
  level.eager = eager_limit(bench, *ends);
  level.in_order = in_order_limit(bench, *ends, level);
  return level;
}

// The first rank of each node.
std::vector<int> one_of_each(const Placement& placement, int p) {
  std::vector<int> ranks;
  for (int rank = 0; rank < p; ++rank) {
    if (placement.node(rank) == static_cast<int>(ranks.size())) ranks.push_back(rank);
  }
  return ranks;
}

// What a message sent and one received take of a processor where all nodes send: hosts that share
// processors have less of them then.
Estimate busy_of_all(Bench& bench, const std::vector<int>& ranks) {
  return slope(bench.shifts(ranks, short_message, 1), bench.shifts(ranks, short_message, burst),
               (burst - 1) * shift_rounds(ranks));
}

// Fragments in which messages that wait for their receivers, each from one node to another, take
// 0.85 of their time at most, and larger ones no more than theirs: of two such lengths the longer,
// unless the other is quicker by as much again. 0 if there is none.
double fragment_length(Bench& bench, const std::vector<int>& ranks, double eager) {
  constexpr double gain = 0.85, noise = 1.02;
  const auto shifts = [&](int bytes, int fragment) {
    return median(bench.shifts(ranks, fragment, bytes / fragment));
  };
  const int longest = static_cast<int>(eager) / 2, some = 4 * static_cast<int>(eager);
  if (some > larger_message) return 0;
  const double larger_whole = shifts(larger_message, larger_message);
  double least = shifts(some, some);
  int found = 0;
  const int shortest = std::max(longest / 2, larger_message / most_messages);
  for (int fragment = longest; fragment >= shortest; fragment /= 2) {
    const double seconds = shifts(some, fragment);
    if (seconds > gain * least || shifts(larger_message, fragment) > noise * larger_whole) continue;
    least = seconds;
    found = fragment;
  }
  return found;
}

// The first two ranks that are, or are not, on one node.
std::optional<Ends> pair_of(const Placement& placement, int p, bool near) {
  for (int a = 0; a < p; ++a) {
    for (int b = a + 1; b < p; ++b) {
      if ((placement.node(a) == placement.node(b)) == near) return Ends{a, b};
    }
  }
  return std::nullopt;
}

// Each rank's partner in a pairing of neighbours in `order`; its own, if one is left over.
std::vector<int> pairs_in(const std::vector<int>& order) {
  std::vector<int> partners(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t other = (i ^ 1) < order.size() ? i ^ 1 : i;
    partners[static_cast<std::size_t>(order[i])] = order[other];
  }
  return partners;
}

std::vector<Pattern> measure_patterns(Bench& bench, int p) {
  std::vector<int> order(static_cast<std::size_t>(p));
  std::iota(order.begin(), order.end(), 0);
  const auto bandwidth = [&](const std::vector<int>& arranged) {
    return larger_message / median(bench.all_exchange(pairs_in(arranged), larger_message));
  };
  std::vector<Pattern> patterns{{"neighbours", bandwidth(order)}};
  std::vector<int> across;
  for (int i = 0; i < p / 2; ++i) across.insert(across.end(), {i, i + (p + 1) / 2});
  if (p % 2 == 1) across.push_back(p / 2);
  patterns.push_back({"across the middle", bandwidth(across)});
  std::mt19937 random(1);  // the same on all ranks
  std::ranges::shuffle(order, random);
  patterns.push_back({"random pairs", bandwidth(order)});
  return patterns;
}

// Ranks in pairs on their nodes; a rank that is left over is its own partner.
struct Pairs {
  std::vector<int> partners;
  int talking = 0;  // of the fullest node
};

Pairs pairs_on_nodes(const Placement& placement, int p) {
  std::map<int, std::vector<int>> nodes;
  for (int rank = 0; rank < p; ++rank) nodes[placement.node(rank)].push_back(rank);
  Pairs pairs{.partners = std::vector<int>(static_cast<std::size_t>(p))};
  std::iota(pairs.partners.begin(), pairs.partners.end(), 0);
  for (const auto& [node, ranks] : nodes) {
    for (std::size_t i = 0; i + 1 < ranks.size(); i += 2) {
      pairs.partners[static_cast<std::size_t>(ranks[i])] = ranks[i + 1];
      pairs.partners[static_cast<std::size_t>(ranks[i + 1])] = ranks[i];
    }
    pairs.talking = std::max(pairs.talking, static_cast<int>(ranks.size() / 2 * 2));
  }
  return pairs;
}

// What a byte of theirs takes, all together.
double measure_together(Bench& bench, const Pairs& pairs) {
  if (pairs.talking == 0) return 0;
  return median(bench.all_exchange(pairs.partners, larger_message)) /
         (pairs.talking * static_cast<double>(larger_message));
}

// All pairs at once: what they take more than one alone is for want of what they share. Of an
// exchange by cells each processor copies its own message in, and the other's out.
std::optional<SharedMemory> measure_memory(Bench& bench, const Pairs& pairs,
                                           const Session& session) {
  constexpr int short_cell = 8 << 10, cell = 16 << 10, lent = 64 << 10, longest = 1 << 20;
  const int partner = pairs.partners[static_cast<std::size_t>(session.rank)];
  const auto memory = PairMemory::share(session.rank, partner);
  const bool is_there = memory != nullptr || partner == session.rank;
  if (pairs.talking == 0 || combined(is_there ? 1 : 0, MPI_INT, MPI_MIN) == 0) return std::nullopt;
  const bool lends = combined(memory == nullptr || memory->lends() ? 1 : 0, MPI_INT, MPI_MIN) != 0;
  const int first = combined(memory != nullptr ? session.rank : session.p, MPI_INT, MPI_MIN);
  const int second = pairs.partners[static_cast<std::size_t>(first)];
  const auto seconds = [&](int bytes, int messages = 1, bool all = false) {
    const bool takes_part =
        memory != nullptr && (all || session.rank == first || session.rank == second);
    return median(bench.samples([&] {
      if (takes_part) memory->exchange(static_cast<std::size_t>(bytes), messages);
    }));
  };
  SharedMemory found{.lent_from = lends ? static_cast<double>(least_lent) : 0};
  constexpr int some = PairMemory::most_messages;
  const double word = seconds(short_message);
  const auto positive = [](double value) { return std::max(value, 1e-12); };
  found.entry = positive((seconds(short_message, some) - word) / (some - 1) / 2);
  found.latency = positive(word - 2 * found.entry);
  const double at_cell = seconds(cell);
  found.copy = positive((at_cell - seconds(short_cell)) / (cell - short_cell) / 2);
  const double sharing = (seconds(cell, 1, true) - at_cell) / cell + found.copy;
  found.together = std::max(sharing, found.copy) / pairs.talking;
  if (!lends) return found;
  const double at_lent = seconds(lent);
  found.lent_copy = positive((seconds(longest) - at_lent) / (longest - lent));
  found.lending = positive(at_lent - word - lent * found.lent_copy);
  return found;
}

}  // namespace

Measured measure_machine(const Session& session) {
  constexpr int parts = 7;
  Progress progress(parts, session.rank == 0);
  const auto done = [&] { progress.add(1, "measuring"); };
  const Placement placement(runtime::nodes_of_ranks(MPI_COMM_WORLD));
  Bench bench(session);
  Measured measured{.ranks_per_node = placement.most_ranks()};
  const auto far = pair_of(placement, session.p, false);
  measured.between_nodes = measure_level(bench, far);
  if (far) {
    const std::vector<int> ranks = one_of_each(placement, session.p);
    measured.between_nodes.busy = busy_of_all(bench, ranks);
    measured.fragment = fragment_length(bench, ranks, measured.between_nodes.eager);
  }
  done();
  measured.inside_a_node = measure_level(bench, pair_of(placement, session.p, true));
  done();
  measured.gamma = bench.reduction();
  done();
  const Pairs pairs = pairs_on_nodes(placement, session.p);
  measured.near_together = measure_together(bench, pairs);
  done();
  if (!surroundings(session).crowded()) measured.memory = measure_memory(bench, pairs, session);
  done();
  measured.patterns = measure_patterns(bench, session.p);
  done();
  measured.clock_skew = combined(std::abs(Clock(MPI_COMM_WORLD).ahead()), MPI_DOUBLE, MPI_MAX);
  done();
  return measured;
}

Machine machine_from(const Measured& measured) {
  const Level& far =
      measured.between_nodes.exists ? measured.between_nodes : measured.inside_a_node;
  const Level& near = measured.inside_a_node.exists ? measured.inside_a_node : far;
  const auto part = [](double one_way, double both) {
    return both > 0 ? std::clamp(one_way / both, 0.5, 1.0) : 1;
  };
  const auto busy = [](const Level& level) {
    return std::clamp(level.busy.value / level.alpha.value / 2, 0.0, 0.5);
  };
  Machine machine{.alpha = far.alpha.value,
                  .beta = far.beta.value,
                  .gamma = measured.gamma.value,
                  .f_alpha = part(far.alpha_one_way.value, far.alpha.value),
                  .f_beta = part(far.beta_one_way.value, far.beta.value),
                  .eager = far.eager,
                  .overlap = far.eager,
                  .busy = busy(far),
                  .in_order = far.in_order,
                  .fragment = measured.fragment,
                  .near_alpha = near.alpha.value,
                  .near_beta = near.beta.value,
                  .near_busy = busy(near),
                  .ranks_per_node = measured.ranks_per_node};
  machine.near_together = measured.near_together > 0
                              ? std::min(measured.near_together, near.beta.value)
                              : near.beta.value;
  if (measured.memory) {
    machine.inside = Inside::memory;
    machine.memory = *measured.memory;
  }
  return machine;
}

}  // namespace tutti::tools
