#include "runtime/plan.hpp"

#include <algorithm>
#include <cassert>
#include <climits>
#include <span>

#include "passes/publications.hpp"
#include "runtime/node_memory.hpp"
#include "runtime/ways.hpp"

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

static Place place_of_operands(const Datatype& type) {
  return {.type = type.handle,
          .unit_per_element = 1,
          .packed_size = type.size,
          .extent = type.extent,
          .true_lb = type.true_lb,
          .true_extent = type.true_extent,
          .contiguous = type.contiguous};
}

Area area_of_data(const Datatype& type, Units first, Units count, MPI_Aint offset) {
  if (type.contiguous) return {first, count * type.size, offset + type.true_lb, {}};
  Place place = place_of_operands(type);
  place.unit_per_element = type.size;
  return {first, count * type.size, offset, place};
}

Area area_of_operands(const Datatype& type, Units count) {
  return {0, count, 0, place_of_operands(type)};
}

// The areas that a slice reaches into.
static std::span<const Area> touched(const Areas& areas, const Slice& slice) {
  const auto first = std::ranges::upper_bound(areas, slice.offset, {}, &Area::end);
  const auto last = std::ranges::lower_bound(first, areas.end(), slice.end(), {}, &Area::first);
  return {first, last};
}

bool cuts_no_element(const Schedule& schedule, Buffer buffer, const Areas& areas) {
  return std::ranges::all_of(schedule.slices, [&](const Slice& slice) {
    if (slice.buffer != buffer) return true;
    return std::ranges::all_of(touched(areas, slice), [&](const Area& area) {
      const Units from = std::max(slice.offset, area.first) - area.first;
      const Units to = std::min(slice.end(), area.end()) - area.first;
      return from % area.place.unit_per_element == 0 && to % area.place.unit_per_element == 0;
    });
  });
}

Carriage usual_carriage() {
#ifdef TUTTI_WAYS_OF_MPICH
  return {.short_bytes = small_message};
#else
  return {};
#endif
}

Plan::Plan(Schedule schedule, AreasByBuffer areas, const Slice& spare, const NodeMemory* memory)
    : schedule_(std::move(schedule)), areas_(std::move(areas)) {
  if (spare.size > 0) spare_ = runs_of(spare).front();
  if (memory != nullptr) near_.resize(schedule_.steps.size());
  bool has_near = false;
  for (std::size_t i = 0; const Step& step : schedule_.steps) {
    const int neighbour =
        memory != nullptr && step.is_message() ? memory->neighbour(step.peer) : -1;
    if (neighbour >= 0) near_[i] = near_of(step, neighbour);
    has_near |= neighbour >= 0;
    has_far_ |= step.is_message() && neighbour < 0;
    ++i;
    messages_.push_back(step.is_message() && neighbour < 0 ? message_of(step) : Message{});
    messages_.back().small &= schedule_.strands == 1;  // others would wait for a blocking send
    const auto first = static_cast<std::uint32_t>(operands_.size());
    if (!step.is_message()) add_local(step);
    local_.emplace_back(first, static_cast<std::uint32_t>(operands_.size()) - first);
  }
  if (!has_near) near_.clear();
  if (has_near && schedule_.strands == 1) note_publications();
}

Plan::~Plan() {
  for (MPI_Datatype& type : made_) PMPI_Type_free(&type);
}

static void rename(MPI_Datatype& type, const Renamed& types) {
  for (const auto& [before, now] : types) {
    if (type == before) {
      type = now;
      return;
    }
  }
}

void rename(Areas& areas, const Renamed& types) {
  for (Area& area : areas) rename(area.place.type, types);
}

bool Plan::rename_types(const Renamed& types) {
  if (!made_.empty()) return false;
  for (Areas& areas : areas_) rename(areas, types);
  for (Message& message : messages_) rename(message.type, types);
  return true;
}

std::size_t Plan::bytes() const {
  return sizeof(Plan) + schedule_.bytes() +
         schedule_.steps.size() * (sizeof(Message) + sizeof local_[0]) +
         operands_.size() * sizeof(Operands) + near_.size() * sizeof(Near) +
         pieces_.size() * sizeof(Piece);
}

std::vector<Run> Plan::runs_of(const Slice& slice) const {
  std::vector<Run> runs;
  for (const Area& area : touched(areas_[static_cast<std::size_t>(slice.buffer)], slice)) {
    const Units from = std::max(slice.offset, area.first) - area.first;
    const Units to = std::min(slice.end(), area.end()) - area.first;
    const Units first = from / area.place.unit_per_element;
    runs.push_back({slice.buffer, area.offset + first * area.place.extent,
                    to / area.place.unit_per_element - first, &area.place});
  }
  return runs;
}

std::vector<Run> Plan::runs_of(const Step& step) const {
  std::vector<Run> all;
  for (std::uint32_t i = 0; i < step.pieces; ++i) {
    const std::vector<Run> runs = runs_of(schedule_.slices_of(step)[i]);
    all.insert(all.end(), runs.begin(), runs.end());
  }
  return all;
}

// The first `units` units of a run, which then begins after them.
static Run split(Run& run, Units units) {
  assert(units % run.place->unit_per_element == 0 && "checked by cuts_no_element");
  Run first = run;
  first.elements = units / run.place->unit_per_element;
  run.offset += first.elements * run.place->extent;
  run.elements -= first.elements;
  return first;
}

// The operands of a reduction lie in one area each; what is copied is divided where either side is.
void Plan::add_local(const Step& step) {
  const Slice* slices = schedule_.slices_of(step);
  std::array<std::vector<Run>, 3> runs;
  for (std::uint32_t i = 0; i < step.pieces; ++i) runs[i] = runs_of(slices[i]);
  if (step.kind == Kind::reduce) {
    if (!runs[0].empty()) operands_.push_back({runs[0][0], runs[1][0], runs[2][0]});
    return;
  }
  auto from = runs[0].begin();
  auto to = runs[1].begin();
  const auto units = [](const Run& run) { return run.elements * run.place->unit_per_element; };
  while (from != runs[0].end() && to != runs[1].end()) {
    const Units both = std::min(units(*from), units(*to));
    operands_.push_back({split(*from, both), split(*to, both), Run{}});
    if (from->elements == 0) ++from;
    if (to->elements == 0) ++to;
  }
}

Message Plan::message_of(const Step& step) {
  const std::vector<Run> runs = runs_of(step);
  if (runs.empty()) return {Buffer::scratch, 0, 0, MPI_BYTE, true};
  const Run& only = runs[0];
  if (runs.size() > 1 || only.elements > INT_MAX) return large_or_scattered(runs);
  const Units bytes = only.elements * only.place->packed_size;
  return {only.buffer, only.offset, static_cast<int>(only.elements), only.place->type,
          bytes <= small_message};
}

Near Plan::near_of(const Step& step, int peer) {
  Near near{.peer = peer, .first = static_cast<std::uint32_t>(pieces_.size())};
  const auto add = [&](const Slice& slice) {
    for (const Run& run : runs_of(slice)) {
      const Place& place = *run.place;
      const bool has_gaps = !place.contiguous;
      pieces_.push_back({.buffer = static_cast<std::uint8_t>(run.buffer),
                         .offset = run.offset + (has_gaps ? 0 : place.true_lb),
                         .bytes = static_cast<std::size_t>(run.elements * place.packed_size),
                         .layout = has_gaps ? &place : nullptr});
      if (place.unit_per_element == 1) element_bytes_ = static_cast<std::size_t>(place.packed_size);
    }
  };
  const auto places = touched(step, schedule_.slices);
  if (step.kind == Kind::recv_reduce) {
    near.combines = true;
    near.message_is_left = places[0].buffer == Buffer::message;
    add(places[near.message_is_left ? 1 : 0]);
    add(places[2]);
    near.bytes = pieces_.back().bytes;
    return near;
  }
  for (const Slice& slice : places) add(slice);
  near.pieces = static_cast<std::uint32_t>(pieces_.size()) - near.first;
  for (const Piece& piece : pieces(near)) near.bytes += piece.bytes;
  return near;
}

void Plan::note_publications() {
  const std::vector<std::uint32_t> found = publications(schedule_);
  for (std::size_t i = 0; i < found.size(); ++i) near_[i].publication = found[i];
}

Units most_left_in_left(const Schedule& schedule) {
  Units most = 0;
  for (const Step& step : schedule.steps) {
    if (step.kind != Kind::reduce) continue;
    const Slice* operands = schedule.slices_of(step);  // left, right, into
    if (operands[2] == operands[0]) most = std::max(most, operands[0].size);
  }
  return most;
}

Message Plan::large_or_scattered(const std::vector<Run>& runs) {
  std::vector<int> lengths;
  std::vector<MPI_Aint> offsets;
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Datatype> parts;
  for (const Run& run : runs) {
    assert(run.buffer == runs[0].buffer && "a message lies in one buffer");
    const Place& place = *run.place;
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
