#include "tools/measure/tuner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>

#include "algorithms/registry.hpp"
#include "model/files.hpp"
#include "model/refuse.hpp"
#include "model/simulate.hpp"
#include "runtime/nodes.hpp"
#include "tools/cli/numbers.hpp"
#include "tools/cli/progress.hpp"
#include "tools/measure/bench_measure.hpp"
#include "tools/measure/clock.hpp"
#include "tools/measure/forcing.hpp"
#include "tools/measure/race_rules.hpp"
#include "tools/measure/statistics.hpp"

namespace tutti::tools {

namespace {

constexpr int many_times = 8;
constexpr int rounds_that_repeat = 2;  // of which each took the same time: more tell nothing
constexpr int rounds_in_haste = 3;     // where more would take time that is meant for others
constexpr int least_rounds = 6;
constexpr int most_rounds = 40;
constexpr int least_calls = 1 + rounds_in_haste;
constexpr int calls_of_losers = 2;

std::string today() {
  // A simulated cluster has no date: what it writes can be made the same again.
  const char* fixed = std::getenv("SOURCE_DATE_EPOCH");
  const std::time_t now = fixed != nullptr ? std::atoll(fixed) : std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

// What rank 0 finds, on all ranks: a string or a vector of plain values.
template <class Find>
auto as_rank_0_finds(const Session& session, Find&& find) {
  std::invoke_result_t<Find> found;
  if (session.rank == 0) found = find();
  auto size = static_cast<int>(found.size());
  PMPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
  found.resize(static_cast<std::size_t>(size));
  PMPI_Bcast(found.data(), size * static_cast<int>(sizeof *found.data()), MPI_BYTE, 0,
             MPI_COMM_WORLD);
  return found;
}

// Rank 0's clock decides for all.
bool is_past(double time) {
  int past = PMPI_Wtime() > time ? 1 : 0;
  PMPI_Bcast(&past, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return past != 0;
}

// Four digits: more would be noise.
double rounded(double seconds) { return std::stod(fmt::format("{:.4g}", seconds)); }

}  // namespace

Tuner::Tuner(TuningRequest request, std::string path, const Session& session,
             const Surroundings& where)
    : request_(std::move(request)),
      path_(std::move(path)),
      session_(session),
      model_({}, Policy::model, request_.machine),
      placement_(placed_on(runtime::nodes_of_ranks(MPI_COMM_WORLD))),
      start_(PMPI_Wtime()) {
  const std::string text = as_rank_0_finds(session, [&] { return contents(path_).value_or(""); });
  if (!text.empty()) profile_ = parse_profile(text, path_);
  const std::string why_not = profile_.library.empty() ? "" : obstacle(profile_, where.library);
  if (!why_not.empty()) {
    refuse("'{}' {}; accepted is a new file, or one to go on with", path_, why_not);
  }
  profile_.library = where.library;
  profile_.machine = machine_name();
  if (profile_.date.empty()) profile_.date = today();
  const auto mine = std::ranges::find_if(profile_.runs, [&](const ProfileRun& run) {
    return run.p == session.p && run.ranks_per_node == where.node_ranks;
  });
  run_ = static_cast<std::size_t>(mine - profile_.runs.begin());
  const double fragment = request_.machine.fragment;
  if (mine == profile_.runs.end()) {
    profile_.runs.push_back({session.p, where.node_ranks, fragment});
  } else if (mine->fragment != fragment) {
    refuse(
        "'{}' was measured with `fragment` {} in the machine file, not {}; accepted is a "
        "new file, or one to go on with",
        path_, mine->fragment, fragment);
  }
  save();  // before minutes are spent: it may not be possible
}

// Of what is left of the budget each of those still due gets its share, what takes longest comes
// last. To what the model says of a round comes what one took where it was shortest: that is more
// than messages. What would not fit with the fewest who can race is left out. What was measured
// while the machine was slow, as others share it, is measured again, last of all, if all who may
// race have time for it.
bool Tuner::run() {
  bool whole = true;
  connect_all(MPI_COMM_WORLD, long_enough);
  std::vector<Due> all = as_rank_0_finds(session_, [&] { return due(); });
  const std::size_t once = all.size();
  std::vector<double> barriers;
  double undone = 1;
  Progress progress(undone, session_.rank == 0);
  const double over = start_ + request_.budget;
  double besides = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Due each = all[i];
    const bool is_again = i >= once;
    const double start = PMPI_Wtime();
    // The first is measured in any case: who goes on again and again comes to an end.
    const double race = is_again ? least_calls * each.round : each.least_race;
    const double least = besides > 0 ? race + least_calls * besides : 0;
    const bool fits = !is_past(over - least);
    std::vector<double> rounds;
    std::transform(all.begin() + static_cast<std::ptrdiff_t>(i), all.end(),
                   std::back_inserter(rounds), [&](const Due& one) { return one.round + besides; });
    const double part = share_of_first(rounds);
    // Two sizes may come to the same blocks.
    const bool is_due = is_again || !is_measured(each.collective, each.bytes);
    whole = whole && (fits || is_again || !is_due);
    if (fits && is_due) {
      const double barrier = barrier_seconds(MPI_COMM_WORLD);
      measure_point(call_for(each.collective, each.bytes), start + part * (over - start));
      barriers.push_back(std::max(barrier, barrier_seconds(MPI_COMM_WORLD)));
      if (!is_again && is_slow(barriers.back(), barriers)) all.push_back(each);
      const double took = (PMPI_Wtime() - start) / least_calls;
      besides = besides > 0 ? std::min(besides, took) : took;
    }
    progress.add(part * undone,
                 fmt::format("{} {}", to_string(each.collective), print_size(each.bytes)));
    undone -= part * undone;
  }
  return whole;
}

void Tuner::save() const {
  on_rank_0(session_, [&] { write_file(path_, json_of(profile_)); });
}

Call Tuner::call_for(Collective collective, std::int64_t bytes) const {
  Call call = call_of_bytes(collective, session_.p, bytes);
  call.placement = placement_;
  return call;
}

// Those of the library's own algorithms that are asked for.
std::vector<NamedPeer> Tuner::peers(const Call& call) const {
  return request_.peers ? forcible(call) : std::vector<NamedPeer>{};
}

bool Tuner::is_measured(Collective collective, std::int64_t bytes) {
  const Call call = call_for(collective, bytes);
  const bool with_peers = !peers(call).empty();
  const auto has = [&](const ProfilePoint& point) {
    return point.bytes == call.bytes() && (!with_peers || has_peers(point));
  };
  return std::ranges::any_of(points(collective), has);
}

double Tuner::predicted(const Variant& which, Call call) const {
  call.parameter = which.parameter;
  return model_.predicted(*which.algorithm, call);
}

// By the model: calls of each, and what comes before and after them. The native collectives are
// taken to be as slow as the slowest of Tutti's, and as much slower than the fastest as native was
// at the size below. Losers drop out soon.
Tuner::Expected Tuner::expected(const std::vector<Entrant>& racing, const Call& call) {
  const Call meeting = call_for(Collective::allreduce, sizeof(double));
  const Choice best = model_.choose(meeting);
  const double between = 4 * predicted(best, meeting);
  double fastest = std::numeric_limits<double>::infinity(), slowest = 0, sum = 0;
  for (const Entrant& each : racing) {
    fastest = std::min(fastest, each.seconds);
    slowest = std::max(slowest, each.seconds);
    sum += each.seconds + between;
  }
  double native = slowest;
  if (const ProfilePoint* below = beside(call).first) {
    native =
        std::max(native, fastest * below->seconds.at("native") / below->seconds.at(below->winner));
  }
  const double natives = static_cast<double>(1 + peers(call).size()) * (native + between);
  const double staying = fastest + between + (native < doubt * fastest ? natives : 0);
  const double round = sum + natives;
  return {round, calls_of_losers * round + (least_calls - calls_of_losers) * staying};
}

std::vector<Tuner::Due> Tuner::due() {
  std::vector<Due> all;
  for (const std::int64_t bytes : request_.sizes) {
    for (const Collective each : request_.collectives) {
      if (is_measured(each, bytes)) continue;
      const Call call = call_for(each, bytes);
      std::vector<Entrant> racing = candidates(call);
      const double round = expected(racing, call).round;
      racing.resize(1);
      all.push_back({each, bytes, round, expected(racing, call).race});
    }
  }
  std::ranges::stable_sort(all, {}, &Due::round);
  return all;
}

// The parameter that the model thinks best; segments that run ahead and arrive in order, or, where
// these are many times as many or as few, half-way to them; the fewest messages at once and the
// most, as the model takes ranks to be in step and not in each other's way; and the smallest window
// that hides latency, as in a larger one messages of all ranks crowd each other out.
std::set<int> Tuner::parameters(const Algorithm& algorithm, const Call& call) const {
  const Open open = algorithm.parameter.open;
  std::set<int> result{model_.parameter(algorithm, call)};
  const double longest = request_.machine.in_order;
  if (open == Open::segments && longest > 0) {
    const int thought_best = *result.begin();
    const int in_order = within(open, call, std::ceil(call.bytes() / longest));
    const auto [fewer, more] = std::minmax(thought_best, in_order);
    const bool are_far = more >= many_times * fewer;
    const double half_way = std::sqrt(static_cast<double>(thought_best) * in_order);
    result.insert(are_far ? static_cast<int>(half_way) : in_order);
  }
  if (open == Open::radix) result.insert({least(open), most(open, call)});
  if (open == Open::window) result.insert(within(open, call, 2));
  return result;
}

// Those the model thinks well of, and what won at the sizes beside this one unless it is out of the
// question here: 8 B and 8 MiB may lie beside each other. First the likeliest, then what won there,
// then the others, with their likeliest parameters.
std::vector<Entrant> Tuner::candidates(const Call& call) {
  std::vector<Entrant> all;
  for (const Algorithm* each : algorithms_of(call.collective)) {
    if (!accepts(*each, call)) continue;
    for (const int parameter : parameters(*each, call)) {
      all.push_back({{each, parameter}, predicted({each, parameter}, call)});
    }
  }
  std::ranges::stable_sort(all, {}, &Entrant::seconds);
  const double least = all.front().seconds;
  const std::set<const Algorithm*> well_thought_of = likely(all);
  std::vector<Entrant> result, others, again;
  std::set<const Algorithm*> known_already;
  for (const Entrant& each : all) {
    const bool is_beside =
        each.seconds <= doubt * doubt * least && won_beside(call, *each.algorithm);
    // What the model says of a parameter is in doubt more than what it says of an algorithm.
    if (!well_thought_of.contains(each.algorithm) && !is_beside) continue;
    const bool is_first = known_already.insert(each.algorithm).second;
    const bool is_likeliest = &each == &all.front();
    (!is_first ? again : is_likeliest || is_beside ? result : others).push_back(each);
  }
  result.insert(result.end(), others.begin(), others.end());
  result.insert(result.end(), again.begin(), again.end());
  return result;
}

// As many of them, the likeliest, as have time to race until `end`.
std::vector<Entrant> Tuner::candidates(const Call& call, double end) {
  std::vector<Entrant> racing = candidates(call);
  const std::size_t all = racing.size();
  const double left = end - PMPI_Wtime();
  while (racing.size() > 1 && expected(racing, call).race > left) racing.pop_back();
  if (racing.size() < all) ++cut_short_;
  return racing;
}

// What was measured at the nearest smaller and at the nearest larger size; null if nothing was.
std::pair<const ProfilePoint*, const ProfilePoint*> Tuner::beside(const Call& call) {
  const Points& known = points(call.collective);
  const auto above = std::ranges::find_if(
      known, [&](const ProfilePoint& point) { return point.bytes > call.bytes(); });
  return {above != known.begin() ? &*(above - 1) : nullptr,
          above != known.end() ? &*above : nullptr};
}

bool Tuner::won_beside(const Call& call, const Algorithm& algorithm) {
  const auto won = [&](const ProfilePoint* point) {
    return point != nullptr &&
           parse_variant(call.collective, point->winner).algorithm == &algorithm;
  };
  const auto [below, above] = beside(call);
  return won(below) || won(above);
}

void Tuner::measure_point(const Call& call, double end) {
  Points& known = points(call.collective);
  std::istringstream names(as_rank_0_finds(session_, [&] {
    std::string all;
    for (const Entrant& each : candidates(call, end)) all += full_name(each) + " ";
    return all;
  }));
  std::vector<Variant> ours;
  for (std::string name; names >> name;) ours.push_back(parse_variant(call.collective, name));
  const double half = (PMPI_Wtime() + end) / 2;  // the other is for other parameters
  ProfilePoint point = raced(ours, {}, peers(call), call, half);
  if (!point.seconds.contains("native")) {
    refuse(
        "the MPI library's own {} gives a wrong result for {}: there is nothing to beat; name "
        "the others with --collectives",
        to_string(call.collective), print_size(call.bytes()));
  }
  for (const Variant& from : worth_more_parameters(point, ours)) {
    climb(point, from, call, [&](const auto& steps) { return raced(steps, point, call, end); });
  }
  std::erase_if(known, [&](const ProfilePoint& each) { return each.bytes == call.bytes(); });
  known.push_back(point);
  std::ranges::sort(known, {}, &ProfilePoint::bytes);
  save();
}

// The first of them has raced already, and tells how long the others will take.
std::optional<ProfilePoint> Tuner::raced(const std::vector<Variant>& steps,
                                         const ProfilePoint& so_far, const Call& call, double end) {
  const Variant winner = parse_variant(call.collective, so_far.winner);
  std::vector<Variant> others = steps;
  std::erase(others, winner);
  const double round = so_far.seconds.at(so_far.winner) +
                       static_cast<double>(others.size()) * seconds_of(so_far, steps.front());
  if (is_past(end - calls_of_losers * round)) return std::nullopt;
  return raced(others, winner, {}, call, end);
}

// Tutti's algorithms against the one to beat, which is the native collective if it names no
// algorithm, and the library's own algorithms.
ProfilePoint Tuner::raced(const std::vector<Variant>& ours, const Variant& to_beat,
                          const std::vector<NamedPeer>& peers, const Call& call, double end) {
  std::vector<Contender> contenders;
  const auto add = [&](const Variant& each) {
    contenders.push_back(contender(call.collective, each, MPI_COMM_WORLD));
  };
  for (const Variant& each : ours) add(each);
  add(to_beat);
  for (const NamedPeer& each : peers) contenders.push_back(contender(each, MPI_COMM_WORLD));
  ProfilePoint point = raced(contenders, ours.size(), call, end);
  for (Contender& each : contenders) PMPI_Comm_free(&each.comm);
  return point;
}

// The one to beat wins unless another is faster; surely so, if it is native. Those before and those
// after it each race with it, so that who loses against the other side is still measured. Native
// wins, without being measured, if the one to beat gives a wrong result.
ProfilePoint Tuner::raced(const std::vector<Contender>& contenders, std::size_t to_beat,
                          const Call& call, double end) {
  ProfilePoint point{.bytes = call.bytes(), .winner = "native"};
  const bool is_native = contenders[to_beat].algorithm == nullptr;
  Race race(contenders, call, MPI_SUM, MPI_COMM_WORLD);
  if (!race.takes_part(to_beat)) {
    found_wrong_ = found_wrong_ || !is_native;
    return point;
  }
  // Where the library's own algorithms race, native is one of them.
  const std::size_t others = contenders.size() == to_beat + 1 ? to_beat + 1 : to_beat;
  const auto drop = [&](double times) {
    drop_hopeless(race, 0, others, times);
    drop_hopeless(race, others, contenders.size(), times);
  };
  for (int round = 1; round <= most_rounds; ++round) {
    race.round([] {});
    if (round == 1) drop(3);
    if (round == rounds_in_haste) drop(1.5);
    if (round >= rounds_in_haste && is_past(end)) break;
    if (round < (repeats_itself(race) ? rounds_that_repeat : least_rounds)) continue;
    const bool decided = is_decided(race, to_beat, 0, to_beat + 1);
    if (is_decided(race, to_beat, to_beat, contenders.size()) && decided) break;
  }
  point.winner = contenders[to_beat].name();
  const std::vector<double>& beaten = race.results()[to_beat].seconds;
  const Margin margin = !is_native             ? Margin::none
                        : repeats_itself(race) ? Margin::sure
                                               : Margin::lasting;
  std::vector<std::size_t> faster;  // than the one to beat
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const Measurement& result = race.results()[i];
    found_wrong_ = found_wrong_ || (i < to_beat && !result.right);
    if (result.seconds.empty()) continue;
    point.seconds[contenders[i].name()] = rounded(middle(result.seconds));
    const bool is_ours = i < to_beat && race.takes_part(i);
    if (is_ours && beats(result.seconds, beaten, margin)) faster.push_back(i);
  }
  std::ranges::stable_sort(faster, {}, [&](auto i) { return middle(race.results()[i].seconds); });
  const auto best = std::ranges::find_if(
      faster, [&](auto i) { return is_surely_faster_in_a_row(race, i, to_beat); });
  if (best != faster.end()) point.winner = contenders[*best].name();
  return point;
}

}  // namespace tutti::tools
