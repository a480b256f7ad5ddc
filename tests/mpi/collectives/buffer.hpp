// A user's buffer with canaries everywhere: before it, after it, and in the gaps of its type.
//
// A test copies a buffer before the call, writes what the oracle says into the copy, and
// compares all bytes: values, gaps and guards at once.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "types.hpp"

namespace tutti::test {

class GuardedBuffer {
 public:
  // Room for `elements` elements of `type`, all bytes canaries.
  GuardedBuffer(const TestType& type, long elements);

  const TestType& type() const { return *type_; }
  long elements() const { return elements_; }

  // The address a user would pass to MPI.
  std::byte* address() { return bytes_.data() + origin_; }

  // Sets the leaves of elements [first, first + count): leaf k of that range, in packed order,
  // becomes value_of(k).
  template <class ValueOf>
  void fill(long first, long count, ValueOf value_of) {
    long k = 0;
    for (long e = first; e < first + count; ++e) {
      std::byte* element = address() + e * type_->extent;
      for (const Leaf& leaf : type_->leaves) store(leaf.kind, element + leaf.offset, value_of(k++));
    }
  }

  // Takes over the leaves of elements [first, first + count) of `other`: they may be anything.
  void adopt(GuardedBuffer& other, long first, long count);

  // Nothing if all bytes are equal; otherwise where the first difference is, and both values.
  std::optional<std::string> difference(const GuardedBuffer& expected) const;

 private:
  std::string describe(const GuardedBuffer& expected, std::size_t position) const;

  const TestType* type_;
  long elements_;
  std::size_t origin_;
  std::vector<std::byte> bytes_;
};

// (buffer, count, datatype) as passed to MPI: plainly, or as MPI_BOTTOM with a datatype made of
// absolute addresses. Owns that datatype. `buffer` must outlive it.
class Argument {
 public:
  // `count` elements per block from the start of `buffer`.
  Argument(GuardedBuffer& buffer, int count, bool absolute);
  ~Argument();
  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;

  void* address;
  int count;
  MPI_Datatype type;

 private:
  bool owned_ = false;
};

}  // namespace tutti::test
