// The fixed cut-offs of Thakur2005, sections 4 and 5.4, in its own units: total bytes gathered,
// bytes of the message, bytes per message of an all-to-all.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "select/select.hpp"

namespace tutti {

namespace {

constexpr double kb = 1024;

Rule allgather_rule(double bytes, bool power_of_two) {
  if (power_of_two && bytes < 512 * kb) {
    return {"recursive_doubling", "p a power of two, < 512 KB gathered (Thakur2005 4.1)"};
  }
  if (!power_of_two && bytes < 80 * kb) {
    return {"bruck", "p no power of two, < 80 KB gathered (Thakur2005 4.1)"};
  }
  return {"ring", "medium and long messages (Thakur2005 4.1)"};
}

Rule bcast_rule(double bytes, int p) {
  if (bytes < 12 * kb || p < 8) return {"binomial", "< 12 KB or p < 8 (Thakur2005 4.2)"};
  if (std::has_single_bit(static_cast<unsigned>(p)) && bytes < 512 * kb) {
    return {"scatter_recursive_doubling",
            ">= 12 KB and p >= 8, p a power of two and < 512 KB (Thakur2005 4.2, 4.1)"};
  }
  return {"scatter_ring", ">= 12 KB and p >= 8 (Thakur2005 4.2)"};
}

Rule alltoall_rule(double message) {
  if (message <= 256) return {"bruck", "<= 256 B per message (Thakur2005 4.3)"};
  if (message <= 32 * kb) return {"isend_irecv", "256 B to 32 KB per message (Thakur2005 4.3)"};
  return {"pairwise", "> 32 KB per message (Thakur2005 4.3)"};
}

Rule reduce_scatter_rule(double bytes, bool commutative) {
  if (commutative && bytes < 512 * kb) {
    return {"recursive_halving", "commutative, < 512 KB (Thakur2005 4.4)"};
  }
  if (!commutative && bytes < 512) {
    return {"recursive_doubling", "non-commutative, < 512 B (Thakur2005 4.4)"};
  }
  return {"pairwise", "long messages (Thakur2005 4.4)"};
}

Rule reduce_rule(const Call& call) {
  if (!call.predefined) return {"binomial", "user-defined operator (Thakur2005 4.5)"};
  if (call.bytes() <= 2 * kb) return {"binomial", "<= 2 KB (Thakur2005 4.5)"};
  return {"rabenseifner", "> 2 KB, predefined operator (Thakur2005 4.5)"};
}

// The greatest difference of consecutive exponents in the binary form of p.
int delta_expo_max(int p) {
  int greatest = 0;
  for (unsigned rest = static_cast<unsigned>(p); std::popcount(rest) > 1;) {
    const int low = std::countr_zero(rest);
    rest &= rest - 1;
    greatest = std::max(greatest, std::countr_zero(rest) - low);
  }
  return greatest;
}

// Figure 15: where the ring was the fastest, at 32 KB.
bool suits_ring(int p) {
  return std::ranges::any_of(std::array{3, 5, 7, 9, 10, 11, 17}, [&](int q) { return p == q; });
}

Rule allreduce_rule(const Call& call) {
  const double bytes = call.bytes();
  const int p = call.p;
  const bool power_of_two = std::has_single_bit(static_cast<unsigned>(p));
  if (!call.predefined) {
    return {"recursive_doubling", "user-defined operator (Thakur2005 4.5)"};
  }
  if (bytes <= 32) return {"recursive_doubling", "<= 32 B (Thakur2005 5.4)"};
  if (bytes <= kb && !power_of_two) {
    return {"reduce_bcast", "<= 1 KB, p no power of two: binomial trees (Thakur2005 5.4)"};
  }
  if (bytes <= 2 * kb) return {"recursive_doubling", "<= 2 KB (Thakur2005 4.5)"};
  if (bytes >= 16 * kb && p > 32 && delta_expo_max(p) < std::log2(bytes) / 2 - 2.5) {
    return {"binary_blocks",
            ">= 16 KB, p > 32, delta_expo_max < lg(bytes)/2 - 2.5 (Thakur2005 5.4)"};
  }
  if (bytes >= 16 * kb && p > 32) {
    return {"halving_doubling",
            ">= 16 KB, p > 32, delta_expo_max >= lg(bytes)/2 - 2.5 (Thakur2005 5.4)"};
  }
  if (bytes >= 16 * kb && suits_ring(p)) {
    return {"ring", ">= 16 KB, p = 3, 5, 7, 9-11 or 17 (Thakur2005 5.4, figure 15)"};
  }
  return {"rabenseifner", "> 2 KB, predefined operator (Thakur2005 4.5)"};
}

}  // namespace

Rule thakur2005(const Call& call) {
  const double bytes = call.bytes();
  if (info(call.collective).irregular() && info(call.collective).regular == Collective::alltoall) {
    return {"isend_irecv", "irregular: as medium-sized messages (Thakur2005 6)"};
  }
  switch (info(call.collective).regular) {
    case Collective::allgather:
      return allgather_rule(bytes, std::has_single_bit(static_cast<unsigned>(call.p)));
    case Collective::bcast:
      return bcast_rule(bytes, call.p);
    case Collective::alltoall:
      return alltoall_rule(bytes / call.p);
    case Collective::reduce_scatter_block:
      return reduce_scatter_rule(bytes, call.commutative);
    case Collective::reduce:
      return reduce_rule(call);
    case Collective::allreduce:
      return allreduce_rule(call);
    default:
      return {};
  }
}

}  // namespace tutti
