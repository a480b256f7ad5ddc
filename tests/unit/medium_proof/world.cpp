#include "world.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

namespace tutti::proof {

World world;
int ranks_of_world = 0, running = -1;
std::array<std::size_t, most_words> word_at;
int words_known = 0;
std::string failure;
std::array<std::array<Reads, most_ranks>, most_words> readers;
bool has_learnt = false, is_bounded = false;
std::vector<Event> events;

namespace {

void join(auto& into, const auto& other) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], other[i]);
}

bool acquires(int order) {
  return order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}
bool releases(int order) {
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

void note_reader(const Step& step) {
  Reads& reads = readers[step.word][static_cast<std::size_t>(running)];
  const Reads as = step.order == __ATOMIC_SEQ_CST ? Reads::seq_cst : Reads::weakly;
  if (reads >= as) return;
  reads = as;
  has_learnt = true;
}

// The oldest store of a word that may yet be read.
Time oldest(std::size_t number) {
  const Word& word = world.words[number];
  Time found = word.last;
  for (std::size_t i = 0; i < most_ranks; ++i) {
    const Rank& rank = world.ranks[i];
    const Reads reads = readers[number][i];
    if (reads == Reads::never) continue;
    const Time known = std::max(rank.view[number], rank.must_see[number]);
    found = std::min(found, reads == Reads::weakly ? known : std::max(known, word.last_seq_cst));
  }
  return found;
}

}  // namespace

std::uint8_t word_of(const volatile void* address) {
  const auto at =
      static_cast<std::size_t>(static_cast<const volatile char*>(address) - world.shared);
  if (at >= shared_bytes) out_of("a word outside shared memory");
  for (int i = 0; i < words_known; ++i) {
    if (word_at[static_cast<std::size_t>(i)] == at) return static_cast<std::uint8_t>(i);
  }
  if (words_known == most_words) out_of("too many words");
  word_at[static_cast<std::size_t>(words_known)] = at;
  return static_cast<std::uint8_t>(words_known++);
}

void load(Rank& rank, const Step& step, Time time) {
  const Word& word = world.words[step.word];
  note_reader(step);
  rank.looked_at |= 1u << step.word;
  rank.unread[step.word] = time + 1;
  rank.view[step.word] = std::max(rank.view[step.word], time);
  const Store& read = word.stores[time];
  rank.result = read.value;
  mix(rank.history, step.word);
  mix(rank.history, rank.result);
  if (acquires(step.order)) {
    join(rank.view, read.view);
    join(rank.clock, read.clock);
  }
}

// How often words were stored to before is all the same.
void forget_what_none_may_read() {
  for (std::size_t number = 0; number < static_cast<std::size_t>(words_known); ++number) {
    const Time base = oldest(number);
    if (base == 0) continue;
    Word& word = world.words[number];
    const auto shift = [&](Time& time) { time = std::max(time, base) - base; };
    std::rotate(word.stores.begin(), word.stores.begin() + base, word.stores.end());
    shift(word.last);
    shift(word.last_seq_cst);
    for (Word& each : world.words) {
      for (Store& store : each.stores) shift(store.view[number]);
    }
    for (Rank& rank : world.ranks) {
      shift(rank.unread[number]);
      shift(rank.view[number]);
      shift(rank.must_see[number]);
    }
  }
}

// So many stores are kept of a word. What holds must hold without this bound.
static void must_see_newer(std::size_t word) {
  is_bounded = true;
  for (Rank& rank : world.ranks) rank.must_see[word] = std::max<Time>(rank.must_see[word], 1);
  forget_what_none_may_read();
}

// Behind all other stores to the word: either they are the same rank's, or an exchange, which
// comes right behind what it read.
void store(Rank& rank, const Step& step) {
  Word& word = world.words[step.word];
  if (word.last + 1 == most_of_word) must_see_newer(step.word);
  const Store& before = word.stores[word.last];
  Store& made = word.stores[++word.last];
  made = {.value = step.value};
  rank.view[step.word] = made.view[step.word] = word.last;
  if (releases(step.order)) {
    made.view = rank.view;
    made.clock = rank.clock;
    rank.has_released = true;
  }
  if (step.kind == Kind::exchange) {
    join(made.view, before.view);
    join(made.clock, before.clock);
  }
  if (step.order == __ATOMIC_SEQ_CST) word.last_seq_cst = word.last;
  mix(rank.history, step.word);
}

void touch(const volatile void* address, std::size_t bytes, bool writes) {
  const auto at =
      static_cast<std::size_t>(static_cast<const volatile char*>(address) - world.shared);
  if (at >= shared_bytes || running < 0) return;
  const auto me = static_cast<std::size_t>(running);
  Rank& rank = current();
  // Who acquires what it released before does not know of this access.
  if (std::exchange(rank.has_released, false)) ++rank.clock[me];
  for (std::size_t i = at / line_bytes; i <= (at + bytes - 1) / line_bytes; ++i) {
    Line& line = world.lines[i];
    bool is_ordered = line.written <= rank.clock[line.writer];
    for (std::size_t other = 0; writes && other < most_ranks; ++other) {
      is_ordered &= line.read[other] <= rank.clock[other];
    }
    if (!is_ordered) fail(writes ? "races: writes" : "races: reads", at);
    line.has_changed = true;
    if (writes) {
      line.writer = static_cast<std::uint8_t>(me);
      line.written = rank.clock[me];
    } else {
      line.read[me] = rank.clock[me];
    }
  }
}

void mix(Hash& hash, std::uint64_t value) {
  hash += value + 0x9e3779b97f4a7c15u;
  hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
  hash ^= hash >> 31;
}

void mix_bytes(Hash& hash, const void* from, std::size_t bytes) {
  const char* at = static_cast<const char*>(from);
  for (; bytes >= sizeof(Hash); at += sizeof(Hash), bytes -= sizeof(Hash)) {
    Hash part = 0;
    std::memcpy(&part, at, sizeof part);
    mix(hash, part);
  }
  for (; bytes > 0; ++at, --bytes) mix(hash, static_cast<unsigned char>(*at));
}

static Store known_to_readers(std::size_t word) {
  Store known;
  known.view.fill(UINT8_MAX);
  known.clock.fill(UINT16_MAX);
  for (std::size_t i = 0; i < most_ranks; ++i) {
    if (readers[word][i] == Reads::never) continue;
    const Rank& rank = world.ranks[i];
    for (std::size_t k = 0; k < most_words; ++k) {
      known.view[k] = std::min(known.view[k], rank.view[k]);
    }
    for (std::size_t k = 0; k < most_ranks; ++k) {
      known.clock[k] = std::min(known.clock[k], rank.clock[k]);
    }
  }
  return known;
}

Hash hash_of_world() {
  Hash hash = 0;
  const auto mix_all = [&](const auto& all) { mix_bytes(hash, all.data(), sizeof all); };
  for (std::size_t i = 0; i < static_cast<std::size_t>(words_known); ++i) {
    const Word& word = world.words[i];
    const Store known = known_to_readers(i);
    mix(hash, std::uint64_t{word.last} << 8 | word.last_seq_cst);
    for (std::size_t time = 0; time <= word.last; ++time) {
      // What all who read the word know anyway is all the same.
      Store store = word.stores[time];
      join(store.view, known.view);
      join(store.clock, known.clock);
      mix(hash, store.value);
      mix_all(store.view);
      mix_all(store.clock);
    }
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(ranks_of_world); ++i) {
    const Rank& rank = world.ranks[i];
    mix(hash, rank.history);
    mix(hash, rank.next.value << 16 | std::uint64_t{rank.next.word} << 8 |
                  static_cast<std::uint64_t>(rank.next.kind));
    mix(hash, rank.has_released ? 1 : 0);
    View known = rank.view, unread{};
    join(known, rank.must_see);
    for (std::size_t word = 0; word < most_words; ++word) {
      if ((rank.looked_at >> word & 1) != 0) unread[word] = rank.unread[word];
    }
    mix_all(rank.view);
    mix_all(known);
    mix_all(unread);
    mix_all(rank.clock);
  }
  for (std::size_t i = 0; i < world.lines.size(); ++i) {
    Line& line = world.lines[i];
    if (std::exchange(line.has_changed, false)) {
      line.hash = i;
      mix(line.hash, std::uint64_t{line.writer} << 16 | line.written);
      mix_bytes(line.hash, line.read.data(), sizeof line.read);
      mix_bytes(line.hash, world.shared + i * line_bytes, line_bytes);
    }
    mix(hash, line.hash);
  }
  return hash;
}

void note_event(const Step& step, std::uint64_t result) {
  events.resize(world.events);
  if (world.events == most_events) out_of("too many events");
  events.push_back({running, step, result});
  world.events = events.size();
}

std::string what_happened() {
  static constexpr std::array names{"loads",     "stores",   "exchanges", "sees news of",
                                    "sleeps by", "time out", "woken by",  "ends"};
  static constexpr std::array orders{"relaxed", "", "acquire", "release", "acq_rel", "seq_cst"};
  std::string text;
  events.resize(std::min(events.size(), world.events));
  for (const Event& event : events) {
    std::array<char, 128> line{};
    std::snprintf(line.data(), line.size(), "  rank %d %s %zu (%s): %llu -> %llu\n", event.rank,
                  names[static_cast<std::size_t>(event.step.kind)], word_at[event.step.word],
                  orders[static_cast<std::size_t>(event.step.order)],
                  static_cast<unsigned long long>(event.step.value),
                  static_cast<unsigned long long>(event.result));
    text += line.data();
  }
  return text;
}

}  // namespace tutti::proof
