// The memory that ranks of a node share, with threads for ranks: what was sent arrives, whole, in
// order, whatever the sizes, however long each rank dawdles. With -fsanitize=thread in the preset
// `threads`, where memory_order is what is tested.
#include "medium/medium.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <string>
#include <thread>

#include "medium/carrier.hpp"
#include "medium/shared_object.hpp"

namespace tutti {
namespace {

using Bytes = std::vector<char>;
using Clock = std::chrono::steady_clock;

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

// Waits until it holds; false after 20 seconds.
template <class Holds>
bool wait_until(Carrier& carrier, Waits waits, Holds holds) {
  const auto end = Clock::now() + std::chrono::seconds(20);
  for (int idle = 0; !holds();) {
    if (carrier.progress()) {
      idle = 0;
    } else if (waits == Waits::asleep && ++idle > 3) {
      carrier.medium().sleep([&] { return !carrier.progress(); });
    } else {
      std::this_thread::yield();
    }
    if (Clock::now() > end) return false;
  }
  return true;
}

void add(const char* left, const char* right, char* into, std::size_t elements) {
  for (std::size_t i = 0; i < elements; ++i) into[i] = static_cast<char>(left[i] - right[i]);
}

char pattern(int from, int to, int round, std::size_t at) {
  return static_cast<char>(from * 31 + to * 17 + round * 7 + static_cast<int>(at % 251));
}

struct Lengths {
  const char* name;
  std::vector<std::size_t> bytes;
};

class EveryRankToEveryOther : public testing::TestWithParam<std::tuple<int, Waits>> {};

// Each round every rank sends to all others, and receives from them, messages of all lengths, part
// of them to be combined; a rank sleeps now and then.
TEST_P(EveryRankToEveryOther, GetsWhatWasSent) {
  const auto [ranks, waits] = GetParam();
  constexpr unsigned seed = 11;
  constexpr int rounds = 60;
  Boxes boxes(ranks);
  std::vector<int> wrong(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&, ranks = ranks, waits = waits](int me) {
    Medium medium(boxes.memory(), ranks, me, waits);
    Carrier carrier(medium);
    std::mt19937 random(seed + static_cast<unsigned>(me));
    int& mine = wrong[static_cast<std::size_t>(me)];
    for (int round = 0; round < rounds; ++round) {
      std::mt19937 same(seed * 1000 + static_cast<unsigned>(round));  // on all ranks
      constexpr std::array<std::size_t, 8> usual{0, 8, 112, 113, 1000, 4096, 70000, 300001};
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
      carrier.begin({in.data(), out.data(), operand.data()}, static_cast<std::uint16_t>(round), add,
                    1, nullptr, 2 * ranks);
      for (int i = 1; i < ranks; ++i) {
        const int peer = (me + i) % ranks;
        const Piece* of_peer = pieces.data() + 3 * peer;
        const Target copied{.pieces = {of_peer + 1, 1}};
        const Target combined{
            .operand = of_peer + 2, .into = of_peer + 1, .message_is_left = peer < me};
        if (random() % 4 == 0)
          std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
        carrier.receive(2 * i, peer, combines ? combined : copied, bytes);
        carrier.send(2 * i + 1, peer, {of_peer, 1}, bytes, 0);
      }
      if (!wait_until(carrier, waits, [&] { return carrier.is_idle(); })) {
        mine = 1'000'000 + round;
        return;
      }
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
                                          testing::Values(Waits::yielding, Waits::asleep)));

}  // namespace
}  // namespace tutti
