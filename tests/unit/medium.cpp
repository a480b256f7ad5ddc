// The memory that ranks of a node share, with threads for ranks: what was sent arrives, whole, in
// order, whatever the sizes, however long each rank dawdles. With -fsanitize=thread in the preset
// `threads`, where memory_order is what is tested.
#include "medium/medium.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "medium/carrier.hpp"
#include "medium/shared_object.hpp"

namespace tutti {
namespace {

using Bytes = std::vector<char>;

class Boxes {
 public:
  explicit Boxes(int ranks) : object_(SharedObject::create(Medium::bytes(ranks))) {
    object_.forget_name();
  }
  char* memory() { return object_.memory(); }

 private:
  SharedObject object_;
};

// Runs rank(me) for all ranks, each in a thread of its own.
template <class Rank>
void run_ranks(int ranks, Rank rank) {
  std::vector<std::thread> all;
  for (int me = 0; me < ranks; ++me) all.emplace_back([=] { rank(me); });
  for (std::thread& each : all) each.join();
}

void wait_for_all(Carrier& carrier, Waits waits) {
  for (int idle = 0; !carrier.is_idle();) {
    if (carrier.progress()) {
      idle = 0;
    } else if (waits == Waits::asleep && ++idle > 3) {
      carrier.medium().sleep([&] { return !carrier.progress(); });
    } else {
      std::this_thread::yield();
    }
  }
}

// The order of operands counts.
void subtract(const char* left, const char* right, char* into, std::size_t elements) {
  for (std::size_t i = 0; i < elements; ++i) into[i] = static_cast<char>(left[i] - right[i]);
}

char pattern(int from, int to, int round, std::size_t at) {
  return static_cast<char>(from * 31 + to * 17 + round * 7 + static_cast<int>(at % 251));
}

// Threads of one process: each can read the others' memory.
SingleCopy single_copy(int ranks) {
  return SingleCopy(std::vector<pid_t>(static_cast<std::size_t>(ranks), getpid()));
}

enum class Long : std::uint8_t { in_cells, lent };

class EveryRankToEveryOther : public testing::TestWithParam<std::tuple<int, Waits, Long>> {};

// Each round every rank sends to all others, and receives from them, messages of all lengths, part
// of them to be combined; a rank sleeps now and then.
TEST_P(EveryRankToEveryOther, GetsWhatWasSent) {
  const auto [ranks, waits, how] = GetParam();
  constexpr unsigned seed = 11;
  constexpr int rounds = 60;
  constexpr unsigned first_call = 1000;  // entries say numbers up to 1023, then 0
  Boxes boxes(ranks);
  std::vector<int> wrong(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&, ranks = ranks, waits = waits, how = how](int me) {
    Medium medium(boxes.memory(), ranks, me, waits);
    Carrier carrier(medium, how == Long::lent ? single_copy(ranks) : SingleCopy{});
    std::mt19937 random(seed + static_cast<unsigned>(me));
    int& mine = wrong[static_cast<std::size_t>(me)];
    for (int round = 0; round < rounds; ++round) {
      std::mt19937 same(seed * 1000 + static_cast<unsigned>(round));  // on all ranks
      constexpr std::array<std::size_t, 8> usual{0, 8, 368, 369, 1000, 4096, 70000, 300001};
      const std::size_t bytes = usual[same() % usual.size()];
      const bool combines = same() % 2 == 0;
      const auto count = static_cast<std::size_t>(ranks);
      Bytes in(bytes * count), out(bytes * count, 'x'), operand(bytes * count, 3);
      for (int to = 0; to < ranks; ++to) {
        for (std::size_t i = 0; i < bytes; ++i) {
          in[static_cast<std::size_t>(to) * bytes + i] = pattern(me, to, round, i);
        }
      }
      std::vector<Piece> pieces;
      for (std::size_t i = 0; i < count; ++i) {
        for (std::uint8_t buffer = 0; buffer < 3; ++buffer) {
          pieces.push_back({buffer, static_cast<std::ptrdiff_t>(i * bytes), bytes, nullptr});
        }
      }
      carrier.begin({in.data(), out.data(), operand.data()},
                    first_call + static_cast<unsigned>(round), 0, subtract, 1, nullptr, 2 * ranks);
      for (int i = 1; i < ranks; ++i) {
        const int peer = (me + i) % ranks;
        const Piece* of_peer = pieces.data() + 3 * peer;
        const Target copied{.pieces = {of_peer + 1, 1}};
        const Target combined{
            .operand = of_peer + 2, .into = of_peer + 1, .message_is_left = peer < me};
        if (random() % 4 == 0)
          std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
        carrier.receive(2 * i, peer, combines ? combined : copied, bytes);
        carrier.send(2 * i + 1, peer, {of_peer, 1}, bytes);
      }
      wait_for_all(carrier, waits);
      for (int from = 0; from < ranks; ++from) {
        for (std::size_t i = 0; from != me && i < bytes; ++i) {
          const char sent = pattern(from, me, round, i);
          const char both = static_cast<char>(from < me ? sent - 3 : 3 - sent);
          mine += out[static_cast<std::size_t>(from) * bytes + i] != (combines ? both : sent);
        }
      }
    }
  });
  for (int me = 0; me < ranks; ++me) {
    EXPECT_EQ(wrong[static_cast<std::size_t>(me)], 0) << "rank " << me << ", seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, EveryRankToEveryOther,
                         testing::Combine(testing::Values(2, 3, 5),
                                          testing::Values(Waits::yielding, Waits::asleep),
                                          testing::Values(Long::in_cells, Long::lent)));

// Ranks that take turns in one thread.
class InTurns : public testing::Test {
 protected:
  static constexpr int ranks = 3;

  struct Rank {
    Rank(char* memory, int me, SingleCopy single = {})
        : medium(memory, ranks, me, Waits::spinning), carrier(medium, std::move(single)) {}
    Medium medium;
    Carrier carrier;
    Bytes buffer = Bytes(2 * length, '.');
    Piece whole{.bytes = length};

    void begin(unsigned number, unsigned bits = 0, Packer* packer = nullptr) {
      carrier.begin({buffer.data(), nullptr, nullptr}, number, bits, nullptr, 4, packer, 4);
    }
    void send_to(int peer) { carrier.send(peer, peer, {&whole, 1}, whole.bytes); }
    void receive_from(int peer) { carrier.receive(peer, peer, {{&whole, 1}}, whole.bytes); }
  };
  static constexpr std::size_t length = 400'000;

  // As long as one of them goes on.
  static void go_on(const std::vector<Rank*>& some) {
    bool went_on = true;
    while (went_on) {
      went_on = false;
      for (Rank* each : some) went_on |= each->carrier.progress();
    }
  }

  void SetUp() override {
    for (int me = 0; me < ranks; ++me) {
      all_.push_back(std::make_unique<Rank>(boxes_.memory(), me, single()));
    }
    std::iota(rank(0).buffer.begin(), rank(0).buffer.end(), char{0});
  }
  virtual SingleCopy single() { return {}; }
  Rank& rank(int number) { return *all_[static_cast<std::size_t>(number)]; }
  bool has_all_of_first(int number) {
    return std::equal(rank(0).buffer.begin(), rank(0).buffer.begin() + length,
                      rank(number).buffer.begin());
  }

 private:
  Boxes boxes_{ranks};
  std::vector<std::unique_ptr<Rank>> all_;
};

// Only the first send that is under way may count on cells: it finds some also where it could not
// begin, and those behind it could.
TEST_F(InTurns, WhoIsLateDoesNotHoldUpTheFirst) {
  const Piece word{.bytes = 8};
  for (int each = 0; each < ranks; ++each) rank(each).begin(1);
  for (int i = 0; i < entries_of_ring; ++i) rank(0).carrier.send(3, 2, {&word, 1}, word.bytes);
  rank(0).send_to(2);
  rank(0).send_to(1);
  for (int i = 0; i < entries_of_ring; ++i) {
    rank(2).carrier.receive(3, 0, {{&word, 1}}, word.bytes);
  }
  rank(2).receive_from(0);
  go_on({&rank(0), &rank(2)});
  EXPECT_TRUE(rank(2).carrier.is_idle());
  EXPECT_TRUE(has_all_of_first(2));
  EXPECT_FALSE(rank(0).carrier.is_idle());
  rank(1).receive_from(0);
  go_on({&rank(0), &rank(1)});
  EXPECT_TRUE(rank(0).carrier.is_idle() && rank(1).carrier.is_idle());
  EXPECT_TRUE(has_all_of_first(1));
}

TEST_F(InTurns, ACellIsWrittenAgainWhenAllHaveTakenIt) {
  Medium& writer = rank(0).medium;
  const int cell = writer.free_cell(0);
  writer.publish_cell(1, cell, 1000, 0, true);
  writer.publish_cell(2, cell, 1000, 0, true);
  EXPECT_GE(writer.free_cell(cells_of_box - 2), 0);
  EXPECT_LT(writer.free_cell(cells_of_box - 1), 0);
  rank(1).medium.take_from(0);
  EXPECT_LT(writer.free_cell(cells_of_box - 1), 0);
  rank(2).medium.take_from(0);
  EXPECT_GE(writer.free_cell(cells_of_box - 1), 0);
}

// Elements of 4 bytes, 8 apart.
struct FourOfEight final : Packer {
  void pack(const Piece&, const char* at, std::size_t first, std::size_t bytes, char* to) override {
    for (std::size_t i = 0; i < bytes; i += 4) std::memcpy(to + i, at + 2 * (first + i), 4);
  }
  void unpack(const Piece&, char* at, std::size_t first, std::size_t bytes,
              const char* from) override {
    for (std::size_t i = 0; i < bytes; i += 4) std::memcpy(at + 2 * (first + i), from + i, 4);
  }
};

struct CountsPacked final : Packer {
  void pack(const Piece&, const char* at, std::size_t first, std::size_t bytes, char* to) override {
    std::memcpy(to, at + first, bytes);
    packed += bytes;
  }
  void unpack(const Piece&, char* at, std::size_t first, std::size_t bytes,
              const char* from) override {
    std::memcpy(at + first, from, bytes);
  }
  std::size_t packed = 0;
};

// What goes to all is copied to cells once; and in the next call again, as it may have changed.
TEST_F(InTurns, APublicationIsWrittenOnce) {
  CountsPacked packer;
  for (unsigned call = 1; call <= 2; ++call) {
    for (int each = 0; each < ranks; ++each) {
      rank(each).whole.layout = &packer;
      rank(each).begin(call, 0, &packer);
    }
    rank(0).buffer[length - 5] = static_cast<char>(call);
    packer.packed = 0;
    for (const int each : {1, 2}) rank(each).receive_from(0);
    for (const int each : {1, 2}) {
      rank(0).carrier.send(each, each, {&rank(0).whole, 1}, length, 3);
    }
    go_on({&rank(0), &rank(1), &rank(2)});
    for (const int each : {1, 2})
      EXPECT_TRUE(rank(each).carrier.is_idle() && has_all_of_first(each));
    EXPECT_EQ(packer.packed, length);
  }
}

// Who is late has a copy of its own of what the cells no longer hold.
TEST_F(InTurns, WhoIsLateForAPublicationGetsItToo) {
  CountsPacked packer;
  for (int each = 0; each < ranks; ++each) {
    rank(each).whole.layout = &packer;
    rank(each).begin(1, 0, &packer);
  }
  rank(1).receive_from(0);
  for (const int each : {1, 2}) {
    rank(0).carrier.send(each, each, {&rank(0).whole, 1}, length, 3);
  }
  go_on({&rank(0), &rank(1)});
  EXPECT_TRUE(rank(1).carrier.is_idle() && has_all_of_first(1));
  rank(2).receive_from(0);
  go_on({&rank(0), &rank(2)});
  EXPECT_TRUE(rank(2).carrier.is_idle() && has_all_of_first(2));
  EXPECT_GT(packer.packed, length);
  EXPECT_LE(packer.packed, 2 * length);
}

TEST_F(InTurns, GapsKeepWhatTheyHold) {
  FourOfEight packer;
  for (int each = 0; each < 2; ++each) {
    rank(each).begin(1, 0, &packer);
    rank(each).whole.layout = &packer;
  }
  rank(1).receive_from(0);
  rank(0).send_to(1);
  go_on({&rank(0), &rank(1)});
  ASSERT_TRUE(rank(1).carrier.is_idle());
  int wrong = 0;
  for (std::size_t i = 0; i < 2 * length; ++i) {
    wrong += rank(1).buffer[i] != (i % 8 < 4 ? rank(0).buffer[i] : '.');
  }
  EXPECT_EQ(wrong, 0);
}

class InTurnsLending : public InTurns {
 protected:
  SingleCopy single() override { return single_copy(ranks); }
};

// The sender may write there again only then.
TEST_F(InTurnsLending, WhatIsLentIsOverWhenItIsTaken) {
  for (int each = 0; each < 2; ++each) rank(each).begin(1);
  rank(0).send_to(1);
  go_on({&rank(0)});
  EXPECT_FALSE(rank(0).carrier.is_idle());
  rank(1).receive_from(0);
  go_on({&rank(0), &rank(1)});
  EXPECT_TRUE(rank(0).carrier.is_idle() && rank(1).carrier.is_idle());
  EXPECT_TRUE(has_all_of_first(1));
}

TEST_F(InTurnsLending, WhoseBytesAreUnpackedOrCut) {
  FourOfEight packer;
  for (int each = 0; each < ranks; ++each) rank(each).begin(1, 0, &packer);
  rank(1).whole.layout = &packer;
  rank(2).whole.bytes = 70'001;
  for (const int each : {1, 2}) {
    rank(0).send_to(each);
    rank(each).receive_from(0);
    go_on({&rank(0), &rank(each)});
    EXPECT_TRUE(rank(0).carrier.is_idle() && rank(each).carrier.is_idle());
  }
  EXPECT_EQ(rank(1).buffer[8], rank(0).buffer[4]);
  EXPECT_EQ(rank(1).buffer[2 * length - 5], rank(0).buffer[length - 1]);
  EXPECT_EQ(rank(1).buffer[2 * length - 4], '.');
  EXPECT_FALSE(rank(1).carrier.has_truncated());
  EXPECT_TRUE(rank(2).carrier.has_truncated());
  EXPECT_EQ(rank(2).buffer[70'000], rank(0).buffer[70'000]);
  EXPECT_EQ(rank(2).buffer[70'001], '.');
}

TEST(SingleCopy, IsTriedByATokenOfTheOther) {
  Token token = own_token();
  EXPECT_TRUE(can_read(token));
  ++token.value;
  EXPECT_FALSE(can_read(token));
  token.process = 1 << 30;  // nobody's
  EXPECT_FALSE(can_read(token));
}

// Rank 1 finds that the ranks disagree, and gives up; who waits for it sees that; and the next call
// is served, past what nobody took.
TEST_F(InTurns, RanksThatDisagreeGiveUpAndGoOn) {
  constexpr unsigned number = 2000;
  rank(0).whole.bytes = 1000;
  rank(0).begin(number, 5);
  rank(1).begin(number, 6);
  rank(2).begin(number, 6);
  rank(0).send_to(1);
  rank(1).receive_from(0);
  rank(2).receive_from(1);
  rank(2).carrier.look_for_failure();
  EXPECT_FALSE(rank(2).carrier.failed());
  EXPECT_TRUE(rank(1).carrier.failed());
  rank(1).carrier.give_up();
  rank(2).carrier.look_for_failure();
  EXPECT_TRUE(rank(2).carrier.failed());
  rank(2).carrier.give_up();
  rank(0).whole.bytes = length;
  for (int each = 0; each < ranks; ++each) rank(each).begin(number + 1);
  rank(1).receive_from(0);
  rank(2).receive_from(1);
  rank(0).send_to(1);
  go_on({&rank(0), &rank(1)});
  EXPECT_TRUE(rank(1).carrier.is_idle() && has_all_of_first(1));
  rank(2).carrier.look_for_failure();
  EXPECT_FALSE(rank(2).carrier.failed());
}

TEST_F(InTurns, MoreThanIsWantedIsDropped) {
  rank(1).whole.bytes = 100;
  rank(0).begin(1);
  rank(1).begin(1);
  rank(0).send_to(1);
  rank(1).receive_from(0);
  go_on({&rank(0), &rank(1)});
  EXPECT_TRUE(rank(1).carrier.is_idle() && rank(1).carrier.has_truncated());
  EXPECT_TRUE(
      std::equal(rank(0).buffer.begin(), rank(0).buffer.begin() + 100, rank(1).buffer.begin()));
  EXPECT_EQ(rank(1).buffer[100], '.');
  rank(1).begin(2);
  EXPECT_FALSE(rank(1).carrier.has_truncated());
}

// A rank that takes nothing has all cells.
TEST_F(InTurns, WhereNoCellIsLeftOthersHaveTheirMessages) {
  for (int each = 0; each < ranks; ++each) rank(each).begin(1);
  rank(0).send_to(2);
  ASSERT_LT(rank(0).medium.free_cell(0), 0);
  rank(0).send_to(1);
  rank(1).receive_from(0);
  go_on({&rank(0), &rank(1)});
  EXPECT_TRUE(rank(1).carrier.is_idle());
  EXPECT_TRUE(has_all_of_first(1));
  rank(2).receive_from(0);
  go_on({&rank(0), &rank(2)});
  EXPECT_TRUE(rank(0).carrier.is_idle() && rank(2).carrier.is_idle());
  EXPECT_TRUE(has_all_of_first(2));
}

TEST(SharedObject, IsFoundByNameUntilThatIsForgotten) {
  SharedObject made = SharedObject::create(8192);
  ASSERT_TRUE(made.exists());
  EXPECT_TRUE(made.reserve(0, 8192));
  const std::string name = made.name();
  EXPECT_FALSE(SharedObject::open(name, 4096).exists());
  const SharedObject found = SharedObject::open(name, 8192);
  ASSERT_TRUE(found.exists());
  made.memory()[5000] = 'x';
  EXPECT_EQ(found.memory()[5000], 'x');
  made.forget_name();
  EXPECT_FALSE(SharedObject::open(name, 8192).exists());
}

TEST(Waits, AreNamed) {
  EXPECT_EQ(parse_waits(""), std::nullopt);
  EXPECT_EQ(parse_waits("spin"), Waits::spinning);
  EXPECT_EQ(parse_waits("yield"), Waits::yielding);
  EXPECT_EQ(parse_waits("sleep"), Waits::asleep);
  EXPECT_THROW(parse_waits("doze"), std::invalid_argument);
}

}  // namespace
}  // namespace tutti
