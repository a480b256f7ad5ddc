// Guarded buffers: layout in memory, comparison, and the words for what differs.
#include "buffer.hpp"

#include <algorithm>
#include <cstring>

namespace tutti::test {

namespace {

constexpr long guard = 64;  // bytes of canary on either side
constexpr std::size_t alignment = 16;

std::byte canary(std::size_t position) { return static_cast<std::byte>(0xa5U ^ (position * 29U)); }

}  // namespace

GuardedBuffer::GuardedBuffer(const TestType& type, long elements)
    : type_(&type), elements_(elements) {
  MPI_Aint low = 0;
  MPI_Aint high = 0;
  const MPI_Aint last = (elements > 0 ? elements - 1 : 0) * type.extent;
  for (const Leaf& leaf : type.leaves) {
    low = std::min(low, leaf.offset);
    high = std::max(high, last + leaf.offset + static_cast<MPI_Aint>(size_of(leaf.kind)));
  }
  high = std::max(high, last + type.extent);
  const auto before = static_cast<std::size_t>(guard - low);
  origin_ = (before + alignment - 1) / alignment * alignment;
  bytes_.resize(origin_ + static_cast<std::size_t>(high + guard));
  for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = canary(i);
}

void GuardedBuffer::adopt(GuardedBuffer& other, long first, long count) {
  for (long e = first; e < first + count; ++e) {
    for (const Leaf& leaf : type_->leaves) {
      const MPI_Aint at = e * type_->extent + leaf.offset;
      std::memcpy(address() + at, other.address() + at, size_of(leaf.kind));
    }
  }
}

std::optional<std::string> GuardedBuffer::difference(const GuardedBuffer& expected) const {
  if (bytes_ == expected.bytes_) return std::nullopt;
  const auto at = std::mismatch(bytes_.begin(), bytes_.end(), expected.bytes_.begin());
  return describe(expected, static_cast<std::size_t>(at.first - bytes_.begin()));
}

std::string GuardedBuffer::describe(const GuardedBuffer& expected, std::size_t position) const {
  const long at = static_cast<long>(position) - static_cast<long>(origin_);
  for (long e = 0; e < elements_; ++e) {
    for (std::size_t k = 0; k < type_->leaves.size(); ++k) {
      const Leaf& leaf = type_->leaves[k];
      const long offset = e * type_->extent + leaf.offset;
      if (at < offset || at >= offset + static_cast<long>(size_of(leaf.kind))) continue;
      const std::size_t where = origin_ + static_cast<std::size_t>(offset);
      const Value wanted = load(leaf.kind, expected.bytes_.data() + where);
      const Value got = load(leaf.kind, bytes_.data() + where);
      return "element " + std::to_string(e) + " leaf " + std::to_string(k) + ": expected " +
             std::to_string(wanted) + ", got " + std::to_string(got) +
             (wanted == got ? " and a fraction" : "");
    }
  }
  const bool outside = at < 0 || at >= elements_ * type_->extent;
  return std::string(outside ? "a guard byte" : "a gap of the datatype") + " at byte " +
         std::to_string(at) + " of the buffer was overwritten: expected " +
         std::to_string(std::to_integer<int>(expected.bytes_[position])) + ", got " +
         std::to_string(std::to_integer<int>(bytes_[position]));
}

Argument::Argument(GuardedBuffer& buffer, int elements, bool absolute)
    : address(buffer.address()), count(elements), type(buffer.type().handle) {
  if (!absolute) return;
  MPI_Aint displacement;
  MPI_Get_address(address, &displacement);
  MPI_Type_create_hindexed(1, &elements, &displacement, buffer.type().handle, &type);
  MPI_Type_commit(&type);
  address = MPI_BOTTOM;
  count = 1;
  owned_ = true;
}

Argument::~Argument() {
  if (owned_) MPI_Type_free(&type);
}

}  // namespace tutti::test
