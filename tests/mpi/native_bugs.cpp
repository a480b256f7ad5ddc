#include "native_bugs.hpp"

#include <mpi.h>

#include <algorithm>
#include <sstream>

namespace tutti::native {

namespace {

struct Bug {
  const char* collectives;  // names, or * for all
  bool (*applies)(const Facts&);
  Right right;
  const char* what;  // as docs/reference/limits.md says it
};

[[maybe_unused]] bool is_power_of_two(int p) { return (p & (p - 1)) == 0; }

// Messages past 8 KB travel in pieces. If the two ends describe elements of several basic types
// differently, a piece may end inside one (plain MPI_Send and MPI_Recv too).
[[maybe_unused]] bool may_be_truncated(const Facts& call) {
  return call.p > 1 && call.several_types && call.bytes > 8000;
}

// Whether the program runs on it: it is of MPICH's family, and has bugs of its own.
[[maybe_unused]] bool is_intel() {
  static const bool result = [] {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    PMPI_Get_library_version(version, &length);
    return std::string(version, static_cast<std::size_t>(length)).starts_with("Intel(R) MPI");
  }();
  return result;
}

[[maybe_unused]] bool is_displaced(const Facts& call) {
  const auto has = [&](const char* part) { return call.data.find(part) != std::string::npos; };
  return has("negative_lb") || has("out_of_order") || has("mixed");
}

// On one rank the native library serves a call in any case, so nothing is right if it is wrong.
#if defined(TUTTI_SMPI)

// Pack, Unpack, Send and Recv of such datatypes are as wrong as the collectives.
const Bug bugs[] = {
    {"*", is_displaced, Right::nothing,
     "Datatypes with displacements out of order, with a negative lower bound, or described "
     "differently at the two ends are misplaced"},
    {"*", [](const Facts& call) { return call.at_bottom; }, Right::nothing,
     "Absolute addresses do not work"},
    {"*", [](const Facts& call) { return call.data == "double_int"; }, Right::nothing,
     "The padding of MPI_DOUBLE_INT is copied with the data"},
    {"Alltoall",
     [](const Facts& call) { return !is_power_of_two(call.p) && call.block_span > 2000; },
     Right::nothing, "Long blocks of an alltoall need a power of two of ranks"},
    {"Allreduce", [](const Facts& call) { return call.elements == 0; }, Right::nothing,
     "An empty allreduce divides by 0"},
    {"Scan Exscan", [](const Facts& call) { return !call.commutative; }, Right::nothing,
     "Scans apply non-commutative operators in the wrong order"},
};

#elif defined(MPICH_VERSION) || (defined(MPI_ABI_VERSION) && !defined(OPEN_MPI))

const char* const truncated =
    "`Message truncated` past about 8 KB when data sent as bytes is received into a structured "
    "datatype, or the reverse";

const Bug bugs[] = {
    {"*", [](const Facts& call) { return call.reduces && call.orders_unsigned; }, Right::nothing,
     "MIN and MAX compare unsigned numbers as if they had signs"},
    {"*", [](const Facts& call) { return may_be_truncated(call) && !call.one_datatype; },
     Right::nothing, truncated},
    {"Gather Scatter Alltoall", may_be_truncated, Right::messages, truncated},
    {"Alltoallv Alltoallw",
     [](const Facts& call) { return may_be_truncated(call) && call.in_place; }, Right::messages,
     truncated},
    {"Allgatherv", [](const Facts& call) { return call.p == 1; }, Right::nothing,
     "`Allgatherv` on one rank ignores the displacement"},
    {"Allgatherv", [](const Facts& call) { return call.bytes > 80000 && !call.one_datatype; },
     Right::messages, "`Allgatherv` past 80 KB sends pieces by the extent of each rank's datatype"},
    {"Alltoall Alltoallv Alltoallw",
     [](const Facts& call) { return call.p == 1 && call.wildcard_pending; }, Right::nothing,
     "`Alltoall`, `Alltoallv` and `Alltoallw` on one rank match the user's pending wildcard "
     "receive and hang"},
    {"Reduce_scatter_block Reduce_scatter",
     [](const Facts& call) {
       return call.p > 1 && is_power_of_two(call.p) && call.equal_blocks && !call.commutative &&
              !call.dense;
     },
     Right::messages,
     "non-commutative `Reduce_scatter` and `Reduce_scatter_block` misplace datatypes with gaps"},
    {"Reduce",
     [](const Facts& call) {
       return call.p > 1 && call.in_place && call.root != 0 && call.bytes > 2048;
     },
     Right::messages,
     "in-place `Reduce` above 2 KB with a root other than 0 copies from the address MPI_IN_PLACE "
     "and crashes"},
    {"*",
     [](const Facts& call) {
       return is_intel() && call.reduces && call.users_operator && !call.dense;
     },
     Right::messages,
     "a user's operator on a datatype with gaps leaves parts of the result as they were"},
    {"Gather Allgather", [](const Facts& call) { return is_intel() && call.gaps; }, Right::messages,
     "`Gather` and `Allgather` of datatypes with gaps crash, or end in `Message truncated`"},
};

#else

const Bug bugs[] = {
    {"Alltoallw", [](const Facts& call) { return call.p == 1; }, Right::nothing,
     "`Alltoallw` on one rank takes displacements to be in elements"},
    // Ranks multiply the size of their send datatype with the receive counts.
    {"Allgatherv",
     [](const Facts& call) { return call.p > 1 && !call.in_place && !call.same_ratio; },
     Right::messages,
     "ranks of an `Allgatherv` with different datatypes choose different algorithms"},
    // Ranks on the way hold the blocks of others as elements of their own datatype: as many as the
    // user has do not overlap, but more do.
    {"Gather Scatter", [](const Facts& call) { return call.p > 1 && call.interleaved; },
     Right::messages, "`Gather` and `Scatter` of a datatype whose elements interleave overlap"},
    // Bruck's algorithm, used from 12 ranks on.
    {"Alltoall",
     [](const Facts& call) { return call.p >= 12 && (call.at_bottom || !call.one_datatype); },
     Right::messages,
     "`Alltoall` from 12 ranks on loses datatypes that differ between ranks, and absolute "
     "addresses"},
    {"Allreduce",
     [](const Facts& call) {
       return call.p > 1 && call.offset && call.commutative && call.elements >= call.p;
     },
     Right::messages,
     "ring `Allreduce` forgets the true lower bound of temporary buffers (heap overrun)"},
};

#endif

bool is_about(const Bug& bug, const Facts& call) {
  std::istringstream names(bug.collectives);
  for (std::string name; names >> name;) {
    if (name == "*" || name == call.collective) return true;
  }
  return false;
}

}  // namespace

Right what_is_right(const Facts& facts) {
  Right right = Right::collective;
  for (const Bug& bug : bugs) {
    if (is_about(bug, facts) && bug.applies(facts)) right = std::max(right, bug.right);
  }
  return right;
}

bool is_known_limit([[maybe_unused]] const Facts& facts) {
#ifdef MPICH_VERSION
  return may_be_truncated(facts) && facts.at_bottom;
#else
  return false;
#endif
}

}  // namespace tutti::native
