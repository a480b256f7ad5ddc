#include "algorithms/registry.hpp"
#include "runtime/operators.hpp"
#include "runtime/process.hpp"
#include "runtime/serve.hpp"

namespace tutti::runtime {

namespace {

bool reduces(const Arguments& arguments) { return info(arguments.collective).reduces; }

// Units of the whole message: bytes to be moved, or elements to be reduced.
Layout layout_of(const Arguments& arguments, const Communicator& state, const Datatype* in,
                 const Datatype* out) {
  if (!arguments.block_counts.empty()) {
    std::vector<Units> sizes;
    for (int i = 0; i < state.p; ++i) sizes.push_back(arguments.block_counts[i]);
    return Layout(sizes);
  }
  // What each rank is sure to know: its own side of a gather or scatter, unless it is in place.
  const bool by_input = arguments.collective == Collective::gather    ? arguments.in.present
                        : arguments.collective == Collective::scatter ? !arguments.out.present
                                                                      : !arguments.out.present;
  const Side& side = by_input ? arguments.in : arguments.out;
  const Datatype* type = by_input ? in : out;
  if (type == nullptr) return Layout(0, state.p);
  const Units count = side.count * (reduces(arguments) ? 1 : type->size);
  const bool per_rank = info(arguments.collective).owns_blocks;
  return Layout(per_rank ? count * state.p : count, state.p);
}

// Elements that overlap, or lie backwards, cannot be kept in scratch as the user keeps them.
bool can_be_reduced(const Datatype& type) {
  return type.extent > 0 && type.true_extent <= type.extent;
}

// MPICH 4.0.2 fails with "Message truncated" where one side of a message past 8 KB is bytes and the
// other a structured datatype. There everything with gaps travels packed, unless it is at
// MPI_BOTTOM, from where MPICH does not pack.
#ifdef MPICH
constexpr bool gaps_can_travel = false;
#else
constexpr bool gaps_can_travel = true;
#endif

// Describes a buffer of the schedule; if its data cannot travel as it lies, as bytes to be packed.
Place place_of_buffer(const Schedule& schedule, Buffer buffer, Units units, const Datatype* type,
                      const Side& side, Elements& staged) {
  if (type == nullptr || units == 0) return {};
  const Place place = place_of_data(*type);
  const bool whole = cuts_no_element(schedule, buffer, place.unit_per_element);
  const bool travels = gaps_can_travel || side.address == MPI_BOTTOM;
  if (place.contiguous || (whole && travels)) return place;
  staged = {.count = units / type->size, .place = place};
  return {};
}

void plan_movement(Prepared& prepared, Schedule schedule, const Call& call,
                   const Arguments& arguments, Rank rank, const Datatype* in, const Datatype* out) {
  const Rank me = call.virtual_rank(rank);
  const Places places{place_of_buffer(schedule, Buffer::in, call.input_units(me), in, arguments.in,
                                      prepared.staged_in),
                      place_of_buffer(schedule, Buffer::out, call.output_units(me), out,
                                      arguments.out, prepared.staged_out),
                      {}};
  prepared.scratch_bytes = schedule.scratch;
  prepared.plan = std::make_unique<Plan>(std::move(schedule), places);
}

void plan_reduction(Prepared& prepared, Schedule schedule, const Datatype& type) {
  const Place place = place_of_operands(type);
  prepared.scratch_bytes = schedule.scratch * type.extent;
  prepared.scratch_shift = -type.true_lb;
  prepared.plan = std::make_unique<Plan>(std::move(schedule), Places{place, place, place});
}

}  // namespace

double message_bytes(const Arguments& arguments, const Communicator& state, const Datatype* in,
                     const Datatype* out) {
  const Layout layout = layout_of(arguments, state, in, out);
  const Datatype* type = out != nullptr ? out : in;
  const double unit = reduces(arguments) && type != nullptr ? static_cast<double>(type->size) : 1;
  return static_cast<double>(layout.total()) * unit;
}

std::unique_ptr<Prepared> prepare(const Arguments& arguments, const Communicator& state,
                                  const Datatype* in, const Datatype* out, bool commutative) {
  auto prepared = std::make_unique<Prepared>();
  const Datatype* operand = out != nullptr ? out : in;
  const bool reduction = reduces(arguments);
  Call call{.collective = arguments.collective,
            .p = state.p,
            .root = arguments.root,
            .layout = layout_of(arguments, state, in, out),
            .unit_bytes = reduction ? operand->size : 1,
            .commutative = commutative,
            .in_place = arguments.in_place};
  if (!arguments.block_counts.empty()) {
    for (int i = 0; i < state.p; ++i) prepared->sizes.push_back(arguments.block_counts[i]);
  }
  const bool empty = call.bytes() == 0 && arguments.collective != Collective::barrier;
  if (empty) return prepared;
  if (reduction && (!is_legal(arguments.op, *operand) || !can_be_reduced(*operand))) {
    return prepared;
  }
  prepared->algorithm = choose(state, call).algorithm;
  if (prepared->algorithm == nullptr) return prepared;
  Schedule schedule = build(*prepared->algorithm, call, state.rank);
  if (reduction) {
    plan_reduction(*prepared, std::move(schedule), *operand);
  } else {
    plan_movement(*prepared, std::move(schedule), call, arguments, state.rank, in, out);
  }
  const Units packed = prepared->staged_in.bytes() + prepared->staged_out.bytes();
  prepared->is_packed = packed > 0;
  prepared->memory = static_cast<std::size_t>(prepared->scratch_bytes + packed);
  return prepared;
}

}  // namespace tutti::runtime
