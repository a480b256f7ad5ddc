// One collective call to be checked, and the report of what was found.
#pragma once

#include <mpi.h>

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "buffer.hpp"
#include "reductions.hpp"

namespace tutti::test {

struct TestComm {
  std::string name;
  MPI_Comm comm;
  MPI_Comm side;  // a duplicate for the test's own messages, which must not meet the user's
  int rank;
  int p;
  Seed salt;  // differs between the groups of a split, so their data differ too
  bool owned;
};

// Owns the communicators; destroy before MPI_Finalize.
class CommTable {
 public:
  CommTable();
  ~CommTable();
  CommTable(const CommTable&) = delete;
  CommTable& operator=(const CommTable&) = delete;

  const std::deque<TestComm>& all() const { return comms_; }
  const TestComm& world() const { return comms_.front(); }
  const TestComm& named(const std::string& name) const;

 private:
  void add(const std::string& name, MPI_Comm comm, Seed salt, bool owned);

  std::deque<TestComm> comms_;
};

// in_place: MPI_IN_PLACE wherever the collective allows it. absolute: MPI_BOTTOM and datatypes
// of absolute addresses.
enum class Placement { plain, in_place, absolute };

const char* name_of(Placement placement);

class Report;
struct Call;

struct Collective {
  const char* name;
  void (*check)(Report&, const Call&);
  bool rooted;
  bool reduces;
  bool in_place;  // MPI_IN_PLACE is legal
  bool blocks;    // buffers hold p blocks of `count`
  bool absolute;  // datatypes of absolute addresses make sense
};

// Every collective under test, once.
const std::vector<Collective>& collectives();
const Collective& collective_named(const std::string& name);

struct Call {
  const Collective* collective;
  const TestComm* comm;
  const Family* family;        // datatypes, for data movement
  const Reduction* reduction;  // datatype and operator, for reductions
  Placement placement;
  int count;
  int root;
  Seed seed;
  bool wildcard_pending = false;  // a receive the user posted on the communicator

  // Every other seed: arguments MPI calls not significant are passed null or invalid.
  bool null_ignored() const { return seed % 2 == 1; }
  bool is_root() const { return comm->rank == root; }
  std::string describe() const;
};

// Counts checks per collective and prints what failed; totals travel point-to-point.
class Report {
 public:
  // One check: `actual` must equal `expected` in every byte, values, gaps and guards.
  void compare(const Call& call, const char* what, const GuardedBuffer& actual,
               const GuardedBuffer& expected);
  // One check of anything else.
  void check(const std::string& collective, bool good, const std::string& message);

  // A call left out because the native library is known to fail at it.
  void skip() { ++skipped_; }

  // Prints the totals of all ranks at rank 0; true on every rank if nothing failed.
  // Collective over MPI_COMM_WORLD.
  bool finish() const;

 private:
  std::map<std::string, long> checks_;
  long failures_ = 0;
  long skipped_ = 0;
};

}  // namespace tutti::test
