// Checks of the collectives that move data: Bcast, Gather, Scatter, Allgather, Alltoall.
#include "checks.hpp"
#include "movement.hpp"

namespace tutti::test {

namespace {

Side send_side(const Call& call) { return call.family->side(call.comm->rank, call.count); }
Side recv_side(const Call& call) { return call.family->side(call.comm->rank + 1, call.count); }

}  // namespace

void check_bcast(Report& report, const Call& call) {
  const Side side = send_side(call);
  GuardedBuffer buffer(*side.type, side.count);
  if (call.is_root()) buffer.fill(0, side.count, stream(call, call.root));
  GuardedBuffer expected = buffer;
  expected.fill(0, side.count, stream(call, call.root));
  const Argument arg(buffer, side.count, call.placement == Placement::absolute);
  MPI_Bcast(arg.address, arg.count, arg.type, call.root, call.comm->comm);
  report.compare(call, "buffer", buffer, expected);
}

void check_gather(Report& report, const Call& call) {
  const TestComm& comm = *call.comm;
  const Side send = send_side(call);
  const Side recv = recv_side(call);
  const bool absolute = call.placement == Placement::absolute;
  GuardedBuffer input(*send.type, send.count);
  input.fill(0, send.count, stream(call, comm.rank));
  GuardedBuffer output(*recv.type, static_cast<long>(recv.count) * comm.p);
  const bool root_in_place = in_place(call) && call.is_root();
  if (root_in_place) {
    output.fill(static_cast<long>(recv.count) * comm.rank, recv.count, stream(call, comm.rank));
  }
  const GuardedBuffer input_before = input;
  GuardedBuffer expected = output;
  for (int r = 0; call.is_root() && r < comm.p; ++r) {
    expected.fill(static_cast<long>(recv.count) * r, recv.count, stream(call, r));
  }
  const Argument in(input, send.count, absolute);
  const Argument out(output, recv.count, absolute);
  const Ignored from =
      root_in_place ? in_place_arguments(call, in) : Ignored{in.address, in.count, in.type};
  const Ignored to =
      call.is_root() ? Ignored{out.address, out.count, out.type} : ignored(call, out);
  MPI_Gather(from.address, from.count, from.type, to.address, to.count, to.type, call.root,
             comm.comm);
  report.compare(call, "send buffer", input, input_before);
  report.compare(call, "receive buffer", output, expected);
}

void check_scatter(Report& report, const Call& call) {
  const TestComm& comm = *call.comm;
  const Side send = send_side(call);
  const Side recv = recv_side(call);
  const bool absolute = call.placement == Placement::absolute;
  const long block = call.family->leaves(call.count);
  GuardedBuffer input(*send.type, static_cast<long>(send.count) * comm.p);
  if (call.is_root()) input.fill(0, input.elements(), stream(call, call.root));
  GuardedBuffer output(*recv.type, recv.count);
  const bool root_in_place = in_place(call) && call.is_root();
  const GuardedBuffer input_before = input;
  GuardedBuffer expected = output;
  if (!root_in_place) expected.fill(0, recv.count, stream(call, call.root, block * comm.rank));
  const Argument in(input, send.count, absolute);
  const Argument out(output, recv.count, absolute);
  const Ignored from = call.is_root() ? Ignored{in.address, in.count, in.type} : ignored(call, in);
  const Ignored to =
      root_in_place ? in_place_arguments(call, out) : Ignored{out.address, out.count, out.type};
  MPI_Scatter(from.address, from.count, from.type, to.address, to.count, to.type, call.root,
              comm.comm);
  report.compare(call, "send buffer", input, input_before);
  report.compare(call, "receive buffer", output, expected);
}

void check_allgather(Report& report, const Call& call) {
  const TestComm& comm = *call.comm;
  const Side send = send_side(call);
  const Side recv = recv_side(call);
  const bool absolute = call.placement == Placement::absolute;
  GuardedBuffer input(*send.type, send.count);
  input.fill(0, send.count, stream(call, comm.rank));
  GuardedBuffer output(*recv.type, static_cast<long>(recv.count) * comm.p);
  if (in_place(call)) {
    output.fill(static_cast<long>(recv.count) * comm.rank, recv.count, stream(call, comm.rank));
  }
  const GuardedBuffer input_before = input;
  GuardedBuffer expected = output;
  for (int r = 0; r < comm.p; ++r) {
    expected.fill(static_cast<long>(recv.count) * r, recv.count, stream(call, r));
  }
  const Argument in(input, send.count, absolute);
  const Argument out(output, recv.count, absolute);
  const Ignored from =
      in_place(call) ? in_place_arguments(call, in) : Ignored{in.address, in.count, in.type};
  MPI_Allgather(from.address, from.count, from.type, out.address, out.count, out.type, comm.comm);
  report.compare(call, "send buffer", input, input_before);
  report.compare(call, "receive buffer", output, expected);
}

void check_alltoall(Report& report, const Call& call) {
  const TestComm& comm = *call.comm;
  const Side send = send_side(call);
  const Side recv = recv_side(call);
  const bool absolute = call.placement == Placement::absolute;
  const long block = call.family->leaves(call.count);
  GuardedBuffer input(*send.type, static_cast<long>(send.count) * comm.p);
  input.fill(0, input.elements(), stream(call, comm.rank));
  GuardedBuffer output(*recv.type, static_cast<long>(recv.count) * comm.p);
  if (in_place(call)) output.fill(0, output.elements(), stream(call, comm.rank));
  const GuardedBuffer input_before = input;
  GuardedBuffer expected = output;
  for (int r = 0; r < comm.p; ++r) {
    expected.fill(static_cast<long>(recv.count) * r, recv.count,
                  stream(call, r, block * comm.rank));
  }
  const Argument in(input, send.count, absolute);
  const Argument out(output, recv.count, absolute);
  const Ignored from =
      in_place(call) ? in_place_arguments(call, in) : Ignored{in.address, in.count, in.type};
  MPI_Alltoall(from.address, from.count, from.type, out.address, out.count, out.type, comm.comm);
  report.compare(call, "send buffer", input, input_before);
  report.compare(call, "receive buffer", output, expected);
}

}  // namespace tutti::test
