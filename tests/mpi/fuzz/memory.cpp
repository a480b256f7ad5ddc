#include "memory.hpp"

#include <algorithm>
#include <cstring>

namespace tutti::fuzz {

namespace {

constexpr MPI_Aint guard = 64;      // bytes before and after
constexpr MPI_Aint alignment = 16;  // of the data
constexpr int step = 16;            // bytes; holes between blocks of different types

struct Bounds {
  MPI_Aint extent = 0;
  MPI_Aint true_bound = 0;
  MPI_Aint true_extent = 0;
};

Bounds bounds_of(MPI_Datatype type) {
  Bounds result;
  MPI_Aint lower_bound;
  MPI_Type_get_extent(type, &lower_bound, &result.extent);
  MPI_Type_get_true_extent(type, &result.true_bound, &result.true_extent);
  int size;
  MPI_Type_size(type, &size);
  if (size == 0) return {};  // libraries differ in what bounds data have that do not exist
  return result;
}

// Adds `count` elements at `place` to what the layout may touch.
void cover(Layout& layout, const Bounds& bounds, MPI_Aint place, int count) {
  if (count == 0) return;
  layout.low = std::min(layout.low, place + bounds.true_bound);
  const MPI_Aint last = place + (count - 1) * bounds.extent;
  layout.high = std::max(layout.high, last + bounds.true_bound + bounds.true_extent);
}

int elements(const Call& call, const Description& type, int units) {
  return units * (call.unit / type.repeat);
}

// Blocks of one datatype, placed one after the other in the order of the side.
void place_elements(Layout& layout, const Side& side) {
  int end = side.start;
  for (std::size_t i = 0; i < side.order.size(); ++i) {
    const auto block = static_cast<std::size_t>(side.order[i]);
    end += side.holes[i];
    layout.displacements[block] = end;
    end += layout.counts[block];
  }
}

// The number of elements from the first to the last of the buffer.
int span(const Layout& layout) {
  int low = 0;
  int high = 1;
  for (std::size_t i = 0; i < layout.counts.size(); ++i) {
    low = std::min(low, layout.displacements[i]);
    high = std::max(high, layout.displacements[i] + layout.counts[i]);
  }
  return high - low;
}

// Blocks of a datatype each, placed so that their data do not overlap.
void place_bytes(Layout& layout, const Side& side) {
  MPI_Aint end = MPI_Aint{side.start} * step;
  for (std::size_t i = 0; i < side.order.size(); ++i) {
    const auto block = static_cast<std::size_t>(side.order[i]);
    const Bounds bounds = bounds_of(layout.types[block]);
    Layout alone;
    alone.low = bounds.true_bound;
    alone.high = alone.low;
    cover(alone, bounds, 0, layout.counts[block]);
    end += MPI_Aint{side.holes[i]} * step;
    const MPI_Aint at = (end - alone.low + step - 1) / step * step;
    layout.displacements[block] = static_cast<int>(at);
    cover(layout, bounds, at, layout.counts[block]);
    end = std::max(end, at + alone.high);
  }
}

}  // namespace

Layout lay_out(const Call& call, Direction direction, int rank, TypePool& pool) {
  Layout layout;
  if (!call.is_significant(direction, rank) || call.is_in_place(direction, rank)) return layout;
  const Side& side = call.side(direction, rank);
  const Form form = call.form(direction);
  const int blocks = form == Form::one ? 1 : call.p;
  for (int block = 0; block < blocks; ++block) {
    const auto i = static_cast<std::size_t>(form == Form::typed ? block : 0);
    layout.counts.push_back(elements(call, side.types[i], call.size(direction, rank, block)));
    layout.displacements.push_back(block * layout.counts[0]);
  }
  if (form == Form::varied) place_elements(layout, side);
  for (std::size_t i = 0; i < side.types.size(); ++i) {
    const int columns = form == Form::typed ? std::max(layout.counts[i], 1) : span(layout);
    layout.types.push_back(pool.get(*call.signature, side.types[i], columns));
  }
  if (form == Form::typed) {
    place_bytes(layout, side);
    return layout;
  }
  const Bounds bounds = bounds_of(layout.types[0]);
  for (std::size_t i = 0; i < layout.counts.size(); ++i) {
    cover(layout, bounds, layout.displacements[i] * bounds.extent, layout.counts[i]);
  }
  return layout;
}

Layout lay_out(MPI_Datatype type, long count) {
  Layout layout;
  layout.types = {type};
  layout.counts = {static_cast<int>(count)};
  layout.displacements = {0};
  cover(layout, bounds_of(type), 0, layout.counts[0]);
  return layout;
}

Buffer::Buffer(const Layout& layout, Random& random) {
  const MPI_Aint before = guard - layout.low + alignment - 1;
  origin_ = static_cast<std::size_t>(before / alignment * alignment + 8 * random.below(2));
  bytes_.resize(origin_ + static_cast<std::size_t>(layout.high + guard));
  Seed state = random.next();
  for (std::size_t i = 0; i + sizeof state <= bytes_.size(); i += sizeof state) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const Seed mixed = state ^ (state >> 33);
    std::memcpy(&bytes_[i], &mixed, sizeof mixed);
  }
}

long Buffer::first_difference(const Buffer& other) const {
  const auto [mine, theirs] = std::mismatch(bytes_.begin(), bytes_.end(), other.bytes_.begin());
  if (mine == bytes_.end()) return none;
  return (mine - bytes_.begin()) - static_cast<long>(origin_);
}

int Buffer::at(long position) const {
  const auto index = static_cast<std::size_t>(position + static_cast<long>(origin_));
  return std::to_integer<int>(bytes_[index]);
}

void Buffer::adopt(const Buffer& other, long position, int bytes) {
  const auto index = static_cast<std::size_t>(position + static_cast<long>(origin_));
  std::memcpy(&bytes_[index], &other.bytes_[index], static_cast<std::size_t>(bytes));
}

ArgumentHolder::ArgumentHolder(const Call& call, Direction direction, int rank,
                               const Layout& layout, Buffer& buffer, TypePool& pool) {
  const Side& side = call.side(direction, rank);
  const bool in_place = call.is_in_place(direction, rank);
  if (in_place || !call.is_significant(direction, rank)) {
    if (!side.ignored_is_null) ignore(call.p);
    if (in_place) argument_.address = MPI_IN_PLACE;
    return;
  }
  types_ = layout.types;
  argument_ = {buffer.address(),
               layout.counts[0],
               types_[0],
               layout.counts.data(),
               layout.displacements.data(),
               types_.data()};
  if (side.at_bottom) move_to_bottom(pool);
}

// Arguments that are in order, but not looked at.
void ArgumentHolder::ignore(int p) {
  some_counts_.assign(static_cast<std::size_t>(p), 0);
  types_.assign(static_cast<std::size_t>(p), MPI_INT);
  argument_ = {&some_data_, 1, MPI_INT, some_counts_.data(), some_counts_.data(), types_.data()};
}

void ArgumentHolder::move_to_bottom(TypePool& pool) {
  MPI_Aint address;
  MPI_Get_address(argument_.address, &address);
  const int length = 1;
  for (MPI_Datatype& type : types_) {
    MPI_Datatype absolute;
    MPI_Type_create_hindexed(1, &length, &address, type, &absolute);
    MPI_Type_commit(&absolute);
    type = pool.keep(absolute);
  }
  argument_.address = MPI_BOTTOM;
  argument_.type = types_[0];
}

}  // namespace tutti::fuzz
