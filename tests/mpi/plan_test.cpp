// How large plans are: plan_test
#include "runtime/plan.hpp"

#include <cstdio>

#include "algorithms/registry.hpp"
#include "model/simulate.hpp"
#include "select/select.hpp"

namespace {

using namespace tutti;

int wrong = 0;

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
  for (const CollectiveInfo& each : collectives) {
    for (const std::int64_t bytes : {std::int64_t{4096} * 8, std::int64_t{1} << 30}) {
      expect_small(each.collective, 4096, bytes);
    }
  }
  std::printf("%d wrong\n", wrong);
  MPI_Finalize();
  return wrong > 0 ? 1 : 0;
}
