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
  scatter,
  allgather,
  alltoall,
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
  bool reduces;  // units are elements, and an operator is applied
  bool rooted;
  bool owns_blocks;              // block i belongs to rank i, in the input or in the output
  std::string_view lower_bound;  // seconds: no algorithm is faster on a one-ported machine
};

inline constexpr std::array<CollectiveInfo, 12> collectives{{
    {Collective::barrier, "barrier", false, false, false, "ceil(lg(p))*alpha"},
    {Collective::bcast, "bcast", false, true, false, "max(ceil(lg(p))*alpha, n*beta)"},
    {Collective::gather, "gather", false, true, true, "max(ceil(lg(p))*alpha, (p-1)/p*n*beta)"},
    {Collective::scatter, "scatter", false, true, true, "max(ceil(lg(p))*alpha, (p-1)/p*n*beta)"},
    {Collective::allgather, "allgather", false, false, true,
     "max(ceil(lg(p))*alpha, (p-1)/p*n*beta)"},
    {Collective::alltoall, "alltoall", false, false, true,
     "max(ceil(lg(p))*alpha, (p-1)/p*n*beta)"},
    {Collective::reduce, "reduce", true, true, false,
     "max(ceil(lg(p))*alpha, n*beta, (p-1)/p*n*gamma)"},
    {Collective::allreduce, "allreduce", true, false, false,
     "max(ceil(lg(p))*alpha, 2*(p-1)/p*n*beta, (p-1)/p*n*gamma)"},
    {Collective::reduce_scatter_block, "reduce_scatter_block", true, false, true,
     "max(ceil(lg(p))*alpha, (p-1)/p*n*beta, (p-1)/p*n*gamma)"},
    {Collective::reduce_scatter, "reduce_scatter", true, false, true,
     "max(ceil(lg(p))*alpha, (p-1)/p*n*beta, (p-1)/p*n*gamma)"},
    {Collective::scan, "scan", true, false, false,
     "max(ceil(lg(p))*alpha, n*beta, (p-1)/p*n*gamma)"},
    {Collective::exscan, "exscan", true, false, false, "max(ceil(lg(p-1))*alpha, n*beta)"},
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
