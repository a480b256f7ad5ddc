// Tutti: collective communication over an MPI library's point-to-point messages, fast at every
// number of ranks.
//
// A program that is not recompiled runs under `tutti exec`; a program that links Tutti calls the
// functions below. They take the arguments of the MPI function of the same name, with 64-bit
// counts, mean the same, and return an MPI error code (errors go through the communicator's error
// handler first). All ranks of the communicator call them alike. Any thread may call, as far as
// MPI lets it. Buffers belong to the caller; no function keeps them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tutti/version.hpp"

namespace tutti {

using Count = std::int64_t;

int barrier(MPI_Comm comm);
int bcast(void* buffer, Count count, MPI_Datatype datatype, int root, MPI_Comm comm);
int gather(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
           Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int gatherv(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            const Count* recvcounts, const Count* displs, MPI_Datatype recvtype, int root,
            MPI_Comm comm);
int scatter(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int scatterv(const void* sendbuf, const Count* sendcounts, const Count* displs,
             MPI_Datatype sendtype, void* recvbuf, Count recvcount, MPI_Datatype recvtype, int root,
             MPI_Comm comm);
int allgather(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
              Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int allgatherv(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
               const Count* recvcounts, const Count* displs, MPI_Datatype recvtype, MPI_Comm comm);
int alltoall(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
             Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int alltoallv(const void* sendbuf, const Count* sendcounts, const Count* sdispls,
              MPI_Datatype sendtype, void* recvbuf, const Count* recvcounts, const Count* rdispls,
              MPI_Datatype recvtype, MPI_Comm comm);
int alltoallw(const void* sendbuf, const Count* sendcounts, const Count* sdispls,
              const MPI_Datatype* sendtypes, void* recvbuf, const Count* recvcounts,
              const Count* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm);
int reduce(const void* sendbuf, void* recvbuf, Count count, MPI_Datatype datatype, MPI_Op op,
           int root, MPI_Comm comm);
int allreduce(const void* sendbuf, void* recvbuf, Count count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm);
int reduce_scatter_block(const void* sendbuf, void* recvbuf, Count recvcount, MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm);
int reduce_scatter(const void* sendbuf, void* recvbuf, const Count* recvcounts,
                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int scan(const void* sendbuf, void* recvbuf, Count count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm);
int exscan(const void* sendbuf, void* recvbuf, Count count, MPI_Datatype datatype, MPI_Op op,
           MPI_Comm comm);

// Makes this communicator use the named algorithms, as "allreduce=circulant,bcast=binomial", where
// they accept the call. Collective: all ranks name the same. Throws std::invalid_argument, saying
// what is known, on a name that is not.
inline void force(MPI_Comm comm, std::string_view algorithms);

// What `force` calls: null, or what is wrong, for std::free. Throws nothing.
char* force_or_say_why_not(MPI_Comm comm, const char* algorithms, std::size_t length);

inline void force(MPI_Comm comm, std::string_view algorithms) {
  char* const wrong = force_or_say_why_not(comm, algorithms.data(), algorithms.size());
  if (wrong == nullptr) return;
  const std::string text = wrong;
  std::free(wrong);
  throw std::invalid_argument(text);
}

}  // namespace tutti
