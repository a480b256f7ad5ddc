// Communicators under test, descriptions of calls, and the report.
#include "call.hpp"

#include <cstdio>
#include <cstdlib>

#include "checks.hpp"

namespace tutti::test {

CommTable::CommTable() {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  add("world", MPI_COMM_WORLD, 0, false);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  add("dup", comm, 0, true);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  add("reversed", comm, 0, true);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
  add("parity", comm, static_cast<Seed>(rank % 2), true);
  add("self", MPI_COMM_SELF, static_cast<Seed>(rank), false);
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &comm);
  add("single", comm, static_cast<Seed>(rank), true);
}

CommTable::~CommTable() {
  for (TestComm& comm : comms_) {
    MPI_Comm_free(&comm.side);
    if (comm.owned) MPI_Comm_free(&comm.comm);
  }
}

void CommTable::add(const std::string& name, MPI_Comm comm, Seed salt, bool owned) {
  TestComm result{name, comm, MPI_COMM_NULL, 0, 0, salt * 0x10001, owned};
  MPI_Comm_rank(comm, &result.rank);
  MPI_Comm_size(comm, &result.p);
  MPI_Comm_dup(comm, &result.side);
  comms_.push_back(result);
}

const TestComm& CommTable::named(const std::string& name) const {
  for (const TestComm& comm : comms_) {
    if (comm.name == name) return comm;
  }
  std::fprintf(stderr, "no communicator is called %s\n", name.c_str());
  std::abort();
}

const char* name_of(Placement placement) {
  switch (placement) {
    case Placement::plain:
      return "plain";
    case Placement::in_place:
      return "in_place";
    case Placement::absolute:
      return "absolute";
  }
  return "?";
}

const std::vector<Collective>& collectives() {
  //  name, check, rooted, reduces, in_place, blocks, absolute
  static const std::vector<Collective> list{
      {"Barrier", check_barrier, true, false, false, false, true},
      {"Bcast", check_bcast, true, false, false, false, true},
      {"Gather", check_gather, true, false, true, true, true},
      {"Gatherv", check_gatherv, true, false, true, true, false},
      {"Scatter", check_scatter, true, false, true, true, true},
      {"Scatterv", check_scatterv, true, false, true, true, false},
      {"Allgather", check_allgather, false, false, true, true, true},
      {"Allgatherv", check_allgatherv, false, false, true, true, false},
      {"Alltoall", check_alltoall, false, false, true, true, true},
      {"Alltoallv", check_alltoallv, false, false, true, true, false},
      {"Alltoallw", check_alltoallw, false, false, true, true, false},
      {"Reduce", check_reduce, true, true, true, false, false},
      {"Allreduce", check_allreduce, false, true, true, false, false},
      {"Reduce_scatter", check_reduce_scatter, false, true, true, true, false},
      {"Reduce_scatter_block", check_reduce_scatter_block, false, true, true, true, false},
      {"Scan", check_scan, false, true, true, false, false},
      {"Exscan", check_exscan, false, true, true, false, false},
  };
  return list;
}

const Collective& collective_named(const std::string& name) {
  for (const Collective& collective : collectives()) {
    if (collective.name == name) return collective;
  }
  std::fprintf(stderr, "no collective is called %s\n", name.c_str());
  std::abort();
}

std::string Call::describe() const {
  std::string text = collective->name;
  if (reduction != nullptr) {
    text += " datatype=" + reduction->type->name + " op=" + reduction->name;
  } else if (family != nullptr) {
    text += " datatype=" + family->name + " op=-";
  }
  text += " count=" + std::to_string(count);
  text += " root=" + (collective->rooted ? std::to_string(root) : "-");
  text += " comm=" + comm->name + " p=" + std::to_string(comm->p);
  text += " rank=" + std::to_string(comm->rank) + " placement=" + name_of(placement);
  return text + (null_ignored() ? " ignored=null" : " ignored=valid");
}

void Report::compare(const Call& call, const char* what, const GuardedBuffer& actual,
                     const GuardedBuffer& expected) {
  const auto difference = actual.difference(expected);
  ++checks_[call.collective->name];
  if (!difference) return;
  check(call.collective->name, false, call.describe() + ": " + what + ": " + *difference);
  --checks_[call.collective->name];  // counted above, once
}

void Report::check(const std::string& collective, bool good, const std::string& message) {
  constexpr long most_messages = 10;  // per rank
  ++checks_[collective];
  if (good) return;
  ++failures_;
  if (failures_ <= most_messages) std::fprintf(stderr, "FAILED %s\n", message.c_str());
}

bool Report::finish() const {
  int rank;
  int p;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  std::vector<long> totals;
  for (const Collective& collective : collectives()) {
    const auto found = checks_.find(collective.name);
    totals.push_back(found == checks_.end() ? 0 : found->second);
  }
  totals.push_back(skipped_);
  totals.push_back(failures_);
  const int size = static_cast<int>(totals.size());
  if (rank != 0) {
    MPI_Send(totals.data(), size, MPI_LONG, 0, 1, MPI_COMM_WORLD);
    MPI_Recv(totals.data(), size, MPI_LONG, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return totals.back() == 0;
  }
  for (int peer = 1; peer < p; ++peer) {
    std::vector<long> theirs(totals.size());
    MPI_Recv(theirs.data(), size, MPI_LONG, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < totals.size(); ++i) totals[i] += theirs[i];
  }
  for (int peer = 1; peer < p; ++peer) {
    MPI_Send(totals.data(), size, MPI_LONG, peer, 2, MPI_COMM_WORLD);
  }
  long checks = 0;
  for (std::size_t i = 0; i < collectives().size(); ++i) {
    std::printf("%s: %ld checks\n", collectives()[i].name, totals[i]);
    checks += totals[i];
  }
  if (const long skipped = totals[totals.size() - 2]; skipped > 0) {
    std::printf("%ld calls left out: bugs of the native library (native_bugs.cpp)\n", skipped);
  }
  std::printf("%ld passed, %ld failed\n", checks - totals.back(), totals.back());
  return totals.back() == 0;
}

}  // namespace tutti::test
