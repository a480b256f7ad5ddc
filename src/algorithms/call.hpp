// One collective call as every rank sees it, and where its data lie.
//
// An algorithm speaks of virtual ranks: rank 0 is the root of a rooted collective (of a reduction
// whose operator does not commute: rank 0 of the communicator, so that the order is kept). They are
// counted from there as the communicator does, or one node after the other (order()). Blocks
// are numbered by virtual rank, and ranks and blocks wrap around. The input of a call in place lies
// where the output says it does; no algorithm sees the difference.
#pragma once

#include <memory>
#include <optional>

#include "algorithms/collective.hpp"
#include "topology/layout.hpp"
#include "topology/placement.hpp"

namespace tutti {

// What every rank sends to every other in an irregular all-to-all. No rank knows it: proofs and
// simulations do.
class Exchange {
 public:
  Exchange(int p, std::vector<Units> sizes) : p_(p), sizes_(std::move(sizes)) {}
  // Units from one rank to another; sizes are given row by row, a row per sender.
  Units size(Rank from, Rank to) const {
    return sizes_[static_cast<std::size_t>(from) * static_cast<std::size_t>(p_) +
                  static_cast<std::size_t>(to)];
  }
  Layout sent_by(Rank rank) const;
  Layout received_by(Rank rank) const;

 private:
  int p_;
  std::vector<Units> sizes_;
};

// What ranks tell each other of an irregular call when none of them knows all sizes.
struct Agreed {
  Units busiest = 0;  // most that a rank sends or receives
  Units largest = 0;  // block
};

struct Call {
  Collective collective = Collective::barrier;
  int p = 1;
  Rank root = 0;  // in the communicator's numbering
  // Of the whole message, n = layout.total() units. In an irregular gather or scatter, ranks other
  // than the root know at first the size of their own block only, and have the others as empty.
  Layout layout;
  // Irregular all-to-all: this rank's input blocks, where `layout` has its output blocks.
  std::optional<Layout> sends{};
  Units unit_bytes = 1;  // reductions: bytes of an element
  bool commutative = true;
  bool predefined = true;  // the operator is one of MPI's own
  bool exact = true;       // the result has the same bits in whatever order operands are combined
  // The operator is applied to operands as the user's count has them (of a reduce-scatter, to
  // blocks), not to parts of them, nor to several at once.
  bool whole_operands = false;
  int parameter = 0;      // of the algorithm, as its segments; 0: left open
  bool in_place = false;  // at this rank; only an all-to-all has it on all ranks alike
  // Where ranks have told each other. In an irregular gather or scatter, all then know the layout.
  std::optional<Agreed> agreed{};
  // All ranks know that there were such blocks before: the layout is worth a choice of its own.
  bool recurs = false;
  std::vector<Units> told{};                     // answers to the algorithm's question
  std::shared_ptr<const Placement> placement{};  // null: every rank has a node of its own
  std::shared_ptr<const Exchange> exchange{};    // of an irregular all-to-all

  // How ranks are numbered for algorithms, where that need not be as the communicator does: for
  // long messages one node after the other, so that neighbours are near. Null: as the communicator
  // does.
  const Placement* order() const;

  Units n() const { return layout.total(); }
  // The same on all ranks, if they can know.
  double bytes() const { return in_bytes(agreed ? agreed->busiest : n()); }
  // Of the largest block; n/p where all are equal.
  double largest_bytes() const { return in_bytes(agreed ? agreed->largest : layout.largest()); }

  // The rank that has virtual rank 0.
  Rank origin() const;
  // The virtual rank of the root.
  Rank virtual_root() const { return virtual_rank(root); }
  Rank virtual_rank(Rank rank) const { return wrapped(rank - origin()); }
  // Ranks go round: the one that v, at most p below 0, stands for.
  Rank wrapped(Rank v) const { return (v + p) % p; }

  // Everything rank `me` contributes. For bcast and scatter only the root has any.
  Slice input(Rank me) const;
  // Where rank `me` gets its result. For gather and reduce only the root has one.
  Slice output(Rank me) const;
  bool has_output(Rank me) const;
  // Blocks v, v+1, ..., v+count-1 of the input or the output that consists of p blocks: at most
  // two pieces, as blocks wrap around.
  Slices input_blocks(Rank v, int count = 1) const;
  Slices output_blocks(Rank v, int count = 1) const;
  // The same, for a single block.
  Slice input_block(Rank v) const { return block_in(input_buffer(), v); }
  Slice output_block(Rank v) const { return block_in(Buffer::out, v); }
  Units block_size(Rank v) const { return layout.size(block_number(v)); }
  Units blocks_size(Rank v, int count) const;
  // The same places, those of blocks v, v+1, ... of a reduction, cut into operands where these have
  // to stay whole. For the builder, which does not join them again.
  Slices operands(const Slices& places, Rank v, int count) const;
  Slices operands(const Slice& vector) const { return operands({vector}, 0, p); }

  // Units rank `me` must provide in each buffer.
  Units input_units(Rank me) const;
  Units output_units(Rank me) const;

 private:
  double in_bytes(Units units) const {
    return static_cast<double>(units) * static_cast<double>(unit_bytes);
  }
  Buffer input_buffer() const;
  int block_number(Rank v) const;
  const Layout& layout_of(Buffer buffer) const;
  Slice block_in(Buffer buffer, Rank v) const;
  Slices blocks_in(Buffer buffer, Rank v, int count) const;
};

}  // namespace tutti
