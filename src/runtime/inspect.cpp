#include "runtime/inspect.hpp"

#include <algorithm>

#include "runtime/ways.hpp"

namespace tutti::runtime {

namespace {

// What a library checks before it communicates.
bool side_is_plausible(const Side& side) {
  return !side.present ||
         (side.count >= 0 && side.type != MPI_DATATYPE_NULL && side.address != MPI_IN_PLACE);
}

// MPICH lets displacements be missing where nothing is displaced.
bool may_lack_displacements([[maybe_unused]] const Blocks& blocks, [[maybe_unused]] int p) {
#ifdef TUTTI_WAYS_OF_MPICH
  for (int i = 0; i < p; ++i) {
    if (blocks.counts[i] > 0) return false;
  }
  return true;
#else
  return false;
#endif
}

bool blocks_are_plausible(const Blocks* blocks, int p) {
  if (blocks == nullptr) return true;
  if (blocks->counts.empty()) return false;
  for (int i = 0; i < p; ++i) {
    if (blocks->counts[i] < 0) return false;
  }
  return !blocks->displaced || !blocks->displacements.empty() || may_lack_displacements(*blocks, p);
}

bool is_plausible(const Arguments& arguments, const Communicator& state) {
  if (!side_is_plausible(arguments.in) || !side_is_plausible(arguments.out)) return false;
  if (info(arguments.collective).reduces && arguments.op == MPI_OP_NULL) return false;
  return !is_aliased(arguments, state.p) && blocks_are_plausible(arguments.in_blocks, state.p) &&
         blocks_are_plausible(arguments.out_blocks, state.p);
}

// MPICH does not look at the datatype of a block that has no elements; Open MPI does, and rejects
// what is none.
bool is_ignored([[maybe_unused]] Count count) {
#ifdef TUTTI_WAYS_OF_MPICH
  return count == 0;
#else
  return false;
#endif
}

// Finds out about the datatypes of a side; false if one is not for Tutti. `kept` holds those of
// blocks.
bool look_up(const Side& side, const Blocks* blocks, Communicator& state,
             std::vector<const Datatype*>& kept, Facts& facts) {
  if (!side.present) return true;
  facts.all = state.datatypes.find(side.type, state.shadow);
  if (blocks == nullptr || blocks->types == nullptr) return facts.all != nullptr;
  kept.clear();
  for (int i = 0; i < state.p; ++i) {
    const MPI_Datatype type = is_ignored(blocks->counts[i]) ? MPI_BYTE : blocks->types[i];
    const Datatype* known = state.datatypes.find(type, state.shadow);
    if (known == nullptr) return false;
    kept.push_back(known);
  }
  facts.each = kept.data();
  return true;
}

// MPI_BOTTOM is null in C: then only a datatype with absolute addresses makes sense, or
// displacements that are addresses.
bool has_memory(const Side& side, const Blocks* blocks, const Facts& facts) {
  return !side.present || side.address != MPI_BOTTOM || blocks != nullptr ||
         side.count * facts.all->size == 0 || !facts.all->contiguous;
}

std::int64_t bytes_of(MPI_Datatype type) {
  int size = 0;
  if (type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &size);
  return size;
}

bool has_data(const Side& side) { return side_is_plausible(side) && bytes_of(side.type) > 0; }

bool all_have_data(const Blocks* blocks, int p) {
  if (blocks->counts.empty()) return false;
  for (int i = 0; i < p; ++i) {
    if (blocks->counts[i] <= 0) return false;
  }
  return true;
}

}  // namespace

bool looks_right(const Arguments& arguments, Communicator& state, Workspace& workspace) {
  Facts &in = workspace.facts.in, &out = workspace.facts.out;
  return is_plausible(arguments, state) &&
         look_up(arguments.in, arguments.in_blocks, state, workspace.in_types, in) &&
         look_up(arguments.out, arguments.out_blocks, state, workspace.out_types, out) &&
         has_memory(arguments.in, arguments.in_blocks, in) &&
         has_memory(arguments.out, arguments.out_blocks, out);
}

bool waits_for_all(const Arguments& arguments, int p) {
  switch (arguments.collective) {
    case Collective::barrier:
      return true;
    case Collective::allreduce:
    case Collective::allgather:
    case Collective::alltoall:
    case Collective::reduce_scatter_block:
      return has_data(arguments.out) && arguments.out.count > 0;
    case Collective::allgatherv:
      return has_data(arguments.out) && all_have_data(arguments.out_blocks, p);
    case Collective::reduce_scatter:
      return has_data(arguments.out) && all_have_data(arguments.in_blocks, p);
    default:
      return false;
  }
}

double bytes_passed(const Arguments& arguments, int p) {
  const bool by_output = arguments.out.present;
  const Side& side = by_output ? arguments.out : arguments.in;
  const Blocks* blocks =
      arguments.out_blocks != nullptr ? arguments.out_blocks : arguments.in_blocks;
  std::int64_t bytes = 0;
  if (blocks == nullptr) {
    const CollectiveInfo& about = info(arguments.collective);
    bytes = std::max<Count>(side.count, 0) * bytes_of(side.type);
    return static_cast<double>(about.owns_blocks ? bytes * p : bytes);
  }
  for (int i = 0; i < p && !blocks->counts.empty(); ++i) {
    if (blocks->counts[i] > 0) {
      bytes +=
          blocks->counts[i] * bytes_of(blocks->types != nullptr ? blocks->types[i] : side.type);
    }
  }
  return static_cast<double>(bytes);
}

}  // namespace tutti::runtime
