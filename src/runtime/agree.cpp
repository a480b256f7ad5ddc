#include "runtime/agree.hpp"

#include <algorithm>
#include <numeric>

namespace tutti::runtime {

Arguments telling(const Arguments& arguments, const Communicator& state, Words& numbers) {
  const Call call = agreement(arguments.collective, state.p, arguments.root);
  const bool reduction = info(call.collective).reduces;
  return {.collective = call.collective,
          .comm = state.shadow,
          .out = {numbers.data(), static_cast<Count>(numbers.size()), MPI_INT64_T, true},
          .op = reduction ? MPI_MAX : MPI_OP_NULL,
          .root = call.root,
          .in_place = reduction};
}

void write_sizes(const Arguments& arguments, const CallFacts& facts, int p, Words& numbers) {
  numbers.clear();
  if (arguments.out_blocks != nullptr) append_sizes(*arguments.out_blocks, facts.out, p, numbers);
  if (info(arguments.collective).rooted) {
    if (arguments.in_blocks != nullptr) append_sizes(*arguments.in_blocks, facts.in, p, numbers);
    numbers.resize(static_cast<std::size_t>(p));
    return;
  }
  const auto middle = static_cast<std::ptrdiff_t>(numbers.size());
  if (arguments.in_blocks != nullptr) append_sizes(*arguments.in_blocks, facts.in, p, numbers);
  const std::int64_t received = std::reduce(numbers.begin(), numbers.begin() + middle);
  const std::int64_t sent = std::reduce(numbers.begin() + middle, numbers.end());
  numbers = {std::max(sent, received), *std::ranges::max_element(numbers)};
}

void write_sent(const Arguments& arguments, const CallFacts& facts, int p, Words& numbers) {
  const Side& side = arguments.in;
  numbers.clear();
  if (arguments.in_blocks != nullptr) {
    append_sizes(*arguments.in_blocks, facts.in, p, numbers);
  } else if (!info(arguments.collective).rooted) {
    append_sizes(*arguments.out_blocks, facts.out, p, numbers);
  } else {
    numbers.push_back(side.present ? side.count * facts.in.all->size : 0);
  }
}

}  // namespace tutti::runtime
