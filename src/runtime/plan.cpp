#include "runtime/plan.hpp"

#include <algorithm>
#include <cassert>
#include <climits>
#include <span>

namespace tutti::runtime {

namespace {

constexpr Units small_message = 1024;  // bytes; below every eager threshold in use

// `count` elements of `type` as one datatype, for counts that do not fit an int.
MPI_Datatype repeated(MPI_Datatype type, Units count, MPI_Aint extent) {
  constexpr Units batch = 1 << 30;
  MPI_Datatype full = MPI_DATATYPE_NULL, all_full = MPI_DATATYPE_NULL, rest = MPI_DATATYPE_NULL;
  PMPI_Type_contiguous(static_cast<int>(batch), type, &full);
  PMPI_Type_contiguous(static_cast<int>(count / batch), full, &all_full);
  PMPI_Type_contiguous(static_cast<int>(count % batch), type, &rest);
  int lengths[] = {1, 1};
  MPI_Aint offsets[] = {0, count / batch * batch * extent};
  MPI_Datatype types[] = {all_full, rest};
  MPI_Datatype result = MPI_DATATYPE_NULL;
  PMPI_Type_create_struct(2, lengths, offsets, types, &result);
  PMPI_Type_free(&full);
  PMPI_Type_free(&all_full);
  PMPI_Type_free(&rest);
  return result;
}

}  // namespace

Place place_of_data(const Datatype& type) {
  if (type.contiguous) return {.shift = type.true_lb};
  Place place = place_of_operands(type);
  place.unit_per_element = type.size;
  return place;
}

Place place_of_operands(const Datatype& type) {
  return {.type = type.handle,
          .unit_per_element = 1,
          .packed_size = type.size,
          .extent = type.extent,
          .true_lb = type.true_lb,
          .true_extent = type.true_extent,
          .contiguous = type.contiguous};
}

bool cuts_no_element(const Schedule& schedule, Buffer buffer, Units unit_per_element) {
  return std::ranges::all_of(schedule.slices, [&](const Slice& slice) {
    return slice.buffer != buffer ||
           (slice.offset % unit_per_element == 0 && slice.size % unit_per_element == 0);
  });
}

// Whether nothing but local work lies between the steps and the first that waits for `message`, so
// that no other rank can tell whether it was completed before them.
static bool is_next_awaited(const Schedule& schedule, std::uint32_t message, std::size_t first) {
  for (std::size_t i = first; i < schedule.steps.size(); ++i) {
    const Step& step = schedule.steps[i];
    const auto waits = std::span(schedule.waits).subspan(step.waits, step.wait_count);
    if (std::ranges::find(waits, message) != waits.end()) return true;
    if (step.is_message() || step.wait_count > 0) return false;
  }
  return true;
}

Plan::Plan(Schedule schedule, const Places& places)
    : schedule_(std::move(schedule)), places_(places) {
  for (const Step& step : schedule_.steps) {
    messages_.push_back(step.is_message() ? message_of(step) : Message{});
    operands_.emplace_back();
    if (step.is_message()) continue;
    for (std::uint32_t i = 0; i < step.pieces; ++i) {
      operands_.back()[i] = run_of(schedule_.slices_of(step)[i]);
    }
  }
  pair_small_exchanges();
}

// In MPICH one call costs less than three; Open MPI's MPI_Sendrecv makes the same three.
void Plan::pair_small_exchanges() {
#ifdef MPICH
  for (std::uint32_t i = 0; i + 1 < messages_.size(); ++i) {
    const Step& receive = schedule_.steps[i];
    const Step& send = schedule_.steps[i + 1];
    messages_[i].with_next = receive.kind == Kind::recv && send.kind == Kind::send &&
                             messages_[i].small && messages_[i + 1].small && send.wait_count == 0 &&
                             is_next_awaited(schedule_, i, i + 2);
  }
#endif
}

Plan::~Plan() {
  for (MPI_Datatype& type : made_) PMPI_Type_free(&type);
}

std::size_t Plan::bytes() const {
  return sizeof(Plan) +
         schedule_.steps.size() * (sizeof(Step) + sizeof(Message) + sizeof operands_[0]) +
         schedule_.slices.size() * sizeof(Slice) +
         (schedule_.waits.size() + schedule_.last_waits.size()) * sizeof(std::uint32_t);
}

Run Plan::run_of(const Slice& slice) const {
  const Place& place = this->place(slice.buffer);
  const Units first = slice.offset / place.unit_per_element;
  return {slice.buffer, first * place.extent, slice.size / place.unit_per_element};
}

Message Plan::message_of(const Step& step) {
  std::vector<Run> runs;
  for (std::uint32_t i = 0; i < step.pieces; ++i) {
    runs.push_back(run_of(schedule_.slices_of(step)[i]));
  }
  if (runs.empty()) return {Buffer::scratch, 0, 0, MPI_BYTE, true};
  const Place& place = this->place(runs[0].buffer);
  if (runs.size() > 1 || runs[0].elements > INT_MAX) return large_or_scattered(runs);
  const Units bytes = runs[0].elements * place.packed_size;
  return {runs[0].buffer, runs[0].offset, static_cast<int>(runs[0].elements), place.type,
          bytes <= small_message};
}

Message Plan::large_or_scattered(const std::vector<Run>& runs) {
  const Place& place = this->place(runs[0].buffer);
  std::vector<int> lengths;
  std::vector<MPI_Aint> offsets;
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Datatype> parts;
  for (const Run& run : runs) {
    assert(run.buffer == runs[0].buffer && "a message lies in one buffer");
    const bool large = run.elements > INT_MAX;
    if (large) parts.push_back(repeated(place.type, run.elements, place.extent));
    types.push_back(large ? parts.back() : place.type);
    lengths.push_back(large ? 1 : static_cast<int>(run.elements));
    offsets.push_back(run.offset);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_create_struct(static_cast<int>(runs.size()), lengths.data(), offsets.data(),
                          types.data(), &type);
  PMPI_Type_commit(&type);
  made_.push_back(type);
  for (MPI_Datatype& part : parts) PMPI_Type_free(&part);
  return {runs[0].buffer, 0, 1, type, false};
}

}  // namespace tutti::runtime
