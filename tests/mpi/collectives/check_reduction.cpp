// Checks of the collectives that reduce.
#include <numeric>

#include "checks.hpp"

namespace tutti::test {

namespace {

Seed seed_of(const Call& call) { return call.seed + call.comm->salt; }

auto from(const std::vector<Value>& values) {
  return [&values](long k) { return values[static_cast<std::size_t>(k)]; };
}

// The two buffers of a reduction with their expected contents.
class Reducing {
 public:
  // `own` elements of contribution, `result` elements of receive buffer; in place, the
  // contribution is in the receive buffer, which must then hold both.
  Reducing(const Call& call, long own, long result, bool in_place)
      : call_(call),
        in_place_(in_place),
        input_(*call.reduction->type, own),
        output_(*call.reduction->type, in_place ? std::max(own, result) : result),
        input_before_(input_),
        expected_(output_) {
    const auto mine = call.reduction->contribution(seed_of(call), call.comm->rank, 0, own);
    input_.fill(0, own, from(mine));
    if (in_place) output_.fill(0, own, from(mine));
    input_before_ = input_;
    expected_ = output_;
  }

  const void* sendbuf() { return in_place_ ? MPI_IN_PLACE : input_.address(); }
  void* recvbuf() { return output_.address(); }

  // The receive buffer must begin with ranks [0, last_rank] reduced, for `count` elements of
  // the vector from element `first` on.
  void expect(int last_rank, long first, long count) {
    const auto values = call_.reduction->fold(seed_of(call_), 0, last_rank, first, count);
    expected_.fill(0, count, from(values));
  }

  // In place, what lies behind the result is spent input: MPI does not say it is kept (Open MPI
  // reduces there). Gaps and guards are.
  void compare_but_tail(Report& report, long result) {
    expected_.adopt(output_, result, output_.elements() - result);
    compare(report);
  }

  void compare(Report& report) const {
    report.compare(call_, "send buffer", input_, input_before_);
    report.compare(call_, "receive buffer", output_, expected_);
  }

 private:
  const Call& call_;
  bool in_place_;
  GuardedBuffer input_;
  GuardedBuffer output_;
  GuardedBuffer input_before_;
  GuardedBuffer expected_;
};

bool in_place(const Call& call) { return call.placement == Placement::in_place; }

}  // namespace

void check_reduce(Report& report, const Call& call) {
  const TestComm& comm = *call.comm;
  Reducing data(call, call.count, call.count, in_place(call) && call.is_root());
  if (call.is_root()) data.expect(comm.p - 1, 0, call.count);
  const bool null_output = !call.is_root() && call.null_ignored();
  MPI_Reduce(data.sendbuf(), null_output ? nullptr : data.recvbuf(), call.count,
             call.reduction->type->handle, call.reduction->op, call.root, comm.comm);
  data.compare(report);
}

void check_allreduce(Report& report, const Call& call) {
  Reducing data(call, call.count, call.count, in_place(call));
  data.expect(call.comm->p - 1, 0, call.count);
  MPI_Allreduce(data.sendbuf(), data.recvbuf(), call.count, call.reduction->type->handle,
                call.reduction->op, call.comm->comm);
  data.compare(report);
}

// Irregular blocks: every fourth is empty, every fourth one longer.
void check_reduce_scatter(Report& report, const Call& call) {
  const TestComm& comm = *call.comm;
  std::vector<int> counts;
  for (int r = 0; r < comm.p; ++r) {
    counts.push_back(r % 4 == 1 ? 0 : call.count + (r % 4 == 3 ? 1 : 0));
  }
  const long total = std::accumulate(counts.begin(), counts.end(), 0L);
  const long first = std::accumulate(counts.begin(), counts.begin() + comm.rank, 0L);
  const int own = counts[static_cast<std::size_t>(comm.rank)];
  Reducing data(call, total, own, in_place(call));
  data.expect(comm.p - 1, first, own);
  MPI_Reduce_scatter(data.sendbuf(), data.recvbuf(), counts.data(), call.reduction->type->handle,
                     call.reduction->op, comm.comm);
  data.compare_but_tail(report, own);
}

void check_reduce_scatter_block(Report& report, const Call& call) {
  const TestComm& comm = *call.comm;
  const long total = static_cast<long>(call.count) * comm.p;
  Reducing data(call, total, call.count, in_place(call));
  data.expect(comm.p - 1, static_cast<long>(call.count) * comm.rank, call.count);
  MPI_Reduce_scatter_block(data.sendbuf(), data.recvbuf(), call.count, call.reduction->type->handle,
                           call.reduction->op, comm.comm);
  data.compare_but_tail(report, call.count);
}

void check_scan(Report& report, const Call& call) {
  Reducing data(call, call.count, call.count, in_place(call));
  data.expect(call.comm->rank, 0, call.count);
  MPI_Scan(data.sendbuf(), data.recvbuf(), call.count, call.reduction->type->handle,
           call.reduction->op, call.comm->comm);
  data.compare(report);
}

// At rank 0 the receive buffer stays as it was.
void check_exscan(Report& report, const Call& call) {
  const TestComm& comm = *call.comm;
  Reducing data(call, call.count, call.count, in_place(call));
  if (comm.rank > 0) data.expect(comm.rank - 1, 0, call.count);
  MPI_Exscan(data.sendbuf(), data.recvbuf(), call.count, call.reduction->type->handle,
             call.reduction->op, comm.comm);
  data.compare(report);
}

}  // namespace tutti::test
