#include "runtime/collectives.hpp"

#include "runtime/inspect.hpp"
#include "runtime/same_bits.hpp"
#include "runtime/serve.hpp"
#include "runtime/ways.hpp"

namespace tutti::runtime {

namespace {

// Whether Tutti serves the communicator from this call on. After some native calls it needs all
// ranks for a moment: it takes a call in which they wait for each other anyway, or at last any.
[[gnu::noinline]] bool begins_to_serve(const Arguments& arguments, Attached& attached) {
  constexpr unsigned patience = 20;  // times as many calls as are native in any case
  const bool at_last = attached.calls > patience * attached.native_calls;
  return (at_last || waits_for_all(arguments, attached.p)) &&
         serves_from_now(attached, arguments.comm);
}

// Finds what hangs on the communicator, lets `describe(rank, p)` say what counts on this rank, and
// serves.
template <class Describe>
int serve_on(MPI_Comm comm, Native native, Describe describe) {
  Attached* const attached = comm == MPI_COMM_NULL ? nullptr : attached_to(comm);
  if (attached == nullptr) return native();
  ++attached->calls;
  const auto arguments = [&] { return describe(attached->rank, attached->p); };
  if (attached->served == nullptr) {
    if (attached->calls <= attached->native_calls || !begins_to_serve(arguments(), *attached)) {
      return attached->reports ? pass_on(arguments(), attached->p, native) : native();
    }
  }
  return serve(arguments, *attached->served, attached->calls, native);
}

Side side(const void* address, Count count, MPI_Datatype type, bool present = true) {
  if (!present) return {};
  return {const_cast<void*>(address), count, type, true};
}

bool is_in_place(const void* sendbuf) { return sendbuf == MPI_IN_PLACE; }

// One buffer as input and output is as good as in place where the library does not reject it.
bool means_in_place([[maybe_unused]] Collective collective, [[maybe_unused]] const void* sendbuf,
                    [[maybe_unused]] const void* recvbuf) {
#if defined TUTTI_WAYS_OF_MPICH
  return false;
#else
  const bool is_one = sendbuf == recvbuf && sendbuf != MPI_BOTTOM;
#ifdef TUTTI_WAYS_OF_OPENMPI
  if (collective == Collective::allreduce || collective == Collective::reduce) return false;
#endif
  return is_one;
#endif
}

Arguments reduction(Collective collective, MPI_Comm comm, const void* sendbuf, void* recvbuf,
                    Count in_count, Count out_count, MPI_Datatype datatype, MPI_Op op) {
  const bool in_place = is_in_place(sendbuf) || means_in_place(collective, sendbuf, recvbuf);
  return {.collective = collective,
          .comm = comm,
          .in = side(sendbuf, in_count, datatype, !in_place),
          .out = side(recvbuf, out_count, datatype),
          .op = op,
          .in_place = in_place};
}

// A root that does not exist: a side that cannot be served, so the native library is asked.
Side bad_root() { return {nullptr, -1, MPI_DATATYPE_NULL, true}; }
bool exists(int root, int p) { return root >= 0 && root < p; }

}  // namespace

int barrier(MPI_Comm comm, Native native) {
  return serve_on(comm, native, [&](int, int) {
    return Arguments{.collective = Collective::barrier, .comm = comm};
  });
}

int bcast(void* buffer, Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
          Native native) {
  return serve_on(comm, native, [&](int, int p) {
    return Arguments{.collective = Collective::bcast,
                     .comm = comm,
                     .out = exists(root, p) ? side(buffer, count, datatype) : bad_root(),
                     .root = root};
  });
}

int gather(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
           Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, Native native) {
  return serve_on(comm, native, [&](int rank, int p) {
    const bool at_root = rank == root;
    const bool in_place = at_root && is_in_place(sendbuf);
    return Arguments{
        .collective = Collective::gather,
        .comm = comm,
        .in = exists(root, p) ? side(sendbuf, sendcount, sendtype, !in_place) : bad_root(),
        .out = side(recvbuf, recvcount, recvtype, at_root),
        .root = root,
        .in_place = in_place};
  });
}

int scatter(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, Native native) {
  return serve_on(comm, native, [&](int rank, int p) {
    const bool at_root = rank == root;
    const bool in_place = at_root && is_in_place(recvbuf);
    return Arguments{
        .collective = Collective::scatter,
        .comm = comm,
        .in = side(sendbuf, sendcount, sendtype, at_root),
        .out = exists(root, p) ? side(recvbuf, recvcount, recvtype, !in_place) : bad_root(),
        .root = root,
        .in_place = in_place};
  });
}

int gatherv(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            Counts recvcounts, Counts displs, MPI_Datatype recvtype, int root, MPI_Comm comm,
            Native native) {
  const Blocks blocks{.counts = recvcounts, .displacements = displs, .displaced = true};
  return serve_on(comm, native, [&](int rank, int p) {
    const bool at_root = rank == root;
    const bool in_place = at_root && is_in_place(sendbuf);
    return Arguments{
        .collective = Collective::gatherv,
        .comm = comm,
        .in = exists(root, p) ? side(sendbuf, sendcount, sendtype, !in_place) : bad_root(),
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
  return serve_on(comm, native, [&](int rank, int p) {
    const bool at_root = rank == root;
    const bool in_place = at_root && is_in_place(recvbuf);
    return Arguments{
        .collective = Collective::scatterv,
        .comm = comm,
        .in = side(sendbuf, 0, sendtype, at_root),
        .out = exists(root, p) ? side(recvbuf, recvcount, recvtype, !in_place) : bad_root(),
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
  return serve_on(comm, native, [&](int, int) {
    return exchange(Collective::allgather, comm, side(sendbuf, sendcount, sendtype),
                    side(recvbuf, recvcount, recvtype));
  });
}

int alltoall(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
             Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, Native native) {
  return serve_on(comm, native, [&](int, int) {
    return exchange(Collective::alltoall, comm, side(sendbuf, sendcount, sendtype),
                    side(recvbuf, recvcount, recvtype));
  });
}

int allgatherv(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
               Counts recvcounts, Counts displs, MPI_Datatype recvtype, MPI_Comm comm,
               Native native) {
  const Blocks blocks{.counts = recvcounts, .displacements = displs, .displaced = true};
  return serve_on(comm, native, [&](int, int) {
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
  return serve_on(comm, native, [&](int, int) {
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
  // Without datatypes it is for the native library to complain.
  const auto type = [](Types types) { return types != nullptr ? MPI_BYTE : MPI_DATATYPE_NULL; };
  return serve_on(comm, native, [&](int, int) {
    Arguments arguments = exchange(Collective::alltoallw, comm, side(sendbuf, 0, type(sendtypes)),
                                   side(recvbuf, 0, type(recvtypes)));
    if (!arguments.in_place) arguments.in_blocks = &sent;
    arguments.out_blocks = &received;
    return arguments;
  });
}

int reduce(const void* sendbuf, void* recvbuf, Count count, MPI_Datatype datatype, MPI_Op op,
           int root, MPI_Comm comm, Native native) {
  return serve_on(comm, native, [&](int rank, int p) {
    const bool at_root = rank == root;
    const bool in_place =
        at_root && (is_in_place(sendbuf) || means_in_place(Collective::reduce, sendbuf, recvbuf));
    return Arguments{.collective = Collective::reduce,
                     .comm = comm,
                     .in = exists(root, p) ? side(sendbuf, count, datatype, !in_place) : bad_root(),
                     .out = side(recvbuf, count, datatype, at_root),
                     .op = op,
                     .root = root,
                     .in_place = in_place};
  });
}

int allreduce(const void* sendbuf, void* recvbuf, Count count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm, Native native) {
  const auto describe = [&](int, int) {
    return reduction(Collective::allreduce, comm, sendbuf, recvbuf, count, count, datatype, op);
  };
  if (!native_ranks_may_differ(count, datatype, op) || sendbuf == recvbuf) {
    return serve_on(comm, native, describe);
  }
  const auto same_on_all_ranks = [&] {
    int is_inter = 0;
    PMPI_Comm_test_inter(comm, &is_inter);
    return is_inter != 0 ? native()
                         : reduce_and_broadcast(sendbuf, recvbuf, count, datatype, op, comm);
  };
  return serve_on(comm, same_on_all_ranks, describe);
}

int reduce_scatter_block(const void* sendbuf, void* recvbuf, Count recvcount, MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm, Native native) {
  return serve_on(comm, native, [&](int, int) {
    return reduction(Collective::reduce_scatter_block, comm, sendbuf, recvbuf, recvcount, recvcount,
                     datatype, op);
  });
}

int reduce_scatter(const void* sendbuf, void* recvbuf, Counts recvcounts, MPI_Datatype datatype,
                   MPI_Op op, MPI_Comm comm, Native native) {
  const Blocks blocks{.counts = recvcounts};
  return serve_on(comm, native, [&](int rank, int) {
    const Count own = recvcounts.empty() ? -1 : recvcounts[rank];
    Arguments arguments =
        reduction(Collective::reduce_scatter, comm, sendbuf, recvbuf, own, own, datatype, op);
    arguments.in_blocks = &blocks;
    return arguments;
  });
}

int scan(const void* sendbuf, void* recvbuf, Count count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm, Native native) {
  return serve_on(comm, native, [&](int, int) {
    return reduction(Collective::scan, comm, sendbuf, recvbuf, count, count, datatype, op);
  });
}

int exscan(const void* sendbuf, void* recvbuf, Count count, MPI_Datatype datatype, MPI_Op op,
           MPI_Comm comm, Native native) {
  return serve_on(comm, native, [&](int, int) {
    return reduction(Collective::exscan, comm, sendbuf, recvbuf, count, count, datatype, op);
  });
}

}  // namespace tutti::runtime
