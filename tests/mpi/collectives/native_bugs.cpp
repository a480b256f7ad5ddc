// The list of known bugs of MPICH 4.0.2, Open MPI 4.1.4 and SimGrid 3.32, each seen in this test.
#include "native_bugs.hpp"

#include <cstring>
#include <vector>

namespace tutti::test {

namespace {

struct NativeBug {
  const char* collective;  // or * for every one
  bool (*applies)(const Call&);
  const char* why;
};

// The memory an element's data span differs from [0, size): gaps, or a true lower bound not 0.
[[maybe_unused]] bool sparse(const Call& call) {
  const TestType& type = *call.reduction->type;
  int size;
  MPI_Type_size(type.handle, &size);
  MPI_Aint bound;
  MPI_Aint extent;
  MPI_Type_get_true_extent(type.handle, &bound, &extent);
  return bound != 0 || type.extent != size;
}

[[maybe_unused]] bool offset_data(const Call& call) {
  MPI_Aint bound;
  MPI_Aint extent;
  MPI_Type_get_true_extent(call.reduction->type->handle, &bound, &extent);
  return bound != 0;
}

[[maybe_unused]] bool commutative(const Call& call) {
  int flag;
  MPI_Op_commutative(call.reduction->op, &flag);
  return flag != 0;
}

// A message of all blocks, in a datatype that is not one basic type, of more than 8000 bytes.
[[maybe_unused]] bool structured_and_long(const Call& call) {
  const Family& family = *call.family;
  long bytes = 0;
  for (const Leaf& leaf : family.choices[0].type->leaves) {
    bytes += static_cast<long>(size_of(leaf.kind));
  }
  bytes *= long{family.choices[0].repeat} * call.count * call.comm->p;
  const bool basic = family.choices.size() == 1 && family.choices[0].type->leaves.size() == 1;
  return !basic && bytes > 8000;
}

[[maybe_unused]] constexpr const char* truncated =
    "MPICH 4.0.2 over UCX reports 'Message truncated' when a long message sent packed is received "
    "in a structured datatype (plain Send of MPI_PACKED and Recv does too)";

#if defined(TUTTI_SMPI)

// Pack, Unpack and Send/Recv of such datatypes are as wrong as the collectives, so nothing that
// runs above SMPI can get them right. The mixed families contain them, but for mixed_structs.
const char* const displaced =
    "SMPI 3.32 misplaces data of datatypes with out-of-order displacements or a lower bound below "
    "0, and of structs described differently at the two ends";

// The name of the datatypes of this call; empty for Barrier.
std::string data_of(const Call& call) {
  if (call.family != nullptr) return call.family->name;
  return call.reduction != nullptr ? call.reduction->type->name : "";
}

bool displaced_type(const Call& call) {
  const std::string name = data_of(call);
  for (const char* part : {"negative_lb", "out_of_order", "mixed"}) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

bool ordered_operator(const Call& call) { return !commutative(call); }

const char* const misordered = "SMPI 3.32 applies non-commutative operators in the wrong order";

const std::vector<NativeBug> bugs{
    {"*", displaced_type, displaced},
    {"*", [](const Call& call) { return call.placement == Placement::absolute; },
     "SMPI 3.32 goes wrong on absolute addresses from MPI_BOTTOM, which is not address 0 there"},
    {"*", [](const Call& call) { return data_of(call) == "double_int"; },
     "SMPI 3.32 copies the padding of MPI_DOUBLE_INT with the data"},
    {"Alltoall",
     [](const Call& call) {
       const Side side = call.family->side(0, call.count);
       return (call.comm->p & (call.comm->p - 1)) != 0 && side.count * side.type->extent > 2000;
     },
     "SMPI 3.32 selects an algorithm for long blocks that refuses p other than powers of two"},
    {"Allreduce", [](const Call& call) { return call.count == 0; },
     "SMPI 3.32 divides by a segment count of 0 (crash, seen at p = 16)"},
    {"Scan", ordered_operator, misordered},
    {"Exscan", ordered_operator, misordered},
};

#elif defined(MPICH_VERSION)

const std::vector<NativeBug> bugs{
    {"Reduce_scatter_block",
     [](const Call& call) { return call.comm->p > 1 && sparse(call) && !commutative(call); },
     "MPICH 4.0.2's non-commutative algorithm misplaces datatypes with gaps (wrong result, heap "
     "overrun)"},
    {"Reduce",
     [](const Call& call) {
       return call.comm->p > 1 && call.root != 0 && call.placement == Placement::in_place &&
              call.count * call.reduction->type->extent > 2048;
     },
     "MPICH 4.0.2 copies from the address MPI_IN_PLACE itself when the root is not 0 (crash)"},
    {"Gather", structured_and_long, truncated},
    {"Scatter", structured_and_long, truncated},
    {"Alltoall", structured_and_long, truncated},
    {"Alltoall", [](const Call& call) { return call.wildcard_pending && call.comm->p == 1; },
     "MPICH 4.0.2 matches the collective's message to itself with the user's pending wildcard "
     "receive, and hangs"},
};

#else

const std::vector<NativeBug> bugs{
    {"Allreduce",
     [](const Call& call) {
       return call.comm->p > 1 && offset_data(call) && commutative(call) &&
              call.count >= call.comm->p;
     },
     "Open MPI 4.1.4's ring forgets the true lower bound of its temporary buffers (heap overrun)"},
};

#endif

}  // namespace

const char* native_bug(const Call& call) {
  for (const NativeBug& bug : bugs) {
    const bool all = std::strcmp(bug.collective, "*") == 0;
    if ((all || std::strcmp(bug.collective, call.collective->name) == 0) && bug.applies(call)) {
      return bug.why;
    }
  }
  return nullptr;
}

}  // namespace tutti::test
