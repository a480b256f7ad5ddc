// By the control variables of the MPI tool interface (MPI-3.1, 14.3): MPICH's MPIR_CVAR_*, which
// every call reads, and Open MPI's MCA parameters of coll/tuned, which a communicator reads when it
// is made.
#include "tools/measure/forcing.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace tutti::tools {

#if !defined(OPEN_MPI) && !defined(MPICH_NUMVERSION)

void allow_forcing() {}
ToolInterface::ToolInterface() = default;
ToolInterface::~ToolInterface() = default;
std::string forcing_obstacle() { return "this MPI library has no way to choose them"; }
std::vector<NamedPeer> forcible(const Call&) { return {}; }
Forcing::Forcing(const NamedPeer&) {}
Forcing::~Forcing() = default;

#else

ToolInterface::ToolInterface() {
  int provided = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
}
ToolInterface::~ToolInterface() { MPI_T_finalize(); }

namespace {

// -1 if there is no such variable.
int index_of(const std::string& variable) {
  int index = -1;
  return MPI_T_cvar_get_index(variable.c_str(), &index) == MPI_SUCCESS ? index : -1;
}

struct Handle {
  explicit Handle(int variable) {
    if (MPI_T_cvar_handle_alloc(variable, nullptr, &handle, &count) != MPI_SUCCESS) {
      throw std::runtime_error("a control variable of the MPI library has no handle");
    }
  }
  ~Handle() { MPI_T_cvar_handle_free(&handle); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  MPI_T_cvar_handle handle{};
  int count = 0;
};

int read(int variable) {
  const Handle of(variable);
  int value = 0;
  MPI_T_cvar_read(of.handle, &value);
  return value;
}

// False if that is not allowed.
bool write(int variable, int value) {
  const Handle of(variable);
  return MPI_T_cvar_write(of.handle, &value) == MPI_SUCCESS;
}

struct Description {
  std::string text;
  MPI_T_enum values = MPI_T_ENUM_NULL;
};

Description description_of(int variable) {
  std::array<char, 256> name{};
  std::array<char, 8192> text{};
  int name_size = name.size(), text_size = text.size(), verbosity = 0, bind = 0, scope = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Description result;
  MPI_T_cvar_get_info(variable, name.data(), &name_size, &verbosity, &type, &result.values,
                      text.data(), &text_size, &bind, &scope);
  result.text = text.data();
  return result;
}

// Variables and the values that force an algorithm; empty if the library does not know it.
using Settings = std::vector<std::pair<std::string, int> >;

}  // namespace

#if defined(OPEN_MPI)

static constexpr PeerLibrary here = PeerLibrary::openmpi;

void allow_forcing() { setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 1); }

std::string forcing_obstacle() {
  const int allowed = index_of("coll_tuned_use_dynamic_rules");
  if (allowed < 0 || read(allowed) == 0) return "Open MPI runs without its component coll/tuned";
  const int file = index_of("coll_tuned_dynamic_rules_filename");
  const Handle of(file);
  std::string name(static_cast<std::size_t>(of.count), '\0');
  MPI_T_cvar_read(of.handle, name.data());
  if (name.find_first_not_of('\0') == std::string::npos) return {};
  return "coll_tuned_dynamic_rules_filename is set, and goes before what is forced";
}

static std::optional<int> number_of(int variable, const Peer& peer) {
  const MPI_T_enum values = description_of(variable).values;
  int size = 0, length = 0;
  MPI_T_enum_get_info(values, &size, nullptr, &length);
  for (int i = 0; i < size; ++i) {
    std::array<char, 256> name{};
    int value = 0, name_size = name.size();
    MPI_T_enum_get_item(values, i, &value, name.data(), &name_size);
    if (peer.name == name.data()) return value;
  }
  return std::nullopt;
}

static Settings settings_for(const NamedPeer& one) {
  const std::string algorithm =
      fmt::format("coll_tuned_{}_algorithm", to_string(one.peer->collective));
  const auto number = number_of(index_of(algorithm), *one.peer);
  if (!number) return {};
  Settings result{{algorithm, *number}};
  if (one.segment > 0) result.emplace_back(algorithm + "_segmentsize", one.segment);
  return result;
}

#else  // MPICH

static constexpr PeerLibrary here = PeerLibrary::mpich;

void allow_forcing() {}

std::string forcing_obstacle() { return {}; }

// MPICH 4.0 has no enumeration. The description lists the names in the order of their numbers,
// "auto - ...binomial   - ...nb   - ...", with nothing between the lines.
static std::optional<int> number_of(int variable, const Peer& peer) {
  const std::string text = description_of(variable).text;
  int number = 0;
  for (std::size_t dash = text.find(" - "); dash != std::string::npos;
       dash = text.find(" - ", dash + 1)) {
    const std::size_t end = text.find_last_not_of(' ', dash) + 1;
    if (std::string_view(text).substr(0, end).ends_with(peer.name)) return number;
    ++number;
  }
  return std::nullopt;
}

static Settings settings_for(const NamedPeer& one) {
  std::string collective(to_string(one.peer->collective));
  std::ranges::transform(collective, collective.begin(),
                         [](unsigned char c) { return std::toupper(c); });
  const std::string algorithm = fmt::format("MPIR_CVAR_{}_INTRA_ALGORITHM", collective);
  const auto number = number_of(index_of(algorithm), *one.peer);
  if (!number) return {};
  // The device has algorithms of its own for nodes, which would go first. What does not accept a
  // call is to say so, not to be replaced.
  constexpr int error = 0;
  return {{algorithm, *number},
          {fmt::format("MPIR_CVAR_{}_DEVICE_COLLECTIVE", collective), 0},
          {"MPIR_CVAR_COLLECTIVE_FALLBACK", error}};
}

#endif

static bool is_forcible(const NamedPeer& one) {
  const Settings settings = settings_for(one);
  const auto settable = [](const auto& setting) {
    const int index = index_of(setting.first);
    return index >= 0 && write(index, read(index));
  };
  return !settings.empty() && std::ranges::all_of(settings, settable);
}

std::vector<NamedPeer> forcible(const Call& call) {
  std::vector<NamedPeer> result = peers_for(here, call);
  std::erase_if(result, [](const NamedPeer& each) { return !is_forcible(each); });
  return result;
}

Forcing::Forcing(const NamedPeer& one) {
  if (one.peer == nullptr) return;
  for (const auto& [variable, value] : settings_for(one)) {
    const int index = index_of(variable);
    settings_.push_back({index, read(index)});
    write(index, value);
  }
}

Forcing::~Forcing() {
  for (const Setting& each : settings_) write(each.variable, each.before);
}

#endif

}  // namespace tutti::tools
