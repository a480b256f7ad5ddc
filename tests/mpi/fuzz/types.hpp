// Datatypes drawn at random: the same data, described in another way on every rank.
//
// A signature is a short sequence of basic types. A description says how an element of a datatype
// holds it, `repeat` times: `inner` places the basic types of one signature, `outer` places the
// signatures. No two items of a description overlap, so it may be received into.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "random.hpp"

namespace tutti::fuzz {

struct Member {
  MPI_Datatype type;
  int size;
};

struct Signature {
  const char* name;
  std::vector<Member> members;
  MPI_Datatype whole;  // a predefined datatype of this signature, or MPI_DATATYPE_NULL

  int bytes() const;
};

const std::vector<Signature>& signatures();

enum class Inner : std::uint8_t {
  plain,     // as in C
  spread,    // with gaps
  shuffled,  // with gaps, displacements out of order
  negative,  // data from a negative lower bound on
  late,      // data some way after the lower bound
  outside,   // data starts before the lower bound
};

enum class Outer : std::uint8_t {
  contiguous,
  dup,
  vector,
  backwards,  // a vector of negative stride
  indexed,
  shuffled,  // an indexed block, displacements out of order
  pieces,    // a struct
  subarray,
  columns,  // of a matrix of all elements of the buffer: elements interleave
};

struct Description {
  Inner inner = Inner::plain;
  Outer outer = Outer::contiguous;
  int repeat = 1;
  Seed details = 0;  // sizes of gaps and the like

  bool operator==(const Description&) const = default;
};

Description draw_description(Random& random, const Signature& signature, int repeat);

std::string describe(const Description& description);

// Makes datatypes, keeps them for one case, and frees them.
class TypePool {
 public:
  TypePool() = default;
  ~TypePool();
  TypePool(const TypePool&) = delete;
  TypePool& operator=(const TypePool&) = delete;

  // Committed; the same handle for the same arguments. `columns` elements can interleave.
  MPI_Datatype get(const Signature& signature, const Description& description, int columns);

  // Takes over a datatype.
  MPI_Datatype keep(MPI_Datatype type);

 private:
  struct Known {
    const Signature* signature;
    Description description;
    int columns;
    MPI_Datatype type;
  };

  std::vector<Known> known_;
  std::vector<MPI_Datatype> kept_;
};

}  // namespace tutti::fuzz
