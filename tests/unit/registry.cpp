// The registry, the files it stands for, and the rooms files stay in.
#include "algorithms/registry.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "model/formula.hpp"
#include "rooms.hpp"
#include "support.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

const fs::path source_root = TUTTI_SOURCE_DIR;

// "allgather/ring" of each file in a folder of a collective.
std::set<std::string> algorithm_files() {
  std::set<std::string> found;
  for (const auto& folder : fs::directory_iterator(source_root / "algorithms")) {
    if (!folder.is_directory()) continue;
    for (const auto& file : fs::directory_iterator(folder)) {
      found.insert(folder.path().filename().string() + "/" + file.path().stem().string());
      EXPECT_EQ(file.path().extension(), ".cpp") << file.path();
    }
  }
  return found;
}

TEST(Registry, HasALineForEachFileAndAFileForEachLine) {
  std::set<std::string> lines;
#define TUTTI_ALGORITHM(collective, name) \
  EXPECT_TRUE(lines.insert(#collective "/" #name).second) << #collective "/" #name " twice";
#define TUTTI_ALSO(collective, name, owner)
#include "algorithms/algorithms.def"
#undef TUTTI_ALGORITHM
#undef TUTTI_ALSO
  EXPECT_EQ(lines, algorithm_files());
}

// What the file of a collective says of another that it serves, and what it leaves out.
std::string_view said(std::string_view of_other, std::string_view of_owner) {
  return of_other.empty() ? of_owner : of_other;
}

// A file that serves another collective too writes the schedules of both. An exclusive scan has
// formulas of its own, and only such: any other collective's would be left out.
TEST(Registry, FilesServeOtherCollectivesAsTheyAre) {
  int shared = 0;
#define TUTTI_ALGORITHM(collective, name)
#define TUTTI_ALSO(other, name, owner)                                                           \
  {                                                                                              \
    const Algorithm* served = find_algorithm(Collective::other, #name);                          \
    ASSERT_NE(served, nullptr) << #other "/" #name;                                              \
    EXPECT_EQ(served->write, catalog::owner::name.write) << #other "/" #name;                    \
    EXPECT_EQ(served->collective, Collective::other);                                            \
    const Exclusive& differs = catalog::owner::name.exclusive;                                   \
    const bool is_exscan = Collective::other == Collective::exscan;                              \
    EXPECT_EQ(served->cost, said(differs.cost, catalog::owner::name.cost));                      \
    EXPECT_EQ(is_exscan, !differs.cost.empty()) << #other "/" #name;                             \
    EXPECT_TRUE(is_exscan ? Collective::owner == Collective::scan                                \
                          : info(Collective::other).regular == info(Collective::owner).regular); \
    ++shared;                                                                                    \
  }
#include "algorithms/algorithms.def"
#undef TUTTI_ALGORITHM
#undef TUTTI_ALSO
  EXPECT_GT(shared, 10);
}

TEST(Registry, LinesAndObjectsHaveTheSameNames) {
  std::vector<std::string> lines, objects;
#define TUTTI_ALGORITHM(collective, name) lines.push_back(#collective "/" #name);
#define TUTTI_ALSO(collective, name, owner) TUTTI_ALGORITHM(collective, name)
#include "algorithms/algorithms.def"
#undef TUTTI_ALGORITHM
#undef TUTTI_ALSO
  for (const Algorithm* each : algorithms()) {
    objects.push_back(std::string(to_string(each->collective)) + "/" + std::string(each->name));
  }
  EXPECT_EQ(lines, objects);
}

TEST(Registry, FindsByName) {
  for (const Algorithm* each : algorithms()) {
    EXPECT_EQ(find_algorithm(each->collective, each->name), each);
    EXPECT_THAT(algorithms_of(each->collective), testing::Contains(each));
    EXPECT_THAT(known_algorithms(each->collective), testing::HasSubstr(std::string(each->name)));
  }
  EXPECT_EQ(find_algorithm(Collective::bcast, "no_such"), nullptr);
  EXPECT_EQ(find_algorithm(Collective::bcast, ""), nullptr);
  EXPECT_EQ(find_algorithm(Collective::bcast, "ring"), nullptr) << "of another collective";
}

TEST(Registry, EveryCollectiveHasAnAlgorithm) {
  for (const CollectiveInfo& each : collectives) {
    EXPECT_FALSE(algorithms_of(each.collective).empty()) << each.name;
  }
}

TEST(Collectives, AreRegularOrHaveARegularCounterpart) {
  using enum Collective;
  for (const CollectiveInfo& each : collectives) {
    const CollectiveInfo& regular = info(each.regular);
    EXPECT_FALSE(regular.irregular()) << each.name;
    EXPECT_EQ(each.irregular(), each.collective != each.regular) << each.name;
    EXPECT_EQ(regular.reduces, each.reduces) << each.name;
    EXPECT_EQ(regular.rooted, each.rooted) << each.name;
    EXPECT_EQ(regular.owns_blocks, each.owns_blocks) << each.name;
    EXPECT_EQ(regular.lower_bound, each.lower_bound) << each.name;
  }
  EXPECT_EQ(info(gatherv).regular, gather);
  EXPECT_EQ(info(scatterv).regular, scatter);
  EXPECT_EQ(info(allgatherv).regular, allgather);
  EXPECT_EQ(info(alltoallv).regular, alltoall);
  EXPECT_EQ(info(alltoallw).regular, alltoall);
  EXPECT_EQ(info(reduce_scatter).regular, reduce_scatter_block);
  EXPECT_EQ(info(reduce).regular, reduce);
}

TEST(Collectives, WhereRanksKnowAllSizes) {
  using enum Collective;
  std::vector<Collective> unknown;
  for (const CollectiveInfo& each : collectives) {
    if (!each.sizes_known()) unknown.push_back(each.collective);
  }
  EXPECT_THAT(unknown, testing::ElementsAre(gatherv, scatterv, alltoallv, alltoallw));
}

TEST(Collectives, AreListedInTheOrderOfTheEnum) {
  for (std::size_t i = 0; i < collectives.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(collectives[i].collective), i);
    EXPECT_EQ(collective_named(collectives[i].name), collectives[i].collective);
  }
  EXPECT_EQ(collective_named("allreduse"), std::nullopt);
  EXPECT_THAT(known_collectives(), testing::StartsWith("barrier, bcast, gather"));
}

using RegistryEntry = PerAlgorithm;

TEST_P(RegistryEntry, SaysWhatItIs) {
  EXPECT_FALSE(algorithm().summary.empty());
  EXPECT_FALSE(algorithm().source.empty());
  EXPECT_FALSE(algorithm().rounds.empty());
  EXPECT_FALSE(algorithm().cost.empty());
  EXPECT_GE(algorithm().within, 1);
  EXPECT_NE(algorithm().write, nullptr);
  EXPECT_NO_THROW(Formula(algorithm().rounds));
  EXPECT_NO_THROW(Formula(algorithm().cost));
}

// The file that writes the schedules: perhaps another collective's.
fs::path file_of(const Algorithm& algorithm) {
  std::string owner;
  const auto is = [&](std::string_view collective, std::string_view name) {
    return to_string(algorithm.collective) == collective && algorithm.name == name;
  };
#define TUTTI_ALGORITHM(collective, name) \
  if (is(#collective, #name)) owner = #collective;
#define TUTTI_ALSO(collective, name, other) \
  if (is(#collective, #name)) owner = #other;
#include "algorithms/algorithms.def"
#undef TUTTI_ALGORITHM
#undef TUTTI_ALSO
  return source_root / "algorithms" / owner / (std::string(algorithm.name) + ".cpp");
}

TEST_P(RegistryEntry, StaysInItsRoom) {
  const fs::path file = file_of(algorithm());
  std::string text = read_text(file);
  const std::string requirement =
      "return call.in_place; }, \"a call in place\"";  // that it is needed
  if (const auto at = text.find(requirement); at != std::string::npos) {
    text.erase(at, requirement.size());
  }
  EXPECT_EQ(out_of_room(text), "") << file;
  EXPECT_THAT(text, testing::StartsWith("// ")) << "says at its top what it does";
}

// Whether it asks for nothing but what others ask for too.
bool is_served_always(const Algorithm& algorithm) {
  for (int p = 1; p < 70; ++p) {
    if (!fits(algorithm, p)) return false;
  }
  const Call hard{.p = 2, .layout = {}, .exact = false};
  return !only_in_place(algorithm) && algorithm.requires_.also.holds(hard);
}

TEST_P(RegistryEntry, AcceptsCallsAsItRequires) {
  Call call{.collective = algorithm().collective, .p = 4, .layout = Layout(4, 4)};
  EXPECT_EQ(accepts(algorithm(), call),
            !only_in_place(algorithm()) && !algorithm().requires_.agreement);
  call.agreed = Agreed{4, 1};
  EXPECT_EQ(accepts(algorithm(), call), !only_in_place(algorithm()));
  call.in_place = true;
  EXPECT_TRUE(accepts(algorithm(), call));
  call.commutative = false;
  EXPECT_EQ(accepts(algorithm(), call), !algorithm().requires_.commutative);
  call.commutative = true;
  call.whole_operands = true;
  EXPECT_EQ(accepts(algorithm(), call), !algorithm().requires_.divisible);
  call.whole_operands = false;
  for (call.p = 1; call.p < 70; ++call.p) {
    EXPECT_EQ(accepts(algorithm(), call), fits(algorithm(), call.p));
  }
  EXPECT_EQ(algorithm().requires_.also.text.empty(), is_served_always(algorithm()));
}

// What single algorithms ask for, one by one.
TEST(Registry, RequirementsOfSingleAlgorithms) {
  const auto ranks = [](Collective collective, std::string_view name) {
    std::string served;
    for (int p = 1; p <= 34; ++p) {
      const bool fit = fits(*find_algorithm(collective, name), p);
      if (fit) served += std::to_string(p) + " ";
    }
    return served;
  };
  EXPECT_EQ(ranks(Collective::allreduce, "swing"), "1 2 4 8 16 32 ");
  EXPECT_THAT(ranks(Collective::allgatherv, "neighbour_exchange"), testing::StartsWith("2 4 6 8 "));
  EXPECT_THAT(ranks(Collective::reduce_scatter, "circulant_blocks"), testing::EndsWith("31 32 "));
  const Algorithm& census = *find_algorithm(Collective::allreduce, "census");
  Call call{.collective = Collective::allreduce, .p = 4, .layout = Layout(4, 4)};
  EXPECT_TRUE(accepts(census, call));
  call.exact = false;
  EXPECT_FALSE(accepts(census, call));
  EXPECT_TRUE(only_in_place(*find_algorithm(Collective::alltoall, "exchange_in_place")));
}

TUTTI_FOR_EVERY_ALGORITHM(RegistryEntry);

TEST(Rooms, FloorsBelowTheRuntimeKnowNoMpi) {
  for (const char* floor : {"schedule", "topology", "passes", "algorithms", "machine", "interpret",
                            "verify", "model", "select", "execute"}) {
    const auto files = sources_under(source_root / floor);
    EXPECT_FALSE(files.empty()) << floor;
    for (const fs::path& file : files) EXPECT_EQ(mpi_in(read_text(file)), "") << file;
  }
}

TEST(Rooms, WhatDoesNotBelongIsFound) {
  EXPECT_EQ(out_of_room("int to = (me + 1) % p;"), "% p");
  EXPECT_EQ(out_of_room("int to = (me + 1) %call.p;"), "%call.p");
  EXPECT_EQ(out_of_room("if (call.in_place) return;"), "in_place");
  EXPECT_EQ(out_of_room("if (buffer == MPI_IN_PLACE)"), "MPI_IN_PLACE");
  EXPECT_EQ(out_of_room("int place = me % pairs; // me % p, MPI_Send\n"), "");
  EXPECT_EQ(mpi_in("#include <mpi.h>\n"), "#include <mpi.h>");
  EXPECT_EQ(mpi_in("#include \"smpi/smpi.h\"\n"), "#include \"smpi/smpi.h\"");
  EXPECT_EQ(mpi_in("PMPI_Barrier(comm);"), "PMPI_Barrier");
  EXPECT_EQ(mpi_in("/* MPI_Send */ // #include <mpi.h>\nint compile = 0;"), "");
}

TEST(Rooms, CommentsAreTakenOutAndStringsAreNot) {
  EXPECT_EQ(without_comments("a // b\nc"), "a \nc");
  EXPECT_EQ(without_comments("a /* b */c"), "a c");
  EXPECT_EQ(without_comments("f(\"http://x\") // y"), "f(\"http://x\") ");
}

}  // namespace
}  // namespace tutti
