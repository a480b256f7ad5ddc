#include "tools/bench_call.hpp"

#include <algorithm>
#include <cstring>

#include "tutti/tutti.hpp"

namespace tutti::tools {

namespace {

// The same functions of both: they differ in the type of counts only.
struct ByTutti {
  using Counts = std::vector<Count>;
  static constexpr auto barrier = tutti::barrier;
  static constexpr auto bcast = tutti::bcast;
  static constexpr auto gather = tutti::gather;
  static constexpr auto gatherv = tutti::gatherv;
  static constexpr auto scatter = tutti::scatter;
  static constexpr auto scatterv = tutti::scatterv;
  static constexpr auto allgather = tutti::allgather;
  static constexpr auto allgatherv = tutti::allgatherv;
  static constexpr auto alltoall = tutti::alltoall;
  static constexpr auto alltoallv = tutti::alltoallv;
  static constexpr auto alltoallw = tutti::alltoallw;
  static constexpr auto reduce = tutti::reduce;
  static constexpr auto allreduce = tutti::allreduce;
  static constexpr auto reduce_scatter_block = tutti::reduce_scatter_block;
  static constexpr auto reduce_scatter = tutti::reduce_scatter;
  static constexpr auto scan = tutti::scan;
  static constexpr auto exscan = tutti::exscan;
};

struct ByNative {
  using Counts = std::vector<int>;
  static constexpr auto barrier = PMPI_Barrier;
  static constexpr auto bcast = PMPI_Bcast;
  static constexpr auto gather = PMPI_Gather;
  static constexpr auto gatherv = PMPI_Gatherv;
  static constexpr auto scatter = PMPI_Scatter;
  static constexpr auto scatterv = PMPI_Scatterv;
  static constexpr auto allgather = PMPI_Allgather;
  static constexpr auto allgatherv = PMPI_Allgatherv;
  static constexpr auto alltoall = PMPI_Alltoall;
  static constexpr auto alltoallv = PMPI_Alltoallv;
  static constexpr auto alltoallw = PMPI_Alltoallw;
  static constexpr auto reduce = PMPI_Reduce;
  static constexpr auto allreduce = PMPI_Allreduce;
  static constexpr auto reduce_scatter_block = PMPI_Reduce_scatter_block;
  static constexpr auto reduce_scatter = PMPI_Reduce_scatter;
  static constexpr auto scan = PMPI_Scan;
  static constexpr auto exscan = PMPI_Exscan;
};

constexpr int largest_value = 7;

}  // namespace

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

template <class Library>
void BenchCall::reduce_by(MPI_Comm comm) {
  const int n = static_cast<int>(call_.n());
  const int block = static_cast<int>(block_);
  switch (call_.collective) {
    case Collective::reduce:
      Library::reduce(in_.data(), out_.data(), n, type_, op_, call_.root, comm);
      break;
    case Collective::allreduce:
      Library::allreduce(in_.data(), out_.data(), n, type_, op_, comm);
      break;
    case Collective::reduce_scatter_block:
      Library::reduce_scatter_block(in_.data(), out_.data(), block, type_, op_, comm);
      break;
    case Collective::reduce_scatter: {
      const typename Library::Counts counts(static_cast<std::size_t>(call_.p), block);
      Library::reduce_scatter(in_.data(), out_.data(), counts.data(), type_, op_, comm);
      break;
    }
    case Collective::scan:
      Library::scan(in_.data(), out_.data(), n, type_, op_, comm);
      break;
    default:
      Library::exscan(in_.data(), out_.data(), n, type_, op_, comm);
      break;
  }
}

// The same blocks as in the regular call, described one by one.
template <class Library>
void BenchCall::run_irregular_by(MPI_Comm comm) {
  const int block = static_cast<int>(block_);
  const int root = call_.root;
  const typename Library::Counts counts(static_cast<std::size_t>(call_.p), block);
  typename Library::Counts displs;
  for (int i = 0; i < call_.p; ++i) displs.push_back(i * block);
  char* const in = in_.data();
  char* const out = out_.data();
  switch (call_.collective) {
    case Collective::gatherv:
      Library::gatherv(in, block, type_, out, counts.data(), displs.data(), type_, root, comm);
      break;
    case Collective::scatterv:
      Library::scatterv(in, counts.data(), displs.data(), type_, out, block, type_, root, comm);
      break;
    case Collective::allgatherv:
      Library::allgatherv(in, block, type_, out, counts.data(), displs.data(), type_, comm);
      break;
    case Collective::alltoallv:
      Library::alltoallv(in, counts.data(), displs.data(), type_, out, counts.data(), displs.data(),
                         type_, comm);
      break;
    default: {
      const std::vector<MPI_Datatype> types(static_cast<std::size_t>(call_.p), type_);
      Library::alltoallw(in, counts.data(), displs.data(), types.data(), out, counts.data(),
                         displs.data(), types.data(), comm);
      break;
    }
  }
}

template <class Library>
void BenchCall::run_by(MPI_Comm comm) {
  const int block = static_cast<int>(block_);
  const int root = call_.root;
  switch (call_.collective) {
    case Collective::barrier:
      Library::barrier(comm);
      break;
    case Collective::bcast:
      Library::bcast(out_.data(), static_cast<int>(call_.n()), type_, root, comm);
      break;
    case Collective::gather:
      Library::gather(in_.data(), block, type_, out_.data(), block, type_, root, comm);
      break;
    case Collective::scatter:
      Library::scatter(in_.data(), block, type_, out_.data(), block, type_, root, comm);
      break;
    case Collective::allgather:
      Library::allgather(in_.data(), block, type_, out_.data(), block, type_, comm);
      break;
    case Collective::alltoall:
      Library::alltoall(in_.data(), block, type_, out_.data(), block, type_, comm);
      break;
    default:
      info(call_.collective).reduces ? reduce_by<Library>(comm) : run_irregular_by<Library>(comm);
      break;
  }
}

void BenchCall::run(Server server, MPI_Comm comm) {
  server == Server::tutti ? run_by<ByTutti>(comm) : run_by<ByNative>(comm);
}

}  // namespace tutti::tools
