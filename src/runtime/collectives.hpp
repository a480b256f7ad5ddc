// The blocking collectives, served by Tutti where it can, by the native library where not.
//
// Arguments are those of the MPI function of the same name. `native` calls that function, with
// the caller's arguments unchanged: it serves intercommunicators, single ranks, empty messages,
// arguments that look wrong (so the error is the library's own), and whatever has no algorithm.
// Returns what MPI would; errors go through the communicator's error handler.
#pragma once

#include <mpi.h>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace tutti::runtime {

using Count = std::int64_t;

class Communicator;

// Refers to a callable that lives as long as the call; nothing is copied. One that takes a
// communicator's state gets it when calls like this one will go to the native collective again, and
// may write down there what they say.
class Native {
 public:
  template <class Callable>
  explicit(false)
      Native(const Callable& callable)  // NOLINT(bugprone-forwarding-reference-overload)
      : object_(&callable), call_([](const void* object, [[maybe_unused]] Communicator* again) {
          const auto& native = *static_cast<const Callable*>(object);
          if constexpr (std::is_invocable_v<const Callable&, Communicator*>)
            return native(again);
          else
            return native();
        }) {}
  int operator()() const { return call_(object_, nullptr); }
  int again(Communicator& state) const { return call_(object_, &state); }

 private:
  const void* object_;
  int (*call_)(const void*, Communicator*);
};

// An array of counts as either of MPI's interfaces passes it.
class Counts {
 public:
  Counts() = default;
  explicit(false) Counts(const int* values) : ints_(values) {}
  // Large ones may be of another type of as many bits.
  template <std::integral T>
  requires(sizeof(T) == sizeof(Count)) explicit(false) Counts(const T* values)
      : longs_(reinterpret_cast<const Large*>(values)) {}
  bool empty() const { return ints_ == nullptr && longs_ == nullptr; }
  Count operator[](int i) const { return ints_ != nullptr ? ints_[i] : longs_[i]; }

 private:
  using Large [[gnu::may_alias]] = Count;
  const int* ints_ = nullptr;
  const Large* longs_ = nullptr;
};

// Datatypes, one for each rank.
using Types = const MPI_Datatype*;

int barrier(MPI_Comm comm, Native native);
int bcast(void* buffer, Count count, MPI_Datatype datatype, int root, MPI_Comm comm, Native native);
int gather(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
           Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, Native native);
int gatherv(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            Counts recvcounts, Counts displs, MPI_Datatype recvtype, int root, MPI_Comm comm,
            Native native);
int scatter(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, Native native);
int scatterv(const void* sendbuf, Counts sendcounts, Counts displs, MPI_Datatype sendtype,
             void* recvbuf, Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
             Native native);
int allgather(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
              Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, Native native);
int allgatherv(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
               Counts recvcounts, Counts displs, MPI_Datatype recvtype, MPI_Comm comm,
               Native native);
int alltoall(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
             Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, Native native);
int alltoallv(const void* sendbuf, Counts sendcounts, Counts sdispls, MPI_Datatype sendtype,
              void* recvbuf, Counts recvcounts, Counts rdispls, MPI_Datatype recvtype,
              MPI_Comm comm, Native native);
int alltoallw(const void* sendbuf, Counts sendcounts, Counts sdispls, Types sendtypes,
              void* recvbuf, Counts recvcounts, Counts rdispls, Types recvtypes, MPI_Comm comm,
              Native native);
int reduce(const void* sendbuf, void* recvbuf, Count count, MPI_Datatype datatype, MPI_Op op,
           int root, MPI_Comm comm, Native native);
int allreduce(const void* sendbuf, void* recvbuf, Count count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm, Native native);
int reduce_scatter_block(const void* sendbuf, void* recvbuf, Count recvcount, MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm, Native native);
int reduce_scatter(const void* sendbuf, void* recvbuf, Counts recvcounts, MPI_Datatype datatype,
                   MPI_Op op, MPI_Comm comm, Native native);
int scan(const void* sendbuf, void* recvbuf, Count count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm, Native native);
int exscan(const void* sendbuf, void* recvbuf, Count count, MPI_Datatype datatype, MPI_Op op,
           MPI_Comm comm, Native native);

}  // namespace tutti::runtime
