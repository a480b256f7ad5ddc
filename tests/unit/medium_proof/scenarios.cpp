// What ranks do with the medium, in every order: medium_proof holds|fails [MISUSE]
//
// Each scenario writes rings and cells again: they are small here (mutants.cmake). Every datum is
// another, so that one that is read too early, too late or twice is known by its value.
//
// A misuse is a fault of who calls the medium; with one, as with a mutant of the medium, the
// exploration is to find a failure.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "explorer.hpp"
#include "medium/medium.hpp"

namespace tutti::proof {

namespace {

static_assert(entries_of_ring == 3 && told_at_once == 2 && cells_of_box == 2 &&
              cell_bytes == line_bytes);

enum class Misuse : std::uint8_t {
  none,
  signals_before_copy,
  takes_before_look,
  writes_without_room,
  writes_cell_without_credit,
  writes_lent_before_taken,
  sleeps_without_look,
};
constexpr std::array<std::string_view, 7> misuses{"none",
                                                  "signals-before-copy",
                                                  "takes-before-look",
                                                  "writes-without-room",
                                                  "writes-cell-without-credit",
                                                  "writes-lent-before-taken",
                                                  "sleeps-without-look"};
Misuse misuse = Misuse::none;

using Number = std::uint32_t;

void write(char* at, Number what) { std::memcpy(at, &what, sizeof what); }
Number read(const char* at) {
  Number found = 0;
  std::memcpy(&found, at, sizeof found);
  return found;
}

// The n-th that this rank sends, to whomever.
Number datum(int from, int n) { return static_cast<Number>(0x10100 * (from + 1) + n); }

// One rank of a scenario.
class Rank {
 public:
  Rank(int ranks, int me, Waits waits) : me_(me), medium_(shared_memory(), ranks, me, waits) {}

  void send(int peer, int n) {
    wait_until([&] { return has_room_for(peer); });
    const Number what = datum(me_, n);
    char* const at = medium_.short_data(peer);
    if (misuse != Misuse::signals_before_copy) write(at, what);
    medium_.publish_short(peer, what % 256, call_of(what), what % 2 != 0);
    if (misuse == Misuse::signals_before_copy) write(at, what);
  }

  template <std::size_t count>
  void send_cell(const std::array<int, count>& peers, int n) {
    int cell = 0;
    for (const int peer : peers) wait_until([&] { return has_room_for(peer); });
    wait_until([&] { return (cell = medium_.free_cell(0)) >= 0; });
    if (misuse == Misuse::writes_cell_without_credit) cell = n % cells_of_box;
    const Number what = datum(me_, n);
    write(medium_.cell(cell), what);
    for (const int peer : peers) {
      medium_.publish_cell(peer, cell, what % 256, call_of(what), what % 2 != 0);
    }
  }

  // From the same place each time; until all have taken it.
  template <std::size_t count>
  void lend(const std::array<int, count>& peers, int n) {
    char* const place = shared_memory() + shared_bytes - line_bytes;
    const Number what = datum(me_, n);
    write(place, what);
    std::array<std::uint64_t, count> numbers{};
    for (std::size_t i = 0; i < count; ++i) {
      wait_until([&] { return has_room_for(peers[i]); });
      numbers[i] = medium_.lend(peers[i], place, what % 256, call_of(what), what % 2 != 0);
    }
    for (std::size_t i = 0; i < count; ++i) {
      wait_until([&] { return has_taken(peers[i], numbers[i]); });
    }
  }

  void receive(int peer, int n) {
    const Entry* entry = nullptr;
    wait_until([&] { return (entry = medium_.next_from(peer)) != nullptr; });
    const Number what = datum(peer, n);
    if (misuse == Misuse::takes_before_look) medium_.take_from(peer);
    expect(entry->bytes == what % 256 && entry->call == call_of(what) && entry->is_last == what % 2,
           "an entry is not what was published");
    const char* const at =
        entry->cell == Entry::is_lent ? Medium::lent_at(*entry) : medium_.data_of(peer, *entry);
    expect(read(at) == what, "data are not what was written");
    if (misuse != Misuse::takes_before_look) medium_.take_from(peer);
  }

  void give_up(unsigned call) { medium_.give_up(call); }
  void wait_until_gave_up(int peer, unsigned call) {
    wait_until([&] { return medium_.gave_up(peer, call); });
  }

 private:
  template <class IsOver>
  void wait_until(IsOver is_over) {
    ++looks_;
    for (;;) {
      begin_look(this, sizeof *this);
      if (is_over()) return;
      if (medium_.waits() != Waits::asleep) {
        wait_for_change();
      } else {
        medium_.sleep([&] { return misuse == Misuse::sleeps_without_look || !is_over(); });
      }
    }
  }
  bool has_room_for(int peer) {
    return misuse == Misuse::writes_without_room || medium_.has_room_for(peer);
  }
  bool has_taken(int peer, std::uint64_t number) {
    return misuse == Misuse::writes_lent_before_taken || medium_.has_taken(peer, number);
  }
  static std::uint16_t call_of(Number what) { return static_cast<std::uint16_t>(what >> 4); }

  int me_;
  Medium medium_;
  int looks_ = 0;  // by which what comes next is known
};

// Two entries are under way each way; they are written again, twice.
template <Waits waits>
void both_ways(int me) {
  Rank rank(2, me, waits);
  const int peer = 1 - me;
  rank.send(peer, 0);
  rank.send(peer, 1);
  for (int n = 0; n < 3; ++n) {
    rank.receive(peer, n);
    rank.send(peer, n + 2);
  }
  rank.receive(peer, 3);
  rank.receive(peer, 4);
}

template <Waits waits, int messages>
void ring_of_three(int me) {
  Rank rank(3, me, waits);
  for (int n = 0; n < messages; ++n) {
    rank.send((me + 1) % 3, n);
    rank.receive((me + 2) % 3, n);
  }
}

// Rank 2 is sent more, so that rank 1 may still read the first cell when only that is left.
template <Waits waits>
void cell_for_two(int me) {
  Rank rank(3, me, waits);
  for (int n = 0; n < 6; ++n) {
    const bool is_for_both = n % 3 == 0;
    if (me == 0 && is_for_both) {
      rank.send_cell(std::array{1, 2}, n);
    } else if (me == 0) {
      rank.send_cell(std::array{2}, n);
    } else if (me == 2 || is_for_both) {
      rank.receive(0, n);
    }
  }
}

// The first call goes one way, the second the other, the third as the first.
template <Waits waits>
void between_calls(int me) {
  Rank rank(2, me, waits);
  const int peer = 1 - me;
  for (int call = 0; call < 3; ++call) {
    const int n = 3 * call;
    if (me == call % 2) {
      rank.send_cell(std::array{peer}, n);
      rank.send(peer, n + 1);
      rank.send_cell(std::array{peer}, n + 2);
    } else {
      for (int i = 0; i < 3; ++i) rank.receive(peer, n + i);
    }
  }
}

template <Waits waits, int times>
void lent_to_two(int me) {
  Rank rank(3, me, waits);
  for (int n = 0; n < times; ++n) {
    if (me == 0) {
      rank.lend(std::array{1, 2}, n);
    } else {
      rank.receive(0, n);
    }
  }
}

// Rank 1 gives up a call, in which it takes nothing; then rank 0 does, before or after it waits. In
// the next call rank 1 takes first what is of the one before, and all is well.
template <Waits waits>
void given_up(int me) {
  constexpr unsigned call = 7;
  Rank rank(2, me, waits);
  const int peer = 1 - me;
  if (me == 0) {
    rank.send(peer, 0);
    rank.wait_until_gave_up(peer, call);
    rank.give_up(call);
    rank.send(peer, 1);
    rank.send(peer, 2);
  } else {
    rank.give_up(call);
    rank.wait_until_gave_up(peer, call);
    for (int n = 0; n < 3; ++n) rank.receive(peer, n);
  }
}

struct Scenario {
  const char* name;
  int ranks;
  void (*run)(int me);
};
constexpr std::array scenarios{
    Scenario{"both ways", 2, both_ways<Waits::spinning>},
    Scenario{"both ways, asleep", 2, both_ways<Waits::asleep>},
    Scenario{"given up", 2, given_up<Waits::spinning>},
    Scenario{"given up, asleep", 2, given_up<Waits::asleep>},
    Scenario{"between calls", 2, between_calls<Waits::spinning>},
    Scenario{"between calls, asleep", 2, between_calls<Waits::asleep>},
    Scenario{"lent to two", 3, lent_to_two<Waits::spinning, 4>},
    Scenario{"cell for two", 3, cell_for_two<Waits::spinning>},
    Scenario{"ring of three", 3, ring_of_three<Waits::spinning, 4>},
    Scenario{"lent to two, asleep", 3, lent_to_two<Waits::asleep, 2>},
    Scenario{"ring of three, asleep", 3, ring_of_three<Waits::asleep, 1>},
};

// All of them, or up to the first that fails.
Found explore_all() {
  Found all;
  for (const Scenario& scenario : scenarios) {
    const Found found = explore(scenario.ranks, scenario.run);
    std::printf("%s: %d ranks, %zu states, %zu steps\n%s", scenario.name, scenario.ranks,
                found.states, found.steps, found.failure.c_str());
    all.states += found.states;
    all.failure = found.failure;
    all.is_exhaustive &= found.is_exhaustive;
    if (!all.failure.empty()) break;
  }
  std::printf("%zu states in all%s\n", all.states, all.is_exhaustive ? "" : ", some left out");
  return all;
}

int run(std::string_view expected, std::string_view with) {
  const auto* const found = std::ranges::find(misuses, with);
  if ((expected != "holds" && expected != "fails") || found == misuses.end()) {
    std::printf("usage: medium_proof holds|fails [MISUSE]\n");
    return 2;
  }
  misuse = static_cast<Misuse>(found - misuses.begin());
  const Found all = explore_all();
  const bool holds = all.failure.empty() && all.is_exhaustive;
  return expected == "holds" ? !holds : all.failure.empty();
}

}  // namespace

}  // namespace tutti::proof

int main(int count, char** arguments) {
  return tutti::proof::run(count > 1 ? arguments[1] : "", count > 2 ? arguments[2] : "none");
}
