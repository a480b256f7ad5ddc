#include "algorithms/ranks.hpp"

#include <algorithm>

namespace tutti {

namespace {

// What a rank that is not the root is told of the blocks: its own.
Layout own_block_only(const Layout& layout, int p, Rank rank) {
  std::vector<Units> sizes(static_cast<std::size_t>(p));
  sizes[static_cast<std::size_t>(rank)] = layout.size(rank);
  return Layout(sizes);
}

}  // namespace

Call call_of_rank(const Call& call, InPlace in_place, Rank rank) {
  Call mine = call;
  const CollectiveInfo& about = info(call.collective);
  if (about.rooted && about.irregular() && rank != call.root) {
    mine.layout = own_block_only(call.layout, call.p, rank);
  }
  if (call.exchange) {
    mine.layout = call.exchange->received_by(rank);
    mine.sends = call.exchange->sent_by(rank);
  }
  mine.in_place = in_place == InPlace::all || (in_place == InPlace::odd_ranks && rank % 2 == 1);
  if (about.rooted && rank != call.root) mine.in_place = false;
  return mine;
}

// By rank in the communicator.
static Units block_between(const Call& call, Rank from, Rank to) {
  if (call.exchange) return call.exchange->size(from, to);
  return call.layout.size(info(call.collective).regular == Collective::gather ? from : to);
}

static Agreed agreed_on(const Call& call) {
  Agreed result{call.n(), call.layout.largest()};
  for (Rank r = 0; call.exchange && r < call.p; ++r) {
    const Layout sent = call.exchange->sent_by(r), received = call.exchange->received_by(r);
    result.busiest = std::max({result.busiest, sent.total(), received.total()});
    result.largest = std::max(result.largest, sent.largest());
  }
  return result;
}

std::vector<Pair> asked_about(const Algorithm& algorithm, const Call& call, Rank rank) {
  if (algorithm.question.about == nullptr) return {};
  std::vector<Pair> pairs =
      algorithm.question.about(with_parameter(algorithm, call), call.virtual_rank(rank));
  const auto named = [&](Rank v) { return (v + call.origin()) % call.p; };
  for (Pair& pair : pairs) pair = {named(pair.from), named(pair.to)};
  return pairs;
}

Call informed(const Algorithm& algorithm, const Call& call, InPlace in_place, Rank rank) {
  Call mine = call_of_rank(call, in_place, rank);
  if (algorithm.requires_.agreement) {
    if (!call.agreed) mine.agreed = agreed_on(call);
    if (!call.exchange) mine.layout = call.layout;
  }
  for (const Pair& pair : asked_about(algorithm, call, rank)) {
    mine.told.push_back(block_between(call, pair.from, pair.to));
  }
  return mine;
}

Schedule usual_schedule(const Algorithm& algorithm, const Call& call, Rank rank,
                        const Carriage& carriage) {
  return build(algorithm, informed(algorithm, call, usual(algorithm), rank), rank, carriage);
}

bool allowed(Collective collective, InPlace in_place) {
  switch (info(collective).regular) {
    case Collective::barrier:
    case Collective::bcast:
      return in_place == InPlace::none;
    case Collective::gather:
    case Collective::scatter:
    case Collective::reduce:
    case Collective::alltoall:
      return in_place != InPlace::odd_ranks;
    default:
      return true;
  }
}

std::vector<Schedule> build_all(const Algorithm& algorithm, const Call& call, InPlace in_place,
                                const Carriage& carriage) {
  std::vector<Schedule> schedules;
  schedules.reserve(static_cast<std::size_t>(call.p));
  for (Rank r = 0; r < call.p; ++r) {
    schedules.push_back(build(algorithm, informed(algorithm, call, in_place, r), r, carriage));
  }
  return schedules;
}

std::vector<Schedule> build_all_questions(const Algorithm& algorithm, const Call& call) {
  std::vector<Schedule> schedules;
  schedules.reserve(static_cast<std::size_t>(call.p));
  for (Rank r = 0; r < call.p; ++r) schedules.push_back(build_question(algorithm, call, r));
  return schedules;
}

}  // namespace tutti
