// Trees, skips, folds, butterflies and block partitions, for every p up to 200.
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <numeric>
#include <set>

#include "topology/butterfly.hpp"
#include "topology/circulant.hpp"
#include "topology/layout.hpp"
#include "topology/logarithm.hpp"
#include "topology/pair_fold.hpp"
#include "topology/post_order_tree.hpp"
#include "topology/swing.hpp"

namespace tutti {
namespace {

constexpr int most_ranks = 200;

TEST(Logarithm, AroundPowersOfTwo) {
  EXPECT_EQ(ceil_lg(1), 0);
  EXPECT_EQ(floor_lg(1), 0);
  EXPECT_EQ(ceil_lg(2), 1);
  EXPECT_EQ(floor_lg(3), 1);
  EXPECT_EQ(ceil_lg(3), 2);
  for (int k = 1; k < 20; ++k) {
    EXPECT_EQ(ceil_lg(1 << k), k);
    EXPECT_EQ(ceil_lg((1 << k) + 1), k + 1);
    EXPECT_EQ(floor_lg((1 << k) + 1), k);
    EXPECT_EQ(floor_lg(1 << k), k);
    EXPECT_EQ(floor_lg((1 << (k + 1)) - 1), k);
  }
}

TEST(CirculantSkips, EachIsHalfOfTheNextRoundedUp) {
  for (int p = 1; p <= most_ranks; ++p) {
    const std::vector<int> skip = circulant_skips(p);
    ASSERT_EQ(skip.size(), static_cast<std::size_t>(ceil_lg(p)) + 1) << "p=" << p;
    EXPECT_EQ(skip.front(), 1) << "p=" << p;
    EXPECT_EQ(skip.back(), p);
    for (std::size_t k = 0; k + 1 < skip.size(); ++k) {
      EXPECT_EQ(skip[k], skip[k + 1] / 2 + skip[k + 1] % 2) << "p=" << p << " k=" << k;
      EXPECT_LT(skip[k], skip[k + 1]) << "p=" << p << " k=" << k;
    }
  }
}

TEST(CirculantSkips, PowersOfTwoExactlyWhenPIsOne) {
  const auto power_of_two = [](int x) { return std::has_single_bit(static_cast<unsigned>(x)); };
  for (int p = 1; p <= most_ranks; ++p) {
    const std::vector<int> skip = circulant_skips(p);
    EXPECT_EQ(std::ranges::all_of(skip, power_of_two), power_of_two(p)) << "p=" << p;
  }
}

TEST(CirculantSkips, ByHand) {
  EXPECT_EQ(circulant_skips(8), (std::vector{1, 2, 4, 8}));
  EXPECT_EQ(circulant_skips(11), (std::vector{1, 2, 3, 6, 11}));
}

TEST(PairFold, LeavesAPowerOfTwo) {
  for (int p = 1; p <= most_ranks; ++p) {
    const PairFold fold(p);
    int stay = 0;
    for (Rank r = 0; r < p; ++r) stay += !fold.is_folded(r);
    EXPECT_EQ(stay, 1 << floor_lg(p)) << "p=" << p;
  }
}

TEST(PairFold, EveryFoldedRankHasItsHostBesideIt) {
  for (int p = 1; p <= most_ranks; ++p) {
    const PairFold fold(p);
    int hosts = 0;
    for (Rank r = 0; r < p; ++r) {
      EXPECT_FALSE(fold.is_folded(r) && fold.is_host(r));
      if (fold.is_folded(r)) {
        ASSERT_LT(r + 1, p);
        EXPECT_TRUE(fold.is_host(r + 1)) << "p=" << p << " r=" << r;
      }
      hosts += fold.is_host(r);
    }
    EXPECT_EQ(hosts, fold.pairs()) << "p=" << p;
  }
}

TEST(PairFold, NumbersThoseThatStayInRankOrder) {
  for (int p = 1; p <= most_ranks; ++p) {
    const PairFold fold(p);
    int next = 0;
    for (Rank r = 0; r < p; ++r) {
      if (fold.is_folded(r)) continue;
      EXPECT_EQ(fold.index_of(r), next) << "p=" << p << " r=" << r;
      EXPECT_EQ(fold.rank_of(next), r) << "p=" << p;
      ++next;
    }
  }
}

// Every kind of fold, and every rank that may have to stay.
template <class Check>
void for_every_fold(Check check) {
  for (int p = 1; p <= 70; ++p) {
    for (const PairFold::Host host : {PairFold::Host::even, PairFold::Host::odd}) {
      for (Rank kept = -1; kept < p; ++kept) {
        SCOPED_TRACE("p=" + std::to_string(p) + " host " + std::to_string(static_cast<int>(host)) +
                     " kept " + std::to_string(kept));
        check(PairFold(p, host, kept), p, host, kept);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(PairFold, KeepsTheRankItIsToldTo) {
  for_every_fold([](const PairFold& fold, int p, PairFold::Host host, Rank kept) {
    int stay = 0;
    for (Rank r = 0; r < p; ++r) stay += !fold.is_folded(r);
    EXPECT_EQ(stay, 1 << floor_lg(p));
    if (kept >= 0) {
      EXPECT_FALSE(fold.is_folded(kept));
    }
    for (Rank r = 0; r < 2 * fold.pairs(); ++r) {
      const bool in_the_kept_pair = kept >= 0 && r / 2 == kept / 2;
      const bool usually_host = r % 2 == static_cast<int>(host);
      EXPECT_EQ(fold.is_host(r), in_the_kept_pair ? r == kept : usually_host) << "r=" << r;
    }
  });
}

TEST(PairFold, PairsAHostWithAFoldedRankBesideIt) {
  for_every_fold([](const PairFold& fold, int p, PairFold::Host, Rank) {
    for (Rank r = 0; r < p; ++r) {
      EXPECT_EQ(fold.is_paired(r), r < 2 * fold.pairs());
      EXPECT_EQ(fold.is_paired(r), fold.is_host(r) || fold.is_folded(r)) << "r=" << r;
      if (!fold.is_paired(r)) continue;
      EXPECT_EQ(PairFold::partner(PairFold::partner(r)), r);
      EXPECT_EQ(PairFold::partner(r) / 2, r / 2) << "r=" << r;
      EXPECT_NE(fold.is_host(r), fold.is_host(PairFold::partner(r))) << "r=" << r;
    }
  });
}

TEST(PairFold, NumbersInRankOrderWhoeverStays) {
  for_every_fold([](const PairFold& fold, int p, PairFold::Host, Rank) {
    int next = 0;
    for (Rank r = 0; r < p; ++r) {
      if (fold.is_folded(r)) {
        EXPECT_EQ(fold.index_of(r), fold.index_of(PairFold::partner(r))) << "r=" << r;
        continue;
      }
      EXPECT_EQ(fold.index_of(r), next) << "r=" << r;
      EXPECT_EQ(fold.rank_of(next), r);
      ++next;
    }
  });
}

// Ranks first_rank(i) .. first_rank(i+1) - 1 are the one numbered i and the one folded into it.
TEST(PairFold, FirstRanksDivideAllRanks) {
  for_every_fold([](const PairFold& fold, int p, PairFold::Host, Rank) {
    const int stay = 1 << floor_lg(p);
    EXPECT_EQ(fold.first_rank(0), 0);
    EXPECT_EQ(fold.first_rank(stay), p);
    for (int i = 0; i < stay; ++i) {
      for (Rank r = fold.first_rank(i); r < fold.first_rank(i + 1); ++r) {
        EXPECT_EQ(fold.index_of(r), i) << "r=" << r;
      }
    }
  });
}

TEST(PairFold, ByHand) {
  const PairFold even(6, PairFold::Host::even);
  EXPECT_EQ(even.pairs(), 2);
  EXPECT_EQ(even.rank_of(0), 0);
  EXPECT_EQ(even.rank_of(1), 2);
  EXPECT_EQ(even.rank_of(2), 4);
  EXPECT_EQ(even.rank_of(3), 5);
  const PairFold keeps_three(6, PairFold::Host::even, 3);
  EXPECT_TRUE(keeps_three.is_folded(2));
  EXPECT_EQ(keeps_three.rank_of(1), 3);
  EXPECT_EQ(keeps_three.rank_of(0), 0);
  EXPECT_EQ(PairFold(6, PairFold::Host::odd, 5).rank_of(0), 1) << "5 is in no pair";
}

TEST(PostOrderTree, ChildrenAndParentsAgree) {
  for (int p = 2; p <= most_ranks; ++p) {
    int roots = 0, edges = 0;
    for (Rank r = 0; r < p; ++r) {
      const PostOrderPlace place = post_order_place(p, r);
      roots += place.is_root() ? 1 : 0;
      EXPECT_LE(place.depth, post_order_depth(p)) << "p=" << p << " r=" << r;
      for (const Rank child : {place.first, place.second}) {
        if (child < 0) continue;
        ++edges;
        EXPECT_LT(child, r) << "post-order";
        EXPECT_EQ(post_order_place(p, child).above, r) << "p=" << p;
        EXPECT_EQ(post_order_place(p, child).depth, place.depth + 1) << "p=" << p;
        EXPECT_GT(post_order_place(p, child).lead, place.lead) << "p=" << p;
      }
    }
    EXPECT_EQ(roots, 2) << "p=" << p;
    EXPECT_EQ(edges, p - 2) << "p=" << p;
    EXPECT_EQ(post_order_place(p, p - 1).above, p / 2 - 1) << "p=" << p;
  }
}

TEST(PostOrderTree, NoRankMeetsTwoNeighboursInARound) {
  for (int p = 5; p <= most_ranks; ++p) {
    for (Rank r = 0; r < p; ++r) {
      const PostOrderPlace place = post_order_place(p, r);
      std::set<int> turns{place.lead % post_order_period(p)};
      for (const Rank child : {place.first, place.second}) {
        if (child < 0) continue;
        EXPECT_TRUE(turns.insert(post_order_place(p, child).lead % post_order_period(p)).second)
            << "p=" << p << " r=" << r;
      }
    }
  }
}

TEST(Butterfly, TurnsAgreeAndTheKeptRankStays) {
  for (int p = 1; p <= 40; ++p) {
    for (const Rank kept : {0, p / 2, p - 1}) {
      std::vector<Butterfly> all;
      for (Rank r = 0; r < p; ++r) all.emplace_back(p, r, kept);
      while (!all.front().is_done()) {
        std::vector<ButterflyTurn> turns;
        for (Butterfly& each : all) turns.push_back(each.merge());
        for (Rank r = 0; r < p; ++r) {
          const ButterflyTurn& turn = turns[static_cast<std::size_t>(r)];
          if (turn.role == ButterflyTurn::Role::gone) continue;
          const ButterflyTurn& peers = turns[static_cast<std::size_t>(turn.peer)];
          const bool leaves = turn.role == ButterflyTurn::Role::leaver;
          EXPECT_EQ(leaves ? peers.leaver : peers.peer, r) << "p=" << p << " r=" << r;
        }
      }
      const std::vector<Rank>& members = all.front().members();
      EXPECT_EQ(members.size(), 1u << floor_lg(p));
      EXPECT_EQ(std::ranges::count(members, kept), 1) << "p=" << p << " kept=" << kept;
    }
  }
}

TEST(Swing, PeersAreMutualAndDivideWhatCanBeReached) {
  for (const int p : {1, 2, 4, 8, 16, 32, 64, 128}) {
    const Swing swing{p};
    for (Rank r = 0; r < p; ++r) {
      EXPECT_EQ(swing.reachable(r, 0).size(), static_cast<std::size_t>(p));
      for (int s = 0; s < swing.steps(); ++s) {
        const Rank peer = swing.peer(r, s);
        EXPECT_EQ(swing.peer(peer, s), r) << "p=" << p << " s=" << s;
        std::vector<Rank> both = swing.reachable(r, s + 1);
        std::ranges::copy(swing.reachable(peer, s + 1), std::back_inserter(both));
        std::ranges::sort(both);
        EXPECT_EQ(both, swing.reachable(r, s)) << "p=" << p << " s=" << s;
      }
    }
  }
}

TEST(Swing, IsAThirdNearerThanDoublingDistances) {
  const Swing swing{256};
  int sum = 0;
  for (int s = 0; s < swing.steps(); ++s) {
    const int distance = std::abs(swing.peer(0, s));
    sum += std::min(distance, 256 - distance);
  }
  EXPECT_EQ(sum, 170) << "of 255";
}

TEST(Layout, OfEqualSharesCoversTheMessage) {
  for (int p = 1; p <= most_ranks; p += p < 20 ? 1 : 13) {
    for (Units n = 0; n <= 3 * p + 1; ++n) {
      const Layout layout(n, p);
      EXPECT_EQ(layout.offset(0), 0);
      EXPECT_EQ(layout.total(), n);
      EXPECT_EQ(layout.offset(p), n);
      Units sum = 0;
      for (int i = 0; i < p; ++i) {
        EXPECT_EQ(layout.offset(i), sum) << "n=" << n << " p=" << p << " i=" << i;
        sum += layout.size(i);
      }
      EXPECT_EQ(sum, n) << "p=" << p;
    }
  }
}

TEST(Layout, OfEqualSharesDiffersByOneUnitAtMost) {
  for (int p = 1; p <= 40; ++p) {
    for (Units n = 0; n <= 3 * p + 1; ++n) {
      const Layout layout(n, p);
      EXPECT_LE(layout.size(0) - layout.size(p - 1), 1);
      for (int i = 1; i < p; ++i) {
        EXPECT_GE(layout.size(i - 1), layout.size(i)) << "n=" << n << " p=" << p << " i=" << i;
      }
    }
  }
}

TEST(Layout, ByHand) {
  const Layout layout(12, 5);
  const std::vector<Units> sizes{3, 3, 2, 2, 2}, offsets{0, 3, 6, 8, 10};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(layout.size(i), sizes[static_cast<std::size_t>(i)]);
    EXPECT_EQ(layout.offset(i), offsets[static_cast<std::size_t>(i)]);
  }
}

TEST(Layout, OfGivenSizesWithEmptyBlocks) {
  const std::vector<Units> sizes{0, 4, 0, 0, 3, 0};
  const Layout layout(sizes);
  EXPECT_EQ(layout.total(), 7);
  Units sum = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(layout.size(static_cast<int>(i)), sizes[i]);
    EXPECT_EQ(layout.offset(static_cast<int>(i)), sum);
    sum += sizes[i];
  }
}

TEST(Layout, KnowsItsLargestBlock) {
  EXPECT_EQ(Layout(12, 4).largest(), 3);
  EXPECT_EQ(Layout(13, 4).largest(), 4);
  EXPECT_EQ(Layout({0, 4, 0, 7, 3}).largest(), 7);
  EXPECT_EQ(Layout().largest(), 0);
}

TEST(Layout, IsEmptyAtFirst) { EXPECT_EQ(Layout().total(), 0); }

TEST(Layout, HoldsMoreThanAnIntCan) {
  const Units large = Units{1} << 40;
  const Layout layout(large + 1, 3);
  EXPECT_EQ(layout.total(), large + 1);
  EXPECT_EQ(layout.offset(2) + layout.size(2), large + 1);
}

}  // namespace
}  // namespace tutti
