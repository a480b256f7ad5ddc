// tutti tune: measures which algorithm is fastest here, and writes what to choose from then on.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>

#include "algorithms/registry.hpp"
#include "model/files.hpp"
#include "model/simulate.hpp"
#include "select/profile.hpp"
#include "select/select.hpp"
#include "tools/bench_measure.hpp"
#include "tools/commands.hpp"
#include "tools/deciding.hpp"
#include "tools/forcing.hpp"
#include "tools/numbers.hpp"
#include "tools/options.hpp"
#include "tools/progress.hpp"
#include "tools/session.hpp"
#include "tools/sizes.hpp"
#include "tools/table.hpp"

namespace tutti::tools {

namespace {

// The model may be wrong by this factor before a candidate is overlooked.
constexpr double doubt = 2;
constexpr std::size_t most_candidates = 6;
constexpr int rounds_in_haste = 3;  // where more would take time that is meant for others
constexpr int least_rounds = 6;
constexpr int most_rounds = 40;

struct Options {
  std::string output, collectives, bytes, machine;
  std::string budget = "5m";
  bool peers = false;
};

struct Request {
  std::vector<Collective> collectives{};
  std::vector<std::int64_t> sizes{};  // in the order in which they are measured
  double budget = 0;                  // seconds
  bool peers = false;                 // the library's own algorithms race too
  Machine machine{};
};

double parse_budget(const std::string& text) {
  const char unit = text.empty() ? ' ' : text.back();
  const auto number = whole_number(text.substr(0, text.size() - (unit == 'm' || unit == 's')));
  if (!number || *number < 1) {
    throw std::invalid_argument(
        fmt::format("'{}' is no time; accepted are seconds and minutes, such as 90s and 5m", text));
  }
  return static_cast<double>(*number) * (unit == 'm' ? 60 : 1);
}

// The ends first, then between them, so that a run that is cut short has seen all sizes.
std::vector<std::int64_t> coarse_first(std::vector<std::int64_t> sizes) {
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  std::vector<std::int64_t> ordered;
  std::set<std::size_t> taken;
  const auto take = [&](std::size_t i) {
    if (i < sizes.size() && taken.insert(i).second) ordered.push_back(sizes[i]);
  };
  take(0);
  take(sizes.size() - 1);
  for (std::size_t step = std::bit_ceil(sizes.size()); step > 0; step /= 2) {
    for (std::size_t i = step; i < sizes.size(); i += step) take(i);
  }
  return ordered;
}

// All whose calls a few sizes stand for, or those named.
std::vector<Collective> parse_collectives(const std::string& names) {
  std::vector<Collective> wanted;
  if (names.empty()) {
    for (const CollectiveInfo& each : collectives) {
      if (each.sizes_known() && !each.irregular()) wanted.push_back(each.collective);
    }
    return wanted;
  }
  for (const std::string& name : parts_of(names)) {
    const auto collective = collective_named(name);
    if (!collective || !info(*collective).sizes_known()) {
      throw std::invalid_argument(
          fmt::format("'{}' cannot be tuned; known are: {}, of which those count whose sizes all "
                      "ranks know",
                      name, known_collectives()));
    }
    wanted.push_back(*collective);
  }
  return wanted;
}

Request parse(const Options& options, const std::vector<std::string>& unknown) {
  refuse_unknown(unknown, "-o, --collectives, --bytes, --machine, --budget, --peers");
  if (options.output.empty()) {
    throw std::invalid_argument("a file to write is needed: tutti tune -o site.json");
  }
  Request request{.budget = parse_budget(options.budget),
                  .peers = options.peers,
                  .machine = read_machine(options.machine)};
  const std::string obstacle = request.peers ? forcing_obstacle() : "";
  if (!obstacle.empty()) {
    throw std::invalid_argument(
        fmt::format("--peers forces the MPI library's own algorithms: {}", obstacle));
  }
  request.collectives = parse_collectives(options.collectives);
  const std::string sizes =
      options.bytes.empty() ? "8,64,512,4K,32K,128K,512K,2M,8M" : options.bytes;
  for (const std::string& part : parts_of(sizes)) {
    const std::int64_t bytes = parse_size(part);
    if (bytes == 0 || bytes % 8 != 0) {
      throw std::invalid_argument(fmt::format(
          "'{}' cannot be tuned; accepted are multiples of 8, as doubles are added", part));
    }
    request.sizes.push_back(bytes);
  }
  request.sizes = coarse_first(std::move(request.sizes));
  return request;
}

std::string today() {
  // A simulated cluster has no date: what it writes can be made the same again.
  const char* fixed = std::getenv("SOURCE_DATE_EPOCH");
  const std::time_t now = fixed != nullptr ? std::atoll(fixed) : std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

// What an earlier run wrote, as rank 0 finds it; empty if there is none. The same on all ranks.
std::string text_of(const std::string& path, const Session& session) {
  std::string text;
  if (session.rank == 0) text = contents(path).value_or("");
  auto size = static_cast<int>(text.size());
  PMPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(size));
  PMPI_Bcast(text.data(), size, MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

// Tunes with one number of ranks.
class Tuner {
 public:
  Tuner(Request request, std::string path, const Session& session, const Surroundings& where)
      : request_(std::move(request)),
        path_(std::move(path)),
        session_(session),
        model_({}, Policy::model, request_.machine),
        start_(PMPI_Wtime()) {
    const std::string text = text_of(path_, session);
    if (!text.empty()) profile_ = parse_profile(text, path_);
    const std::string why_not = profile_.library.empty() ? "" : obstacle(profile_, where.library);
    if (!why_not.empty()) {
      throw std::invalid_argument(
          fmt::format("'{}' {}; accepted is a new file, or one to go on with", path_, why_not));
    }
    profile_.library = where.library;
    profile_.machine = machine_name();
    if (profile_.date.empty()) profile_.date = today();
    const auto mine = std::ranges::find_if(profile_.runs, [&](const ProfileRun& run) {
      return run.p == session.p && run.ranks_per_node == where.node_ranks;
    });
    run_ = static_cast<std::size_t>(mine - profile_.runs.begin());
    if (mine == profile_.runs.end()) profile_.runs.push_back({session.p, where.node_ranks});
    save();  // before minutes are spent: it may not be possible
  }

  // False if the budget ended it.
  bool run() {
    std::optional<Progress> progress;
    if (session_.rank == 0) {
      progress.emplace(static_cast<double>(request_.sizes.size() * request_.collectives.size()));
    }
    for (const std::int64_t bytes : request_.sizes) {
      for (const Collective collective : request_.collectives) {
        if (!is_measured(collective, bytes)) {
          if (is_past(start_ + request_.budget)) return false;
          measure_point(collective, bytes);
        }
        if (progress)
          progress->add(1, fmt::format("{} {}", to_string(collective), print_size(bytes)));
      }
    }
    return true;
  }

  void save() const {
    on_rank_0(session_, [&] { write_file(path_, json_of(profile_)); });
  }

  const ProfileRun& tuned() const { return profile_.runs[run_]; }
  // An algorithm of Tutti's gave a wrong result.
  bool found_wrong() const { return found_wrong_; }

 private:
  using Points = std::vector<ProfilePoint>;

  Call call_for(Collective collective, std::int64_t bytes) const {
    return call_of_bytes(collective, session_.p, bytes);
  }
  Points& points(Collective collective) { return profile_.runs[run_].points[collective]; }

  // Those of the library's own algorithms that are asked for.
  std::vector<NamedPeer> peers(const Call& call) const {
    return request_.peers ? forcible(call) : std::vector<NamedPeer>{};
  }

  bool is_measured(Collective collective, std::int64_t bytes) {
    const Call call = call_for(collective, bytes);
    const bool with_peers = !peers(call).empty();
    const auto has = [&](const ProfilePoint& point) {
      return point.bytes == call.bytes() && (!with_peers || has_peers(point));
    };
    return std::ranges::any_of(points(collective), has);
  }

  // Rank 0's clock decides for all.
  static bool is_past(double time) {
    int past = PMPI_Wtime() > time ? 1 : 0;
    PMPI_Bcast(&past, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return past != 0;
  }

  // About how long a round is, by the model: a call, and what comes before and after it.
  double weight(Collective collective, std::int64_t bytes) const {
    const auto predicted = [&](const Call& call) {
      const Choice best = model_.choose(call);
      return best.algorithm != nullptr ? model_.predicted(*best.algorithm, call) : 0;
    };
    return predicted(call_for(collective, bytes)) +
           2 * predicted(call_for(Collective::allreduce, sizeof(double)));
  }

  // What is left of the budget belongs to the points not yet measured, by their weight.
  double share_of(Collective collective, std::int64_t bytes) {
    double left = 0;
    for (const std::int64_t each : request_.sizes) {
      for (const Collective other : request_.collectives) {
        if (!is_measured(other, each)) left += weight(other, each);
      }
    }
    const double time = start_ + request_.budget - PMPI_Wtime();
    return time * weight(collective, bytes) / left;
  }

  // The parameter that the model thinks best; and segments that wait for no receiver.
  std::set<int> parameters(const Algorithm& algorithm, const Call& call) const {
    const Open open = algorithm.parameter.open;
    std::set<int> result{model_.parameter(algorithm, call)};
    const double eager = request_.machine.eager / 2;  // the largest that was seen not to wait
    if (open == Open::segments && eager > 0) {
      result.insert(within(open, call, std::ceil(call.bytes() / eager)));
    }
    return result;
  }

  static int within(Open open, const Call& call, double parameter) {
    return static_cast<int>(std::clamp<double>(parameter, least(open), most(open, call)));
  }

  // Those the model thinks well of, and what won at the sizes beside this one; the likeliest first.
  std::vector<Named> candidates(const Call& call) {
    std::vector<std::pair<double, Named>> all;
    for (const Algorithm* each : algorithms_of(call.collective)) {
      if (!accepts(*each, call)) continue;
      for (const int parameter : parameters(*each, call)) {
        Call with = call;
        with.parameter = parameter;
        all.push_back({model_.predicted(*each, with), {each, parameter}});
      }
    }
    const double least =
        std::ranges::min_element(all, {}, [](const auto& each) { return each.first; })->first;
    std::ranges::stable_sort(all, {}, [](const auto& each) { return each.first; });
    std::vector<Named> result;
    for (const auto& [seconds, named] : all) {
      const bool likely = seconds <= doubt * least && result.size() < most_candidates;
      if (likely || won_beside(call, *named.algorithm)) result.push_back(named);
    }
    return result;
  }

  bool won_beside(const Call& call, const Algorithm& algorithm) {
    const Points& known = points(call.collective);
    const auto above = std::ranges::find_if(
        known, [&](const ProfilePoint& point) { return point.bytes > call.bytes(); });
    const auto won = [&](const ProfilePoint& point) {
      return parse_full_name(call.collective, point.winner).algorithm == &algorithm;
    };
    return (above != known.end() && won(*above)) || (above != known.begin() && won(*(above - 1)));
  }

  void measure_point(Collective collective, std::int64_t bytes) {
    const Call call = call_for(collective, bytes);
    const double end = PMPI_Wtime() + share_of(collective, bytes);
    ProfilePoint point = raced(candidates(call), peers(call), call, end);
    while (!is_past(end) && climb(point, call, end)) {
    }
    std::erase_if(points(collective),
                  [&](const ProfilePoint& known) { return known.bytes == call.bytes(); });
    points(collective).push_back(point);
    std::ranges::sort(points(collective), {}, &ProfilePoint::bytes);
    save();
  }

  // Races the winner with half and twice its parameter. False if that led nowhere.
  bool climb(ProfilePoint& point, const Call& call, double end) {
    const Named winner = parse_full_name(call.collective, point.winner);
    if (winner.algorithm == nullptr || winner.parameter == 0) return false;
    std::vector<Named> steps{winner};
    for (const double other : {winner.parameter / 2.0, winner.parameter * 2.0}) {
      const int parameter = within(winner.algorithm->parameter.open, call, std::round(other));
      const bool tried = point.seconds.contains(full_name(*winner.algorithm, parameter));
      if (!tried) steps.push_back({winner.algorithm, parameter});
    }
    if (steps.size() == 1) return false;
    ProfilePoint next = raced(steps, {}, call, end);
    const bool leads_on = next.winner != "native" && next.winner != point.winner;
    if (leads_on) point.winner = next.winner;
    point.seconds.merge(next.seconds);
    return leads_on;
  }

  // Tutti's algorithms, the native collective, and the library's own algorithms.
  ProfilePoint raced(const std::vector<Named>& ours, const std::vector<NamedPeer>& peers,
                     const Call& call, double end) {
    std::vector<Contender> contenders;
    for (const Named& each : ours) {
      contenders.push_back(
          contender(call.collective, each.algorithm, each.parameter, MPI_COMM_WORLD));
    }
    contenders.push_back(contender(call.collective, nullptr, 0, MPI_COMM_WORLD));
    for (const NamedPeer& each : peers) contenders.push_back(contender(each, MPI_COMM_WORLD));
    ProfilePoint point = raced(contenders, ours.size(), call, end);
    for (Contender& each : contenders) PMPI_Comm_free(&each.comm);
    return point;
  }

  // Those before and those after `native` each race with it, so that who loses against the other
  // side is still measured.
  ProfilePoint raced(const std::vector<Contender>& contenders, std::size_t native, const Call& call,
                     double end) {
    Race race(contenders, call, MPI_SUM, MPI_COMM_WORLD);
    if (!race.takes_part(native)) {
      throw std::invalid_argument(fmt::format(
          "the MPI library's own {} gives a wrong result for {}: there is nothing to beat; name "
          "the others with --collectives",
          to_string(call.collective), print_size(call.bytes())));
    }
    for (int round = 1; round <= most_rounds; ++round) {
      race.round([] {});
      if (round == 1) drop_hopeless(race, 3);
      if (round == rounds_in_haste) drop_hopeless(race, 1.5);
      if (round >= rounds_in_haste && is_past(end)) break;
      if (round < least_rounds) continue;
      const bool decided = is_decided(race, native, 0, native + 1);
      if (is_decided(race, native, native, contenders.size()) && decided) break;
    }
    ProfilePoint point{.bytes = call.bytes(), .winner = "native"};
    double least = middle(race.results()[native]);
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const Measurement& result = race.results()[i];
      found_wrong_ = found_wrong_ || (i < native && !result.right);
      if (result.seconds.empty()) continue;
      const double seconds = middle(result);
      point.seconds[contenders[i].name()] = rounded(seconds);
      if (i >= native || !race.takes_part(i) || seconds >= least) continue;
      if (!is_surely_faster(result, race.results()[native])) continue;
      least = seconds;
      point.winner = contenders[i].name();
    }
    return point;
  }

  // Four digits: more would be noise.
  static double rounded(double seconds) { return std::stod(fmt::format("{:.4g}", seconds)); }

  Request request_;
  std::string path_;
  const Session& session_;
  Selector model_;
  double start_;
  Profile profile_;
  std::size_t run_ = 0;
  bool found_wrong_ = false;
};

void print(const Tuner& tuner, const std::string& path, bool whole) {
  Table table({{"collective"},
               {"bytes", true},
               {"winner"},
               {"time (us)", true},
               {"native (us)", true},
               {"speed-up", true}});
  for (const auto& [collective, points] : tuner.tuned().points) {
    for (const ProfilePoint& each : points) {
      const double seconds = each.seconds.at(each.winner);
      const double native = each.seconds.at("native");
      table.add({std::string(to_string(collective)), print_size(each.bytes), each.winner,
                 print_us(seconds), print_us(native), print_ratio(native, seconds)},
                each.winner == "native" ? Colour::faint : Colour::plain);
    }
  }
  fmt::print("{}\n", table.text());
  if (!whole) fmt::print("The time is over. The same command goes on where this one stopped.\n");
  fmt::print("{0} is written; use it: mpirun ... tutti exec --profile {0} -- PROGRAM\n", path);
}

int run(const Options& options, const std::vector<std::string>& unknown) {
  if (options.peers) allow_forcing();
  const Session session;
  std::optional<ToolInterface> tools;
  if (options.peers) tools.emplace();
  return run_together(session, "tune", [&] {
    check_agreement({options.output, options.collectives, options.bytes, options.machine,
                     options.budget, options.peers ? "--peers" : ""});
    Request request = parse(options, unknown);
    if (session.p < 2) {
      throw std::invalid_argument(
          "one rank has nothing to tune; start it on two or more: mpirun -n "
          "2 tutti tune -o site.json");
    }
    const Surroundings where = surroundings(session);
    Tuner tuner(std::move(request), options.output, session, where);
    const bool whole = tuner.run();
    if (session.rank == 0) {
      print(tuner, options.output, whole);
      if (where.crowded()) {
        fmt::print("{}\n",
                   painted("more ranks than processors: times are the scheduler's", Colour::bad));
      }
      if (tuner.found_wrong()) {
        fmt::print("{}\n",
                   painted("an algorithm gave a wrong result and was left out", Colour::bad));
      }
    }
    return tuner.found_wrong() ? check_failed : success;
  });
}

}  // namespace

Command tune_command(CLI::App& tutti) {
  auto options = std::make_shared<Options>();
  CLI::App* app = tutti.add_subcommand("tune", "Measure which algorithms are fastest here");
  app->allow_extras();
  add_text(*app, "-o,--output", options->output, "JSON file to write, or to go on with");
  add_text(*app, "--collectives", options->collectives,
           "Their names, separated by commas (default: all)");
  add_text(*app, "--bytes", options->bytes, "n, bytes of the whole message (default 8 to 8M)");
  add_text(*app, "--machine", options->machine,
           "JSON file that `tutti machine` wrote, to guess by");
  add_text(*app, "--budget", options->budget, "Time after which to stop, such as 90s")
      ->capture_default_str();
  app->add_flag("--peers", options->peers,
                "Measure the MPI library's own algorithms too, each forced: for `tutti export`");
  app->footer(
      "To be started by mpirun, as programs are. At each size those algorithms race that the "
      "model\n"
      "thinks well of, and the native collective; who loses drops out. The file is whole after\n"
      "every size: an interrupted run is gone on with by the same command. Runs with other "
      "numbers\n"
      "of ranks add to the same file. Exit status 1 if an algorithm gave a wrong result.\n"
      "Examples:\n"
      "  mpirun -n 33 tutti tune -o site.json\n"
      "  mpirun -n 33 tutti tune -o site.json --collectives allreduce,bcast --budget 90s\n"
      "  mpirun -n 33 tutti tune --peers -o site.json");
  return {app, [options, app] { return run(*options, app->remaining()); }};
}

}  // namespace tutti::tools
