// Blocks and vectors up and down a postal tree (topology/postal_tree.hpp).
#pragma once

#include "algorithms/blocks.hpp"
#include "schedule/builder.hpp"
#include "topology/postal_tree.hpp"

namespace tutti::phase {

// As wide as the call's radix says; binomial where none is open.
inline PostalTree tree_of(const Call& call) { return {call.p, call.parameter}; }
// The same in each node, if they are filled one after the other from the root on, and a tree of
// nodes: where it is worth while, messages to others leave in as long as they travel. Binomial if
// every rank has a node of its own.
inline PostalTree tree_of_nodes(const Call& call) {
  constexpr int radix_of_nodes = 3;
  if (!call.placement) return {call.p, 2};
  return {call.p, call.parameter, call.placement->most_ranks(), radix_of_nodes};
}

// From virtual rank 0 down a tree, each rank gets the blocks of its subtree (Thakur2005, 4.2); up
// the tree, it collects them (4.5).
void blocks_down(const PostalTree& tree, Rank me, const BlocksAt& at, ScheduleBuilder& out);
// The same for a rank that has the place `mine` in the tree.
void blocks_down(const PostalTree& tree, const TreePlace& mine, Rank me, const BlocksAt& at,
                 ScheduleBuilder& out);
void blocks_up(const PostalTree& tree, Rank me, const BlocksAt& at, ScheduleBuilder& out);

// Whole collectives over a tree. Between the root's buffer and its leaves blocks are kept in
// scratch.
void scatter_tree(const PostalTree& tree, const Call& call, Rank me, ScheduleBuilder& out);
void gather_tree(const PostalTree& tree, const Call& call, Rank me, ScheduleBuilder& out);
void bcast_tree(const PostalTree& tree, const Call& call, Rank me, ScheduleBuilder& out);
// If the operator does not commute the tree ends at rank 0, which hands the result to the root.
void reduce_tree(const PostalTree& tree, const Call& call, Rank me, ScheduleBuilder& out);

// Whole vectors up a tree (Thakur2005, 4.5); subtrees are consecutive, so operand order is kept.
// Rank 0's result is put into its `target`; those of other ranks may be.
Slice vectors_up(const PostalTree& tree, const Call& call, Rank me, const Slice& target,
                 ScheduleBuilder& out);

// The result of a reduction that had to end at virtual rank 0, for the order's sake, goes to the
// root.
void pass_to_root(const Call& call, Rank me, const Slice& result, ScheduleBuilder& out);

// A long message's first way to all: cut into p blocks, each rank gets those of its subtree of
// tree_of(call).
void scatter_message(const Call& call, Rank me, ScheduleBuilder& out);

int held_after_scatter(const Call& call, Rank v);

}  // namespace tutti::phase
