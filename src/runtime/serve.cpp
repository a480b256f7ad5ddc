#include "runtime/serve.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "runtime/executor.hpp"
#include "runtime/operators.hpp"
#include "runtime/process.hpp"
#include "runtime/transport.hpp"

namespace tutti::runtime {

namespace {

// What a library checks before it communicates. Anything odd is left to the native collective, so
// that its error is exactly the native one.
bool side_is_plausible(const Side& side) {
  return !side.present ||
         (side.count >= 0 && side.type != MPI_DATATYPE_NULL && side.address != MPI_IN_PLACE);
}

bool blocks_are_plausible(const Blocks* blocks, int p) {
  if (blocks == nullptr) return true;
  if (blocks->counts.empty() || (blocks->displaced && blocks->displacements.empty())) return false;
  for (int i = 0; i < p; ++i) {
    if (blocks->counts[i] < 0) return false;
  }
  return true;
}

bool is_plausible(const Arguments& arguments, const Communicator& state) {
  if (!side_is_plausible(arguments.in) || !side_is_plausible(arguments.out)) return false;
  if (info(arguments.collective).reduces && arguments.op == MPI_OP_NULL) return false;
  return !is_aliased(arguments) && blocks_are_plausible(arguments.in_blocks, state.p) &&
         blocks_are_plausible(arguments.out_blocks, state.p);
}

// Finds out about the datatypes of a side; false if one is not for Tutti. `kept` holds those of
// blocks.
bool look_up(const Side& side, const Blocks* blocks, Communicator& state,
             std::vector<const Datatype*>& kept, Facts& facts) {
  if (!side.present) return true;
  facts.all = state.datatypes.find(side.type, state.shadow);
  if (blocks == nullptr || blocks->types == nullptr) return facts.all != nullptr;
  kept.clear();
  for (int i = 0; i < state.p; ++i) {
    const MPI_Datatype type = blocks->types[i];
    const Datatype* known =
        type != MPI_DATATYPE_NULL ? state.datatypes.find(type, state.shadow) : nullptr;
    if (known == nullptr) return false;
    kept.push_back(known);
  }
  facts.each = kept.data();
  return true;
}

// MPI_BOTTOM is null in C: then only a datatype with absolute addresses makes sense, or
// displacements that are addresses.
bool has_memory(const Side& side, const Blocks* blocks, const Facts& facts) {
  return !side.present || side.address != MPI_BOTTOM || side.count == 0 || blocks != nullptr ||
         !facts.all->contiguous;
}

// Writes down what the call says of a side's blocks.
void describe(const Blocks* blocks, const Facts& facts, int p, Words& words) {
  if (blocks == nullptr) return;
  for (int i = 0; i < p; ++i) {
    words.push_back(blocks->counts[i]);
    if (blocks->displaced) words.push_back(blocks->displacements[i]);
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

int run(const Arguments& arguments, const Plan& plan, bool commutative, Kernel kernel,
        const Addresses& addresses, Communicator& state) {
  const Slots slots = state.slots(plan.schedule().slots);
  const Begun begun = state.begun ? *state.begun : Begun{state.next_tag_base()};
  state.begun.reset();
  std::copy_n(state.early.begin(), begun.steps, slots.requests);
  MpiTransport transport(plan, addresses, state.shadow, state.rank, arguments.op, commutative,
                         kernel, slots, begun.tag_base);
  execute(plan.schedule(), transport, begun.steps);
  return transport.error();
}

// Issues the first steps of a call whose question is still to be asked. They leave their messages
// under way, in slots 0, 1, 2 ...
Begun begin(const Arguments& arguments, const Prepared& question, Communicator& state, int& error) {
  Begun begun{state.next_tag_base()};
  if (question.lead == nullptr) return begun;
  const Schedule& lead = question.lead->schedule();
  begun.steps = static_cast<std::uint32_t>(lead.steps.size());
  state.early.assign(lead.steps.size(), MPI_REQUEST_NULL);
  const Addresses addresses{static_cast<char*>(arguments.in.address),
                            static_cast<char*>(arguments.out.address), nullptr};
  MpiTransport transport(*question.lead, addresses, state.shadow, state.rank, MPI_OP_NULL, true,
                         nullptr, {state.early.data(), nullptr}, begun.tag_base);
  issue(lead, transport);
  error = transport.error();
  return begun;
}

int run(const Arguments& arguments, const Prepared& prepared, bool commutative, char* scratch,
        const Addresses& buffers, Communicator& state) {
  Addresses window{buffers[0], buffers[1], scratch + prepared.scratch_shift};
  int result = run(arguments, *prepared.plan, commutative, prepared.kernel, window, state);
  const auto go_on = [&](const Plan& plan) {
    window[0] += prepared.window_span[0];
    window[1] += prepared.window_span[1];
    const int error = run(arguments, plan, commutative, prepared.kernel, window, state);
    if (result == MPI_SUCCESS) result = error;
  };
  for (Units i = 1; i < prepared.windows; ++i) go_on(*prepared.plan);
  if (prepared.last_plan) go_on(*prepared.last_plan);
  return result;
}

// Copies areas of the user's memory to or from packed bytes, one after the other.
class Staging {
 public:
  Staging(MPI_Comm shadow, int rank, char* packed) : shadow_(shadow), rank_(rank), at_(packed) {}

  void pack(const Areas& areas, char* users) {
    copy(areas, users,
         [](const Elements& user, const Elements& packed) { return std::pair(user, packed); });
  }
  void unpack(const Areas& areas, char* users) {
    copy(areas, users,
         [](const Elements& user, const Elements& packed) { return std::pair(packed, user); });
  }
  char* position() const { return at_; }
  int error() const { return error_; }

 private:
  template <class Direct>
  void copy(const Areas& areas, char* users, Direct direct) {
    for (const Area& area : areas) {
      const Elements user{users + area.offset, area.elements(), area.place};
      const auto [from, to] = direct(user, Elements{at_, area.units, {}});
      if (error_ == MPI_SUCCESS) error_ = copy_elements(from, to, shadow_, rank_);
      at_ += area.units;
    }
  }

  MPI_Comm shadow_;
  int rank_;
  char* at_;
  int error_ = MPI_SUCCESS;
};

// Packs what the user's buffers hold, runs, and unpacks the result.
int run_packed(const Arguments& arguments, const Prepared& prepared, char* scratch,
               Addresses addresses, Communicator& state) {
  const auto [users_in, users_out, unused] = addresses;
  const bool holds_message =
      arguments.collective == Collective::bcast && state.rank == arguments.root;
  Staging before(state.shadow, state.rank, scratch + prepared.scratch_bytes);
  if (!prepared.staged_in.empty()) addresses[0] = before.position();
  before.pack(prepared.staged_in, users_in);
  char* const packed_out = before.position();
  if (!prepared.staged_out.empty()) addresses[1] = packed_out;
  if (arguments.in_place || holds_message) before.pack(prepared.staged_out, users_out);
  const int result = run(arguments, prepared, true, scratch, addresses, state);
  Staging after(state.shadow, state.rank, packed_out);
  if (!holds_message) after.unpack(prepared.staged_out, users_out);
  for (int error : {before.error(), result, after.error()}) {
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int run(const Arguments& arguments, const Prepared& prepared, bool commutative,
        Communicator& state) {
  const std::size_t memory = prepared.memory;
  char* const scratch = memory > 0 ? state.scratch(memory) : nullptr;
  const Addresses addresses{static_cast<char*>(arguments.in.address),
                            static_cast<char*>(arguments.out.address), nullptr};
  if (prepared.is_packed) return run_packed(arguments, prepared, scratch, addresses, state);
  return run(arguments, prepared, commutative, scratch, addresses, state);
}

// Runs what was prepared; an error, or one from before, goes to the communicator's handler.
int run_and_tidy(const Arguments& arguments, const Prepared& prepared, bool commutative, int before,
                 Communicator& state) {
  int result = run(arguments, prepared, commutative, state);
  if (before != MPI_SUCCESS) result = before;
  state.release_scratch();
  if (result != MPI_SUCCESS) PMPI_Comm_call_errhandler(arguments.comm, result);
  return result;
}

// Whether calls of this collective ask if their layout has been there before.
bool may_recur(const Arguments& arguments) {
  const CollectiveInfo& about = info(arguments.collective);
  return about.irregular() && about.sizes_known();
}

// Whether later calls with the same words mean the same, wherever their buffers are: ranks need not
// tell each other anything, and a layout that recurs goes on to.
bool is_repeatable(const Arguments& arguments, const Facts& in, const Facts& out,
                   const Communicator& state) {
  const auto is_plain = [](const Facts& facts) {
    return facts.each == nullptr && (facts.all == nullptr || facts.all->predefined);
  };
  return is_plain(in) && is_plain(out) && state.heard.agreed == 0 && !state.heard.asked &&
         (state.recurs || !may_recur(arguments)) && !state.reports &&
         (arguments.op == MPI_OP_NULL || is_predefined(arguments.op));
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
              .send_type = in.all != nullptr ? in.all->serial : 0,
              .recv_type = out.all != nullptr ? out.all->serial : 0};
  if (arguments.op != MPI_OP_NULL) std::memcpy(&key.op, &arguments.op, sizeof arguments.op);
  state.words.clear();
  describe(arguments.in_blocks, in, state.p, state.words);
  describe(arguments.out_blocks, out, state.p, state.words);
  if (state.heard.agreed > 0 || state.heard.asked) {
    state.words.insert(state.words.end(), state.heard.numbers.begin(), state.heard.numbers.end());
    state.words.push_back(state.heard.asked ? 1 : 0);
  }
  key.blocks_hash = hash_of(state.words);
  const Prepared* prepared = state.cache.find(key);
  if (prepared == nullptr || prepared->blocks != state.words) {
    state.last = {};  // the cache may drop what it holds
    prepared = state.cache.insert(key, prepare(arguments, state, in, out, commutative));
  }
  return *prepared;
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

// Ranks tell each other what none knows alone; state.heard is what all of them then know.
int agree(const Arguments& arguments, const Facts& in, const Facts& out, Communicator& state) {
  tell_sizes(arguments, in, out, state);
  const Call call = agreement(arguments.collective, state.p, arguments.root);
  const Arguments telling = on_numbers(call, state.shadow, state.numbers);
  const Facts numbers{.all = state.datatypes.find(MPI_INT64_T, state.shadow)};
  const Prepared& prepared = prepared_for(telling, {}, numbers, true, state);
  const int result = run(telling, prepared, true, state);
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
  const int result = run(question, prepared, true, state);
  state.begun = begun;
  return error == MPI_SUCCESS ? result : error;
}

}  // namespace

bool have_blocks(const Blocks* in, const Blocks* out, int p, const Words& words) {
  auto word = words.begin();
  return has_blocks(in, p, word) && has_blocks(out, p, word);
}

int look_up_and_serve(const Arguments& arguments, Communicator& state, Native native) {
  const double start = state.reports ? PMPI_Wtime() : 0;
  const auto reported = [&](std::string_view algorithm, double bytes, int result) {
    if (state.reports) {
      count_call(arguments.collective, state.p, algorithm, bytes, PMPI_Wtime() - start);
    }
    return result;
  };
  if (state.is_native() || !is_plausible(arguments, state)) return reported("native", 0, native());

  Facts in, out;
  if (!look_up(arguments.in, arguments.in_blocks, state, state.in_types, in) ||
      !look_up(arguments.out, arguments.out_blocks, state, state.out_types, out) ||
      !has_memory(arguments.in, arguments.in_blocks, in) ||
      !has_memory(arguments.out, arguments.out_blocks, out)) {
    return reported("native", 0, native());
  }

  int commutative = 1;
  if (info(arguments.collective).reduces) PMPI_Op_commutative(arguments.op, &commutative);
  state.heard.clear();
  state.recurs = false;
  int error = MPI_SUCCESS;
  const bool agreed_now =
      state.agrees(arguments.collective) && agree_now_or_then(arguments, in, out, state, error);
  state.recurs = recurs(arguments, out, state);
  const Prepared* prepared = &prepared_for(arguments, in, out, commutative != 0, state);
  if (agreed_now) {
    state.agreement(arguments.collective, arguments.in_place)
        .pace.led_to_any_length(serves_any_length(*prepared, arguments.collective));
  }
  if (prepared->answers) {
    const int asked = ask(arguments, *prepared, in, out, state);
    if (error == MPI_SUCCESS) error = asked;
    prepared = &prepared_for(arguments, in, out, commutative != 0, state);
  }
  const double bytes = state.reports ? message_bytes(arguments, state, in, out) : 0;
  if (is_repeatable(arguments, in, out, state)) {
    state.last_of(arguments.collective) = repeatable(arguments, *prepared);
  }
  if (prepared->plan == nullptr) return reported("native", bytes, native());
  return reported(prepared->algorithm->name, bytes,
                  run_and_tidy(arguments, *prepared, commutative != 0, error, state));
}

int run_again(const Arguments& arguments, const Prepared& prepared, Communicator& state) {
  return run_and_tidy(arguments, prepared, true, MPI_SUCCESS, state);
}

}  // namespace tutti::runtime
