// What memory holds while schedules are interpreted: not data, but where the data came from.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "schedule/schedule.hpp"

namespace tutti {

using ValueId = int;

// The values of a proof: products of rank contributions. The contribution of one rank is the
// product of that rank alone. For an operator that commutes a product is a set of ranks; otherwise
// a sequence, in operand order. Runs of consecutive ranks are stored as [first, last].
class Products {
 public:
  using Runs = std::vector<std::pair<Rank, Rank>>;

  explicit Products(bool commutative) : commutative_(commutative) {}

  ValueId of_ranks(Rank first, Rank last) { return intern({{first, last}}); }
  // What blank memory holds: nobody's contribution.
  ValueId nothing() { return intern({{padding, padding}}); }
  // left op right, or -1 if a rank would contribute twice.
  ValueId combine(ValueId left, ValueId right);
  std::string describe(ValueId value) const;

 private:
  static constexpr Rank padding = -2;  // next to no rank

  ValueId intern(Runs runs);
  Runs merged(const Runs& left, const Runs& right) const;

  bool commutative_;
  std::vector<Runs> values_;
  std::map<Runs, ValueId> ids_;
  std::map<std::pair<ValueId, ValueId>, ValueId> combined_;
};

// `size` units that hold units index, index+1, ... of a value.
struct Extent {
  ValueId value;
  Units index;
  Units size;

  bool operator==(const Extent&) const = default;
};
using Extents = std::vector<Extent>;

// Joins neighbours that continue each other.
Extents joined(Extents extents);

// One buffer of one rank: disjoint intervals with what they hold; gaps are undefined.
class SymbolicBuffer {
 public:
  void write(Units offset, const Extents& extents);
  // Empty if part of the interval is undefined.
  Extents read(Units offset, Units size) const;
  bool defined_anywhere(Units offset, Units size) const;

 private:
  struct Cell {
    Units start;
    Extent extent;

    Units end() const { return start + extent.size; }
  };
  using Cells = std::vector<Cell>;

  // The first cell that ends behind `at`.
  Cells::const_iterator cell_at(Units at) const;
  // Makes `at` a border between cells; the number of the first cell from there on.
  std::ptrdiff_t cut(Units at);

  Cells cells_;  // in order
};

}  // namespace tutti
