// What memory holds while schedules are interpreted: not data, but where the data came from.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "schedule/schedule.hpp"
#include "topology/placement.hpp"

namespace tutti {

using ValueId = int;

// A number for a list of numbers, one by one.
inline std::uint64_t mixed(std::uint64_t before, std::uint64_t next) {
  before = (before ^ next) * 0x9e3779b97f4a7c15;
  return before ^ before >> 32;
}

// Where an element is combined: in an operand of `size` units, the first of which has the index
// `first` if they follow each other. Arithmetic by vectors may treat an operand's last elements
// otherwise.
struct OperandPlace {
  Units first = 0;
  Units size = 0;
  auto operator<=>(const OperandPlace&) const = default;
};

// The values of a proof: products of rank contributions. The contribution of one rank is the
// product of that rank alone. For an operator that commutes a product is a set of ranks; otherwise
// a sequence, in operand order. Runs of consecutive ranks are stored as [first, last].
//
// A product may also keep how it came about: then two are one value only if the same operands were
// combined in the same order, so that they have the same bits whatever rounds.
class Products {
 public:
  using Runs = std::vector<std::pair<Rank, Rank>>;
  enum class Keep : std::uint8_t { ranks, expression };

  explicit Products(bool commutative, Keep keep = Keep::ranks)
      : commutative_(commutative), keep_(keep) {}

  ValueId of_ranks(Rank first, Rank last) { return intern({{first, last}}); }
  // What blank memory holds: nobody's contribution.
  ValueId nothing() { return intern({{padding, padding}}); }
  // left op right, or -1 if a rank would contribute twice.
  ValueId combine(ValueId left, ValueId right, const OperandPlace& place = {});
  // The same without how it came about.
  ValueId product(ValueId value) { return intern(runs(value)); }
  // The lowest rank of a product; if ranks are counted in another order, its position there.
  Rank lowest(ValueId value, const Placement* order = nullptr) const;
  std::string describe(ValueId value) const;
  // Of a product that keeps how it came about: the same number in any proof for the same way.
  std::uint64_t fingerprint(ValueId value) const {
    return fingerprints_[static_cast<std::size_t>(value)];
  }

 private:
  static constexpr Rank padding = -2;  // next to no rank

  const Runs& runs(ValueId value) const { return values_[static_cast<std::size_t>(value)]; }
  ValueId intern(Runs runs);
  Runs merged(const Runs& left, const Runs& right) const;

  bool commutative_;
  Keep keep_;
  std::vector<Runs> values_;
  std::vector<std::uint64_t> fingerprints_;
  std::map<Runs, ValueId> ids_;
  std::map<std::tuple<ValueId, ValueId, OperandPlace>, ValueId> combined_;
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

// Reads extents from the first to the last, in parts.
class ExtentReader {
 public:
  explicit ExtentReader(const Extents& extents) : at_(extents.begin()), end_(extents.end()) {}

  bool at_end() const { return at_ == end_; }
  // Units left of the current extent.
  Units left() const { return at_->size - done_; }
  // The next units of the current extent, at most so many.
  Extent next(Units most) {
    const Extent part{at_->value, at_->index + done_, std::min(most, left())};
    done_ += part.size;
    if (done_ == at_->size) {
      ++at_;
      done_ = 0;
    }
    return part;
  }

 private:
  Extents::const_iterator at_, end_;
  Units done_ = 0;
};

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
