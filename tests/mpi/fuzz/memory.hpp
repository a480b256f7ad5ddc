// Buffers on this rank: where the blocks of one side of a call lie, and what is passed to MPI.
#pragma once

#include <cstddef>
#include <vector>

#include "call.hpp"

namespace tutti::fuzz {

// The datatypes, counts and displacements of one side.
struct Layout {
  std::vector<MPI_Datatype> types;  // one, or one per block if typed
  std::vector<int> counts;          // elements, by block
  std::vector<int> displacements;   // in extents, or in bytes if typed
  MPI_Aint low = 0;                 // bytes the data may touch, from the address passed
  MPI_Aint high = 0;
};

// Empty where the side is not significant, or in place.
Layout lay_out(const Call& call, Direction direction, int rank, TypePool& pool);

// A reduction's: `count` elements.
Layout lay_out(MPI_Datatype type, long count);

// Random bytes where the layout is, and guard bytes around.
class Buffer {
 public:
  Buffer(const Layout& layout, Random& random);

  std::byte* address() { return bytes_.data() + origin_; }

  // Position, from the address, of the first byte that differs; or `none`.
  static constexpr long none = -1000000000;
  long first_difference(const Buffer& other) const;
  int at(long position) const;
  // Takes over bytes of a buffer of the same layout.
  void adopt(const Buffer& other, long position, int bytes);

 private:
  std::size_t origin_;
  std::vector<std::byte> bytes_;
};

// One side as passed to MPI.
struct Argument {
  void* address = nullptr;
  int count = -1;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int* counts = nullptr;
  const int* displacements = nullptr;
  const MPI_Datatype* types = nullptr;
};

// Holds what an argument points to; `layout` and `buffer` must outlive it.
class ArgumentHolder {
 public:
  ArgumentHolder(const Call& call, Direction direction, int rank, const Layout& layout,
                 Buffer& buffer, TypePool& pool);
  ArgumentHolder(const ArgumentHolder&) = delete;
  ArgumentHolder& operator=(const ArgumentHolder&) = delete;

  const Argument& operator*() const { return argument_; }

 private:
  void ignore(int p);
  void move_to_bottom(TypePool& pool);

  Argument argument_;
  std::vector<MPI_Datatype> types_;
  std::vector<int> some_counts_;
  int some_data_ = 0;
};

}  // namespace tutti::fuzz
