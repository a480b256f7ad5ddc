// Measures which algorithm is fastest for each collective and size, with one number of ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "select/profile.hpp"
#include "select/select.hpp"
#include "tools/measure/bench_measure.hpp"
#include "tools/measure/race_rules.hpp"
#include "tools/measure/session.hpp"

namespace tutti::tools {

struct TuningRequest {
  std::vector<Collective> collectives{};
  std::vector<std::int64_t> sizes{};
  double budget = 0;   // seconds
  bool peers = false;  // the library's own algorithms race too
  Machine machine{};
};

// Collective over MPI_COMM_WORLD, and the same on all its ranks.
class Tuner {
 public:
  // Goes on with what the file at `path` has. Throws std::invalid_argument if it is not for this
  // library on this machine, or cannot be written.
  Tuner(TuningRequest request, std::string path, const Session& session, const Surroundings& where);

  // Measures what is not in the file yet, which is written after every size. False if the budget
  // ended it.
  bool run();

  const ProfileRun& tuned() const { return profile_.runs[run_]; }
  // An algorithm of Tutti's gave a wrong result.
  bool found_wrong() const { return found_wrong_; }
  // On rank 0: at so many of what was measured there was no time for all candidates.
  int cut_short() const { return cut_short_; }

 private:
  using Points = std::vector<ProfilePoint>;

  // What is still to be measured, about how many seconds a round of all who may race takes, and the
  // shortest race, of the likeliest and the native collective.
  struct Due {
    Collective collective;
    std::int64_t bytes;
    double round, least_race;
  };

  void save() const;
  Call call_for(Collective collective, std::int64_t bytes) const;
  Points& points(Collective collective) { return profile_.runs[run_].points[collective]; }
  std::vector<NamedPeer> peers(const Call& call) const;
  bool is_measured(Collective collective, std::int64_t bytes);
  // What the model knows is asked for on rank 0 only: simulations take time, and ranks may share
  // a processor.
  double predicted(const Variant& which, Call call) const;
  // Seconds of a call of each, and of as few as tell who wins.
  struct Expected {
    double round, race;
  };
  Expected expected(const std::vector<Entrant>& racing, const Call& call);
  std::vector<Due> due();
  std::set<int> parameters(const Algorithm& algorithm, const Call& call) const;
  std::vector<Entrant> candidates(const Call& call);
  std::vector<Entrant> candidates(const Call& call, double end);
  std::pair<const ProfilePoint*, const ProfilePoint*> beside(const Call& call);
  bool won_beside(const Call& call, const Algorithm& algorithm);
  void measure_point(const Call& call, double end);
  std::optional<ProfilePoint> raced(const std::vector<Variant>& steps, const ProfilePoint& so_far,
                                    const Call& call, double end);
  ProfilePoint raced(const std::vector<Variant>& ours, const Variant& to_beat,
                     const std::vector<NamedPeer>& peers, const Call& call, double end);
  ProfilePoint raced(const std::vector<Contender>& contenders, std::size_t to_beat,
                     const Call& call, double end);

  TuningRequest request_;
  std::string path_;
  const Session& session_;
  Selector model_;
  std::shared_ptr<const Placement> placement_;  // null: every rank has a node of its own
  double start_;
  Profile profile_;
  std::size_t run_ = 0;
  bool found_wrong_ = false;
  int cut_short_ = 0;
};

}  // namespace tutti::tools
