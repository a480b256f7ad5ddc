// The fixed cut-offs of Thakur2005, section 4, in its own units: total bytes gathered, bytes of the
// message, bytes per message of an all-to-all.
#include <bit>

#include "select/select.hpp"

namespace tutti {

namespace {

constexpr double KB = 1024;

Rule allgather_rule(double bytes, bool power_of_two) {
  if (power_of_two && bytes < 512 * KB) {
    return {"recursive_doubling", "p a power of two, < 512 KB gathered (Thakur2005 4.1)"};
  }
  if (!power_of_two && bytes < 80 * KB) {
    return {"bruck", "p no power of two, < 80 KB gathered (Thakur2005 4.1)"};
  }
  return {"ring", "medium and long messages (Thakur2005 4.1)"};
}

Rule bcast_rule(double bytes, int p) {
  if (bytes < 12 * KB || p < 8) return {"binomial", "< 12 KB or p < 8 (Thakur2005 4.2)"};
  return {"scatter_ring", ">= 12 KB and p >= 8 (Thakur2005 4.2)"};
}

Rule alltoall_rule(double message) {
  if (message <= 256) return {"bruck", "<= 256 B per message (Thakur2005 4.3)"};
  if (message <= 32 * KB) return {"isend_irecv", "256 B to 32 KB per message (Thakur2005 4.3)"};
  return {"pairwise", "> 32 KB per message (Thakur2005 4.3)"};
}

Rule reduce_scatter_rule(double bytes, bool commutative) {
  if (commutative && bytes < 512 * KB) {
    return {"recursive_halving", "commutative, < 512 KB (Thakur2005 4.4)"};
  }
  if (!commutative && bytes < 512) {
    return {"recursive_doubling", "non-commutative, < 512 B (Thakur2005 4.4)"};
  }
  return {"pairwise", "long messages (Thakur2005 4.4)"};
}

Rule reduce_rule(double bytes) {
  if (bytes <= 2 * KB) return {"binomial", "<= 2 KB (Thakur2005 4.5)"};
  return {"rabenseifner", "> 2 KB (Thakur2005 4.5)"};
}

Rule allreduce_rule(double bytes, bool commutative) {
  if (bytes <= 2 * KB) return {"recursive_doubling", "<= 2 KB (Thakur2005 4.5)"};
  if (!commutative) return {"recursive_doubling", "non-commutative operator (Thakur2005 4.5)"};
  return {"rabenseifner", "> 2 KB (Thakur2005 4.5)"};
}

}  // namespace

Rule thakur2005(const Call& call) {
  const double bytes = call.bytes();
  switch (call.collective) {
    case Collective::allgather:
      return allgather_rule(bytes, std::has_single_bit(static_cast<unsigned>(call.p)));
    case Collective::bcast:
      return bcast_rule(bytes, call.p);
    case Collective::alltoall:
      return alltoall_rule(bytes / call.p);
    case Collective::reduce_scatter_block:
    case Collective::reduce_scatter:
      return reduce_scatter_rule(bytes, call.commutative);
    case Collective::reduce:
      return reduce_rule(bytes);
    case Collective::allreduce:
      return allreduce_rule(bytes, call.commutative);
    default:
      return {};
  }
}

}  // namespace tutti
