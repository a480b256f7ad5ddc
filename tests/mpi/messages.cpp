// Makes one collective call of the MPI library, and tells how many messages each rank sent:
// messages bcast:4096, with the bytes of the whole message.
//
// Open MPI's component pml/monitoring prints that at the end, if it is enabled, in a line for each
// sender and receiver. With MPICH this program does, in the same form. What an algorithm is shows
// in who sends how often.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#ifndef OPEN_MPI
#include <dlfcn.h>

static int sent_by_ucx = 0;

// MPICH sends by this function of UCX, and finds this one before it.
extern "C" void* ucp_tag_send_nbx(void* endpoint, const void* data, std::size_t count,
                                  unsigned long long tag, const void* parameters) {
  using Send = void* (*)(void*, const void*, std::size_t, unsigned long long, const void*);
  static const auto real = reinterpret_cast<Send>(dlsym(RTLD_NEXT, "ucp_tag_send_nbx"));
  ++sent_by_ucx;
  return real(endpoint, data, count, tag, parameters);
}

#endif

static void add(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) {
    static_cast<double*>(inout)[i] += static_cast<const double*>(in)[i];
  }
}

static void call(const std::string& name, std::size_t bytes, MPI_Op own) {
  int p = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  std::vector<char> in(bytes), out(bytes);
  const auto n = static_cast<int>(bytes);
  const int block = n / p;
  if (name == "bcast") MPI_Bcast(in.data(), n, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (name == "alltoall") {
    MPI_Alltoall(in.data(), block, MPI_CHAR, out.data(), block, MPI_CHAR, MPI_COMM_WORLD);
  }
  if (name == "alltoall_in_place") {
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out.data(), block, MPI_CHAR, MPI_COMM_WORLD);
  }
  if (name == "allreduce") {
    MPI_Allreduce(in.data(), out.data(), n / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (name == "allreduce_own_operator") {
    MPI_Allreduce(in.data(), out.data(), n / 8, MPI_DOUBLE, own, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Op own = MPI_OP_NULL;
  MPI_Op_create(add, 1, &own);
  const std::string text = argv[1];
  const std::size_t colon = text.find(':');
#ifndef OPEN_MPI
  const int before = sent_by_ucx;
#endif
  call(text.substr(0, colon), std::strtoul(text.c_str() + colon + 1, nullptr, 10), own);
#ifndef OPEN_MPI
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::printf("E\t%d\t*\t* bytes\t%d msgs sent\n", rank, sent_by_ucx - before);
#endif
  MPI_Op_free(&own);
  MPI_Finalize();
}
