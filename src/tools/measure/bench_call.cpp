#include "tools/measure/bench_call.hpp"

#include <algorithm>
#include <cstring>

namespace tutti::tools {

struct Library {
#define TUTTI_FUNCTION(Name, name, ...) decltype(&MPI_##Name) name;
#include "runtime/functions.def"
#undef TUTTI_FUNCTION
};

// As a program calls them: libtutti.so, linked first, is what it gets.
constexpr Library by_tutti = {
#define TUTTI_FUNCTION(Name, ...) MPI_##Name,
#include "runtime/functions.def"
#undef TUTTI_FUNCTION
};

constexpr Library by_native = {
#define TUTTI_FUNCTION(Name, ...) PMPI_##Name,
#include "runtime/functions.def"
#undef TUTTI_FUNCTION
};

constexpr int largest_value = 7;

BenchCall::BenchCall(const Call& call, Rank rank, MPI_Op op)
    : call_(call),
      rank_(rank),
      op_(op),
      type_(info(call.collective).reduces ? MPI_DOUBLE : MPI_BYTE),
      block_(info(call.collective).owns_blocks ? call.n() / call.p : call.n()),
      contributed_(call.input(call.virtual_rank(rank)).size) {
  const Rank me = call.virtual_rank(rank);
  if (call.collective != Collective::bcast || rank != call.root) {
    received_ = call.has_output(me) ? call.output(me).size : 0;
  }
  if (call.collective == Collective::exscan && rank == 0) received_ = 0;
  // A broadcast has one buffer, on all ranks.
  const bool is_bcast = call.collective == Collective::bcast;
  const auto bytes = [&](Units units) { return static_cast<std::size_t>(units * call.unit_bytes); };
  in_.resize(is_bcast ? 0 : bytes(contributed_));
  out_.resize(bytes(is_bcast || call.collective == Collective::exscan ? call.n() : received_));
  std::vector<char>& contributes = is_bcast ? out_ : in_;
  for (Units i = 0; i < contributed_; ++i) set(contributes, i, contribution(rank, i));
  right_.resize(bytes(received_));
  for (Units i = 0; i < received_; ++i) set(right_, i, expected(i));
  if (!info(call.collective).owns_blocks) return;
  for (Rank r = 0; r < call.p; ++r) {
    counts_.push_back(static_cast<int>(block_));
    displs_.push_back(static_cast<int>(r * block_));
  }
  types_.assign(counts_.size(), type_);
}

void BenchCall::set(std::vector<char>& buffer, Units i, double value) const {
  char* const at = buffer.data() + i * call_.unit_bytes;
  if (type_ == MPI_DOUBLE) {
    std::memcpy(at, &value, sizeof value);
  } else {
    *at = static_cast<char>(value);
  }
}

// No result is like this: -1, or not a number.
void BenchCall::spoil() { std::memset(out_.data(), 0xFF, right_.size()); }

int BenchCall::contribution(Rank rank, Units i) const {
  auto mixed = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u +
               static_cast<std::uint64_t>(rank) * 0xC2B2AE3D27D4EB4Fu;
  mixed = (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93u;
  return static_cast<int>(mixed >> 61) % (largest_value + 1);
}

double BenchCall::combined(Rank first, Rank last, Units i) const {
  if (!call_.commutative) return contribution(first, i);
  double sum = 0;
  for (Rank rank = first; rank <= last; ++rank) sum += contribution(rank, i);
  return sum;
}

double BenchCall::expected(Units i) const {
  switch (info(call_.collective).regular) {
    case Collective::barrier:
      return 0;
    case Collective::bcast:
      return contribution(call_.root, i);
    case Collective::scatter:
      return contribution(call_.root, rank_ * block_ + i);
    case Collective::gather:
    case Collective::allgather:
      return contribution(static_cast<Rank>(i / block_), i % block_);
    case Collective::alltoall:
      return contribution(static_cast<Rank>(i / block_), rank_ * block_ + i % block_);
    case Collective::reduce:
    case Collective::allreduce:
      return combined(0, call_.p - 1, i);
    case Collective::reduce_scatter_block:
      return combined(0, call_.p - 1, rank_ * block_ + i);
    case Collective::scan:
      return combined(0, rank_, i);
    case Collective::exscan:
      return combined(0, rank_ - 1, i);
    default:
      return 0;
  }
}

bool BenchCall::is_right() const { return std::equal(right_.begin(), right_.end(), out_.begin()); }

int BenchCall::run_by(const Library& library, MPI_Comm comm) {
  const int n = static_cast<int>(call_.n());
  const int block = static_cast<int>(block_);
  const int root = call_.root;
  const int* const counts = counts_.data();
  const int* const displs = displs_.data();
  const MPI_Datatype* const types = types_.data();
  char* const in = in_.data();
  char* const out = out_.data();
  switch (call_.collective) {
    case Collective::barrier:
      return library.barrier(comm);
    case Collective::bcast:
      return library.bcast(out, n, type_, root, comm);
    case Collective::gather:
      return library.gather(in, block, type_, out, block, type_, root, comm);
    case Collective::scatter:
      return library.scatter(in, block, type_, out, block, type_, root, comm);
    case Collective::allgather:
      return library.allgather(in, block, type_, out, block, type_, comm);
    case Collective::alltoall:
      return library.alltoall(in, block, type_, out, block, type_, comm);
    case Collective::gatherv:
      return library.gatherv(in, block, type_, out, counts, displs, type_, root, comm);
    case Collective::scatterv:
      return library.scatterv(in, counts, displs, type_, out, block, type_, root, comm);
    case Collective::allgatherv:
      return library.allgatherv(in, block, type_, out, counts, displs, type_, comm);
    case Collective::alltoallv:
      return library.alltoallv(in, counts, displs, type_, out, counts, displs, type_, comm);
    case Collective::alltoallw:
      return library.alltoallw(in, counts, displs, types, out, counts, displs, types, comm);
    case Collective::reduce:
      return library.reduce(in, out, n, type_, op_, root, comm);
    case Collective::allreduce:
      return library.allreduce(in, out, n, type_, op_, comm);
    case Collective::reduce_scatter_block:
      return library.reduce_scatter_block(in, out, block, type_, op_, comm);
    case Collective::reduce_scatter:
      return library.reduce_scatter(in, out, counts, type_, op_, comm);
    case Collective::scan:
      return library.scan(in, out, n, type_, op_, comm);
    case Collective::exscan:
      return library.exscan(in, out, n, type_, op_, comm);
  }
  return MPI_ERR_OTHER;
}

void BenchCall::run(Server server, MPI_Comm comm) {
  run_by(server == Server::tutti ? by_tutti : by_native, comm);
}

}  // namespace tutti::tools
