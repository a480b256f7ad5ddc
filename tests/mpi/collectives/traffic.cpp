// Collectives in company: other pending operations of the user on the same communicator, and
// long random sequences with no barrier between the calls.
#include <array>

#include "suites.hpp"

namespace tutti::test {

namespace {

constexpr int user_count = 8;

int small_or_medium_count(SharedRandom& random) {
  const std::array<int, 4> limits{3, 20, 200, 3000};
  return random.below(limits[static_cast<std::size_t>(random.below(4))]);
}

template <class List>
const typename List::value_type* pick(const List& list, SharedRandom& random) {
  return &list[static_cast<std::size_t>(random.below(static_cast<int>(list.size())))];
}

// A user's own message round the ring, received by a wildcard that was posted before the
// collectives and must get this message and no other.
class RingMessage {
 public:
  RingMessage(const TestComm& comm, Seed seed, int tag) : comm_(comm), seed_(seed), tag_(tag) {
    MPI_Irecv(received_.data(), user_count, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm.comm,
              &requests_[0]);
  }

  // `synchronous`: by MPI_Issend, which completes only when the wildcard has matched it.
  void send(bool synchronous) {
    const int right = (comm_.rank + 1) % comm_.p;
    for (int i = 0; i < user_count; ++i) sent_[static_cast<std::size_t>(i)] = value(comm_.rank, i);
    const auto start = synchronous ? MPI_Issend : MPI_Isend;
    start(sent_.data(), user_count, MPI_INT, right, tag_, comm_.comm, &requests_[1]);
  }

  void finish(Report& report, const std::string& collective) {
    std::array<MPI_Status, 2> status;
    MPI_Waitall(2, requests_.data(), status.data());
    const int left = (comm_.rank + comm_.p - 1) % comm_.p;
    int count;
    MPI_Get_count(&status[0], MPI_INT, &count);
    bool good = status[0].MPI_SOURCE == left && status[0].MPI_TAG == tag_ && count == user_count;
    for (int i = 0; i < user_count; ++i) {
      good = good && received_[static_cast<std::size_t>(i)] == value(left, i);
    }
    report.check(collective, good,
                 "user's wildcard receive on " + comm_.name + ": expected source " +
                     std::to_string(left) + " tag " + std::to_string(tag_) + ", got source " +
                     std::to_string(status[0].MPI_SOURCE) + " tag " +
                     std::to_string(status[0].MPI_TAG) + " count " + std::to_string(count));
  }

 private:
  int value(int rank, int i) const {
    return static_cast<int>(movement_value(seed_ + comm_.salt, rank, i));
  }

  const TestComm& comm_;
  Seed seed_;
  int tag_;
  std::array<int, user_count> sent_{};
  std::array<int, user_count> received_{};
  std::array<MPI_Request, 2> requests_{};
};

// Two non-blocking collectives started before the blocking ones and completed after them.
class PendingCollectives {
 public:
  PendingCollectives(const TestComm& comm, Seed seed, int root)
      : comm_(comm), seed_(seed), root_(root) {
    for (int i = 0; i < user_count; ++i) {
      mine_[static_cast<std::size_t>(i)] = value(comm.rank, i);
      if (comm.rank == root) shared_[static_cast<std::size_t>(i)] = value(root, i);
    }
    MPI_Iallreduce(mine_.data(), sum_.data(), user_count, MPI_INT, MPI_SUM, comm.comm,
                   &requests_[0]);
    MPI_Ibcast(shared_.data(), user_count, MPI_INT, root, comm.comm, &requests_[1]);
  }

  void finish(Report& report, const std::string& collective) {
    MPI_Waitall(2, requests_.data(), MPI_STATUSES_IGNORE);
    bool good = true;
    for (int i = 0; i < user_count; ++i) {
      int sum = 0;
      for (int rank = 0; rank < comm_.p; ++rank) sum += value(rank, i);
      good = good && sum_[static_cast<std::size_t>(i)] == sum;
      good = good && shared_[static_cast<std::size_t>(i)] == value(root_, i);
    }
    report.check(collective, good,
                 "non-blocking collectives pending on " + comm_.name +
                     " while blocking ones ran gave wrong results");
  }

 private:
  int value(int rank, int i) const {
    return static_cast<int>(movement_value(seed_ + comm_.salt, rank, i) % 1000);
  }

  const TestComm& comm_;
  Seed seed_;
  int root_;
  std::array<int, user_count> mine_{};
  std::array<int, user_count> sum_{};
  std::array<int, user_count> shared_{};
  std::array<MPI_Request, 2> requests_{};
};

}  // namespace

void run_random_call(const Bench& bench, const TestComm& comm,
                     const std::vector<const Collective*>& chosen, SharedRandom& random,
                     bool wildcard_pending) {
  const Collective& collective = **pick(chosen, random);
  Call call{&collective, &comm, nullptr, nullptr, Placement::plain, 0, 0, 0};
  const bool barrier = std::string(collective.name) == "Barrier";
  const Reduction* reduction = pick(bench.reductions.all(), random);
  const Family* family = pick(bench.types.families(), random);
  if (collective.reduces) call.reduction = reduction;
  if (!collective.reduces && !barrier) call.family = family;
  const int placement = random.below(4);
  if (placement == 1 && collective.in_place) call.placement = Placement::in_place;
  if (placement == 2 && collective.absolute) call.placement = Placement::absolute;
  call.count = small_or_medium_count(random);
  if (collective.blocks) call.count = call.count / comm.p + random.below(2);
  // Not random.below(comm.p): ranks of other groups of a split have another p.
  call.root = static_cast<int>(random.next() % static_cast<Seed>(comm.p));
  call.seed = random.next();
  call.wildcard_pending = wildcard_pending;
  bench.make(call);
}

void run_traffic(const Bench& bench) {
  const int steps = bench.options.quick ? 5 : 30;
  const auto& chosen = bench.options.chosen;
  for (const TestComm& comm : bench.comms.all()) {
    SharedRandom random(bench.options.seed + 77);
    std::size_t next = 0;  // collectives in turn: each meets the pending operations
    const auto call_next = [&] {
      run_random_call(bench, comm, {chosen[next++ % chosen.size()]}, random, true);
    };
    for (int step = 0; step < steps; ++step) {
      const int tag = random.below(1000);
      // Mostly the message comes after the collectives, so the wildcard is unmatched meanwhile;
      // two such steps take all collectives through it.
      const bool early = step % 3 == 2;
      const bool synchronous = random.below(2) == 0;
      const Seed seed = random.next();
      const int root = static_cast<int>(random.next() % static_cast<Seed>(comm.p));
      RingMessage message(comm, seed, tag);
      PendingCollectives pending(comm, seed, root);
      if (early) message.send(synchronous);
      for (int i = 0; i < 6; ++i) call_next();
      if (!early) message.send(synchronous);
      message.finish(bench.report, chosen.front()->name);
      pending.finish(bench.report, chosen.front()->name);
    }
  }
}

void run_mix(const Bench& bench) {
  const int calls = bench.options.calls > 0 ? bench.options.calls
                    : bench.options.quick   ? 200
                                            : 2000;
  const auto& chosen = bench.options.chosen;
  SharedRandom random(bench.options.seed);
  for (int i = 0; i < calls; ++i) {
    run_random_call(bench, *pick(bench.comms.all(), random), chosen, random);
  }
}

}  // namespace tutti::test
