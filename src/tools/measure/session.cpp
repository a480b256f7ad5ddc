#include "tools/measure/session.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "model/refuse.hpp"
#include "select/profile.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/table.hpp"

namespace tutti::tools {

Session::Session() {
  setenv("TUTTI_NATIVE_FIRST", "0", 1);  // what is measured is Tutti
  setenv("TUTTI_DEVICES", "0", 1);       // on memory of the host
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0) MPI_Init(nullptr, nullptr);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &p);
}
Session::~Session() { MPI_Finalize(); }

// Processors that ranks on this node may use, together.
static int processors_of(MPI_Comm node) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  PMPI_Allreduce(MPI_IN_PLACE, &allowed, sizeof allowed, MPI_BYTE, MPI_BOR, node);
  return CPU_COUNT(&allowed);
}

// The MPI library and its version, in a few words.
static std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  PMPI_Get_library_version(text, &length);
  return library_named({text, static_cast<std::size_t>(length)});
}

Surroundings surroundings(const Session& session) {
  Surroundings where{.library = library_version(), .p = session.p};
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int node_rank = 0;
  PMPI_Comm_rank(node, &node_rank);
  PMPI_Comm_size(node, &where.node_ranks);
  where.processors = processors_of(node);
  PMPI_Comm_free(&node);
  where.nodes = combined(node_rank == 0 ? 1 : 0, MPI_INT, MPI_SUM);
  getloadavg(&where.load, 1);
  // Of the node where ranks have least: what it lacks, and how many share it.
  struct {
    double crowd;
    int rank;
  } most{static_cast<double>(where.node_ranks) / where.processors, session.rank};
  most = combined(most, MPI_DOUBLE_INT, MPI_MAXLOC);
  PMPI_Bcast(&where.node_ranks, 1, MPI_INT, most.rank, MPI_COMM_WORLD);
  PMPI_Bcast(&where.processors, 1, MPI_INT, most.rank, MPI_COMM_WORLD);
  PMPI_Bcast(&where.load, 1, MPI_DOUBLE, most.rank, MPI_COMM_WORLD);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  where.host = host;
  return where;
}

void warn_of_crowd(const Surroundings& where) {
  if (!where.crowded()) return;
  fmt::print("{}\n", painted("more ranks than processors: times are the scheduler's", Colour::bad));
}

void check_agreement(const std::vector<std::string>& words) {
  std::size_t hash = 0;
  for (const std::string& word : words) hash = hash * 31 + std::hash<std::string>{}(word);
  const auto mine = static_cast<unsigned long>(hash);
  if (combined(mine, MPI_UNSIGNED_LONG, MPI_MIN) != combined(mine, MPI_UNSIGNED_LONG, MPI_MAX)) {
    refuse("the ranks were given different command lines");
  }
}

void on_rank_0(const Session& session, const std::function<void()>& work) {
  std::string complaint;
  if (session.rank == 0) {
    try {
      work();
    } catch (const std::invalid_argument& error) {
      complaint = error.what();
    }
  }
  auto size = static_cast<int>(complaint.size());
  PMPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (size == 0) return;
  complaint.resize(static_cast<std::size_t>(size));
  PMPI_Bcast(complaint.data(), size, MPI_CHAR, 0, MPI_COMM_WORLD);
  throw std::invalid_argument(complaint);
}

int run_together(const Session& session, const char* command, const std::function<int()>& work) {
  try {
    return work();
  } catch (const std::invalid_argument& error) {
    if (session.rank == 0) fmt::print(stderr, "tutti {}: {}\n", command, error.what());
    return bad_input;
  } catch (const std::exception& error) {
    // The other ranks wait for this one: they can only be stopped.
    fmt::print(stderr, "tutti {}: this is a fault of Tutti: {}\n", command, error.what());
    PMPI_Abort(MPI_COMM_WORLD, broken);
    return broken;
  }
}

}  // namespace tutti::tools
