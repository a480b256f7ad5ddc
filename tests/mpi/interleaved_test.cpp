// Several operations in progress on one communicator: each rank goes on with them in an order of
// its own, over real messages, with algorithms drawn at random; results are the native library's.
//
//   interleaved_test [--trials N] [--seed S]
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "algorithms/registry.hpp"
#include "runtime/inspect.hpp"
#include "runtime/operation.hpp"
#include "runtime/process.hpp"

namespace {

using namespace tutti;
using namespace tutti::runtime;
using Values = std::vector<std::int64_t>;
using Ints = std::vector<int>;

int rank = 0;
int p = 1;

Ints displacements(const Ints& counts) {
  Ints result(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), result.begin(), 0);
  return result;
}

// A collective call with buffers of its own, and what it is to give.
class Case {
 public:
  // `shared` draws what all ranks know.
  Case(Collective collective, std::mt19937& shared) : collective_(collective) {
    const auto draw = [&](int bound) {
      return static_cast<int>(shared() % static_cast<unsigned>(bound));
    };
    root_ = draw(p);
    each_ = 1 + draw(draw(3) == 0 ? 20000 : 40);
    for (int i = 0; i < p; ++i) counts_.push_back(draw(50));
    for (int i = 0; i < p * p; ++i) exchanged_.push_back(draw(50));
    for (int i = 0; i < p; ++i) {
      to_.push_back(exchanged_[static_cast<std::size_t>(rank * p + i)]);
      from_.push_back(exchanged_[static_cast<std::size_t>(i * p + rank)]);
    }
    in_displacements_ = displacements(to_);
    out_displacements_ = displacements(from_);
    displacements_ = displacements(counts_);
    const std::size_t most = static_cast<std::size_t>(p) * static_cast<std::size_t>(each_ + 50);
    in_.resize(most);
    for (auto& value : in_) value = static_cast<std::int64_t>(shared() % 1000) + 1000 * rank;
    out_.assign(most, -1);
    if (collective == Collective::bcast && rank == root_) out_ = in_;
    expected_ = out_;
    call_natively();
  }

  Arguments arguments() {
    Arguments all{.collective = collective_, .comm = MPI_COMM_WORLD, .root = root_};
    const auto in = [&](int count) { all.in = {in_.data(), count, MPI_INT64_T, true}; };
    const auto out = [&](int count) { all.out = {out_.data(), count, MPI_INT64_T, true}; };
    const bool at_root = rank == root_;
    switch (collective_) {
      case Collective::bcast:
        out(each_);
        break;
      case Collective::gather:
        in(each_);
        if (at_root) out(each_);
        break;
      case Collective::scatter:
        if (at_root) in(each_);
        out(each_);
        break;
      case Collective::gatherv:
        in(counts_[static_cast<std::size_t>(rank)]);
        if (at_root) out(0);
        blocks_out_ = {counts_.data(), displacements_.data(), nullptr, true};
        if (at_root) all.out_blocks = &blocks_out_;
        break;
      case Collective::allgatherv:
        in(counts_[static_cast<std::size_t>(rank)]);
        out(0);
        blocks_out_ = {counts_.data(), displacements_.data(), nullptr, true};
        all.out_blocks = &blocks_out_;
        break;
      case Collective::alltoallv:
        in(0);
        out(0);
        blocks_in_ = {to_.data(), in_displacements_.data(), nullptr, true};
        blocks_out_ = {from_.data(), out_displacements_.data(), nullptr, true};
        all.in_blocks = &blocks_in_;
        all.out_blocks = &blocks_out_;
        break;
      case Collective::reduce:
        in(each_);
        if (at_root) out(each_);
        break;
      default:
        in(each_);
        out(each_);
    }
    if (info(collective_).reduces) all.op = MPI_SUM;
    if (!info(collective_).rooted) all.root = 0;
    return all;
  }

  bool is_right() const { return out_ == expected_; }
  Collective collective() const { return collective_; }

 private:
  void call_natively() {
    const MPI_Comm comm = MPI_COMM_WORLD;
    const MPI_Datatype type = MPI_INT64_T;
    const void* in = in_.data();
    void* out = expected_.data();
    switch (collective_) {
      case Collective::bcast:
        PMPI_Bcast(out, each_, type, root_, comm);
        return;
      case Collective::gather:
        PMPI_Gather(in, each_, type, out, each_, type, root_, comm);
        return;
      case Collective::scatter:
        PMPI_Scatter(in, each_, type, out, each_, type, root_, comm);
        return;
      case Collective::gatherv:
        PMPI_Gatherv(in, counts_[static_cast<std::size_t>(rank)], type, out, counts_.data(),
                     displacements_.data(), type, root_, comm);
        return;
      case Collective::allgather:
        PMPI_Allgather(in, each_, type, out, each_, type, comm);
        return;
      case Collective::allgatherv:
        PMPI_Allgatherv(in, counts_[static_cast<std::size_t>(rank)], type, out, counts_.data(),
                        displacements_.data(), type, comm);
        return;
      case Collective::alltoall:
        PMPI_Alltoall(in, each_, type, out, each_, type, comm);
        return;
      case Collective::alltoallv:
        PMPI_Alltoallv(in, to_.data(), in_displacements_.data(), type, out, from_.data(),
                       out_displacements_.data(), type, comm);
        return;
      case Collective::reduce:
        PMPI_Reduce(in, out, each_, type, MPI_SUM, root_, comm);
        return;
      case Collective::allreduce:
        PMPI_Allreduce(in, out, each_, type, MPI_SUM, comm);
        return;
      case Collective::reduce_scatter_block:
        PMPI_Reduce_scatter_block(in, out, each_, type, MPI_SUM, comm);
        return;
      case Collective::scan:
        PMPI_Scan(in, out, each_, type, MPI_SUM, comm);
        return;
      default:
        std::abort();
    }
  }

  Collective collective_;
  int root_ = 0, each_ = 0;
  Ints counts_, displacements_, exchanged_, to_, from_, in_displacements_, out_displacements_;
  Blocks blocks_in_, blocks_out_;
  Values in_, out_, expected_;
};

constexpr Collective drawn[] = {
    Collective::bcast,     Collective::gather,    Collective::scatter,
    Collective::gatherv,   Collective::allgather, Collective::allgatherv,
    Collective::alltoall,  Collective::alltoallv, Collective::reduce,
    Collective::allreduce, Collective::scan,      Collective::reduce_scatter_block};

// Of each collective an algorithm, or none.
Forced draw_algorithms(std::mt19937& shared) {
  Forced forced{};
  for (const CollectiveInfo& about : collectives) {
    const auto all = algorithms_of(about.collective);
    const std::size_t which = shared() % (all.size() + 1);
    if (which < all.size()) forced[static_cast<std::size_t>(about.collective)] = {all[which], 0};
  }
  return forced;
}

struct Tally {
  int served = 0, wrong = 0;
};

void run_trial(Attached& attached, unsigned seed, Tally& tally) {
  std::mt19937 shared(seed), own(seed * 977 + static_cast<unsigned>(rank));
  Communicator& state = *attached.served;
  state.selector = forced_selector(draw_algorithms(shared), state);
  state.forget_prepared();
  const int count = 2 + static_cast<int>(shared() % 7);
  std::vector<std::unique_ptr<Case>> cases;
  std::vector<Arguments> arguments;
  for (int i = 0; i < count; ++i) {
    const Collective collective = drawn[shared() % std::size(drawn)];
    std::mt19937 of_case(static_cast<unsigned>(shared()));
    cases.push_back(std::make_unique<Case>(collective, of_case));
    arguments.push_back(cases.back()->arguments());
  }
  std::vector<std::unique_ptr<Operation>> operations;
  for (const Arguments& each : arguments) {
    Borrowed workspace(state.workspaces);
    workspace->facts.clear();
    if (!looks_right(each, state, *workspace)) std::abort();
    operations.push_back(std::make_unique<Operation>(
        each, std::move(workspace), state, ++attached.calls, Operation::Company::with_others));
  }
  std::vector<std::size_t> left(operations.size());
  std::iota(left.begin(), left.end(), 0);
  while (!left.empty()) {
    const std::size_t which = own() % left.size();
    if (!operations[left[which]]->advance(false)) continue;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(which));
  }
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i]->is_native()) continue;
    ++tally.served;
    if (operations[i]->finish() == MPI_SUCCESS && cases[i]->is_right()) continue;
    ++tally.wrong;
    std::printf("rank %d of %d, --seed %u: %s by %s is wrong, with %zu in progress\n", rank, p,
                seed, std::string(info(cases[i]->collective()).name).c_str(),
                std::string(operations[i]->prepared()->algorithm->name).c_str(), operations.size());
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  unsigned trials = 100, first = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    (option == "--seed" ? first : trials) = static_cast<unsigned>(std::atoi(argv[i + 1]));
  }
  Attached* const attached = attached_to(MPI_COMM_WORLD);
  if (attached == nullptr || !serves_from_now(*attached, MPI_COMM_WORLD)) {
    std::puts("this communicator is not served");
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
  rank = attached->rank;
  p = attached->p;
  Tally tally;
  for (unsigned i = 0; i < trials; ++i) run_trial(*attached, first + i, tally);
  int sums[] = {tally.served, tally.wrong};
  PMPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("%d operations on %d ranks, --seed %u to %u: %d wrong\n", sums[0], p, first,
                first + trials - 1, sums[1]);
  }
  const bool enough = sums[0] > static_cast<int>(trials) * p;
  if (!enough && rank == 0) std::puts("too few were served by Tutti");
  MPI_Finalize();
  return sums[1] == 0 && enough ? 0 : 1;
}
