#include "algorithms/tree_phases.hpp"

#include "algorithms/running.hpp"

namespace tutti::phase {

void blocks_down(const PostalTree& tree, Rank me, const BlocksAt& at, ScheduleBuilder& out) {
  blocks_down(tree, tree.place(me), me, at, out);
}

void blocks_down(const PostalTree& tree, const TreePlace& mine, Rank me, const BlocksAt& at,
                 ScheduleBuilder& out) {
  for (int k = 0; k < tree.rounds(); ++k) {
    Round round = out.round();
    if (k == mine.round) round.recv(at(me, mine.count), mine.parent);
    if (const auto* child = mine.child_in(k))
      round.send(at(child->rank, child->count), child->rank);
  }
}

void blocks_up(const PostalTree& tree, Rank me, const BlocksAt& at, ScheduleBuilder& out) {
  const TreePlace mine = tree.place(me);
  for (int k = tree.rounds() - 1; k >= 0; --k) {
    Round round = out.round();
    if (const auto* child = mine.child_in(k))
      round.recv(at(child->rank, child->count), child->rank);
    if (k == mine.round) round.send(at(me, mine.count), mine.parent);
  }
}

void scatter_tree(const PostalTree& tree, const Call& call, Rank me, ScheduleBuilder& out) {
  const TreePlace mine = tree.place(me);
  const bool root = me == call.virtual_root();
  const bool passes_on = !root && !mine.is_leaf();
  const Slice held = passes_on ? out.scratch(call.blocks_size(me, mine.count)) : Slice{};
  const auto at = [&](Rank v, int count) {
    if (root) return call.input_blocks(v, count);
    if (!passes_on) return Slices{call.output(me)};
    return Slices{among(held, call, me, v, count)};
  };
  blocks_down(tree, me, at, out);
  out.copy(at(me, 1), Slices{call.output(me)});
}

void gather_tree(const PostalTree& tree, const Call& call, Rank me, ScheduleBuilder& out) {
  const TreePlace mine = tree.place(me);
  const bool root = call.has_output(me);
  const bool passes_on = !root && !mine.is_leaf();
  const Slice held = passes_on ? out.scratch(call.blocks_size(me, mine.count)) : Slice{};
  const auto at = [&](Rank v, int count) {
    if (root) return call.output_blocks(v, count);
    if (!passes_on) return Slices{call.input(me)};
    return Slices{among(held, call, me, v, count)};
  };
  if (root || passes_on) out.copy(Slices{call.input(me)}, at(me, 1));
  blocks_up(tree, me, at, out);
}

void bcast_tree(const PostalTree& tree, const Call& call, Rank me, ScheduleBuilder& out) {
  const auto message = [&](Rank, int) { return Slices{{Buffer::out, 0, call.n()}}; };
  blocks_down(tree, me, message, out);
}

void reduce_tree(const PostalTree& tree, const Call& call, Rank me, ScheduleBuilder& out) {
  const bool uses_output = call.has_output(me) || tree.place(me).is_leaf();
  const Slice target = uses_output ? call.output(me) : out.scratch(call.n());
  const Slice result = vectors_up(tree, call, me, target, out);
  pass_to_root(call, me, result, out);
}

Slice vectors_up(const PostalTree& tree, const Call& call, Rank me, const Slice& target,
                 ScheduleBuilder& out) {
  const TreePlace mine = tree.place(me);
  const int at_once = tree.radix() - 1;
  out.ahead(at_once);
  Running running(call, call.input(me), target, static_cast<int>(mine.children.size()), out,
                  at_once);
  for (int k = tree.rounds() - 1; k >= 0; --k) {
    Round round = out.round();
    if (const auto* child = mine.child_in(k)) running.receive_right(round, child->rank);
    if (k == mine.round) round.send(running.value(), mine.parent);
  }
  out.ahead(1);
  if (me == 0) running.settle();
  return running.value();
}

void pass_to_root(const Call& call, Rank me, const Slice& result, ScheduleBuilder& out) {
  const Rank root = call.virtual_root();
  if (root == 0) return;
  Round round = out.round();
  if (me == 0) round.send(result, root);
  if (me == root) round.recv(call.output(me), 0);
}

void scatter_message(const Call& call, Rank me, ScheduleBuilder& out) {
  const auto at = [&](Rank v, int count) { return call.output_blocks(v, count); };
  blocks_down(tree_of(call), me, at, out);
}

int held_after_scatter(const Call& call, Rank v) { return tree_of(call).place(v).count; }

}  // namespace tutti::phase
