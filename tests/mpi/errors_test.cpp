// errors_test: what a program sees when it calls collectives with wrong arguments.
//
//   mpirun -np 2..4 errors_test [CASE]     (one case only, by the name it prints)
//
// Prints one line per case and rank 0: the error class, how often the communicator's own error
// handler ran, and whether the receive buffer stayed as it was. There is nothing to pass or
// fail: the output without and with Tutti in front must be the same, byte for byte.
//
// All ranks make the same wrong call, so that all return; cases where only one rank is wrong
// would leave the others waiting. Left out, after a look at what the native libraries do (run at
// p = 3 with MPI_ERRORS_RETURN; MPICH 4.0.2, Open MPI 4.1.4):
// - messages longer than the receive count (Bcast of 8 at the root, 4 elsewhere): MPICH reports
//   MPI_ERR_TRUNCATE at the non-roots only, Open MPI crashes. What is tested instead is a
//   mismatch every rank can see by itself (a negative entry of recvcounts).
// - a null buffer with a positive count: Open MPI crashes; MPICH reports it, and is tested.
// - MPI_IN_PLACE at a non-root of Gather, or as Scatter's receive buffer there: MPICH crashes;
//   Open MPI reports it at the non-roots, and Gather's root waits for ever.
// - negative counts of Reduce, Allreduce, Reduce_scatter_block, Scan and Exscan: MPICH does not
//   look at them, and crashes or aborts; Open MPI reports them, and is tested.
// - Allgather with the send buffer as receive buffer: MPICH hangs (it can tell at rank 0 only,
//   whose block is at that address).
// - freed handles: MPICH crashes, Open MPI goes on as if nothing were wrong.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

// The libraries that have the standard ABI are of MPICH's making.
#if defined(MPICH_VERSION) || defined(MPI_ABI_VERSION)
#define TUTTI_MPICH
#endif

namespace {

constexpr int count = 4;
constexpr int canary = 0x5a5a5a5a;

using Buffer = std::array<int, 64>;

// Counts the calls of the error handler; hangs on the communicator as an attribute would, but
// MPI hands error handlers the communicator only, so the count is a global.
int handler_calls = 0;

void count_calls(MPI_Comm*, int*, ...) { ++handler_calls; }

// What a case may use: valid arguments to be spoilt one at a time.
struct Arguments {
  MPI_Comm comm;
  int p;
  int rank;
  Buffer* send;
  Buffer* recv;
  MPI_Datatype uncommitted;
  MPI_Datatype derived;  // committed
};

struct Case {
  const char* name;
  int (*call)(const Arguments&);
};

const std::vector<Case>& cases() {
  using A = const Arguments&;
  static const std::vector<Case> list {
    // counts
    {"bcast, negative count", [](A a) { return MPI_Bcast(a.recv, -1, MPI_INT, 0, a.comm); }},
        {"gather, negative send count",
         [](A a) { return MPI_Gather(a.send, -1, MPI_INT, a.recv, 1, MPI_INT, 0, a.comm); }},
        {"scatter, negative receive count",
         [](A a) { return MPI_Scatter(a.send, 1, MPI_INT, a.recv, -1, MPI_INT, 0, a.comm); }},
        {"allgather, negative send count",
         [](A a) { return MPI_Allgather(a.send, -1, MPI_INT, a.recv, 1, MPI_INT, a.comm); }},
        {"allgather, negative receive count",
         [](A a) { return MPI_Allgather(a.send, 1, MPI_INT, a.recv, -1, MPI_INT, a.comm); }},
        {"alltoall, negative send count",
         [](A a) { return MPI_Alltoall(a.send, -1, MPI_INT, a.recv, 1, MPI_INT, a.comm); }},
#if !defined(TUTTI_MPICH)
        {"reduce, negative count",
         [](A a) { return MPI_Reduce(a.send, a.recv, -1, MPI_INT, MPI_SUM, 0, a.comm); }},
        {"allreduce, negative count",
         [](A a) { return MPI_Allreduce(a.send, a.recv, -1, MPI_INT, MPI_SUM, a.comm); }},
#endif
        {"reduce_scatter, one negative count",
         [](A a) {
           std::vector<int> counts(static_cast<std::size_t>(a.p), 1);
           counts.back() = -1;
           return MPI_Reduce_scatter(a.send, a.recv, counts.data(), MPI_INT, MPI_SUM, a.comm);
         }},
#if !defined(TUTTI_MPICH)
        {"reduce_scatter_block, negative count",
         [](A a) {
           return MPI_Reduce_scatter_block(a.send, a.recv, -1, MPI_INT, MPI_SUM, a.comm);
         }},
        {"scan, negative count",
         [](A a) { return MPI_Scan(a.send, a.recv, -1, MPI_INT, MPI_SUM, a.comm); }},
        {"exscan, negative count",
         [](A a) { return MPI_Exscan(a.send, a.recv, -1, MPI_INT, MPI_SUM, a.comm); }},
#endif
        // datatypes
        {"bcast, null datatype",
         [](A a) { return MPI_Bcast(a.recv, count, MPI_DATATYPE_NULL, 0, a.comm); }},
        {"gather, null send datatype",
         [](A a) {
           return MPI_Gather(a.send, 1, MPI_DATATYPE_NULL, a.recv, 1, MPI_INT, 0, a.comm);
         }},
        {"allgather, null receive datatype",
         [](A a) {
           return MPI_Allgather(a.send, 1, MPI_INT, a.recv, 1, MPI_DATATYPE_NULL, a.comm);
         }},
        {"alltoall, null receive datatype",
         [](A a) {
           return MPI_Alltoall(a.send, 1, MPI_INT, a.recv, 1, MPI_DATATYPE_NULL, a.comm);
         }},
        {"allreduce, null datatype",
         [](A a) {
           return MPI_Allreduce(a.send, a.recv, count, MPI_DATATYPE_NULL, MPI_SUM, a.comm);
         }},
        {"scan, null datatype",
         [](A a) { return MPI_Scan(a.send, a.recv, count, MPI_DATATYPE_NULL, MPI_SUM, a.comm); }},
        {"bcast, uncommitted datatype",
         [](A a) { return MPI_Bcast(a.recv, 1, a.uncommitted, 0, a.comm); }},
        {"allgather, uncommitted send datatype",
         [](A a) { return MPI_Allgather(a.send, 1, a.uncommitted, a.recv, 2, MPI_INT, a.comm); }},
        {"scatter, uncommitted receive datatype",
         [](A a) { return MPI_Scatter(a.send, 2, MPI_INT, a.recv, 1, a.uncommitted, 0, a.comm); }},
        // roots
        {"bcast, root -1", [](A a) { return MPI_Bcast(a.recv, count, MPI_INT, -1, a.comm); }},
        {"bcast, root -1 and count 0",
         [](A a) { return MPI_Bcast(a.recv, 0, MPI_INT, -1, a.comm); }},
        {"bcast, root p", [](A a) { return MPI_Bcast(a.recv, count, MPI_INT, a.p, a.comm); }},
        {"gather, root p",
         [](A a) { return MPI_Gather(a.send, 1, MPI_INT, a.recv, 1, MPI_INT, a.p, a.comm); }},
        {"scatter, root -1",
         [](A a) { return MPI_Scatter(a.send, 1, MPI_INT, a.recv, 1, MPI_INT, -1, a.comm); }},
        {"reduce, root -1",
         [](A a) { return MPI_Reduce(a.send, a.recv, count, MPI_INT, MPI_SUM, -1, a.comm); }},
        {"reduce, root p",
         [](A a) { return MPI_Reduce(a.send, a.recv, count, MPI_INT, MPI_SUM, a.p, a.comm); }},
        // operators
        {"reduce, null operator",
         [](A a) { return MPI_Reduce(a.send, a.recv, count, MPI_INT, MPI_OP_NULL, 0, a.comm); }},
        {"allreduce, null operator",
         [](A a) { return MPI_Allreduce(a.send, a.recv, count, MPI_INT, MPI_OP_NULL, a.comm); }},
        {"reduce_scatter_block, null operator",
         [](A a) {
           return MPI_Reduce_scatter_block(a.send, a.recv, 1, MPI_INT, MPI_OP_NULL, a.comm);
         }},
        {"scan, null operator",
         [](A a) { return MPI_Scan(a.send, a.recv, count, MPI_INT, MPI_OP_NULL, a.comm); }},
        {"exscan, null operator",
         [](A a) { return MPI_Exscan(a.send, a.recv, count, MPI_INT, MPI_OP_NULL, a.comm); }},
        {"allreduce, band on double",
         [](A a) { return MPI_Allreduce(a.send, a.recv, count, MPI_DOUBLE, MPI_BAND, a.comm); }},
        {"allreduce, sum on a derived datatype",
         [](A a) { return MPI_Allreduce(a.send, a.recv, 1, a.derived, MPI_SUM, a.comm); }},
        {"reduce, sum on a derived datatype",
         [](A a) { return MPI_Reduce(a.send, a.recv, 1, a.derived, MPI_SUM, 0, a.comm); }},
        {"scan, band on double",
         [](A a) { return MPI_Scan(a.send, a.recv, count, MPI_DOUBLE, MPI_BAND, a.comm); }},
        {"reduce_scatter_block, maxloc on int",
         [](A a) {
           return MPI_Reduce_scatter_block(a.send, a.recv, 1, MPI_INT, MPI_MAXLOC, a.comm);
         }},
        {"allreduce, maxloc on int",
         [](A a) { return MPI_Allreduce(a.send, a.recv, count, MPI_INT, MPI_MAXLOC, a.comm); }},
        // communicators: the error goes to MPI_COMM_WORLD's handler
        {"barrier, null communicator", [](A) { return MPI_Barrier(MPI_COMM_NULL); }},
        {"bcast, null communicator",
         [](A a) { return MPI_Bcast(a.recv, count, MPI_INT, 0, MPI_COMM_NULL); }},
        {"allreduce, null communicator",
         [](A a) { return MPI_Allreduce(a.send, a.recv, count, MPI_INT, MPI_SUM, MPI_COMM_NULL); }},
        {"alltoall, null communicator",
         [](A a) { return MPI_Alltoall(a.send, 1, MPI_INT, a.recv, 1, MPI_INT, MPI_COMM_NULL); }},
        // MPI_IN_PLACE where it is not legal
        {"allreduce, in place as receive buffer",
         [](A a) { return MPI_Allreduce(a.send, MPI_IN_PLACE, count, MPI_INT, MPI_SUM, a.comm); }},
        {"allgather, in place as receive buffer",
         [](A a) { return MPI_Allgather(a.send, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, a.comm); }},
        {"alltoall, in place as receive buffer",
         [](A a) { return MPI_Alltoall(a.send, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, a.comm); }},
#if defined(TUTTI_MPICH)
        // null and aliased buffers
        {"bcast, null buffer", [](A a) { return MPI_Bcast(nullptr, count, MPI_INT, 0, a.comm); }},
        {"allreduce, null receive buffer",
         [](A a) { return MPI_Allreduce(a.send, nullptr, count, MPI_INT, MPI_SUM, a.comm); }},
        {"allreduce, null send buffer",
         [](A a) { return MPI_Allreduce(nullptr, a.recv, count, MPI_INT, MPI_SUM, a.comm); }},
#endif
        {"allreduce, send buffer is receive buffer",
         [](A a) { return MPI_Allreduce(a.recv, a.recv, count, MPI_INT, MPI_SUM, a.comm); }},
#if !defined(TUTTI_MPICH)
        {"allgather, send buffer is receive buffer",
         [](A a) { return MPI_Allgather(a.recv, 1, MPI_INT, a.recv, 1, MPI_INT, a.comm); }},
#endif
        {"alltoall, send buffer is receive buffer",
         [](A a) { return MPI_Alltoall(a.recv, 1, MPI_INT, a.recv, 1, MPI_INT, a.comm); }},
        {"scan, send buffer is receive buffer",
         [](A a) { return MPI_Scan(a.recv, a.recv, count, MPI_INT, MPI_SUM, a.comm); }},
        // no error at all: shows that the lines above are not just what is always printed
        {"allreduce, nothing wrong",
         [](A a) { return MPI_Allreduce(a.send, a.recv, count, MPI_INT, MPI_SUM, a.comm); }},
  };
  return list;
}

std::string class_of(int code) {
  int error_class;
  MPI_Error_class(code, &error_class);
  if (error_class == MPI_SUCCESS) return "MPI_SUCCESS";
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(error_class, text, &length);
  return std::string(text, static_cast<std::size_t>(length));
}

std::string outcome(const Case& one, Arguments arguments) {
  Buffer send;
  Buffer recv;
  send.fill(1);
  recv.fill(canary);
  arguments.send = &send;
  arguments.recv = &recv;
  handler_calls = 0;
  const int code = one.call(arguments);
  Buffer untouched;
  untouched.fill(canary);
  return std::string(one.name) + ": " + class_of(code) + "; handler ran " +
         std::to_string(handler_calls) + " times; receive buffer " +
         (recv == untouched ? "untouched" : "written");
}

// MPICH 5.0.2 asserts that a reduction has a datatype (docs/reference/limits.md).
bool aborts_natively(const Case& one) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  const std::string library = version, name = one.name;
  const bool asserts = library.starts_with("MPICH") && library.find(" 5.0.2") != library.npos;
  return asserts && (name == "allreduce, null datatype" || name == "scan, null datatype");
}

// All cases with `handler` on a duplicate of MPI_COMM_WORLD and on MPI_COMM_WORLD itself, where
// errors without a communicator go.
void run(const char* title, MPI_Errhandler handler, const Arguments& arguments,
         const std::string& only) {
  MPI_Comm_set_errhandler(arguments.comm, handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  if (arguments.rank == 0) std::printf("== %s\n", title);
  for (const Case& one : cases()) {
    if (only.empty() ? aborts_natively(one) : only != one.name) continue;
    const std::string line = outcome(one, arguments);
    if (arguments.rank == 0) std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Arguments arguments{};
  MPI_Comm_dup(MPI_COMM_WORLD, &arguments.comm);
  MPI_Comm_size(arguments.comm, &arguments.p);
  MPI_Comm_rank(arguments.comm, &arguments.rank);
  MPI_Type_contiguous(2, MPI_INT, &arguments.uncommitted);
  MPI_Type_vector(2, 1, 2, MPI_INT, &arguments.derived);
  MPI_Type_commit(&arguments.derived);
  const std::string only = argc > 1 ? argv[1] : "";
  run("MPI_ERRORS_RETURN", MPI_ERRORS_RETURN, arguments, only);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(count_calls, &handler);
  run("a handler that counts its calls", handler, arguments, only);
  MPI_Errhandler_free(&handler);
  MPI_Type_free(&arguments.uncommitted);
  MPI_Type_free(&arguments.derived);
  MPI_Comm_free(&arguments.comm);
  MPI_Finalize();
  return 0;
}
