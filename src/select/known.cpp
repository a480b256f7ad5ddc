#include "select/known.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

namespace tutti {

namespace {

using enum Collective;
using enum Library;

constexpr double KiB = 1024;
constexpr double any = std::numeric_limits<double>::infinity();
constexpr int most_ranks = 16;  // that were measured

// From and to so many ranks and bytes of the whole message, both included.
struct Known {
  Library library;
  Collective collective;
  int least_p, most_p;
  double from, to;
  std::string_view algorithm;
};

// Measured with 2, 3, 4, 6, 8, 12 and 16 ranks on 16 processors (docs/results/node16-*.csv) and
// with 2 on another machine of 2 (docs/results/shared-*.json), sums of doubles, at 8, 64, 512 B, 4,
// 32, 256 KiB, 1 and 4 MiB. A line begins and ends with sizes at which its algorithm was no slower
// than native with any p, and faster on the whole; what ends at `any` was so at the largest. Where
// there is no line the library is as fast, or it was not measured: native. None has segments: those
// of 64 KiB and less made all of them slower. Sums in blocks end at 16 MiB: of longer ones some of
// these take more memory than the library.
constexpr std::array known{
    Known{mpich, bcast, 2, 2, 1, 32 * KiB, "binomial"},
    Known{mpich, gather, 3, most_ranks, 512, 32 * KiB, "linear"},
    Known{mpich, scatter, 2, 2, 256 * KiB, any, "linear"},
    Known{mpich, scatter, 3, most_ranks, 4096 * KiB, any, "linear"},
    Known{mpich, allgather, 2, 2, 1, 4 * KiB, "recursive_doubling"},
    Known{mpich, allgatherv, 2, most_ranks, 256 * KiB, any, "neighbour_exchange"},
    Known{mpich, alltoall, 2, 2, 1, 32 * KiB, "pairwise"},
    Known{mpich, reduce, 2, 2, 1, any, "binomial"},
    Known{mpich, reduce, 3, most_ranks, 1, 4 * KiB, "binomial"},
    Known{mpich, reduce, 3, most_ranks, 32 * KiB, any, "binary_blocks"},
    Known{mpich, allreduce, 2, 8, 1, 512, "recursive_doubling"},
    Known{mpich, allreduce, 9, most_ranks, 1, 64, "recursive_doubling"},
    Known{mpich, allreduce, 2, most_ranks, 4 * KiB, any, "binary_blocks"},
    Known{mpich, reduce_scatter_block, 2, 2, 1, 16384 * KiB, "recursive_doubling"},
    Known{mpich, reduce_scatter_block, 3, most_ranks, 64, 256 * KiB, "recursive_halving"},
    Known{mpich, reduce_scatter, 2, 2, 4 * KiB, 16384 * KiB, "recursive_halving"},
    Known{mpich, reduce_scatter, 3, most_ranks, 512, 4 * KiB, "circulant"},
    Known{mpich, reduce_scatter, 3, most_ranks, 32 * KiB, 256 * KiB, "recursive_halving"},
    Known{mpich, scan, 2, most_ranks, 1, 32 * KiB, "groups"},
    Known{mpich, scan, 2, most_ranks, 256 * KiB, any, "recursive_doubling:2"},
    Known{mpich, exscan, 2, most_ranks, 1, any, "doubling_123"},

    Known{openmpi, bcast, 3, most_ranks, 256 * KiB, any, "scatter_ring"},
    Known{openmpi, scatter, 2, 2, 32 * KiB, any, "linear"},
    Known{openmpi, allgather, 3, most_ranks, 256 * KiB, any, "recursive_doubling"},
    Known{openmpi, allgatherv, 3, most_ranks, 64, 4 * KiB, "bruck"},
    Known{openmpi, allgatherv, 3, most_ranks, 256 * KiB, any, "neighbour_exchange"},
    Known{openmpi, reduce, 3, most_ranks, 256 * KiB, any, "binary_blocks"},
    Known{openmpi, allreduce, 2, 2, 32 * KiB, 32 * KiB, "recursive_doubling"},
    Known{openmpi, allreduce, 2, 2, 256 * KiB, any, "halving_doubling"},
    Known{openmpi, allreduce, 3, most_ranks, 32 * KiB, any, "binary_blocks"},
    Known{openmpi, reduce_scatter_block, 2, most_ranks, 4 * KiB, 16384 * KiB, "recursive_halving"},
    Known{openmpi, reduce_scatter, 2, most_ranks, 4 * KiB, 16384 * KiB, "circulant"},
    Known{openmpi, scan, 2, 2, 4 * KiB, any, "recursive_doubling:2"},
    Known{openmpi, scan, 3, most_ranks, 256 * KiB, any, "recursive_doubling:2"},
    Known{openmpi, exscan, 4, most_ranks, 1, 1024 * KiB, "doubling_123"},
};

// The same where 2 ranks share memory (bench/hosts/shmbench.py, docs/results/shared.csv), on two
// processors that share a cache in some starts and none in others: faster in both, or no slower.
constexpr std::array by_memory{
    Known{mpich, barrier, 2, 2, 0, any, "dissemination"},
    Known{mpich, bcast, 2, 2, 1, 64 * KiB, "binomial"},
    Known{mpich, gather, 2, 2, 1, 64 * KiB, "linear"},
    Known{mpich, scatter, 2, 2, 1, any, "linear"},
    Known{mpich, allgather, 2, 2, 1, 64 * KiB, "recursive_doubling"},
    Known{mpich, allgatherv, 2, 2, 1, 64 * KiB, "recursive_doubling"},
    Known{mpich, alltoall, 2, 2, 1, 256 * KiB, "pairwise"},
    Known{mpich, reduce, 2, 2, 1, any, "binomial"},
    Known{mpich, allreduce, 2, 2, 1, 16 * KiB, "recursive_doubling"},
    Known{mpich, allreduce, 2, 2, 16 * KiB, any, "halving_doubling"},
    Known{mpich, reduce_scatter_block, 2, 2, 1, 16384 * KiB, "recursive_halving"},
    Known{mpich, reduce_scatter, 2, 2, 1, 16384 * KiB, "recursive_halving"},
    Known{mpich, scan, 2, 2, 1, any, "groups"},
    Known{mpich, exscan, 2, 2, 1, any, "doubling_123"},

    Known{openmpi, bcast, 2, 2, 64, 32 * KiB, "binomial"},
    Known{openmpi, gather, 2, 2, 512, 32 * KiB, "linear"},
    Known{openmpi, scatter, 2, 2, 512, any, "linear"},
    Known{openmpi, allgather, 2, 2, 1, 8 * KiB, "recursive_doubling"},
    Known{openmpi, allgatherv, 2, 2, 1, 8 * KiB, "recursive_doubling"},
    Known{openmpi, alltoall, 2, 2, 1, 64 * KiB, "pairwise"},
    Known{openmpi, reduce, 2, 2, 64, 16 * KiB, "binomial"},
    Known{openmpi, allreduce, 2, 2, 1, 16 * KiB, "recursive_doubling"},
    Known{openmpi, allreduce, 2, 2, 16 * KiB, any, "halving_doubling"},
    Known{openmpi, reduce_scatter_block, 2, 2, 1, 16384 * KiB, "recursive_halving"},
    Known{openmpi, reduce_scatter, 2, 2, 1, 16384 * KiB, "recursive_halving"},
    Known{openmpi, scan, 2, 2, 64, 32 * KiB, "groups"},
    Known{openmpi, exscan, 2, 2, 64, 256 * KiB, "doubling_123"},

    // Faster than each of MPICH 5.0, Open MPI 5.0 and Intel MPI 2021.
    Known{other, barrier, 2, 2, 0, any, "dissemination"},
    Known{other, bcast, 2, 2, 512, 2 * KiB, "binomial"},
    Known{other, gather, 2, 2, 512, 4 * KiB, "linear"},
    Known{other, scatter, 2, 2, 512, any, "linear"},
    Known{other, allgather, 2, 2, 1, 2 * KiB, "recursive_doubling"},
    Known{other, allgatherv, 2, 2, 1, 512, "recursive_doubling"},
    Known{other, alltoall, 2, 2, 1, 4 * KiB, "pairwise"},
    Known{other, reduce, 2, 2, 64, 4 * KiB, "binomial"},
    Known{other, allreduce, 2, 2, 1, 2 * KiB, "recursive_doubling"},
    Known{other, reduce_scatter_block, 2, 2, 1, 2 * KiB, "recursive_halving"},
    Known{other, reduce_scatter, 2, 2, 1, 4 * KiB, "recursive_halving"},
    Known{other, scan, 2, 2, 64, 2 * KiB, "groups"},
    Known{other, exscan, 2, 2, 512, 2 * KiB, "doubling_123"},
};

// Where more ranks share memory, of short messages: each takes a third of the time that it takes by
// either library, which algorithms with a few messages in a round make the most of. From the model
// (interpret/overlapping.hpp), not from measurements: at 8 B to 4 KiB and 3 to 128 ranks these are
// within 1.35 of its best, all-to-alls within 1.9; where a machine's latency is half or three times
// the usual one beside the rest, all but these within 1.7. Longer messages are read where they lie,
// as the libraries have it: there what is known of these stands.
struct Short {
  Collective collective;
  int least_p, most_p;
  double to;  // bytes
  std::string_view algorithm;
};
constexpr int most_modelled = 128;  // ranks
constexpr std::array shorts{
    Short{barrier, 3, most_modelled, 0, "dissemination:4"},
    Short{bcast, 3, most_modelled, 256, "postal:6"},
    Short{bcast, 3, most_modelled, 2 * KiB, "postal:8"},
    Short{bcast, 3, most_modelled, 8 * KiB, "scatter_digits:5"},
    Short{gather, 3, most_modelled, 64 * KiB, "postal:5"},
    Short{scatter, 3, most_modelled, 64 * KiB, "postal:5"},
    Short{allgather, 3, most_modelled, 8 * KiB, "digits:5"},
    Short{allgatherv, 3, most_modelled, 8 * KiB, "digits:5"},
    Short{alltoall, 9, most_modelled, KiB, "bruck_modified:3"},
    Short{alltoall, 33, most_modelled, 8 * KiB, "bruck_modified:8"},
    Short{alltoall, 3, most_modelled, 64 * KiB, "isend_irecv:16"},
    Short{reduce, 3, most_modelled, 256, "postal:6"},
    Short{reduce, 3, most_modelled, 2 * KiB, "postal:4"},
    Short{reduce, 3, most_modelled, 8 * KiB, "digits:5"},
    Short{allreduce, 3, 64, 16, "allgather_reduce:4"},
    Short{allreduce, 3, 24, 64, "allgather_reduce:4"},
    Short{allreduce, 3, most_modelled, 256, "recursive_doubling"},
    Short{allreduce, 3, most_modelled, 8 * KiB, "digits:4"},
    Short{reduce_scatter_block, 3, most_modelled, 8 * KiB, "digits:4"},
    Short{reduce_scatter, 3, most_modelled, 8 * KiB, "digits:4"},
    Short{scan, 3, most_modelled, 2 * KiB, "recursive_doubling:4"},
    Short{scan, 3, most_modelled, 8 * KiB, "recursive_doubling:2"},
    Short{exscan, 3, most_modelled, 2 * KiB, "recursive_doubling:4"},
    Short{exscan, 3, most_modelled, 8 * KiB, "shares:7"},
};

// Nothing was measured of other operators than MPI's own, nor of an all-to-all in place. (Whether
// the others are in place is not for a choice to ask: ranks may differ.)
bool is_like_those_measured(const Call& call) {
  return call.commutative && call.predefined && (call.collective != alltoall || !call.in_place);
}

std::string_view best_of(std::span<const Known> measured, Library library, const Call& call) {
  const auto line = std::ranges::find_if(measured, [&](const Known& each) {
    return each.library == library && each.collective == call.collective &&
           each.least_p <= call.p && call.p <= each.most_p && each.from <= call.bytes() &&
           call.bytes() <= each.to;
  });
  return line != measured.end() && is_like_those_measured(call) ? line->algorithm : "native";
}

// Empty if the call's messages are not short.
std::string_view best_if_short(const Call& call) {
  const auto line = std::ranges::find_if(shorts, [&](const Short& each) {
    return each.collective == call.collective && each.least_p <= call.p && call.p <= each.most_p &&
           call.bytes() <= each.to;
  });
  return line != shorts.end() && is_like_those_measured(call) ? line->algorithm
                                                              : std::string_view{};
}

std::string_view best_by_memory(Library library, const Call& call) {
  if (call.p == 2) return best_of(by_memory, library, call);
  const std::string_view found = library == other ? std::string_view{} : best_if_short(call);
  return found.empty() ? best_of(known, library, call) : found;
}

std::string_view best_inside_a_node(Library library, const Call& call, const Machine& machine) {
  return machine.inside == Inside::memory ? best_by_memory(library, call)
                                          : best_of(known, library, call);
}

// What the model does not know, of both libraries on 7 to 16 hosts (docs/results/hosts-*.json and
// slower-*.json), and untuned on 8 and 13 hosts with slower processors (hosts.csv). Where messages
// are short, processors count: on the slower ones the model's allgathers of 4 and 32 KiB, and sums
// and broadcasts of 1 and 4 KiB, took up to 1.36 times as long as native with 13 hosts. There few
// messages are as good, or native is. In all-to-alls they count for each byte: native is
// within 1.14 of the best, what the model takes up to 1.5 times slower. Long messages that all
// ranks send together are lost where networks are slow: reduce-scatters then take up to 7 times as
// long as with two at a time. Nothing was measured where nodes are shared: processors may be short.
std::string_view best_on_a_slow_network(const Call& call) {
  if (call.placement) return "native";
  const double bytes = call.bytes();
  switch (call.collective) {
    case alltoall:
      return bytes >= 2 * KiB && bytes < 64 * KiB ? "native" : std::string_view{};
    case allgather:
      return bytes < 64 * KiB ? "native" : std::string_view{};
    case allreduce:
      return bytes >= 2 * KiB && bytes < 16 * KiB ? "native" : std::string_view{};
    case bcast:
      if (bytes >= KiB && bytes < 2 * KiB) return "native";
      return bytes >= 2 * KiB && bytes < 16 * KiB ? "circulant_turns:2" : std::string_view{};
    case reduce:
      return bytes >= 2 * KiB && bytes < 8 * KiB ? "postal:3" : std::string_view{};
    case reduce_scatter:
    case reduce_scatter_block:
      return bytes < 16 * KiB ? "native" : "pairwise:2";
    default:
      return {};
  }
}

// Libraries keep a processor busy while they wait, which others need: with 4 and 8 ranks on 2
// processors MPICH took 500 times as long. Beside Open MPI that yields, with 8 ranks, what the
// model would choose was from 0.4 to about as slow (8 B to 1 MiB), but for broadcasts, up to 1.6;
// one rank's messages to all others took 0.3 to 1.04. Other libraries were not measured. Sums in
// blocks past 16 MiB are native for the memory that they take.
std::string_view best_where_ranks_sleep(const Call& call) {
  const bool in_blocks =
      call.collective == reduce_scatter || call.collective == reduce_scatter_block;
  if (in_blocks && call.bytes() > 16384 * KiB) return "native";
  return call.collective == bcast ? "node_tree" : std::string_view{};
}

}  // namespace

// Only the releases that were measured are known.
Library library_of(std::string_view version) {
  const auto number = version.substr(std::min(version.find_first_of("0123456789"), version.size()));
  if (version.starts_with("MPICH") && number.starts_with("4.0.")) return mpich;
  if (version.starts_with("Open MPI") && number.starts_with("4.1.")) return openmpi;
  return version.starts_with("SMPI") ? modelled : other;
}

std::string_view known_best(Library library, const Call& call, const Machine& machine) {
  if (library == modelled) return {};
  if (call.placement && call.placement->nodes() == 1) {
    return machine.inside == Inside::crowded ? best_where_ranks_sleep(call)
                                             : best_inside_a_node(library, call, machine);
  }
  return is_slow(machine) ? best_on_a_slow_network(call) : std::string_view{};
}

}  // namespace tutti
