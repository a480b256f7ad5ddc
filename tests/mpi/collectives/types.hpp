// The datatypes under test, each with its type map written out.
//
// A leaf is one basic item of the type map; leaves are listed in packed order, so leaf k of a
// packed stream is leaf k % leaves of element k / leaves, wherever that lies in memory.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "values.hpp"

namespace tutti::test {

enum class Kind : std::uint8_t { int8, int16, int32, uint32, float64 };

struct Leaf {
  Kind kind;
  MPI_Aint offset;  // bytes from the element's address; may be negative
};

std::size_t size_of(Kind kind);
MPI_Datatype basic_type(Kind kind);

// Stores or loads one leaf; the address need not be aligned.
void store(Kind kind, std::byte* where, Value value);
Value load(Kind kind, const std::byte* where);

struct TestType {
  std::string name;
  MPI_Datatype handle;
  std::vector<Leaf> leaves;
  MPI_Aint extent;
  bool predefined;
};

// What one rank passes as (count, datatype).
struct Side {
  const TestType* type;
  int count;
};

// Datatypes with the same signature: `repeat` elements of each describe one unit. With one
// choice all ranks use the same datatype; with several, neighbours use different ones.
struct Family {
  struct Choice {
    const TestType* type;
    int repeat;
  };

  std::string name;
  std::vector<Choice> choices;

  Side side(int rank, int count) const {
    const Choice& choice = choices[static_cast<std::size_t>(rank) % choices.size()];
    return {choice.type, choice.repeat * count};
  }

  // Leaves in a message of `count` units.
  long leaves(int count) const {
    return static_cast<long>(choices[0].type->leaves.size()) * choices[0].repeat * count;
  }
};

// Owns the datatypes; build after MPI_Init, destroy before MPI_Finalize.
class TypeTable {
 public:
  TypeTable();
  ~TypeTable();
  TypeTable(const TypeTable&) = delete;
  TypeTable& operator=(const TypeTable&) = delete;

  // The families the data-movement collectives are tested with.
  const std::deque<Family>& families() const { return families_; }

  // Adds a committed datatype built from its leaves; lower bound and extent as given.
  const TestType& add_from_leaves(const std::string& name, const std::vector<Leaf>& leaves,
                                  MPI_Aint lower_bound, MPI_Aint extent);
  const TestType& add_predefined(const std::string& name, MPI_Datatype handle,
                                 std::vector<Leaf> leaves);

 private:
  const TestType& add(const std::string& name, MPI_Datatype handle, std::vector<Leaf> leaves);
  void add_families();

  std::deque<TestType> types_;  // a deque: addresses stay valid
  std::deque<Family> families_;
};

}  // namespace tutti::test
