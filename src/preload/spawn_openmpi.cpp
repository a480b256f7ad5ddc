// MPI_Comm_spawn for Open MPI: its launcher gives spawned programs no variables of their parent, so
// Tutti's are named in the info key `env` (lines of NAME=value). MPICH's launcher knows no such
// key.
#include <mpi.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr const char* key = "env";

// What the user's object says under `env`, followed by Tutti's variables as far as they fit; empty
// where nothing of Tutti is preloaded.
std::string with_variables(MPI_Info users) {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  if (preloaded == nullptr || std::strstr(preloaded, "libtutti.so") == nullptr) return {};
  char text[MPI_MAX_INFO_VAL + 1] = "";
  int found = 0;
  if (users != MPI_INFO_NULL) PMPI_Info_get(users, key, MPI_MAX_INFO_VAL, text, &found);
  std::string lines = text;
  const auto append = [&](std::string_view prefix) {
    for (char** each = environ; *each != nullptr; ++each) {
      const std::string_view variable = *each;
      const std::string name(variable.substr(0, variable.find('=') + 1));
      const bool users_own = ("\n" + lines).find("\n" + name) != std::string::npos;
      if (!name.starts_with(prefix) || users_own || variable.find('\n') != variable.npos) continue;
      if (lines.size() + 1 + variable.size() >= MPI_MAX_INFO_VAL) continue;
      lines += (lines.empty() ? "" : "\n") + std::string(variable);
    }
  };
  append("LD_PRELOAD=");
  append("TUTTI_");
  return lines;
}

// The user's info object, or a copy that names Tutti's variables too.
class Info {
 public:
  explicit Info(MPI_Info users) : users_(users) {
    const std::string lines = with_variables(users);
    if (lines.empty()) return;
    const int error =
        users == MPI_INFO_NULL ? PMPI_Info_create(&own_) : PMPI_Info_dup(users, &own_);
    if (error == MPI_SUCCESS) PMPI_Info_set(own_, key, lines.c_str());
  }
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;
  ~Info() {
    if (own_ != MPI_INFO_NULL) PMPI_Info_free(&own_);
  }
  MPI_Info get() const { return own_ != MPI_INFO_NULL ? own_ : users_; }

 private:
  MPI_Info users_;
  MPI_Info own_ = MPI_INFO_NULL;
};

// Of all ranks, only the root's arguments count.
bool is_root(int root, MPI_Comm comm) {
  int rank = -1;
  return comm != MPI_COMM_NULL && PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS && rank == root;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int MPI_Comm_spawn(
    const char* command, char* argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
    MPI_Comm* intercomm, int errcodes[]) {
  const auto spawn = [&](MPI_Info given) {
    return PMPI_Comm_spawn(command, argv, maxprocs, given, root, comm, intercomm, errcodes);
  };
  return is_root(root, comm) ? spawn(Info(info).get()) : spawn(info);
}

extern "C" __attribute__((visibility("default"))) int MPI_Comm_spawn_multiple(
    int count, char* commands[], char** argvs[], const int maxprocs[], const MPI_Info infos[],
    int root, MPI_Comm comm, MPI_Comm* intercomm, int errcodes[]) {
  const auto spawn = [&](const MPI_Info* given) {
    return PMPI_Comm_spawn_multiple(count, commands, argvs, maxprocs, given, root, comm, intercomm,
                                    errcodes);
  };
  if (!is_root(root, comm) || count < 1 || infos == nullptr) return spawn(infos);
  std::vector<std::unique_ptr<Info>> kept;
  std::vector<MPI_Info> given;
  for (int i = 0; i < count; ++i) {
    kept.push_back(std::make_unique<Info>(infos[i]));
    given.push_back(kept.back()->get());
  }
  return spawn(given.data());
}
