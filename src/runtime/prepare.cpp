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

void plan_movement(Prepared& prepared, Schedule schedule, const Arguments& arguments,
                   const Datatype* in, const Datatype* out) {
  Places places;
  if (in != nullptr) places[0] = place_of_data(*in);
  if (out != nullptr) places[1] = place_of_data(*out);
  const Units element = places[1].unit_per_element;
  if (!cuts_no_element(schedule, Buffer::out, element)) {
    prepared.staged = arguments.out.count * out->size;
    places[1] = {};
  }
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
    plan_movement(*prepared, std::move(schedule), arguments, in, out);
  }
  return prepared;
}

}  // namespace tutti::runtime
