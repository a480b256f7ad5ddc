#include "runtime/collectives.hpp"

#include "runtime/serve.hpp"

namespace tutti::runtime {

namespace {

// Finds the communicator's state, lets `arguments(state)` say what counts on this rank, and serves.
template <class Describe>
int serve_on(MPI_Comm comm, Native native, Describe describe) {
  Communicator* state = comm == MPI_COMM_NULL ? nullptr : state_of(comm);
  if (state == nullptr) return native();
  return serve([&] { return describe(*state); }, *state, native);
}

Side side(const void* address, Count count, MPI_Datatype type, bool present = true) {
  if (!present) return {};
  return {const_cast<void*>(address), count, type, true};
}

bool is_in_place(const void* sendbuf) { return sendbuf == MPI_IN_PLACE; }

// One buffer as input and output: MPICH rejects it, others take it to be in place.
bool means_in_place([[maybe_unused]] const void* sendbuf, [[maybe_unused]] const void* recvbuf) {
#ifdef MPICH
  return false;
#else
  return sendbuf == recvbuf && sendbuf != MPI_BOTTOM;
#endif
}

Arguments reduction(Collective collective, MPI_Comm comm, const void* sendbuf, void* recvbuf,
                    Count in_count, Count out_count, MPI_Datatype datatype, MPI_Op op) {
  const bool in_place = is_in_place(sendbuf);
  return {.collective = collective,
          .comm = comm,
          .in = side(sendbuf, in_count, datatype, !in_place),
          .out = side(recvbuf, out_count, datatype),
          .op = op,
          .in_place = in_place};
}

// A root that does not exist: a side that cannot be served, so the native library is asked.
Side bad_root() { return {nullptr, -1, MPI_DATATYPE_NULL, true}; }
bool exists(int root, const Communicator& state) { return root >= 0 && root < state.p; }

}  // namespace

int barrier(MPI_Comm comm, Native native) {
  return serve_on(comm, native, [&](const Communicator&) {
    return Arguments{.collective = Collective::barrier, .comm = comm};
  });
}

int bcast(void* buffer, Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
          Native native) {
  return serve_on(comm, native, [&](const Communicator& state) {
    return Arguments{.collective = Collective::bcast,
                     .comm = comm,
                     .out = exists(root, state) ? side(buffer, count, datatype) : bad_root(),
                     .root = root};
  });
}

int gather(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
           Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, Native native) {
  return serve_on(comm, native, [&](const Communicator& state) {
    const bool at_root = state.rank == root;
    const bool in_place = at_root && is_in_place(sendbuf);
    return Arguments{
        .collective = Collective::gather,
        .comm = comm,
        .in = exists(root, state) ? side(sendbuf, sendcount, sendtype, !in_place) : bad_root(),
        .out = side(recvbuf, recvcount, recvtype, at_root),
        .root = root,
        .in_place = in_place};
  });
}

int scatter(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, Native native) {
  return serve_on(comm, native, [&](const Communicator& state) {
    const bool at_root = state.rank == root;
    const bool in_place = at_root && is_in_place(recvbuf);
    return Arguments{
        .collective = Collective::scatter,
        .comm = comm,
        .in = side(sendbuf, sendcount, sendtype, at_root),
        .out = exists(root, state) ? side(recvbuf, recvcount, recvtype, !in_place) : bad_root(),
        .root = root,
        .in_place = in_place};
  });
}

int gatherv(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            Counts recvcounts, Counts displs, MPI_Datatype recvtype, int root, MPI_Comm comm,
            Native native) {
  const Blocks blocks{.counts = recvcounts, .displacements = displs, .displaced = true};
  return serve_on(comm, native, [&](const Communicator& state) {
    const bool at_root = state.rank == root;
    const bool in_place = at_root && is_in_place(sendbuf);
    return Arguments{
        .collective = Collective::gatherv,
        .comm = comm,
        .in = exists(root, state) ? side(sendbuf, sendcount, sendtype, !in_place) : bad_root(),
        .out = side(recvbuf, 0, recvtype, at_root),
        .root = root,
        .out_blocks = at_root ? &blocks : nullptr,
        .in_place = in_place};
  });
}

int scatterv(const void* sendbuf, Counts sendcounts, Counts displs, MPI_Datatype sendtype,
             void* recvbuf, Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
             Native native) {
  const Blocks blocks{.counts = sendcounts, .displacements = displs, .displaced = true};
  return serve_on(comm, native, [&](const Communicator& state) {
    const bool at_root = state.rank == root;
    const bool in_place = at_root && is_in_place(recvbuf);
    return Arguments{
        .collective = Collective::scatterv,
        .comm = comm,
        .in = side(sendbuf, 0, sendtype, at_root),
        .out = exists(root, state) ? side(recvbuf, recvcount, recvtype, !in_place) : bad_root(),
        .root = root,
        .in_blocks = at_root ? &blocks : nullptr,
        .in_place = in_place};
  });
}

static Arguments exchange(Collective collective, MPI_Comm comm, const Side& in, const Side& out) {
  const bool in_place = is_in_place(in.address);
  return {.collective = collective,
          .comm = comm,
          .in = in_place ? Side{} : in,
          .out = out,
          .in_place = in_place};
}

int allgather(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
              Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, Native native) {
  return serve_on(comm, native, [&](const Communicator&) {
    return exchange(Collective::allgather, comm, side(sendbuf, sendcount, sendtype),
                    side(recvbuf, recvcount, recvtype));
  });
}

int alltoall(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
             Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, Native native) {
  return serve_on(comm, native, [&](const Communicator&) {
    return exchange(Collective::alltoall, comm, side(sendbuf, sendcount, sendtype),
                    side(recvbuf, recvcount, recvtype));
  });
}

int allgatherv(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
               Counts recvcounts, Counts displs, MPI_Datatype recvtype, MPI_Comm comm,
               Native native) {
  const Blocks blocks{.counts = recvcounts, .displacements = displs, .displaced = true};
  return serve_on(comm, native, [&](const Communicator&) {
    Arguments arguments = exchange(Collective::allgatherv, comm, side(sendbuf, sendcount, sendtype),
                                   side(recvbuf, 0, recvtype));
    arguments.out_blocks = &blocks;
    return arguments;
  });
}

int alltoallv(const void* sendbuf, Counts sendcounts, Counts sdispls, MPI_Datatype sendtype,
              void* recvbuf, Counts recvcounts, Counts rdispls, MPI_Datatype recvtype,
              MPI_Comm comm, Native native) {
  const Blocks sent{.counts = sendcounts, .displacements = sdispls, .displaced = true};
  const Blocks received{.counts = recvcounts, .displacements = rdispls, .displaced = true};
  return serve_on(comm, native, [&](const Communicator&) {
    Arguments arguments = exchange(Collective::alltoallv, comm, side(sendbuf, 0, sendtype),
                                   side(recvbuf, 0, recvtype));
    if (!arguments.in_place) arguments.in_blocks = &sent;
    arguments.out_blocks = &received;
    return arguments;
  });
}

int alltoallw(const void* sendbuf, Counts sendcounts, Counts sdispls, Types sendtypes,
              void* recvbuf, Counts recvcounts, Counts rdispls, Types recvtypes, MPI_Comm comm,
              Native native) {
  const Blocks sent{sendcounts, sdispls, sendtypes, true};
  const Blocks received{recvcounts, rdispls, recvtypes, true};
  if (recvtypes == nullptr || (sendtypes == nullptr && !is_in_place(sendbuf))) return native();
  return serve_on(comm, native, [&](const Communicator&) {
    Arguments arguments = exchange(Collective::alltoallw, comm, side(sendbuf, 0, MPI_BYTE),
                                   side(recvbuf, 0, MPI_BYTE));
    if (!arguments.in_place) arguments.in_blocks = &sent;
    arguments.out_blocks = &received;
    return arguments;
  });
}

int reduce(const void* sendbuf, void* recvbuf, Count count, MPI_Datatype datatype, MPI_Op op,
           int root, MPI_Comm comm, Native native) {
  return serve_on(comm, native, [&](const Communicator& state) {
    const bool at_root = state.rank == root;
    const bool in_place = at_root && (is_in_place(sendbuf) || means_in_place(sendbuf, recvbuf));
    return Arguments{
        .collective = Collective::reduce,
        .comm = comm,
        .in = exists(root, state) ? side(sendbuf, count, datatype, !in_place) : bad_root(),
        .out = side(recvbuf, count, datatype, at_root),
        .op = op,
        .root = root,
        .in_place = in_place};
  });
}

int allreduce(const void* sendbuf, void* recvbuf, Count count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm, Native native) {
  return serve_on(comm, native, [&](const Communicator&) {
    return reduction(Collective::allreduce, comm, sendbuf, recvbuf, count, count, datatype, op);
  });
}

int reduce_scatter_block(const void* sendbuf, void* recvbuf, Count recvcount, MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm, Native native) {
  return serve_on(comm, native, [&](const Communicator&) {
    return reduction(Collective::reduce_scatter_block, comm, sendbuf, recvbuf, recvcount, recvcount,
                     datatype, op);
  });
}

int reduce_scatter(const void* sendbuf, void* recvbuf, Counts recvcounts, MPI_Datatype datatype,
                   MPI_Op op, MPI_Comm comm, Native native) {
  const Blocks blocks{.counts = recvcounts};
  return serve_on(comm, native, [&](const Communicator& state) {
    const Count own = recvcounts.empty() ? -1 : recvcounts[state.rank];
    Arguments arguments =
        reduction(Collective::reduce_scatter, comm, sendbuf, recvbuf, own, own, datatype, op);
    arguments.in_blocks = &blocks;
    return arguments;
  });
}

int scan(const void* sendbuf, void* recvbuf, Count count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm, Native native) {
  return serve_on(comm, native, [&](const Communicator&) {
    return reduction(Collective::scan, comm, sendbuf, recvbuf, count, count, datatype, op);
  });
}

int exscan(const void* sendbuf, void* recvbuf, Count count, MPI_Datatype datatype, MPI_Op op,
           MPI_Comm comm, Native native) {
  return serve_on(comm, native, [&](const Communicator&) {
    return reduction(Collective::exscan, comm, sendbuf, recvbuf, count, count, datatype, op);
  });
}

}  // namespace tutti::runtime
