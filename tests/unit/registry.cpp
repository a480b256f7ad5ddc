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
  for (const Algorithm* each : algorithms()) {
    const std::string name =
        std::string(to_string(each->collective)) + "/" + std::string(each->name);
    EXPECT_TRUE(lines.insert(name).second) << name << " twice";
  }
  EXPECT_EQ(lines, algorithm_files());
}

TEST(Registry, LinesAndObjectsHaveTheSameNames) {
  std::vector<std::string> lines, objects;
#define TUTTI_ALGORITHM(collective, name) lines.push_back(#collective "/" #name);
#include "algorithms/algorithms.def"
#undef TUTTI_ALGORITHM
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

TEST_P(RegistryEntry, StaysInItsRoom) {
  const fs::path file = source_root / "algorithms" / to_string(algorithm().collective) /
                        (std::string(algorithm().name) + ".cpp");
  const std::string text = read_text(file);
  EXPECT_EQ(out_of_room(text), "") << file;
  EXPECT_THAT(text, testing::StartsWith("// ")) << "says at its top what it does";
}

TEST_P(RegistryEntry, AcceptsCallsAsItRequires) {
  const Call ordered{
      .collective = algorithm().collective, .p = 4, .layout = Layout(4, 4), .commutative = false};
  const Call any{.collective = algorithm().collective, .p = 4, .layout = Layout(4, 4)};
  EXPECT_TRUE(accepts(algorithm(), any));
  EXPECT_EQ(accepts(algorithm(), ordered), !algorithm().requires_.commutative);
}

TUTTI_FOR_EVERY_ALGORITHM(RegistryEntry);

TEST(Rooms, FloorsZeroToFiveKnowNoMpi) {
  for (const char* floor : {"schedule", "topology", "algorithms", "verify", "model", "select"}) {
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
