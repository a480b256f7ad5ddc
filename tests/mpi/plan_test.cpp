// In what order a plan has messages posted, and how large it is: plan_test
#include "runtime/plan.hpp"

#include <cstdio>

#include "algorithms/registry.hpp"
#include "model/simulate.hpp"
#include "select/select.hpp"

namespace {

using namespace tutti;

int wrong = 0;

// Rank 0's receives of an allreduce that are posted after the send to the same rank, of all.
std::pair<int, int> late_receives(const char* algorithm, int p, Units bytes) {
  const Call call{.collective = Collective::allreduce, .p = p, .layout = Layout(bytes, p)};
  Schedule schedule = build(*find_algorithm(Collective::allreduce, algorithm), call, 0);
  const runtime::Areas whole{{.units = bytes * p}};
  const runtime::Plan plan(std::move(schedule), {whole, whole, whole});
  int late = 0, all = 0;
  for (std::uint32_t i = 0; i < plan.schedule().steps.size(); ++i) {
    const Step& step = plan.schedule().steps[i];
    if (step.kind == Kind::recv) ++all;
    if (step.kind == Kind::send && plan.before_previous(i)) {
      ++late;
      wrong += plan.schedule().steps[i - 1].peer != step.peer || plan.message(i - 1).with_next;
    }
  }
  return {late, all};
}

void expect(const char* algorithm, int p, Units bytes, std::pair<int, int> expected) {
  const auto found = late_receives(algorithm, p, bytes);
  if (found == expected) return;
  ++wrong;
  std::printf("%s, p = %d, %lld bytes: %d of %d receives are late, not %d of %d\n", algorithm, p,
              static_cast<long long>(bytes), found.first, found.second, expected.first,
              expected.second);
}

// What one rank of many keeps of a call: by the algorithm that the model chooses.
void expect_small(Collective collective, int p, std::int64_t bytes) {
  constexpr std::size_t most = std::size_t{8} << 20;
  const Selector selector;
  const Call call = call_of_bytes(collective, p, bytes);
  const Choice choice = selector.choose(call);
  Call settled = call;
  settled.parameter = choice.parameter;
  const runtime::Areas whole{{.units = call.n() * p}};
  const runtime::Plan plan(build(*choice.algorithm, settled, 1), {whole, whole, whole});
  if (plan.bytes() <= most) return;
  ++wrong;
  std::printf("%s %s of %lld bytes, p = %d: %zu bytes are kept\n",
              std::string(to_string(collective)).c_str(),
              std::string(choice.algorithm->name).c_str(), static_cast<long long>(bytes), p,
              plan.bytes());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  expect("recursive_doubling", 8, long_message, {3, 3});
  expect("recursive_doubling", 8, long_message - 1, {0, 3});
  expect("halving_doubling", 4, 2 * long_message, {2, 4});  // a half, then quarters, then a half
  expect("ring", 8, 100 * long_message, {1, 14});           // two partners, but for p/2 away
  expect("ring", 2, 2 * long_message, {2, 2});              // one
  for (const CollectiveInfo& each : collectives) {
    for (const std::int64_t bytes : {std::int64_t{4096} * 8, std::int64_t{1} << 30}) {
      expect_small(each.collective, 4096, bytes);
    }
  }
  std::printf("%d wrong\n", wrong);
  MPI_Finalize();
  return wrong > 0 ? 1 : 0;
}
