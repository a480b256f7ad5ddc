// The rules of a race of algorithms: who takes part, who has won, and with which parameters the
// next one is. They know times, in seconds, and no clock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "select/profile.hpp"

namespace tutti::tools {

// The model may be wrong by this factor before an algorithm is overlooked; by its square if few are
// left.
inline constexpr double doubt = 2;

struct Entrant : Variant {
  double seconds = 0;  // as predicted
};

// The algorithms that the model thinks well of, of entrants sorted by their times: those that take
// `doubt` times the least, six at most, or its square, until there are four.
std::set<const Algorithm*> likely(const std::vector<Entrant>& sorted);

// The median.
double middle(const std::vector<double>& seconds);
// Whether the first was faster by more than `indifference`, and not by luck (statistics.hpp).
bool is_surely_faster(const std::vector<double>& one, const std::vector<double>& other);

// How one beats another: by the lower median; surely; or by so much that another run, whose times
// differ by more than those of one run, will say so too.
enum class Margin : std::uint8_t { none, sure, lasting };
bool beats(const std::vector<double>& one, const std::vector<double>& other, Margin margin);

// Whether a barrier takes so much longer than half of those so far that others who share the
// machine must be slowing it down just now.
bool is_slow(double barrier, const std::vector<double>& so_far);

// Without end if it dropped out.
double seconds_of(const ProfilePoint& point, const Variant& one);

// Of each algorithm with an open parameter that won or came near, the parameter that was fastest:
// three algorithms at most, the fastest first.
std::vector<Variant> worth_more_parameters(const ProfilePoint& point, std::vector<Variant> raced);

// The nearest parameter that the call allows.
int within(Open open, const Call& call, double parameter);
// Races these, the first of which has raced already, against who has won so far. Nothing if there
// is no time for it.
using Step = std::function<std::optional<ProfilePoint>(const std::vector<Variant>&)>;
// Tries parameters so many times as small and as large, and goes on from the fastest, until that
// leads nowhere: by 2, then by its root. The point gains their times, and who won the last race.
void climb(ProfilePoint& point, Variant from, const Call& call, const Step& race);

}  // namespace tutti::tools
