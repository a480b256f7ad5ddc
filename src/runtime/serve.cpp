#include "runtime/serve.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "runtime/inspect.hpp"
#include "runtime/operators.hpp"
#include "runtime/own_block.hpp"
#include "runtime/process.hpp"
#include "runtime/roomy.hpp"
#include "runtime/run.hpp"

namespace tutti::runtime {

namespace {

// Writes down what the call says of a side's blocks.
void describe(const Blocks* blocks, const Facts& facts, int p, Words& words) {
  if (blocks == nullptr) return;
  for (int i = 0; i < p; ++i) {
    words.push_back(blocks->counts[i]);
    if (!blocks->displacements.empty()) words.push_back(blocks->displacements[i]);
    if (facts.each != nullptr) words.push_back(static_cast<std::int64_t>(facts.of(i).serial));
  }
}

// Whether a side's blocks are as `word` and those after it say; that is then behind them.
bool has_blocks(const Blocks* blocks, int p, Words::const_iterator& word) {
  if (blocks == nullptr) return true;
  if (blocks->counts.empty() || (blocks->displaced && blocks->displacements.empty())) return false;
  for (int i = 0; i < p; ++i) {
    if (blocks->counts[i] != *word++) return false;
    if (blocks->displaced && blocks->displacements[i] != *word++) return false;
  }
  return true;
}

std::uint64_t hash_of(const Words& words) {
  std::uint64_t hash = 0;
  for (std::int64_t word : words) {
    hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

// Whether calls of this collective ask if their layout has been there before.
bool may_recur(const Arguments& arguments) {
  const CollectiveInfo& about = info(arguments.collective);
  return about.irregular() && about.sizes_known();
}

// Whether later calls with the same handles mean the same.
bool has_lasting_handles(const Arguments& arguments, const Facts& in, const Facts& out) {
  const auto is_plain = [](const Facts& facts) {
    return facts.each == nullptr && (facts.all == nullptr || facts.all->predefined);
  };
  return is_plain(in) && is_plain(out) &&
         (arguments.op == MPI_OP_NULL || is_predefined(arguments.op));
}

// Whether later calls with the same words mean the same, wherever their buffers are: ranks need not
// tell each other anything, and a layout that recurs goes on to.
bool is_repeatable(const Arguments& arguments, const Facts& in, const Facts& out,
                   const Communicator& state) {
  return has_lasting_handles(arguments, in, out) && state.heard.agreed == 0 && !state.heard.asked &&
         (state.recurs || !may_recur(arguments)) && !state.reports;
}

// What later calls are compared with: the caller's arrays are in `prepared`, as words.
Repeatable repeatable(Arguments arguments, const Prepared& prepared) {
  arguments.in_blocks = arguments.out_blocks = nullptr;
  return {arguments, &prepared};
}

// What was prepared for calls like this one, now if need be.
const Prepared& prepared_for(const Arguments& arguments, const Facts& in, const Facts& out,
                             bool commutative, Communicator& state) {
  CallKey key{.collective = arguments.collective,
              .in_place = arguments.in_place,
              .commutative = commutative,
              .in_at_bottom = arguments.in.address == MPI_BOTTOM,
              .out_at_bottom = arguments.out.address == MPI_BOTTOM,
              .recurs = state.recurs,
              .root = arguments.root,
              .send_count = arguments.in.count,
              .recv_count = arguments.out.count,
              .send_type = in.all != nullptr ? in.all->shape : 0,
              .recv_type = out.all != nullptr ? out.all->shape : 0};
  if (arguments.op != MPI_OP_NULL) std::memcpy(&key.op, &arguments.op, sizeof arguments.op);
  state.words.clear();
  describe(arguments.in_blocks, in, state.p, state.words);
  describe(arguments.out_blocks, out, state.p, state.words);
  if (state.heard.agreed > 0 || state.heard.asked) {
    state.words.insert(state.words.end(), state.heard.numbers.begin(), state.heard.numbers.end());
    state.words.push_back(state.heard.asked ? 1 : 0);
  }
  key.blocks_hash = hash_of(state.words);
  Prepared* prepared = state.cache.find(key);
  if (prepared == nullptr || prepared->blocks != state.words ||
      !prepared->serves_types({in.all, out.all})) {
    state.last = {};  // the cache may drop what it holds
    const auto make = [&] {
      prepared = state.cache.insert(key, prepare(arguments, state, in, out, commutative));
    };
    with_room(make);
  }
  return *prepared;
}

// A collective on numbers of 8 bytes, in place.
Arguments on_numbers(const Call& call, MPI_Comm comm, Words& numbers) {
  const Side side{numbers.data(), static_cast<Count>(numbers.size()), MPI_INT64_T, true};
  const bool reduction = info(call.collective).reduces;
  return {.collective = call.collective,
          .comm = comm,
          .out = side,
          .op = reduction ? MPI_MAX : MPI_OP_NULL,
          .root = call.root,
          .in_place = reduction};
}

// In place of a size, of all blocks: the root's call is in error.
constexpr std::int64_t is_rejected = -1;

int tell_natively(const Arguments& telling) {
  const Side& numbers = telling.out;
  const auto count = static_cast<int>(numbers.count);
  if (telling.in_place) {
    return PMPI_Allreduce(MPI_IN_PLACE, numbers.address, count, numbers.type, telling.op,
                          telling.comm);
  }
  return PMPI_Bcast(numbers.address, count, numbers.type, telling.root, telling.comm);
}

// state.numbers become what all ranks know.
int tell(const Arguments& arguments, Communicator& state) {
  const Call call = agreement(arguments.collective, state.p, arguments.root);
  const Arguments telling = on_numbers(call, state.shadow, state.numbers);
  const Facts numbers{.all = state.datatypes.find(MPI_INT64_T, state.shadow)};
  const Prepared& prepared = prepared_for(telling, {}, numbers, true, state);
  return prepared.plan != nullptr ? run(telling, prepared, state) : tell_natively(telling);
}

// The root of a gather or scatter that the native library rejects tells so, where others wait for
// it to tell sizes: they go to the native library too, which need not wait for it.
void tell_of_error(const Arguments& arguments, Communicator& state) {
  const CollectiveInfo& about = info(arguments.collective);
  const bool root_tells = about.rooted && about.irregular() && state.rank == arguments.root;
  if (!root_tells || !state.agrees(arguments.collective)) return;
  state.numbers.assign(static_cast<std::size_t>(state.p), is_rejected);
  tell(arguments, state);
}

// What this rank has to tell: the root of a gather or scatter all sizes, a rank of an all-to-all
// its largest block and the more of what it sends and receives.
void tell_sizes(const Arguments& arguments, const Facts& in, const Facts& out,
                Communicator& state) {
  Words& numbers = state.numbers;
  numbers.clear();
  if (arguments.out_blocks != nullptr) append_sizes(*arguments.out_blocks, out, state.p, numbers);
  if (info(arguments.collective).rooted) {
    if (arguments.in_blocks != nullptr) append_sizes(*arguments.in_blocks, in, state.p, numbers);
    numbers.resize(static_cast<std::size_t>(state.p));
    return;
  }
  const auto middle = static_cast<std::ptrdiff_t>(numbers.size());
  if (arguments.in_blocks != nullptr) append_sizes(*arguments.in_blocks, in, state.p, numbers);
  const std::int64_t received = std::reduce(numbers.begin(), numbers.begin() + middle);
  const std::int64_t sent = std::reduce(numbers.begin() + middle, numbers.end());
  numbers = {std::max(sent, received), *std::ranges::max_element(numbers)};
}

// Ranks tell each other what none knows alone; state.heard is what all of them then know.
int agree(const Arguments& arguments, const Facts& in, const Facts& out, Communicator& state) {
  tell_sizes(arguments, in, out, state);
  const int result = tell(arguments, state);
  state.heard.numbers = state.numbers;
  state.heard.agreed = static_cast<std::ptrdiff_t>(state.numbers.size());
  return result;
}

// What ranks agree on, now or when they last did; true if now. state.heard is what all then know.
bool agree_now_or_then(const Arguments& arguments, const Facts& in, const Facts& out,
                       Communicator& state, int& error) {
  Agreement& agreement = state.agreement(arguments.collective, arguments.in_place);
  if (agreement.pace.goes_without()) {
    state.heard = agreement.heard;
    return false;
  }
  error = agree(arguments, in, out, state);
  agreement.heard = state.heard;
  return true;
}

// Whether it serves blocks of any length right, whatever ranks have heard.
bool serves_any_length(const Prepared& prepared, Collective collective) {
  if (info(collective).rooted) return false;
  return prepared.algorithm == nullptr ||
         (!prepared.algorithm->requires_.agreement && !prepared.answers);
}

// Whether all ranks know the sizes of the call's blocks, and had a call with such sizes before.
bool recurs(const Arguments& arguments, const Facts& out, Communicator& state) {
  if (!may_recur(arguments)) return false;
  const bool reduces = info(arguments.collective).reduces;
  const Blocks* blocks = reduces ? arguments.in_blocks : arguments.out_blocks;
  state.numbers = {static_cast<std::int64_t>(arguments.collective) + 1};
  append_sizes(*blocks, out, state.p, state.numbers);
  return state.layouts.recurs(hash_of(state.numbers));
}

// Bytes of the blocks this rank sends: for a scatter's root all of them, for a gather its own.
void append_sent(const Arguments& arguments, const Facts& in, const Facts& out, int p,
                 Words& sizes) {
  const Side& side = arguments.in;
  if (arguments.in_blocks != nullptr) {
    append_sizes(*arguments.in_blocks, in, p, sizes);
  } else if (!info(arguments.collective).rooted) {
    append_sizes(*arguments.out_blocks, out, p, sizes);
  } else {
    sizes.push_back(side.present ? side.count * in.all->size : 0);
  }
}

// Begins the call, and runs the schedule of the algorithm's question meanwhile; state.heard then
// has the answers.
int ask(const Arguments& arguments, const Prepared& prepared, const Facts& in, const Facts& out,
        Communicator& state) {
  state.numbers.clear();
  append_sent(arguments, in, out, state.p, state.numbers);
  Words& heard = state.heard.numbers;
  const std::size_t agreed = heard.size();
  heard.resize(agreed + static_cast<std::size_t>(*prepared.answers));
  Arguments question{.collective = arguments.collective, .comm = state.shadow};
  question.in.address = state.numbers.data();
  question.out.address = heard.data() + agreed;
  state.heard.asked = true;
  int error = MPI_SUCCESS;
  const Begun begun = begin(arguments, prepared, state, error);
  const int result = run(question, prepared, state);
  state.begun = begun;
  return error == MPI_SUCCESS ? result : error;
}

// What is known of calls like this one, by what all ranks know of it: inside a node its size, as a
// short call takes less than a new schedule; between nodes about its size. Null where ranks know no
// size, or are to serve what comes for the first time.
RecurringCalls::Shape* meet(const Arguments& arguments, const Facts& in, const Facts& out,
                            bool commutative, Communicator& state) {
  const CollectiveInfo& about = info(arguments.collective);
  if (native_first() == 0 || state.selector != nullptr || !about.sizes_known()) return nullptr;
  const auto as_known = [&](auto bytes) {
    const auto whole = static_cast<std::uint64_t>(bytes);
    return static_cast<std::int64_t>(state.is_on_one_node() ? whole : std::bit_width(whole));
  };
  Words& shape = state.numbers;
  shape.clear();
  if (about.irregular()) {
    append_sizes(about.reduces ? *arguments.in_blocks : *arguments.out_blocks, out, state.p, shape);
  }
  if (about.irregular() && !state.is_on_one_node()) {
    const std::int64_t total = std::reduce(shape.begin(), shape.end());
    shape = {as_known(total), as_known(*std::ranges::max_element(shape))};
  }
  if (!about.irregular()) shape.push_back(as_known(message_bytes(arguments, state, in, out)));
  const bool exchanged_in_place = about.regular == Collective::alltoall && arguments.in_place;
  const bool predefined = !about.reduces || is_predefined(arguments.op);
  const bool exact = !about.reduces || is_exact(arguments.op, *operand_of(in, out));
  for (const int each :
       {static_cast<int>(arguments.collective), arguments.root, commutative ? 1 : 0,
        predefined ? 1 : 0, exact ? 1 : 0, exchanged_in_place ? 1 : 0}) {
    shape.push_back(each);
  }
  const std::uint64_t hash = hash_of(shape);
  if (state.shapes.is_full_without(hash)) state.forget_shapes();
  return &state.shapes.meet(hash);
}

// A call that nothing is wrong with.
Outcome serve_known(const Arguments& arguments, const Facts& in, const Facts& out,
                    Communicator& state) {
  const double bytes = state.reports ? message_bytes(arguments, state, in, out) : 0;
  int commutes = 1;
  if (info(arguments.collective).reduces) PMPI_Op_commutative(arguments.op, &commutes);
  const bool commutative = commutes != 0;
  RecurringCalls::Shape* const shape = meet(arguments, in, out, commutative, state);
  if (shape != nullptr && shape->is_native) {
    return {.again = has_lasting_handles(arguments, in, out)};
  }
  if ((shape != nullptr && !shape->came_before) ||
      state.is_native_for_all_sizes(arguments.collective, arguments.in_place)) {
    return {};
  }
  state.heard.clear();
  state.recurs = false;
  int error = MPI_SUCCESS;
  const bool agreed_now =
      state.agrees(arguments.collective) && agree_now_or_then(arguments, in, out, state, error);
  if (agreed_now && state.heard.numbers.front() == is_rejected) return {};
  state.recurs = recurs(arguments, out, state);
  const Prepared* prepared = &prepared_for(arguments, in, out, commutative, state);
  if (agreed_now) {
    state.agreement(arguments.collective, arguments.in_place)
        .pace.led_to_any_length(serves_any_length(*prepared, arguments.collective));
  }
  if (prepared->answers) {
    const int asked = ask(arguments, *prepared, in, out, state);
    if (error == MPI_SUCCESS) error = asked;
    prepared = &prepared_for(arguments, in, out, commutative, state);
  }
  if (is_repeatable(arguments, in, out, state)) {
    state.last_of(arguments.collective) = repeatable(arguments, *prepared);
  }
  if (shape != nullptr && state.is_on_one_node()) shape->is_native = prepared->native_chosen;
  if (prepared->plan == nullptr) return {};
  return {prepared->algorithm, bytes, run_and_tidy(arguments, *prepared, error, state)};
}

// A call whose sides on this rank are not alike.
Outcome serve_differing(const Arguments& passed, Facts in, const Facts& out, Communicator& state) {
  Arguments arguments = passed;
  OwnBlock own(arguments, in, out, state);
  Outcome outcome = serve_known(arguments, arguments.in.present ? in : Facts{},
                                arguments.out.present ? out : Facts{}, state);
  if (outcome.is_native()) return outcome;
  const int error = own.finish();
  if (error != MPI_SUCCESS && outcome.result == MPI_SUCCESS) {
    PMPI_Comm_call_errhandler(passed.comm, error);
    outcome.result = error;
  }
  return outcome;
}

Outcome serve_new(const Arguments& arguments, Communicator& state) {
  Facts in, out;
  if (!looks_right(arguments, state, in, out)) {
    tell_of_error(arguments, state);
    return {};
  }
  if (differs_from_itself(arguments, in, out, state.rank)) {
    return serve_differing(arguments, in, out, state);
  }
  return serve_known(arguments, in, out, state);
}

}  // namespace

bool have_blocks(const Blocks* in, const Blocks* out, int p, const Words& words) {
  auto word = words.begin();
  return has_blocks(in, p, word) && has_blocks(out, p, word);
}

int pass_on(const Arguments& arguments, int p, Native native) {
  const double start = PMPI_Wtime();
  const int result = native();
  count_call(arguments.collective, p, "native", bytes_passed(arguments, p), PMPI_Wtime() - start);
  return result;
}

Outcome look_up_and_serve(const Arguments& arguments, Communicator& state) {
  const double start = state.reports ? PMPI_Wtime() : 0;
  const Outcome outcome = serve_new(arguments, state);
  if (state.reports && !outcome.is_native()) {
    count_call(arguments.collective, state.p, outcome.algorithm->name, outcome.bytes,
               PMPI_Wtime() - start);
  }
  return outcome;
}

int run_again(const Arguments& arguments, const Prepared& prepared, Communicator& state) {
  return run_and_tidy(arguments, prepared, MPI_SUCCESS, state);
}

}  // namespace tutti::runtime
