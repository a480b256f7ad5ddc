#include "runtime/node_memory.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "runtime/process.hpp"

namespace tutti::runtime {

namespace {

// Bytes that all communicators of a process share with others, at most: where there are many ranks
// a communicator has a few MiB, and programs may make hundreds.
constexpr std::size_t most_bytes = std::size_t{256} << 20;
std::atomic<std::size_t> bytes_shared{0};

// What a rank says of itself.
struct Introduction {
  std::array<char, 64> name;                 // of the object, if it is its node's first rank
  std::array<std::uint64_t, 16> processors;  // that it may run on
  std::uint64_t launched;                    // ranks of this node, as the launcher says
  std::uint64_t has_room;
  Token token;
};
using Introductions = std::vector<Introduction>;

std::uint64_t launched_on_node() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"}) {
    const std::string_view value = setting(name);
    std::uint64_t count = 0;
    std::from_chars(value.data(), value.data() + value.size(), count);
    if (count > 0) return count;
  }
  return 0;
}

Introduction introduction() {
  Introduction mine{};
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    std::memcpy(mine.processors.data(), &allowed, std::min(sizeof allowed, sizeof mine.processors));
  }
  mine.launched = launched_on_node();
  mine.has_room = bytes_shared < most_bytes ? 1 : 0;
  mine.token = own_token();
  return mine;
}

std::vector<int> ranks_of(std::uint64_t node, const std::vector<std::uint64_t>& nodes) {
  std::vector<int> ranks;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] == node) ranks.push_back(static_cast<int>(i));
  }
  return ranks;
}

// How the ranks of a node wait: asleep, where there are more than processors. All have the same
// settings.
Waits waits_of(const std::vector<int>& ranks, const Introductions& all) {
  if (const auto wanted = parse_waits(setting("TUTTI_WAIT"))) return *wanted;
  std::array<std::uint64_t, 16> processors{};
  std::uint64_t launched = ranks.size();
  for (const int rank : ranks) {
    const Introduction& one = all[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < processors.size(); ++i) processors[i] |= one.processors[i];
    launched = std::max(launched, one.launched);
  }
  std::size_t count = 0;
  for (const std::uint64_t word : processors) count += std::bitset<64>(word).count();
  return launched > count ? Waits::asleep : Waits::spinning;
}

bool can_read_all(const std::vector<int>& ranks, const Introductions& all) {
  return std::ranges::all_of(
      ranks, [&](int rank) { return can_read(all[static_cast<std::size_t>(rank)].token); });
}

std::vector<pid_t> processes_of(const std::vector<int>& ranks, const Introductions& all) {
  std::vector<pid_t> processes;
  for (const int rank : ranks) {
    processes.push_back(static_cast<pid_t>(all[static_cast<std::size_t>(rank)].token.process));
  }
  return processes;
}

SharedObject object_of(const Introduction& first, std::size_t bytes) {
  const auto& name = first.name;
  const std::size_t length = static_cast<std::size_t>(std::ranges::find(name, '\0') - name.begin());
  return SharedObject::open({name.data(), length}, bytes);
}

}  // namespace

bool memory_is_wanted() {
#ifdef TUTTI_SMPI  // all ranks are threads of one process, in simulated time
  return false;
#else
  return setting("TUTTI_MEMORY") != "0";
#endif
}

NodeMemory::NodeMemory(SharedObject object, std::vector<int> neighbours, int ranks, int me,
                       Waits waits, SingleCopy single_copy)
    : object_(std::move(object)),
      neighbours_(std::move(neighbours)),
      medium_(object_.memory(), ranks, me, waits),
      carrier_(medium_, std::move(single_copy)) {
  bytes_shared += Medium::box_bytes(ranks);
}

NodeMemory::~NodeMemory() { bytes_shared -= Medium::box_bytes(medium_.ranks()); }

// The node's first rank makes the object and tells its name; each has its own box set aside, on its
// own processor; and once all know that all have it, nobody needs the name.
std::unique_ptr<NodeMemory> NodeMemory::share(MPI_Comm shadow, int rank,
                                              const std::vector<std::uint64_t>& nodes) {
  const auto me = static_cast<std::size_t>(rank);
  const std::vector<int> ranks = ranks_of(nodes[me], nodes);
  const auto count = static_cast<int>(ranks.size());
  const std::size_t bytes = Medium::bytes(count), box = Medium::box_bytes(count);
  SharedObject object;
  Introductions all(nodes.size());
  all[me] = introduction();
  const bool is_first = ranks.front() == rank;
  if (count > 1 && is_first) {
    object = SharedObject::create(bytes);
    std::memcpy(all[me].name.data(), object.name().data(),
                std::min(object.name().size(), all[me].name.size() - 1));
  }
  PMPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), sizeof(Introduction), MPI_BYTE,
                 shadow);
  if (count > 1 && !is_first) {
    object = object_of(all[static_cast<std::size_t>(ranks.front())], bytes);
  }
  const auto place = std::ranges::find(ranks, rank) - ranks.begin();
  const bool has_it = object.exists() && all[me].has_room != 0 &&
                      object.reserve(static_cast<std::size_t>(place) * box, box);
  struct Finding {
    std::uint64_t has_it, can_read;
  };
  std::vector<Finding> findings(nodes.size());
  findings[me] = {has_it ? 1u : 0u, can_read_all(ranks, all) ? 1u : 0u};
  PMPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, findings.data(), sizeof(Finding), MPI_BYTE,
                 shadow);
  if (is_first) object.forget_name();
  object.close();
  const auto all_say = [&](std::uint64_t Finding::*what) {
    return std::ranges::all_of(
        ranks, [&](int each) { return findings[static_cast<std::size_t>(each)].*what != 0; });
  };
  if (count < 2 || !all_say(&Finding::has_it)) return nullptr;
  object.map_all();
  std::vector<pid_t> readable;
  if (all_say(&Finding::can_read)) readable = processes_of(ranks, all);
  std::vector<int> neighbours(nodes.size(), -1);
  for (int i = 0; i < count; ++i) {
    neighbours[static_cast<std::size_t>(ranks[static_cast<std::size_t>(i)])] = i;
  }
  return std::unique_ptr<NodeMemory>(new NodeMemory(std::move(object), std::move(neighbours), count,
                                                    static_cast<int>(place), waits_of(ranks, all),
                                                    SingleCopy(std::move(readable))));
}

}  // namespace tutti::runtime
