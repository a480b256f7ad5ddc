// Calls that the native library gets wrong: one list for all tests, each bug seen in one of them.
// docs/reference/limits.md lists the same, in the same words (tests/tools/docs_test.py).
#pragma once

#include <cstdint>
#include <string>

namespace tutti::native {

// What the list asks about a call. The same on all ranks of its communicator.
struct Facts {
  std::string collective;  // as in MPI_<collective>
  int p = 1;
  int root = 0;
  bool in_place = false;
  bool at_bottom = false;      // at some rank: MPI_BOTTOM and a datatype of absolute addresses
  long bytes = 0;              // of all blocks that travel; of reductions, of the operand
  long elements = 0;           // of a reduction
  long block_span = 0;         // bytes from a block's begin to its end in memory
  bool several_types = false;  // an element consists of several basic types
  bool one_datatype = true;    // which all ranks have on both sides
  bool same_ratio = true;      // of the sizes of a rank's two datatypes, on all ranks
  bool interleaved = false;    // elements of a datatype on the side with one block
  bool equal_blocks = true;
  bool reduces = false;
  bool commutative = true;
  bool users_operator = false;
  bool orders_unsigned = false;   // MIN or MAX of unsigned numbers
  bool dense = true;              // operands without gaps, from the element's address on
  bool gaps = false;              // in other data: it is described as more than elements in a row
  bool offset = false;            // operands with a true lower bound that is not 0
  bool wildcard_pending = false;  // a receive the user posted on the communicator
  std::string data{};             // names of the datatypes, as the test has them
};

// What is right about a call: the library's collective; at least its messages; or neither.
enum class Right : std::uint8_t { collective, messages, nothing };

Right what_is_right(const Facts& facts);

// What Tutti fails at because the library's messages fail, though its collective does not.
bool is_known_limit(const Facts& facts);

}  // namespace tutti::native
