// What Tutti has to know about a datatype, found out once per datatype.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>

namespace tutti::runtime {

// Which predefined operators MPI-4.0, 6.9.2 and 6.9.4, allows on a predefined datatype.
enum class OperandKind : std::uint8_t {
  none,
  integer,
  floating,
  complex,
  logical,
  byte,
  pair,
};

struct Datatype {
  std::uint64_t serial = 0;  // names the datatype for good; handles are used again
  std::uint64_t shape = 0;   // the same for datatypes that one schedule, once lowered, fits
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  std::int64_t size = 0;  // bytes of data in one element
  MPI_Aint extent = 0;
  MPI_Aint true_lb = 0;
  MPI_Aint true_extent = 0;
  bool predefined = false;
  bool contiguous = false;  // elements in a row are bytes in a row, in packed order
  OperandKind operand = OperandKind::none;
};

// Facts about predefined datatypes are kept here; those about others hang on the datatype as an
// attribute and go when it is freed. One table per communicator, so nothing is shared or locked.
class DatatypeTable {
 public:
  // Null if the datatype cannot be used for communication, which `prober` (an MPI communicator
  // that returns errors) is asked: then it is for the native library to complain.
  const Datatype* find(MPI_Datatype type, MPI_Comm prober) {
    for (const Datatype& known : predefined_) {
      if (known.handle == type) return &known;
    }
    return find_slowly(type, prober);
  }

 private:
  const Datatype* find_slowly(MPI_Datatype type, MPI_Comm prober);

  std::deque<Datatype> predefined_;  // pointers into it stay valid
};

}  // namespace tutti::runtime
