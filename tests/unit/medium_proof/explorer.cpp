#include "explorer.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_set>
#include <vector>

#include "world.hpp"

namespace tutti::proof {

namespace {

void (*code_of_rank)(int) = nullptr;

struct Choice {
  std::size_t rank;
  std::uint8_t what;  // time of what is loaded, word that a rank waits for, or whether time is out
};

void run_rank(int me) {
  code_of_rank(me);
  current().next = {Kind::end};
  leave();
}

void add_choices(std::size_t number, std::vector<Choice>& choices) {
  const Rank& rank = world.ranks[number];
  const Word& word = world.words[rank.next.word];
  switch (rank.next.kind) {
    case Kind::load: {
      const Time known = std::max(rank.view[rank.next.word], rank.must_see[rank.next.word]);
      const Time least =
          rank.next.order == __ATOMIC_SEQ_CST ? std::max(known, word.last_seq_cst) : known;
      for (Time time = least; time <= word.last; ++time) choices.push_back({number, time});
      break;
    }
    case Kind::wait:
      for (std::uint8_t i = 0; i < most_words; ++i) {
        const bool is_new = world.words[i].last >= rank.unread[i];
        if ((rank.looked_at >> i & 1) != 0 && is_new) choices.push_back({number, i});
      }
      break;
    case Kind::asleep:
      choices.push_back({number, 1});
      break;
    case Kind::end:
      break;
    default:
      choices.push_back({number, 0});
  }
}

// False if the rank does not go on.
bool perform(Rank& rank, std::uint8_t what) {
  const Step& step = rank.next;
  switch (step.kind) {
    case Kind::load:
      load(rank, step, what);
      break;
    case Kind::store:
      store(rank, step);
      break;
    case Kind::exchange:
      load(rank, step, world.words[step.word].last);
      store(rank, step);
      break;
    case Kind::wait:
      // One of the words is known to be new; which is what the rank has got from waiting.
      rank.must_see[what] = std::max(rank.must_see[what], rank.unread[what]);
      break;
    case Kind::sleep:
      rank.result = world.words[step.word].stores[world.words[step.word].last].value;
      mix(rank.history, rank.result);
      if (rank.result != step.value) break;
      rank.next.kind = Kind::asleep;
      return false;
    case Kind::asleep:
    case Kind::woken:
    case Kind::end:
      break;
  }
  return true;
}

void go(const Choice& choice) {
  Rank& rank = world.ranks[choice.rank];
  running = static_cast<int>(choice.rank);
  const Step step = rank.next;
  const bool goes_on = perform(rank, choice.what);
  note_event(step,
             step.kind == Kind::load || step.kind == Kind::exchange ? rank.result : choice.what);
  running = -1;
  if (goes_on) resume(choice.rank);
}

class Search {
 public:
  Found found;

  void visit(std::size_t depth) {
    ++found.steps;
    forget_what_none_may_read();
    if (!failure.empty() || has_learnt || !seen_.insert(hash_of_world()).second) return;
    if (saved_.size() == depth) saved_.push_back({std::make_unique<World>(), {}});
    // Both stay where they are, however deep the search goes.
    World& here = *saved_[depth].world;
    std::vector<Choice> choices;
    choices.swap(saved_[depth].choices);
    choices.clear();
    for (int i = 0; i < ranks_of_world; ++i) add_choices(static_cast<std::size_t>(i), choices);
    if (!somebody_goes_on(choices)) failure = "all that are left wait";
    if (choices.size() > 1) here = world;
    for (std::size_t i = 0; i < choices.size() && failure.empty() && !has_learnt; ++i) {
      if (i > 0) world = here;
      go(choices[i]);
      visit(depth + 1);
    }
    choices.swap(saved_[depth].choices);
    found.states = seen_.size();
  }

 private:
  // Also without its time being out, or all are at the end.
  static bool somebody_goes_on(const std::vector<Choice>& choices) {
    const auto is_at_end = [](const Rank& rank) { return rank.next.kind == Kind::end; };
    return std::ranges::all_of(world.ranks, is_at_end) ||
           std::ranges::any_of(choices, [](const Choice& choice) {
             return world.ranks[choice.rank].next.kind != Kind::asleep;
           });
  }

  struct Saved {
    std::unique_ptr<World> world;
    std::vector<Choice> choices;
  };
  std::unordered_set<Hash> seen_;
  std::vector<Saved> saved_;
};

}  // namespace

static void begin(int ranks) {
  std::memset(static_cast<void*>(&world), 0, sizeof world);
  has_learnt = is_bounded = false;
  ranks_of_world = ranks;
  for (Rank& rank : world.ranks) rank.next.kind = Kind::end;
  for (int i = 0; i < ranks; ++i) {
    Rank& rank = world.ranks[static_cast<std::size_t>(i)];
    rank.clock[static_cast<std::size_t>(i)] = 1;
    getcontext(&rank.context);
    rank.context.uc_stack.ss_sp = world.stacks[i];
    rank.context.uc_stack.ss_size = stack_bytes;
    makecontext(&rank.context, reinterpret_cast<void (*)()>(run_rank), 1, i);
    resume(static_cast<std::size_t>(i));
  }
}

Found explore(int ranks, void (*run)(int me)) {
  failure.clear();
  events.reserve(most_events);
  words_known = 0;
  readers = {};
  code_of_rank = run;
  for (;;) {
    begin(ranks);
    Search search;
    search.visit(0);
    if (!failure.empty()) search.found.failure = failure + "\n" + what_happened();
    search.found.is_exhaustive = !is_bounded;
    if (!has_learnt || !failure.empty()) return search.found;
  }
}

char* shared_memory() { return world.shared; }

void begin_look(const void* state, std::size_t bytes) {
  Rank& rank = current();
  rank.looked_at = 0;
  rank.history = 0;
  mix_bytes(rank.history, state, bytes);
  mix_bytes(rank.history, world.heaps[running], rank.heap_used);
}

void wait_for_change() { take({Kind::wait}); }

void expect(bool holds, const char* what) {
  if (!holds) fail(what);
}

}  // namespace tutti::proof
