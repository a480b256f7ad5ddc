// What a collective must deliver, and whether it did.
//
// Rank r contributes value(r, i, salt) at index i. Every result of every collective is then a list
// of pieces, each the sum over consecutive ranks of what they contributed at consecutive indices
// (one rank, where data only move). Values are small integers, so sums of doubles are exact in any
// order; a new salt for every call keeps a stale result from passing for a right one. MPI_MAXLOC's
// result, a pair, is written as one double, see encode_pair.
#pragma once

#include <algorithm>
#include <vector>

#include "call.hpp"

namespace cluster {

constexpr long kPeriod = 1009;  // value() repeats with this period in i

inline double value(int rank, long i, int salt) {
  return static_cast<double>((rank * 131L + i * 7 + salt * 37L) % kPeriod);
}

struct Piece {
  long at = 0;                        // where in the result buffer
  long count = 0;                     // doubles
  int first_rank = 0, last_rank = 0;  // contributors, last excluded
  long index = 0;                     // first index on the contributors' side
  bool maxloc = false;                // the largest and the first rank that has it, not the sum
};

using Pieces = std::vector<Piece>;

inline Pieces expect_nothing(const Call&) { return {}; }
inline Pieces expect_root_vector(const Call& call) {
  return {{0, call.count, call.root, call.root + 1, 0}};
}
inline Pieces expect_sum(const Call& call) { return {{0, call.count, 0, call.p, 0}}; }
inline Pieces expect_sum_at_root(const Call& call) {
  return call.me == call.root ? expect_sum(call) : Pieces{};
}
inline Pieces expect_maxloc(const Call& call) { return {{0, call.count, 0, call.p, 0, true}}; }
inline Pieces expect_maxloc_at_root(const Call& call) {
  return call.me == call.root ? expect_maxloc(call) : Pieces{};
}
inline Pieces expect_scan(const Call& call) { return {{0, call.count, 0, call.me + 1, 0}}; }
inline Pieces expect_exscan(const Call& call) {  // rank 0's result is undefined
  return call.me > 0 ? Pieces{{0, call.count, 0, call.me, 0}} : Pieces{};
}
inline Pieces expect_my_sum(const Call& call) {
  return {{0, call.count, 0, call.p, call.blocks.offsets[call.me]}};
}
inline Pieces expect_my_block(const Call& call) {
  return {{0, call.count, call.root, call.root + 1, call.blocks.offsets[call.me]}};
}

inline Pieces expect_all_blocks(const Call& call) {
  Pieces pieces;
  for (int q = 0; q < call.p; ++q) {
    pieces.push_back({call.blocks.offsets[q], call.blocks.counts[q], q, q + 1, 0});
  }
  return pieces;
}
inline Pieces expect_all_at_root(const Call& call) {
  return call.me == call.root ? expect_all_blocks(call) : Pieces{};
}

inline Pieces expect_exchange(const Call& call) {
  Pieces pieces;
  for (int q = 0; q < call.p; ++q) {
    pieces.push_back({call.received.offsets[q], call.received.counts[q], q, q + 1,
                      call.blocks.offsets[call.me]});
  }
  return pieces;
}
inline Pieces expect_exchange_v(const Call& call) {
  Pieces pieces = expect_exchange(call);
  for (int q = 0; q < call.p; ++q) {  // my block lies elsewhere in every sender's buffer
    pieces[q].index = 0;
    for (int peer = 0; peer < call.me; ++peer) {
      pieces[q].index += pair_count(call.p, q, peer, block_doubles(call));
    }
  }
  return pieces;
}

inline void fill(std::vector<double>& buffer, int rank, int salt) {
  for (size_t i = 0; i < buffer.size(); ++i) buffer[i] = value(rank, static_cast<long>(i), salt);
}

inline double encode_pair(double largest, int rank) { return largest * 65536 + rank; }

// What should be at `i` of a piece.
inline double expected_at(const Piece& piece, long i, int salt) {
  double sum = 0, largest = -1;
  int where = 0;
  for (int rank = piece.first_rank; rank < piece.last_rank; ++rank) {
    const double theirs = value(rank, piece.index + i, salt);
    sum += theirs;
    if (theirs > largest) where = rank;
    largest = std::max(largest, theirs);
  }
  return piece.maxloc ? encode_pair(largest, where) : sum;
}

// Number of doubles in `result` that are not what `pieces` say.
inline long count_wrong(const Pieces& pieces, const double* result, int salt) {
  long wrong = 0;
  std::vector<double> expected;  // one period is enough
  for (const Piece& piece : pieces) {
    expected.resize(std::min(piece.count, kPeriod));
    for (size_t i = 0; i < expected.size(); ++i) {
      expected[i] = expected_at(piece, static_cast<long>(i), salt);
    }
    for (long i = 0; i < piece.count; ++i) {
      if (result[piece.at + i] != expected[i % kPeriod]) ++wrong;
    }
  }
  return wrong;
}

}  // namespace cluster
