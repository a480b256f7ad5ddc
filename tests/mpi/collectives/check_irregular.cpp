// Checks of the collectives whose blocks have sizes of their own: Gatherv, Scatterv, Allgatherv,
// Alltoallv, Alltoallw.
#include "checks.hpp"
#include "movement.hpp"

namespace tutti::test {

namespace {

// Units of the block from one rank to another, or of a rank's own: some have none.
int units(const Call& call, int from, int to = 0) {
  const auto step = static_cast<int>((call.seed / 2) % 3);
  const int factor = in_place(call) ? from + to : from + 2 * to;  // in place both ways are equal
  return call.count * ((factor + step) % 3) / (1 + (factor + step) % 2);
}

// Blocks with a hole of an element after each, in the order of ranks or against it.
struct Blocks {
  template <class UnitsOf>
  Blocks(const Call& call, int who, UnitsOf units_of) : type(call.family->side(who, 0).type) {
    const int p = call.comm->p;
    counts.resize(static_cast<std::size_t>(p));
    displacements.resize(counts.size());
    for (int i = 0; i < p; ++i) {
      const auto r = static_cast<std::size_t>(call.seed / 8 % 2 == 0 ? i : p - 1 - i);
      counts[r] = call.family->side(who, units_of(static_cast<int>(r))).count;
      displacements[r] = elements;
      elements += counts[r] + 1;
    }
  }

  template <class Stream>
  void fill(GuardedBuffer& buffer, int r, Stream stream) const {
    const auto at = static_cast<std::size_t>(r);
    buffer.fill(displacements[at], counts[at], stream);
  }
  // As MPI_Alltoallw has them.
  std::vector<int> in_bytes() const {
    std::vector<int> result;
    for (const int each : displacements) result.push_back(each * static_cast<int>(type->extent));
    return result;
  }

  const TestType* type;
  std::vector<int> counts, displacements;
  int elements = 0;
};

Blocks block_of_each(const Call& call, int who) {
  return {call, who, [&](int r) { return units(call, r); }};
}

// What a rank passes for blocks that MPI does not look at.
const int* significant(const std::vector<int>& numbers, bool are, const Call& call) {
  return are || !call.null_ignored() ? numbers.data() : nullptr;
}

using Exchange = void (*)(void*, const Blocks&, void*, const Blocks&, MPI_Comm);

void check_exchange(Report& report, const Call& call, Exchange exchange) {
  const TestComm& comm = *call.comm;
  const Blocks to(call, comm.rank, [&](int r) { return units(call, comm.rank, r); });
  const Blocks from(call, comm.rank + 1, [&](int r) { return units(call, r, comm.rank); });
  GuardedBuffer input(*to.type, to.elements);
  GuardedBuffer output(*from.type, from.elements);
  for (int r = 0; r < comm.p; ++r) to.fill(input, r, stream(call, comm.rank, 1000L * r));
  for (int r = 0; in_place(call) && r < comm.p; ++r) {
    from.fill(output, r, stream(call, comm.rank, 1000L * r));
  }
  const GuardedBuffer input_before = input;
  GuardedBuffer expected = output;
  for (int r = 0; r < comm.p; ++r) from.fill(expected, r, stream(call, r, 1000L * comm.rank));
  exchange(in_place(call) ? MPI_IN_PLACE : input.address(), to, output.address(), from, comm.comm);
  report.compare(call, "send buffer", input, input_before);
  report.compare(call, "receive buffer", output, expected);
}

// Blocks of all ranks go to those that gather: the root, or all. gather(from, output, blocks) calls
// MPI.
template <class Gather>
void check_gathering(Report& report, const Call& call, bool gathers, Gather gather) {
  const TestComm& comm = *call.comm;
  const Side send = call.family->side(comm.rank, units(call, comm.rank));
  const Blocks blocks = block_of_each(call, comm.rank + 1);
  GuardedBuffer input(*send.type, send.count);
  input.fill(0, send.count, stream(call, comm.rank));
  GuardedBuffer output(*blocks.type, blocks.elements);
  const bool gathers_in_place = in_place(call) && gathers;
  if (gathers_in_place) blocks.fill(output, comm.rank, stream(call, comm.rank));
  const GuardedBuffer input_before = input;
  GuardedBuffer expected = output;
  for (int r = 0; gathers && r < comm.p; ++r) blocks.fill(expected, r, stream(call, r));
  const Argument in(input, send.count, false);
  gather(gathers_in_place ? in_place_arguments(call, in) : Ignored{in.address, in.count, in.type},
         output, blocks);
  report.compare(call, "send buffer", input, input_before);
  report.compare(call, "receive buffer", output, expected);
}

}  // namespace

void check_gatherv(Report& report, const Call& call) {
  const auto gather = [&](const Ignored& from, GuardedBuffer& output, const Blocks& blocks) {
    const bool null = !call.is_root() && call.null_ignored();
    MPI_Gatherv(from.address, from.count, from.type, null ? nullptr : output.address(),
                significant(blocks.counts, call.is_root(), call),
                significant(blocks.displacements, call.is_root(), call),
                null ? MPI_DATATYPE_NULL : blocks.type->handle, call.root, call.comm->comm);
  };
  check_gathering(report, call, call.is_root(), gather);
}

void check_scatterv(Report& report, const Call& call) {
  const TestComm& comm = *call.comm;
  const Side recv = call.family->side(comm.rank + 1, units(call, comm.rank));
  const Blocks blocks = block_of_each(call, comm.rank);
  GuardedBuffer input(*blocks.type, blocks.elements);
  for (int r = 0; call.is_root() && r < comm.p; ++r) blocks.fill(input, r, stream(call, r));
  GuardedBuffer output(*recv.type, recv.count);
  const bool root_in_place = in_place(call) && call.is_root();
  const GuardedBuffer input_before = input;
  GuardedBuffer expected = output;
  if (!root_in_place) expected.fill(0, recv.count, stream(call, comm.rank));
  const Argument out(output, recv.count, false);
  const Ignored to =
      root_in_place ? in_place_arguments(call, out) : Ignored{out.address, out.count, out.type};
  const bool null = !call.is_root() && call.null_ignored();
  MPI_Scatterv(null ? nullptr : input.address(), significant(blocks.counts, call.is_root(), call),
               significant(blocks.displacements, call.is_root(), call),
               null ? MPI_DATATYPE_NULL : blocks.type->handle, to.address, to.count, to.type,
               call.root, comm.comm);
  report.compare(call, "send buffer", input, input_before);
  report.compare(call, "receive buffer", output, expected);
}

void check_allgatherv(Report& report, const Call& call) {
  const auto gather = [&](const Ignored& from, GuardedBuffer& output, const Blocks& blocks) {
    MPI_Allgatherv(from.address, from.count, from.type, output.address(), blocks.counts.data(),
                   blocks.displacements.data(), blocks.type->handle, call.comm->comm);
  };
  check_gathering(report, call, true, gather);
}

void check_alltoallv(Report& report, const Call& call) {
  check_exchange(
      report, call, [](void* in, const Blocks& to, void* out, const Blocks& from, MPI_Comm comm) {
        MPI_Alltoallv(in, to.counts.data(), to.displacements.data(), to.type->handle, out,
                      from.counts.data(), from.displacements.data(), from.type->handle, comm);
      });
}

void check_alltoallw(Report& report, const Call& call) {
  check_exchange(
      report, call, [](void* in, const Blocks& to, void* out, const Blocks& from, MPI_Comm comm) {
        const std::vector<MPI_Datatype> to_types(to.counts.size(), to.type->handle);
        const std::vector<MPI_Datatype> from_types(from.counts.size(), from.type->handle);
        MPI_Alltoallw(in, to.counts.data(), to.in_bytes().data(), to_types.data(), out,
                      from.counts.data(), from.in_bytes().data(), from_types.data(), comm);
      });
}

}  // namespace tutti::test
