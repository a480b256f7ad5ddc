// One collective call to be timed: its counts, its buffers, and what must be true of it.
//
// Everything is in MPI_DOUBLEs except where a name says bytes or pairs. `n` is the size asked for,
// in bytes of the whole message:
//   bcast, reduce, allreduce, scan, exscan       the vector (_maxloc: of pairs of 16 bytes)
//   (all)gather(v), scatter(v), reduce_scatter*  the blocks of all ranks together
//   alltoall(v)                                  what one rank sends (on average, for alltoallv)
// so a block has n/p bytes, rounded up to whole doubles and at least one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace cluster {

// Blocks that lie one behind another in a buffer, one per rank.
struct Blocks {
  std::vector<int> counts;
  std::vector<int> offsets;
  long total = 0;

  Blocks() = default;
  explicit Blocks(std::vector<int> block_counts) : counts(std::move(block_counts)) {
    for (int count : counts) {
      offsets.push_back(static_cast<int>(total));
      total += count;
    }
  }
};

struct Call {
  int p = 1;
  int me = 0;
  int root = 0;
  long n = 0;

  int count = 0;                   // doubles of the vector, or of this rank's own block
  Blocks blocks;                   // the blocks of all ranks; for alltoall(v), those I send
  Blocks received;                 // alltoall(v) only: the blocks sent to me
  long in_size = 1, out_size = 1;  // doubles in each buffer
  long scratch_size = 0;           // reference scans only

  double bound_bytes = 0;  // what the busiest port must carry, whatever the algorithm
};

// Count distribution of the irregular collectives, a pure function of `key`: exponential weights,
// one in five empty, one in sixteen eight times heavier. Deterministic, so that every rank and
// every run sees the same counts.
inline double uniform(uint64_t key) {  // in [0,1): the SplitMix64 mixer (Steele, Lea, Flood 2014)
  key += 0x9E3779B97F4A7C15ull;
  key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9ull;
  key = (key ^ (key >> 27)) * 0x94D049BB133111EBull;
  return static_cast<double>((key ^ (key >> 31)) >> 11) * 0x1p-53;
}

inline double irregular_weight(uint64_t key) {
  if (uniform(3 * key) < 0.2) return 0;
  const double weight = -std::log(1 - uniform(3 * key + 1));
  return uniform(3 * key + 2) < 1.0 / 16 ? 8 * weight : weight;
}

// About `total` doubles over p blocks of at least `least` each.
inline Blocks irregular_blocks(int p, long total, int least) {
  std::vector<double> weights(p);
  double sum = 0;
  for (int rank = 0; rank < p; ++rank) sum += weights[rank] = irregular_weight(rank + 1);
  if (sum == 0) weights[0] = sum = 1;
  std::vector<int> counts(p);
  for (int rank = 0; rank < p; ++rank) {
    const auto share = std::llround(weights[rank] / sum * static_cast<double>(total));
    counts[rank] = std::max(least, static_cast<int>(share));
  }
  if (std::all_of(counts.begin(), counts.end(), [](int c) { return c == 0; })) counts[0] = 1;
  return Blocks(counts);
}

// Doubles that `from` sends to `to` in alltoallv, `mean` on average.
inline int pair_count(int p, int from, int to, long mean) {
  const uint64_t key = (static_cast<uint64_t>(from) * 65536 + to) * 7 + p + 99;
  return static_cast<int>(std::llround(irregular_weight(key) * static_cast<double>(mean)));
}

inline long block_doubles(const Call& call) { return std::max(1L, (call.n / call.p + 7) / 8); }
inline long vector_doubles(const Call& call) { return std::max(1L, call.n / 8); }
inline Blocks equal_blocks(const Call& call) {
  return Blocks(std::vector<int>(call.p, static_cast<int>(block_doubles(call))));
}

// ---- Layouts: fill in counts and buffer sizes of a call whose p, me, root and n are set. ----

inline void lay_out_nothing(Call&) {}

inline void lay_out_vector(Call& call) {
  call.count = static_cast<int>(vector_doubles(call));
  call.in_size = call.out_size = call.count;
}

// Pairs of MPI_DOUBLE_INT, 16 bytes each in memory; `in` and `out` have a double for each.
inline void lay_out_pairs(Call& call) {
  call.count = static_cast<int>(std::max(1L, call.n / 16));
  call.in_size = call.out_size = call.count;
}

inline void lay_out_reference_scan(Call& call) {
  lay_out_vector(call);
  call.scratch_size = 2L * call.count;
}

inline void lay_out_blocks(Call& call, Blocks blocks) {
  call.blocks = std::move(blocks);
  call.count = call.blocks.counts[call.me];
}

inline void lay_out_gather(Call& call) {
  lay_out_blocks(call, equal_blocks(call));
  call.in_size = call.count;
  call.out_size = call.blocks.total;
}

inline void lay_out_gatherv(Call& call) {
  lay_out_blocks(call, irregular_blocks(call.p, vector_doubles(call), 0));
  call.in_size = call.count;
  call.out_size = call.blocks.total;
}

// One rank has nine tenths, the others an equal share of the rest. None is empty, see below.
inline Blocks skewed_blocks(const Call& call) {
  const long total = vector_doubles(call);
  std::vector<int> counts(call.p, std::max(1, static_cast<int>(total / 10 / call.p)));
  counts[call.p / 2] += static_cast<int>(total - total / 10);
  return Blocks(counts);
}

inline void lay_out_skewed_gather(Call& call) {
  lay_out_blocks(call, skewed_blocks(call));
  call.in_size = call.count;
  call.out_size = call.blocks.total;
}

inline void lay_out_skewed_reduce_scatter(Call& call) {
  lay_out_skewed_gather(call);
  std::swap(call.in_size, call.out_size);
}

inline void lay_out_scatter(Call& call) {
  lay_out_gather(call);
  std::swap(call.in_size, call.out_size);
}

inline void lay_out_scatterv(Call& call) {
  lay_out_gatherv(call);
  std::swap(call.in_size, call.out_size);
}

// No empty blocks here: SMPI's ompi and mvapich2 reduce_scatter answer wrongly with them.
inline void lay_out_reduce_scatter(Call& call) {
  lay_out_blocks(call, irregular_blocks(call.p, vector_doubles(call), 1));
  call.in_size = call.blocks.total;
  call.out_size = call.count;
}

inline void lay_out_alltoall(Call& call) {
  lay_out_blocks(call, equal_blocks(call));
  call.received = call.blocks;
  call.in_size = call.out_size = call.blocks.total;
}

inline void lay_out_alltoallv(Call& call) {
  std::vector<int> to(call.p), from(call.p);
  for (int peer = 0; peer < call.p; ++peer) {
    to[peer] = pair_count(call.p, call.me, peer, block_doubles(call));
    from[peer] = pair_count(call.p, peer, call.me, block_doubles(call));
  }
  lay_out_blocks(call, Blocks(to));
  call.received = Blocks(from);
  call.in_size = call.blocks.total;
  call.out_size = call.received.total;
}

// ---- Bandwidth bounds: bytes through the busiest port, at least (p > 1). ----

inline double no_bytes(const Call&) { return 0; }
inline double vector_bytes(const Call& call) { return 8.0 * call.count; }
inline double pair_bytes(const Call& call) { return 12.0 * call.count; }  // 4 of 16 are a gap
inline double allreduce_pair_bytes(const Call& call) {
  return 2.0 * (call.p - 1) / call.p * pair_bytes(call);
}
inline double allreduce_bytes(const Call& call) {
  return 2.0 * (call.p - 1) / call.p * 8 * call.count;
}

// The rank with the smallest block receives (allgather) or sends (reduce_scatter) all others.
inline double all_but_smallest(const Call& call) {
  const auto& counts = call.blocks.counts;
  return 8.0 * (call.blocks.total - *std::min_element(counts.begin(), counts.end()));
}

inline double all_but_root(const Call& call) {
  return 8.0 * (call.blocks.total - call.blocks.counts[call.root]);
}

inline double busiest_exchange(const Call& call) {
  long busiest = 0;
  for (int rank = 0; rank < call.p; ++rank) {
    long sent = 0, received = 0;
    for (int peer = 0; peer < call.p; ++peer) {
      if (peer == rank) continue;
      sent += pair_count(call.p, rank, peer, block_doubles(call));
      received += pair_count(call.p, peer, rank, block_doubles(call));
    }
    busiest = std::max({busiest, sent, received});
  }
  return 8.0 * static_cast<double>(busiest);
}

}  // namespace cluster
