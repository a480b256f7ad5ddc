// What is drawn: a call of a collective with the arguments of every rank.
//
// Nothing here depends on the rank that draws, so all ranks draw the same. `run.cpp` makes buffers
// and MPI objects of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "operands.hpp"

namespace tutti::fuzz {

enum class Collective : std::uint8_t {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce,
  allreduce,
  reduce_scatter_block,
  reduce_scatter,
  scan,
  exscan,
};

// What the arguments of one side (send or receive) look like.
enum class Form : std::uint8_t {
  none,
  one,     // a count
  equal,   // a count, for each of p blocks
  varied,  // counts and displacements
  typed,   // counts, displacements in bytes and datatypes
};

// What the size of a block depends on.
enum class Sizes : std::uint8_t { same, by_sender, by_receiver, by_pair };

enum class Direction : std::uint8_t { send, receive };

struct CollectiveInfo {
  const char* name;  // as in MPI_<name>
  int weight;        // how often it is drawn
  bool rooted;
  bool reduces;
  Form send;
  Form receive;
  Sizes sizes;
};

const CollectiveInfo& info(Collective collective);

// One side of one rank's arguments.
struct Side {
  std::vector<Description> types;  // one, or one per block if typed
  std::vector<int> order;          // of the blocks in memory, if varied or typed
  std::vector<int> holes;          // before each block in memory, in elements or steps of 16 bytes
  int start = 0;                   // the same, before all blocks; may be negative
  bool at_bottom = false;          // MPI_BOTTOM and a datatype of absolute addresses
  bool ignored_is_null = false;    // what is not significant: null and invalid, or valid
};

struct Call {
  Collective collective = Collective::barrier;
  int p = 1;
  int root = 0;
  bool in_place = false;
  int unit = 1;            // signatures per unit of data
  std::vector<int> sizes;  // of blocks, in units: see Sizes; of reductions, in elements
  const Signature* signature = nullptr;
  std::vector<Side> send;     // by rank
  std::vector<Side> receive;  // by rank
  Reduction reduction;
  Seed values = 0;       // of the data
  bool forgets = false;  // the datatypes of the case's calls so far are freed first

  const CollectiveInfo& about() const { return info(collective); }
  Form form(Direction direction) const;
  const Side& side(Direction direction, int rank) const;
  // Whether this rank passes MPI_IN_PLACE for this side.
  bool is_in_place(Direction direction, int rank) const;
  // Whether MPI looks at this side of this rank at all.
  bool is_significant(Direction direction, int rank) const;
  // Units of block `block` of this side of this rank.
  int size(Direction direction, int rank, int block) const;
  // Elements of a reduction: put in, and got out, by this rank.
  long contributed(int rank) const;
  long result(int rank) const;
  // Bytes of all blocks that travel.
  long bytes() const;
};

// The calls of one case: one, or several much alike, to meet what the first has left behind.
std::vector<Call> draw_case(Random& random, int p);

// In one line; the datatypes are those of `rank`.
std::string describe(const Call& call, int rank);

}  // namespace tutti::fuzz
