// The collectives, and what each of them is, once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tutti {

enum class Collective : std::uint8_t {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce,
  allreduce,
  reduce_scatter_block,
  reduce_scatter,
  scan,
  exscan,
};

struct CollectiveInfo {
  Collective collective;
  std::string_view name;
  Collective regular;  // itself, or what it is with blocks of equal sizes, one after the other
  bool reduces;        // units are elements, and an operator is applied
  bool rooted;
  bool owns_blocks;              // block i belongs to rank i, in the input or in the output
  std::string_view lower_bound;  // seconds: no algorithm is faster on a one-ported machine, n being
                                 // in equal blocks

  // Whether blocks may be of different sizes.
  constexpr bool irregular() const { return regular != collective; }
  // Whether ranks are alike, but for a root: they may take each other's places where operands do.
  constexpr bool ranks_alike() const {
    return !owns_blocks && collective != Collective::scan && collective != Collective::exscan;
  }
  // Whether every rank knows the size of every block.
  constexpr bool sizes_known() const {
    return !irregular() || (!rooted && regular != Collective::alltoall);
  }
};

namespace bound {
inline constexpr std::string_view one_moves = "max(reach_time(p, alpha_uni), (p-1)/p*n*beta_uni)";
inline constexpr std::string_view all_reduced =
    "max(reach_time(p, alpha_uni), n*beta_uni, (p-1)/p*n*gamma)";
inline constexpr std::string_view block_reduced =
    "max(reach_time(p, alpha_uni), (p-1)/p*n*beta_uni, (p-1)/p*n*gamma)";
}  // namespace bound

inline constexpr std::array<CollectiveInfo, 17> collectives{{
    {Collective::barrier, "barrier", Collective::barrier, false, false, false,
     "reach_time(p, alpha_uni)"},
    {Collective::bcast, "bcast", Collective::bcast, false, true, false,
     "max(reach_time(p, alpha_uni), n*beta_uni)"},
    {Collective::gather, "gather", Collective::gather, false, true, true, bound::one_moves},
    {Collective::gatherv, "gatherv", Collective::gather, false, true, true, bound::one_moves},
    {Collective::scatter, "scatter", Collective::scatter, false, true, true, bound::one_moves},
    {Collective::scatterv, "scatterv", Collective::scatter, false, true, true, bound::one_moves},
    {Collective::allgather, "allgather", Collective::allgather, false, false, true,
     bound::one_moves},
    {Collective::allgatherv, "allgatherv", Collective::allgather, false, false, true,
     bound::one_moves},
    {Collective::alltoall, "alltoall", Collective::alltoall, false, false, true, bound::one_moves},
    {Collective::alltoallv, "alltoallv", Collective::alltoall, false, false, true,
     bound::one_moves},
    {Collective::alltoallw, "alltoallw", Collective::alltoall, false, false, true,
     bound::one_moves},
    {Collective::reduce, "reduce", Collective::reduce, true, true, false, bound::all_reduced},
    {Collective::allreduce, "allreduce", Collective::allreduce, true, false, false,
     "max(reach_time(p, alpha_uni), 2*(p-1)/p*n*beta_uni, (p-1)/p*n*gamma)"},
    {Collective::reduce_scatter_block, "reduce_scatter_block", Collective::reduce_scatter_block,
     true, false, true, bound::block_reduced},
    {Collective::reduce_scatter, "reduce_scatter", Collective::reduce_scatter_block, true, false,
     true, bound::block_reduced},
    {Collective::scan, "scan", Collective::scan, true, false, false, bound::all_reduced},
    {Collective::exscan, "exscan", Collective::exscan, true, false, false,
     "max(reach_time(p-1, alpha_uni), n*beta_uni)"},
}};

constexpr const CollectiveInfo& info(Collective collective) {
  return collectives[static_cast<std::size_t>(collective)];
}
constexpr std::string_view to_string(Collective collective) { return info(collective).name; }

constexpr std::optional<Collective> collective_named(std::string_view name) {
  for (const CollectiveInfo& each : collectives) {
    if (each.name == name) return each.collective;
  }
  return std::nullopt;
}

}  // namespace tutti
