#include "call.hpp"

#include <algorithm>
#include <numeric>

namespace tutti::fuzz {

const CollectiveInfo& info(Collective collective) {
  using enum Form;
  using enum Sizes;
  static const CollectiveInfo list[] = {
      // name, weight, rooted, reduces, send, receive, sizes
      {"Barrier", 1, false, false, none, none, same},
      {"Bcast", 4, true, false, none, one, same},
      {"Gather", 4, true, false, one, equal, same},
      {"Gatherv", 4, true, false, one, varied, by_sender},
      {"Scatter", 4, true, false, equal, one, same},
      {"Scatterv", 4, true, false, varied, one, by_receiver},
      {"Allgather", 5, false, false, one, equal, same},
      {"Allgatherv", 6, false, false, one, varied, by_sender},
      {"Alltoall", 5, false, false, equal, equal, same},
      {"Alltoallv", 5, false, false, varied, varied, by_pair},
      {"Alltoallw", 5, false, false, typed, typed, by_pair},
      {"Reduce", 6, true, true, one, one, same},
      {"Allreduce", 7, false, true, one, one, same},
      {"Reduce_scatter_block", 6, false, true, one, one, same},
      {"Reduce_scatter", 6, false, true, one, one, by_receiver},
      {"Scan", 4, false, true, one, one, same},
      {"Exscan", 4, false, true, one, one, same},
  };
  return list[static_cast<int>(collective)];
}

Form Call::form(Direction direction) const {
  return direction == Direction::send ? about().send : about().receive;
}

const Side& Call::side(Direction direction, int rank) const {
  return (direction == Direction::send ? send : receive)[static_cast<std::size_t>(rank)];
}

bool Call::is_in_place(Direction direction, int rank) const {
  if (!in_place) return false;
  // A root that scatters keeps its block; everywhere else it is the input that is in place.
  const bool scatters = collective == Collective::scatter || collective == Collective::scatterv;
  if (direction != (scatters ? Direction::receive : Direction::send)) return false;
  return !about().rooted || rank == root;
}

bool Call::is_significant(Direction direction, int rank) const {
  if (form(direction) == Form::none) return false;
  if (collective == Collective::bcast || !about().rooted || rank == root) return true;
  const bool scatters = collective == Collective::scatter || collective == Collective::scatterv;
  return direction == (scatters ? Direction::receive : Direction::send);
}

int Call::size(Direction direction, int rank, int block) const {
  const int from = direction == Direction::send ? rank : block;
  const int to = direction == Direction::send ? block : rank;
  int index = 0;
  if (about().sizes == Sizes::by_sender) index = from;
  if (about().sizes == Sizes::by_receiver) index = to;
  if (about().sizes == Sizes::by_pair) index = from * p + to;
  return sizes[static_cast<std::size_t>(index)];
}

long Call::contributed(int) const {
  if (collective == Collective::reduce_scatter)
    return std::accumulate(sizes.begin(), sizes.end(), 0L);
  return collective == Collective::reduce_scatter_block ? long{sizes[0]} * p : sizes[0];
}

long Call::result(int rank) const {
  return collective == Collective::reduce_scatter ? sizes[static_cast<std::size_t>(rank)]
                                                  : sizes[0];
}

long Call::bytes() const {
  if (about().reduces) return contributed(0) * extent_of(reduction);
  if (signature == nullptr) return 0;
  long units = std::accumulate(sizes.begin(), sizes.end(), 0L);
  if (about().sizes == Sizes::same && collective != Collective::bcast) units *= p;
  return units * unit * signature->bytes();
}

namespace {

std::string list(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : " ") + std::to_string(number);
  return text;
}

std::string describe_side(const Call& call, Direction direction, int rank) {
  std::string text = direction == Direction::send ? "; sends " : "; receives ";
  if (!call.is_significant(direction, rank)) return "";
  if (call.is_in_place(direction, rank)) return text + "in place";
  const Side& side = call.side(direction, rank);
  for (std::size_t i = 0; i < side.types.size(); ++i) {
    text += (i == 0 ? "" : " ") + describe(side.types[i]);
  }
  if (side.at_bottom) text += " at MPI_BOTTOM";
  if (side.order.empty()) return text;
  return text + ", blocks in order " + list(side.order) + " from " + std::to_string(side.start) +
         " with holes " + list(side.holes);
}

}  // namespace

std::string describe(const Call& call, int rank) {
  std::string text = std::string(call.about().name) + " p=" + std::to_string(call.p);
  if (call.about().rooted) text += " root=" + std::to_string(call.root);
  if (call.in_place) text += " in place";
  if (call.collective == Collective::barrier) return text;
  text += " counts=" + list(call.sizes);
  if (call.about().reduces) return text + " " + describe(call.reduction);
  text += " of " + std::to_string(call.unit) + " " + call.signature->name;
  return text + "; rank " + std::to_string(rank) + describe_side(call, Direction::send, rank) +
         describe_side(call, Direction::receive, rank);
}

}  // namespace tutti::fuzz
