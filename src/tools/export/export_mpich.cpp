// Rules of MPICH 4.0: two trees of conditions in JSON, whose leaves are algorithms. The first is
// MPIR's. The second says what of a collective the device does by itself, and what it leaves to
// MPIR. A file replaces all of the library's own rules, so these are written too.
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/files.hpp"
#include "model/refuse.hpp"
#include "tools/export/export.hpp"

namespace tutti::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view device_ending = ".device";

struct Entry {
  Collective collective;
  std::string_view size;  // what MPICH calls the bytes of the whole message; empty: cannot be asked
  std::string_view plain;  // of the device: all of it by MPIR
};

// In gather and scatter not all ranks know the size.
constexpr std::array<Entry, 13> entries{{
    {Collective::barrier, "", "beta"},
    {Collective::bcast, "avg_msg_size", "gamma"},
    {Collective::gather, "", "alpha"},
    {Collective::scatter, "", "alpha"},
    {Collective::allgather, "total_msg_size", "alpha"},
    {Collective::allgatherv, "total_msg_size", "alpha"},
    {Collective::alltoall, "total_msg_size", "alpha"},
    {Collective::reduce, "avg_msg_size", "gamma"},
    {Collective::allreduce, "avg_msg_size", "beta"},
    {Collective::reduce_scatter_block, "total_msg_size", "alpha"},
    {Collective::reduce_scatter, "total_msg_size", "alpha"},
    {Collective::scan, "", "beta"},
    {Collective::exscan, "", "alpha"},
}};

const Entry& entry(Collective collective) {
  return *std::ranges::find(entries, collective, &Entry::collective);
}

Json leaf(const std::string& text) { return {{text, Json::object()}}; }

// "Reduce_scatter"
std::string capital(Collective collective) {
  std::string name(to_string(collective));
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return name;
}

Json algorithm(const Peer& peer) {
  const std::string_view where = peer.name == "nb" ? "allcomm" : "intra";
  return leaf(fmt::format("algorithm=MPIR_{}_{}_{}", capital(peer.collective), where, peer.name));
}

Json all_by_mpir(const Peer& peer) {
  return leaf(fmt::format("composition=MPIDI_{}_intra_composition_{}", capital(peer.collective),
                          entry(peer.collective).plain));
}

// Whether a condition holds for an intracommunicator of p ranks; nothing if that is not all it
// asks.
std::optional<bool> holds(std::string_view condition, int p) {
  constexpr std::string_view below = "comm_size<";
  if (condition == "comm_type=intra" || condition == "comm_size=any") return true;
  if (condition == "comm_type=inter") return false;
  if (condition == "comm_size=pow2") return (p & (p - 1)) == 0;
  if (condition.starts_with(below))
    return p < std::stoi(std::string(condition.substr(below.size())));
  return std::nullopt;
}

// The library's rules for p ranks alone: below a size, MPICH takes comm_size< for <=.
Json settled(const Json& tree, int p) {
  Json result = Json::object();
  for (const auto& [condition, branch] : tree.items()) {
    const auto known = holds(condition, p);
    if (known && !*known) continue;
    if (known && result.empty()) return settled(branch, p);
    result[condition] = settled(branch, p);
    if (known) break;
  }
  return result;
}

// Where the algorithm does not serve a call, the library chooses.
Json guarded(const Peer& peer, const Json& chosen, const Json& own) {
  switch (peer.need) {
    case Need::units:
      return {{"is_op_built_in=yes", {{"count<pow2", own}, {"count=any", chosen}}},
              {"is_op_built_in=no", own}};
    case Need::commutes:
      return {{"is_commutative=yes", chosen}, {"is_commutative=no", own}};
    default:
      return chosen;
  }
}

using Leaf = Json (*)(const Peer&);

Json ranges_of(const Rule& rule, const Json& own, Leaf chosen) {
  Json settled_own = settled(own, rule.p);
  const auto branch = [&](const Range& range) {
    if (range.one.peer == nullptr) return settled_own;
    return guarded(*range.one.peer, chosen(*range.one.peer), settled_own);
  };
  if (rule.ranges.size() == 1) return branch(rule.ranges.front());
  const std::string_view size = entry(rule.collective).size;
  Json result = Json::object();
  for (std::size_t i = 0; i + 1 < rule.ranges.size(); ++i) {
    result[fmt::format("{}<{}", size, rule.ranges[i + 1].first)] = branch(rule.ranges[i]);
  }
  result[fmt::format("{}=any", size)] = branch(rule.ranges.back());
  return result;
}

// An alltoall in place has no size that could be asked for, and algorithms of its own.
Json with_two_buffers(const Rule& rule, const Json& own, Leaf chosen) {
  Json ranges = ranges_of(rule, own, chosen);
  if (rule.collective != Collective::alltoall) return ranges;
  return {{"is_sendbuf_inplace=yes", settled(own, rule.p)}, {"is_sendbuf_inplace=no", ranges}};
}

// `rules` of one collective, in the order of p.
Json with_rules(const std::vector<Rule>& rules, const Json& own, Leaf chosen) {
  Json sizes;
  for (const Rule& each : rules) {
    sizes[fmt::format("comm_size<={}", each.p - 1)] = own;
    sizes[fmt::format("comm_size<={}", each.p)] = with_two_buffers(each, own, chosen);
  }
  sizes["comm_size=any"] = own;
  return {{"comm_type=intra", sizes}, {"comm_type=inter", own}};
}

std::string tree_of(const RulesByCollective& rules, std::string_view own, Leaf chosen) {
  Json tree = Json::parse(own);
  for (const auto& [collective, of_it] : rules) {
    Json& branch = tree[fmt::format("collective={}", to_string(collective))];
    branch = with_rules(of_it, Json(branch), chosen);
  }
  return tree.dump(1) + "\n";
}

// What MPICH chooses by itself: the rules it has built in, as they stand in the library that
// programs would load here.
constexpr const char* library_name = "libmpich.so.12";

[[noreturn]] void refuse_without_rules(const std::string& why) {
  refuse(
      "a file of rules replaces those that MPICH has built in, so they are taken over, but {}; "
      "export on a machine with MPICH 4.0",
      why);
}

// Where the dynamic linker finds the library.
std::string path_of_library() {
  void* library = dlopen(library_name, RTLD_LAZY | RTLD_LOCAL);
  link_map* place = nullptr;
  if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, &place) != 0) {
    refuse_without_rules(fmt::format("there is no {}", library_name));
  }
  return place->l_name;
}

// The rules, a text in JSON, whose leaves begin like that.
std::string built_in(std::string_view leaf) {
  constexpr std::string_view begin = R"({"collective=)";
  const std::string path = path_of_library();
  const std::string library = contents(path).value_or("");
  for (std::size_t at = library.find(begin); at != library.npos; at = library.find(begin, at + 1)) {
    std::string text(library.c_str() + at);
    if (text.find(leaf) != text.npos) return text;
  }
  refuse_without_rules(fmt::format("'{}' has none", path));
}

std::vector<RulesFile> written(const RulesByCollective& rules) {
  return {
      {"", tree_of(rules, built_in("\"algorithm=MPIR_"), algorithm)},
      {std::string(device_ending), tree_of(rules, built_in("\"composition=MPIDI_"), all_by_mpir)}};
}

std::string use(const std::string& path) {
  return fmt::format(
      "mpirun -genv MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE {0} "
      "-genv MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE {0}{1} ...",
      path, device_ending);
}

}  // namespace

const Target mpich_target{
    .name = "mpich",
    .library = "MPICH Version: 4.0",
    .leaves_alone = true,
    .tells_sizes = [](Collective collective) { return !entry(collective).size.empty(); },
    .knows = [](const NamedPeer&) { return true; },
    .written = written,
    .use = use};

}  // namespace tutti::tools
