#include <algorithm>
#include <limits>
#include <optional>

#include "algorithms/registry.hpp"
#include "passes/fragments.hpp"
#include "runtime/communicator.hpp"
#include "runtime/operators.hpp"
#include "runtime/process.hpp"
#include "runtime/ways.hpp"

namespace tutti::runtime {

namespace {

bool reduces(const Arguments& arguments) { return info(arguments.collective).reduces; }

// Units of each block: bytes to be moved, or elements to be reduced.
Layout layout_of(const Blocks& blocks, const Facts& facts, int p, bool in_elements) {
  std::vector<Units> sizes;
  sizes.reserve(static_cast<std::size_t>(p));
  for (int i = 0; i < p; ++i) {
    sizes.push_back(blocks.counts[i] * (in_elements ? 1 : facts.of(i).size));
  }
  return Layout(sizes);
}

// What a rank that is not the root knows of an irregular gather or scatter.
Layout own_block(Units size, const Communicator& state) {
  std::vector<Units> sizes(static_cast<std::size_t>(state.p));
  sizes[static_cast<std::size_t>(state.rank)] = size;
  return Layout(sizes);
}

// Units of the whole message.
Layout layout_of(const Arguments& arguments, const Communicator& state, const Facts& in,
                 const Facts& out) {
  const CollectiveInfo& about = info(arguments.collective);
  if (arguments.out_blocks != nullptr) {
    return layout_of(*arguments.out_blocks, out, state.p, about.reduces);
  }
  if (arguments.in_blocks != nullptr) {
    return layout_of(*arguments.in_blocks, in, state.p, about.reduces);
  }
  // What each rank is sure to know: its own side of a gather or scatter, unless it is in place.
  const bool by_input =
      about.regular == Collective::gather ? arguments.in.present : !arguments.out.present;
  const Side& side = by_input ? arguments.in : arguments.out;
  const Facts& facts = by_input ? in : out;
  if (!facts.known()) return Layout(0, state.p);
  const Units units = side.count * (about.reduces ? 1 : facts.all->size);
  if (about.irregular()) return own_block(units, state);
  return Layout(about.owns_blocks ? units * state.p : units, state.p);
}

// Whether every rank knows that there is nothing to do.
bool is_empty(const Call& call) {
  const bool has_data = call.collective != Collective::barrier;
  return has_data && info(call.collective).sizes_known() && call.bytes() == 0;
}

// Elements that overlap, or lie backwards, cannot be kept in scratch as the user keeps them.
bool can_be_reduced(const Datatype& type) {
  return type.extent > 0 && type.true_extent <= type.extent;
}

// MPICH 4.0.2 fails with "Message truncated" where one side of a message past 8 KB is bytes and the
// other a structured datatype. There everything with gaps travels packed.
#ifdef TUTTI_WAYS_OF_MPICH
constexpr bool gaps_can_travel = false;
#else
constexpr bool gaps_can_travel = true;
#endif

// How a side's data lies: together, or block by block.
Areas areas_of(const Side& side, const Blocks* blocks, const Facts& facts, Units units, int p) {
  if (!facts.known()) return {};
  Areas areas;
  if (blocks == nullptr) {
    const Units size = facts.all->size;
    areas.push_back(area_of_data(*facts.all, 0, size > 0 ? units / size : 0, 0));
  }
  for (int i = 0; blocks != nullptr && i < p; ++i) {
    const Datatype& type = facts.of(i);
    const Units first = areas.empty() ? 0 : areas.back().end();
    const MPI_Aint unit = blocks->types != nullptr ? 1 : type.extent;
    if (blocks->counts[i] * type.size == 0) continue;
    areas.push_back(area_of_data(type, first, blocks->counts[i], blocks->displacements[i] * unit));
  }
  for (Area& area : areas) area.place.at_bottom = side.address == MPI_BOTTOM;
  return areas;
}

// What all ranks do, window after window: one schedule for each, and one for the last.
struct Work {
  Units window = 0;  // units
  Units windows = 1;
  Schedule schedule;
  std::optional<Schedule> last{};
  Slice spare{};                       // scratch behind the schedule's, for the transport
  const NodeMemory* memory = nullptr;  // by which messages go; null: by MPI, as strands do

  bool is_whole() const { return windows == 1 && !last; }
};

// Messages to other nodes go in fragments of so many bytes, if that is not 0: so few that all
// messages between two ranks have tags of their own, up to two of each segment, in two trees.
Carriage in_fragments_of(double bytes, int segments, const Call& call, Rank rank) {
  Carriage carriage = usual_carriage();
  if (bytes == 0) return carriage;
  const Units longest = std::max<Units>(static_cast<Units>(bytes) / call.unit_bytes, 1);
  const int most = std::clamp(call_tags / 2 / segments, 1, most_fragments(call.p));
  carriage.fragments = [=, nodes = call.placement](Rank peer, Units units) {
    const bool is_near = nodes != nullptr && nodes->node(peer) == nodes->node(rank);
    return is_near ? 1 : fragments_of(units, longest, most);
  };
  return carriage;
}

Work work_of(const Algorithm& algorithm, const Call& call, Rank rank, const Carriage& carriage) {
  const Windows all = windows(algorithm, call);
  Work work{all.each.n(), all.count, build(algorithm, all.each, rank, carriage)};
  if (all.rest) work.last = build(algorithm, *all.rest, rank, carriage);
  return work;
}

bool cuts_no_element(const Work& work, Buffer buffer, const Areas& areas) {
  return (work.is_whole() || work.window % areas[0].place.unit_per_element == 0) &&
         cuts_no_element(work.schedule, buffer, areas) &&
         (!work.last || cuts_no_element(*work.last, buffer, areas));
}

bool is_contiguous(const Areas& areas) {
  return std::ranges::all_of(areas, [](const Area& area) { return area.place.contiguous; });
}

// What a schedule's buffer is made of. Data that cannot travel as it lies is `staged`: the schedule
// then has its bytes, packed.
Areas areas_of_buffer(const Work& work, Buffer buffer, Areas areas, Areas& staged,
                      bool may_travel) {
  if (is_contiguous(areas) || (may_travel && cuts_no_element(work, buffer, areas))) return areas;
  staged = std::move(areas);
  return {{.units = units_of(staged)}};
}

MPI_Aint span_of(Units units, const Areas& areas) {
  if (areas.empty()) return 0;
  return units / areas[0].place.unit_per_element * areas[0].place.extent;
}

void plan(Prepared& prepared, Work work, const AreasByBuffer& areas) {
  prepared.windows = work.windows;
  if (!work.is_whole()) {
    prepared.window_span = {span_of(work.window, areas[0]), span_of(work.window, areas[1])};
  }
  const auto planned = [&](Schedule schedule) {
    // The order of messages between two ranks, which memory keeps, is not set between strands.
    const NodeMemory* const memory = schedule.strands == 1 ? work.memory : nullptr;
    return std::make_unique<Plan>(std::move(schedule), areas, work.spare, memory);
  };
  prepared.plan = planned(std::move(work.schedule));
  if (work.last) prepared.last_plan = planned(std::move(*work.last));
}

Units scratch_of(const Work& work) {
  return std::max(work.schedule.scratch, work.last ? work.last->scratch : 0) + work.spare.size;
}

// What the library's arithmetic needs to leave results in the place of a left operand: room for the
// right one, or for as much of it as stays in the cache, if the operator takes any length.
Slice spare_for(const Work& work, MPI_Op op, const Datatype& type) {
  constexpr Units cached = 16384, vectors = 64;  // bytes; elements that begin where vectors do
  Units most =
      std::max(most_left_in_left(work.schedule), work.last ? most_left_in_left(*work.last) : 0);
  if (is_predefined(op)) most = std::min(most, cached / (vectors * type.extent) * vectors);
  return {Buffer::scratch, scratch_of(work), most};
}

constexpr Units unbounded = std::numeric_limits<Units>::max();

void plan_movement(Prepared& prepared, Work work, const Call& call, const Arguments& arguments,
                   Rank rank, const Facts& in, const Facts& out) {
  const Rank me = call.virtual_rank(rank);
  const auto areas = [&](Buffer buffer, const Side& side, const Blocks* blocks, const Facts& facts,
                         Units units, Areas& staged) {
    return areas_of_buffer(work, buffer, areas_of(side, blocks, facts, units, call.p), staged,
                           gaps_can_travel && work.memory == nullptr);
  };
  const AreasByBuffer all{areas(Buffer::in, arguments.in, arguments.in_blocks, in,
                                call.input_units(me), prepared.staged_in),
                          areas(Buffer::out, arguments.out, arguments.out_blocks, out,
                                call.output_units(me), prepared.staged_out),
                          Areas{{.units = unbounded}}};
  prepared.scratch_bytes = scratch_of(work);
  plan(prepared, std::move(work), all);
}

// Whole elements, wherever they are: the operands of a reduction, or numbers.
void plan_elements(Prepared& prepared, Work work, const Datatype& type, bool in_at_bottom,
                   bool out_at_bottom) {
  const auto areas = [&](bool at_bottom) {
    Area all = area_of_operands(type, unbounded);
    all.place.at_bottom = at_bottom;
    return Areas{all};
  };
  prepared.scratch_bytes = scratch_of(work) * type.extent;
  prepared.scratch_shift = -type.true_lb;
  plan(prepared, std::move(work), {areas(in_at_bottom), areas(out_at_bottom), areas(false)});
}

}  // namespace

double message_bytes(const Arguments& arguments, const CallFacts& facts,
                     const Communicator& state) {
  const Layout layout = layout_of(arguments, state, facts.in, facts.out);
  const Datatype* const type = operand_of(facts.in, facts.out);
  const double unit = reduces(arguments) && type != nullptr ? static_cast<double>(type->size) : 1;
  return static_cast<double>(layout.total()) * unit;
}

void append_sizes(const Blocks& blocks, const Facts& facts, int p, Words& sizes) {
  for (int i = 0; i < p; ++i) sizes.push_back(blocks.counts[i] * facts.of(i).size);
}

// What ranks have told each other becomes part of the call.
static void learn(Call& call, const Heard& heard) {
  const auto agreed = heard.numbers.begin() + heard.agreed;
  call.told.assign(agreed, heard.numbers.end());
  if (heard.agreed == 0) return;
  if (info(call.collective).rooted) {
    call.layout = Layout(Words(heard.numbers.begin(), agreed));
    call.agreed = Agreed{call.n(), call.layout.largest()};
  } else {
    call.agreed = Agreed{.busiest = heard.numbers[0], .largest = heard.numbers[1]};
  }
}

// Of data that lies as it travels; else the first steps come with the others.
static std::unique_ptr<Plan> plan_lead(const Algorithm& algorithm, const Call& call,
                                       const Carriage& carriage, const Arguments& arguments,
                                       Rank rank, const Facts& in, const Facts& out) {
  if (algorithm.question.lead == nullptr) return nullptr;
  const Rank me = call.virtual_rank(rank);
  AreasByBuffer areas{
      areas_of(arguments.in, arguments.in_blocks, in, call.input_units(me), call.p),
      areas_of(arguments.out, arguments.out_blocks, out, call.output_units(me), call.p), Areas{}};
  if (!std::ranges::all_of(areas, is_contiguous)) return nullptr;
  Schedule schedule = build_lead(algorithm, with_parameter(algorithm, call), rank, carriage);
  if (schedule.steps.empty()) return nullptr;
  return std::make_unique<Plan>(std::move(schedule), std::move(areas));
}

static void plan_question(Prepared& prepared, const Call& call, const Communicator& state) {
  Work work{.schedule = build_question(*prepared.algorithm, call, state.rank),
            .memory = state.memory.get()};
  const Call settled = with_parameter(*prepared.algorithm, call);
  const auto pairs = prepared.algorithm->question.about(settled, call.virtual_rank(state.rank));
  prepared.answers = static_cast<Units>(pairs.size());
  plan_elements(prepared, std::move(work), *state.numbers, false, false);
}

static TypeUsed used(const Datatype* type) {
  return type != nullptr ? TypeUsed{type->serial, type->handle} : TypeUsed{};
}

bool Prepared::is_for(const TypesOfSides& now) const {
  return types[0].serial == used(now[0]).serial && types[1].serial == used(now[1]).serial;
}

bool Prepared::rename_types(const TypesOfSides& now) {
  const std::array before = types;
  types = {used(now[0]), used(now[1])};
  if (plan == nullptr) return true;
  const auto two_of_one = [](const auto& pair) { return pair[0].handle == pair[1].handle; };
  if (two_of_one(before) && !two_of_one(types)) return false;
  const Renamed renamed{std::pair(before[0].handle, types[0].handle),
                        std::pair(before[1].handle, types[1].handle)};
  for (Plan* each : {plan.get(), last_plan.get(), lead.get()}) {
    if (each != nullptr && !each->rename_types(renamed)) return false;
  }
  rename(staged_in, renamed);
  rename(staged_out, renamed);
  return true;
}

// Whether a broadcast's root sends anything but the whole message. It tells all ranks the same.
static bool is_in_parts(const Algorithm& algorithm, const Call& call) {
  const Windows all = windows(algorithm, call);
  const Schedule root = build(algorithm, all.each, call.root);
  return all.count > 1 || all.rest || std::ranges::any_of(root.steps, [&](const Step& step) {
           return step.is_message() && root.size_of(step) != call.n();
         });
}

std::shared_ptr<Prepared> prepare(const Arguments& arguments, const CallFacts& facts,
                                  const Communicator& state) {
  const Facts &in = facts.in, &out = facts.out;
  auto prepared = std::make_shared<Prepared>();
  const Datatype* const operand = operand_of(in, out);
  const bool reduction = reduces(arguments);
  Call call{.collective = arguments.collective,
            .p = state.p,
            .root = arguments.root,
            .layout = layout_of(arguments, state, in, out),
            .unit_bytes = reduction ? operand->size : 1,
            .commutative = facts.commutative,
            .predefined = !reduction || is_predefined(arguments.op),
            .exact = !reduction || is_exact(arguments.op, *operand),
            .whole_operands = reduction && needs_whole_operands(arguments.op),
            .in_place = arguments.in_place,
            .recurs = facts.recurs,
            .placement = state.placement};
  if (arguments.in_blocks != nullptr && arguments.out_blocks != nullptr) {
    call.sends = layout_of(*arguments.in_blocks, in, state.p, false);
  }
  learn(call, facts.heard);
  prepared->blocks = facts.words;
  prepared->types = {used(in.all), used(out.all)};
  if (is_empty(call)) return prepared;
  if (reduction && (!is_legal(arguments.op, *operand) || !can_be_reduced(*operand))) {
    return prepared;
  }
  const Choice choice = choose(state, call);
  prepared->algorithm = choice.algorithm;
  call.parameter = choice.parameter;
  prepared->native_chosen = choice.algorithm == nullptr;
  if (prepared->native_chosen) return prepared;
  const Open open = prepared->algorithm->parameter.open;
  const int segments = open == Open::segments ? std::max(call.parameter, 1) : 1;
  Carriage carriage = in_fragments_of(choice.fragment, segments, call, state.rank);
  if (prepared->algorithm->question.about != nullptr && !facts.heard.asked) {
    plan_question(*prepared, call, state);
    if (state.memory == nullptr) {  // inside a node messages travel one after the other
      prepared->lead =
          plan_lead(*prepared->algorithm, call, carriage, arguments, state.rank, in, out);
    }
    prepared->memory = static_cast<std::size_t>(prepared->scratch_bytes);
    return prepared;
  }
  if (call.collective == Collective::bcast && state.length_tags.exist() &&
      is_in_parts(*prepared->algorithm, call)) {
    prepared->length_tag = LengthTags::length(call.n());
  }
#ifndef TUTTI_SMPI  // a simulation knows what time its own operators take
  if (reduction) prepared->kernel = kernel_of(arguments.op, operand->handle);
#endif
  const bool fits_cells = !reduction || static_cast<std::size_t>(operand->size) <= cell_bytes;
  const NodeMemory* const memory = fits_cells ? state.memory.get() : nullptr;
  if (memory != nullptr && prepared->kernel != nullptr && operand->contiguous) {
    carriage.readable = [memory](Rank peer) { return memory->neighbour(peer) >= 0; };
  }
  Work work = work_of(*prepared->algorithm, call, state.rank, carriage);
  work.memory = memory;
  if (reduction) {
    if (prepared->kernel == nullptr) work.spare = spare_for(work, arguments.op, *operand);
    plan_elements(*prepared, std::move(work), *operand, arguments.in.address == MPI_BOTTOM,
                  arguments.out.address == MPI_BOTTOM);
  } else {
    plan_movement(*prepared, std::move(work), call, arguments, state.rank, in, out);
  }
  const Units packed = units_of(prepared->staged_in) + units_of(prepared->staged_out);
  prepared->is_packed = packed > 0;
  prepared->memory = static_cast<std::size_t>(prepared->scratch_bytes + packed);
  return prepared;
}

}  // namespace tutti::runtime
