#include "runtime/process.hpp"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "medium/waiting.hpp"
#include "model/files.hpp"
#include "model/machine_file.hpp"
#include "runtime/report.hpp"

namespace tutti::runtime {

std::string_view setting(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

namespace {

#ifdef TUTTI_SMPI  // what is simulated is Tutti
constexpr unsigned usual_native_first = 0;
#else
constexpr unsigned usual_native_first = 5;
#endif

struct Process {
  Policy policy = Policy::model;
  Library library = Library::modelled;  // who asks for a policy gets it everywhere
  std::optional<Machine> machine;       // as TUTTI_MACHINE says
  std::shared_ptr<const Profile> profile;
  std::string profile_obstacle;  // why it says nothing of this process; empty: it does
  Forced forced;
  unsigned native_first = usual_native_first;
  bool any_length = false;                                 // user's operators take it
  std::mutex selecting;                                    // of a selector among these
  std::map<std::pair<Machine, bool>, Selector> selectors;  // by machine and whether by the profile
  std::unique_ptr<Report> report;
  bool finalizing = false;
};

// Never destroyed: programs call MPI, and end it, in destructors and atexit handlers that run last.
Process& process() {
  static Process& the_process = *new Process;
  return the_process;
}

// The first rank to abort silences the others, and a mistake of all is named once, by rank 0: it
// has a second to do so. Who still runs then is alone with the mistake, and names it. A launcher
// that is told to end everything may not pass on what it has not read yet.
[[noreturn]] void stop(const std::string& complaint) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) std::this_thread::sleep_for(std::chrono::seconds(1));
  const std::string who = rank != 0 ? "rank " + std::to_string(rank) + ": " : "";
  std::fprintf(stderr, "tutti: %s%s\n", who.c_str(), complaint.c_str());
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  PMPI_Abort(MPI_COMM_WORLD, 2);
  std::abort();
}

bool is_on(const char* name) { return !setting(name).empty() && setting(name) != "0"; }

// A setting, understood; one that cannot be ends the program.
template <class Parse>
auto parsed(const char* name, Parse parse) {
  try {
    return parse(setting(name));
  } catch (const std::invalid_argument& error) {
    stop(std::string(name) + ": " + error.what());
  }
}

std::string library_version() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  PMPI_Get_library_version(version, &length);
  return {version, static_cast<std::size_t>(length)};
}

std::shared_ptr<const Profile> profile_named(std::string_view path) {
  if (path.empty()) return nullptr;
  return std::make_shared<Profile>(read_profile(std::string(path)));
}

unsigned parse_native_first(std::string_view text) {
  unsigned calls = usual_native_first;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), calls);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (text.empty() || (whole && calls <= 1'000'000)) return calls;
  throw std::invalid_argument("'" + std::string(text) +
                              "' is no number of calls; accepted are 0 to 1000000");
}

// Of a machine that is known.
Expectation expectation() {
  const auto selector = std::make_shared<Selector>(Forced{}, Policy::model, *process().machine);
  return [selector](Collective collective, int p, double bytes, std::string_view algorithm) {
    const Profile* profile = profile_fits() ? process().profile.get() : nullptr;
    return outlook(*selector, profile, collective, p, bytes, algorithm);
  };
}

// Rank 0's, at the end of the program.
void tell(const Report& report, int p) {
  if (is_on("TUTTI_REPORT")) {
    std::fputs(report.text(p, process().machine ? expectation() : nullptr).c_str(), stderr);
    std::fflush(stderr);
  }
  const std::string_view trace = setting("TUTTI_TRACE");
  if (trace.empty()) return;
  try {
    write_file(std::string(trace), report.json());
  } catch (const std::invalid_argument& error) {  // the program's own results stand
    std::fprintf(stderr, "tutti: TUTTI_TRACE: %s\n", error.what());
  }
}

// Called when MPI_Finalize frees the attributes of MPI_COMM_SELF, before anything else.
int at_finalize(MPI_Comm, int, void*, void*) {
  Process& self = process();
  self.finalizing = true;
  int rank = 0;
  int p = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &p);
  if (self.report && rank == 0) tell(*self.report, p);
  return MPI_SUCCESS;
}

void start_once() {
  Process& self = process();
  self.policy = parsed("TUTTI_POLICY", parse_policy);
  if (setting("TUTTI_POLICY").empty()) self.library = library_of(library_version());
  if (!setting("TUTTI_MACHINE").empty()) {
    self.machine = parsed("TUTTI_MACHINE",
                          [](std::string_view path) { return read_machine(std::string(path)); });
  }
  self.profile = parsed("TUTTI_PROFILE", profile_named);
  if (self.profile) {
    self.profile_obstacle = obstacle(*self.profile, library_named(library_version()));
  }
  self.forced = parsed("TUTTI_FORCE", parse_forced);
  self.native_first = parsed("TUTTI_NATIVE_FIRST", parse_native_first);
  self.any_length = parsed("TUTTI_USER_OPS", parse_user_ops);
  parsed("TUTTI_WAIT", parse_waits);
  if (is_on("TUTTI_REPORT") || !setting("TUTTI_TRACE").empty()) {
    self.report = std::make_unique<Report>();
  }
  int finalize_key = MPI_KEYVAL_INVALID;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &finalize_key, nullptr);
  PMPI_Comm_set_attr(MPI_COMM_SELF, finalize_key, nullptr);
  PMPI_Comm_free_keyval(&finalize_key);
}

}  // namespace

void start_process() {
  static std::once_flag started;
  std::call_once(started, start_once);
}

std::unique_ptr<Selector> forced_selector(const Forced& forced, const Communicator& state) {
  const Process& self = process();
  return std::make_unique<Selector>(forced, self.policy, state.machine,
                                    state.by_profile ? self.profile : nullptr, self.library);
}

const Machine* known_machine() {
  const Process& self = process();
  return self.machine ? &*self.machine : nullptr;
}

unsigned native_first() { return process().native_first; }

std::uint64_t settings_fingerprint() {
  const Process& self = process();
  std::string all(setting("TUTTI_FORCE"));
  for (const char* each : {"TUTTI_POLICY", "TUTTI_USER_OPS", "TUTTI_MEMORY", "TUTTI_WAIT"}) {
    all += '\n';
    all += setting(each);
  }
  if (self.machine) all += json_of(*self.machine);
  if (self.profile) all += json_of(*self.profile);
  return std::hash<std::string>{}(all);
}

bool profile_fits() { return process().profile_obstacle.empty(); }

void complain_of_profile() {
  static std::once_flag once;
  std::call_once(once, [] {
    std::fprintf(stderr, "tutti: TUTTI_PROFILE: %s %s; it is left aside, run tutti tune here\n",
                 std::string(setting("TUTTI_PROFILE")).c_str(), process().profile_obstacle.c_str());
  });
}

void complain_of_settings(int rank) {
  if (rank != 0) return;
  std::fputs("tutti: ranks differ in TUTTI_* settings; their collectives stay native\n", stderr);
}

bool user_ops_take_any_length() { return process().any_length; }

bool is_finalizing() { return process().finalizing; }

// The communicator's, or the process's for its machine.
static const Selector& selector_of(const Communicator& state) {
  if (state.selector) return *state.selector;
  Process& self = process();
  const std::lock_guard lock(self.selecting);
  return self.selectors
      .try_emplace({state.machine, state.by_profile}, self.forced, self.policy, state.machine,
                   state.by_profile ? self.profile : nullptr, self.library)
      .first->second;
}

Choice choose(const Communicator& state, const Call& call) {
  return selector_of(state).choose(call);
}

bool wants_agreement(const Communicator& state, Collective collective) {
  return selector_of(state).wants_agreement(collective, state.p, state.placement);
}

bool report_wanted() { return process().report != nullptr; }

void count_call(Collective collective, int p, std::string_view algorithm, By by, double bytes,
                double seconds) {
  process().report->count(collective, p, algorithm, by, bytes, seconds);
}

}  // namespace tutti::runtime
