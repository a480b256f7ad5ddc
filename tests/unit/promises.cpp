#include "promises.hpp"

#include <algorithm>

namespace tutti::oracle {

namespace {

using enum Collective;

bool is_in_place(const Call& call, InPlace in_place, Rank rank) {
  if (in_place == InPlace::none || (in_place == InPlace::odd_ranks && rank % 2 == 0)) return false;
  const auto rooted = {gather, gatherv, scatter, scatterv, reduce};
  const bool root_only = std::ranges::find(rooted, call.collective) != rooted.end();
  return !root_only || rank == call.root;
}

// `count` consecutive units of a product.
Values units(const std::string& ranks, Units first, Units count) {
  Values result;
  for (Units i = 0; i < count; ++i) result.push_back({ranks, first + i});
  return result;
}

std::string ranks_up_to(Rank last) {
  std::string all;
  for (Rank r = 0; r <= last; ++r) all += name_of(r);
  return all;
}

void put(Values& buffer, Units offset, const Values& values) {
  std::ranges::copy(values, buffer.begin() + offset);
}

Values undefined(Units size) { return Values(static_cast<std::size_t>(size)); }

// Blocks of a rank's side, one per rank, in an irregular all-to-all; without `exchange`, all ranks
// send alike.
Units sent(const Call& call, Rank from, Rank to) {
  return call.exchange ? call.exchange->size(from, to) : call.layout.size(to);
}
// Where the block for `to` begins in what `from` sends.
Units sent_before(const Call& call, Rank from, Rank to) {
  Units sum = 0;
  for (Rank r = 0; r < to; ++r) sum += sent(call, from, r);
  return sum;
}
Units received(const Call& call, Rank to) {
  Units sum = 0;
  for (Rank r = 0; r < call.p; ++r) sum += call.exchange ? sent(call, r, to) : call.layout.size(r);
  return sum;
}

// The receive buffer of a rank as the standard sizes it.
Units receive_units(const Call& call, bool in_place, Rank rank) {
  const bool root = rank == call.root;
  switch (call.collective) {
    case barrier:
      return 0;
    case gather:
    case gatherv:
    case reduce:
      return root ? call.n() : 0;
    case alltoallv:
    case alltoallw:
      return received(call, rank);
    case scatter:
    case scatterv:
      return in_place ? 0 : call.layout.size(rank);
    case reduce_scatter:
    case reduce_scatter_block:
      return in_place ? call.n() : call.layout.size(rank);
    default:
      return call.n();
  }
}

// What a rank puts in, and where it is within the receive buffer if the call is in place.
Values contribution(const Call& call, Rank rank) {
  switch (call.collective) {
    case barrier:
      return {};
    case bcast:
    case scatter:
    case scatterv:
      return rank == call.root ? units(name_of(rank), 0, call.n()) : Values{};
    case alltoallv:
    case alltoallw:
      return units(name_of(rank), 0, sent_before(call, rank, call.p));
    case gather:
    case gatherv:
    case allgather:
    case allgatherv:
      return units(name_of(rank), 0, call.layout.size(rank));
    default:
      return units(name_of(rank), 0, call.n());
  }
}

Memory memory_before(const Call& call, bool in_place, Rank rank) {
  Memory memory;
  Values& receives = memory.at(Buffer::out);
  receives = undefined(receive_units(call, in_place, rank));
  const Values own = contribution(call, rank);
  const bool scatters = call.collective == scatter || call.collective == scatterv;
  const bool in_receive_buffer = call.collective == bcast || (in_place && !scatters);
  const auto of_own_blocks = {gather, gatherv, allgather, allgatherv};
  const bool own_block = std::ranges::find(of_own_blocks, call.collective) != of_own_blocks.end();
  if (in_receive_buffer) {
    put(receives, own_block ? call.layout.offset(rank) : 0, own);
  } else {
    memory.at(Buffer::in) = own;
  }
  return memory;
}

// Block after block: from each rank, `count` units of it starting at `first`.
Values from_each_rank(const Call& call, Rank receiver) {
  Values all;
  for (Rank r = 0; r < call.p; ++r) {
    const Units first = call.collective == alltoall ? call.layout.offset(receiver) : 0;
    const Values block = units(name_of(r), first, call.layout.size(r));
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}

// What each rank sent to the receiver, block after block.
Values sent_by_each_rank(const Call& call, Rank receiver) {
  Values all;
  for (Rank r = 0; r < call.p; ++r) {
    const Values block = units(name_of(r), sent_before(call, r, receiver), sent(call, r, receiver));
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}

// What the receive buffer begins with after the call.
Values result(const Call& call, bool in_place, Rank rank) {
  const Layout& blocks = call.layout;
  const bool root = rank == call.root;
  const std::string everyone = ranks_up_to(call.p - 1);
  switch (call.collective) {
    case barrier:
      return {};
    case bcast:
      return units(name_of(call.root), 0, call.n());
    case gather:
    case gatherv:
      return root ? from_each_rank(call, rank) : Values{};
    case scatter:
    case scatterv:
      return in_place ? Values{}
                      : units(name_of(call.root), blocks.offset(rank), blocks.size(rank));
    case allgather:
    case allgatherv:
    case alltoall:
      return from_each_rank(call, rank);
    case alltoallv:
    case alltoallw:
      return sent_by_each_rank(call, rank);
    case reduce:
      return root ? units(everyone, 0, call.n()) : Values{};
    case allreduce:
      return units(everyone, 0, call.n());
    case reduce_scatter:
    case reduce_scatter_block:
      return units(everyone, blocks.offset(rank), blocks.size(rank));
    case scan:
      return units(ranks_up_to(rank), 0, call.n());
    case exscan:
      return rank == 0 ? Values{} : units(ranks_up_to(rank - 1), 0, call.n());
  }
  return {};
}

std::string show(const Value& value) { return value.ranks + std::to_string(value.index); }

std::string compare(const std::string& what, const Values& have, const Values& want) {
  if (have.size() != want.size()) return what + " has the wrong size";
  for (std::size_t i = 0; i < have.size(); ++i) {
    if (have[i] != want[i]) {
      return what + "[" + std::to_string(i) + "] is " + show(have[i]) + ", not " + show(want[i]);
    }
  }
  return "";
}

}  // namespace

std::vector<Memory> before(const Call& call, InPlace in_place) {
  std::vector<Memory> all;
  for (Rank r = 0; r < call.p; ++r) {
    all.push_back(memory_before(call, is_in_place(call, in_place, r), r));
  }
  return all;
}

std::string difference(const Call& call, InPlace in_place, const Executor& executed) {
  for (Rank r = 0; r < call.p; ++r) {
    const bool mine = is_in_place(call, in_place, r);
    Memory expected = memory_before(call, mine, r);
    put(expected.at(Buffer::out), 0, result(call, mine, r));
    for (const Buffer buffer : {Buffer::in, Buffer::out}) {
      const std::string what = "rank " + std::to_string(r) + ": " + to_string(buffer);
      const std::string wrong = compare(what, executed.memory(r).at(buffer), expected.at(buffer));
      if (!wrong.empty()) return wrong;
    }
  }
  return "";
}

std::string complaint(const Call& call, InPlace in_place, const std::vector<Schedule>& schedules,
                      std::uint64_t seed) {
  Executor executor(schedules, before(call, in_place),
                    {.seed = seed, .commutative = call.commutative});
  const std::string stopped = executor.run();
  return stopped.empty() ? difference(call, in_place, executor) : stopped;
}

}  // namespace tutti::oracle
