#include "comms.hpp"

#include <algorithm>
#include <array>

namespace tutti::fuzz {

namespace {

// A slot's communicator lives for so many cases. The first is MPI_COMM_WORLD.
constexpr std::array<long, 5> lifetimes{0, 1000, 100, 10, 1};

struct Choice {
  int slot;
  long generation;
};

Choice choose(Seed seed, long number) {
  Random random(seed, 0xc011, static_cast<Seed>(number));
  const int slot = random.below(static_cast<int>(lifetimes.size()));
  return {slot, slot == 0 ? 0 : number / lifetimes[static_cast<std::size_t>(slot)]};
}

std::vector<int> members_of(Seed seed, Choice choice, int world_size) {
  Random random(seed, static_cast<Seed>(choice.slot), static_cast<Seed>(choice.generation));
  std::vector<int> members = random.permutation(world_size);
  if (choice.slot == 0) {
    std::sort(members.begin(), members.end());
  } else if (random.chance(60)) {
    members.resize(static_cast<std::size_t>(random.between(1, world_size)));
  }
  return members;
}

}  // namespace

std::vector<int> draw_members(Seed seed, long number, int world_size) {
  return members_of(seed, choose(seed, number), world_size);
}

CommPool::~CommPool() {
  for (Slot& slot : slots_) {
    if (slot.comm != MPI_COMM_NULL && slot.comm != MPI_COMM_WORLD) MPI_Comm_free(&slot.comm);
  }
}

std::optional<Group> CommPool::get(long number) {
  int rank;
  int world_size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  slots_.resize(lifetimes.size());
  const Choice choice = choose(seed_, number);
  const std::vector<int> members = members_of(seed_, choice, world_size);
  const auto me = std::find(members.begin(), members.end(), rank);
  Slot& slot = slots_[static_cast<std::size_t>(choice.slot)];
  if (slot.generation != choice.generation) {
    if (slot.comm != MPI_COMM_NULL) MPI_Comm_free(&slot.comm);
    slot.generation = choice.generation;
    if (choice.slot == 0) {
      slot.comm = MPI_COMM_WORLD;
    } else {
      MPI_Comm_split(MPI_COMM_WORLD, me == members.end() ? MPI_UNDEFINED : 1,
                     static_cast<int>(me - members.begin()), &slot.comm);
    }
    if (slot.comm != MPI_COMM_NULL) MPI_Comm_set_errhandler(slot.comm, MPI_ERRORS_RETURN);
  }
  if (me == members.end()) return std::nullopt;
  return Group{slot.comm, static_cast<int>(me - members.begin()), static_cast<int>(members.size())};
}

}  // namespace tutti::fuzz
