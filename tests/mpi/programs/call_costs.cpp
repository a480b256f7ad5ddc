// Calls that are never made twice: a datatype made and freed for each, sizes and counts that
// change.
//
// Seen by users as calls 5 to 40 times as long, and memory that grows: adaptive meshes, particles,
// file writes. https://github.com/open-mpi/ompi/issues/8827,
// https://github.com/open-mpi/ompi/issues/11765
//
//   call_costs CASE CALLS
//
// call_costs.py counts the instructions of `counted_call`. Results are checked here, and that
// memory does not grow.
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "../resident.hpp"
#include "program.hpp"

using program::p;
using program::rank;

namespace {

constexpr int longest = 4000;  // numbers in a block
constexpr long growth_of_types_kb = 1024;
constexpr long growth_of_sizes_kb = 20 * 1024;  // a communicator keeps up to 16 MiB of schedules
const MPI_Comm comm = MPI_COMM_WORLD;

using Numbers = std::vector<double>;
using Ints = std::vector<int>;

std::uint64_t state = 88172645463325252ULL;  // the same on all ranks
int drawn(int below) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return static_cast<int>((state >> 33) % static_cast<std::uint64_t>(below));
}

// Adds doubles, whatever datatype they stand in.
void add(void* in, void* inout, int* length, MPI_Datatype* type) {
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  for (int i = 0; i < *length * bytes / 8; ++i) {
    static_cast<double*>(inout)[i] += static_cast<const double*>(in)[i];
  }
}

// What a call is made with, and made again where nothing has changed.
struct Call {
  std::string name;
  Numbers in, out;
  MPI_Op op = MPI_OP_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int size = 1, root = 0;
  Ints sent, received, from, to;

  explicit Call(const std::string& wanted)
      : name(wanted),
        in(static_cast<std::size_t>(2 * longest * p), rank),
        out(in.size()),
        sent(static_cast<std::size_t>(p)),
        received(sent),
        from(sent),
        to(sent) {
    MPI_Op_create(add, 1, &op);
  }
  ~Call() { MPI_Op_free(&op); }

  bool makes_type() const { return name.rfind("type_", 0) == 0; }
  void prepare(int number, int calls);
  void make();
  bool right() const;
};

void Call::prepare(int number, int calls) {
  size = 1 + static_cast<int>(static_cast<long>(number) * (longest - 1) / calls);
  root = number % p;
  if (name == "type_allreduce") MPI_Type_contiguous(10, MPI_DOUBLE, &type);
  if (name == "type_bcast") MPI_Type_vector(100, 1, 2, MPI_DOUBLE, &type);
  if (makes_type()) MPI_Type_commit(&type);
  for (int i = 0; i < p; ++i) {  // every rank draws all counts
    for (int j = 0; j < p; ++j) {
      const int count = 1 + drawn(longest - 1);
      if (i == rank || name == "allgatherv") sent[static_cast<std::size_t>(j)] = count;
      if (j == rank) received[static_cast<std::size_t>(i)] = count;
    }
  }
  if (name == "allgatherv") received = sent;
  std::exclusive_scan(sent.begin(), sent.end(), from.begin(), 0);
  std::exclusive_scan(received.begin(), received.end(), to.begin(), 0);
  out.assign(out.size(), -1);
  if (rank == root) out.front() = 4;
}

void Call::make() {
  if (name == "type_allreduce") MPI_Allreduce(in.data(), out.data(), 3, type, op, comm);
  if (name == "type_bcast") MPI_Bcast(out.data(), 1, type, root, comm);
  if (name == "allreduce") {
    MPI_Allreduce(in.data(), out.data(), size, MPI_DOUBLE, MPI_SUM, comm);
  }
  if (name == "bcast") MPI_Bcast(out.data(), size, MPI_DOUBLE, root, comm);
  if (name == "allgatherv") {
    MPI_Allgatherv(in.data(), sent[static_cast<std::size_t>(rank)], MPI_DOUBLE, out.data(),
                   received.data(), to.data(), MPI_DOUBLE, comm);
  }
  if (name == "alltoallv") {
    MPI_Alltoallv(in.data(), sent.data(), from.data(), MPI_DOUBLE, out.data(), received.data(),
                  to.data(), MPI_DOUBLE, comm);
  }
}

bool Call::right() const {
  if (name == "bcast" || name == "type_bcast") return out.front() == 4;
  if (name == "allreduce" || name == "type_allreduce") return out.front() == p * (p - 1) / 2.0;
  return out[static_cast<std::size_t>(to.back())] == p - 1;
}

}  // namespace

extern "C" [[gnu::noinline]] void counted_call(void* call) { static_cast<Call*>(call)->make(); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  program::learn_ranks();
  {
    Call call(argv[1]);
    const int calls = std::atoi(argv[2]);
    long before = 0;
    for (int i = 0; i < calls; ++i) {
      if (i == calls / 5) before = tutti::test::resident_kb();
      call.prepare(i, calls);
      counted_call(&call);
      program::expect(call.right(), "the result of call " + std::to_string(i));
      if (call.makes_type()) MPI_Type_free(&call.type);
    }
    const long growth = tutti::test::resident_kb() - before;
    program::expect(growth <= (call.makes_type() ? growth_of_types_kb : growth_of_sizes_kb),
                    "memory grew by KiB: " + std::to_string(growth));
  }
  return program::end();
}
