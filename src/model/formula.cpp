#include "model/formula.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "algorithms/short_blocks.hpp"
#include "algorithms/turns.hpp"
#include "model/expression.hpp"
#include "model/refuse.hpp"
#include "topology/digits.hpp"
#include "topology/postal_tree.hpp"

namespace tutti {

static double twos(double p) { return std::countr_zero(static_cast<unsigned>(p)); }
static double bits(double p) { return std::popcount(static_cast<unsigned>(p)); }
static double parts(double segments) { return phase::parts_of(static_cast<int>(segments)); }

// From the lowest bit of p up: a block of 2^k ranks takes k rounds, waits for the one of 2^j below
// it, and takes 2^(k-j) more.
static double merge_rounds(double p) {
  int merged = 0;
  int lower = -1;
  for (int k = 0; (1u << k) <= static_cast<unsigned>(p); ++k) {
    if ((static_cast<unsigned>(p) >> k & 1) == 0) continue;
    merged = lower < 0 ? k : std::max(k, merged) + (1 << (k - lower));
    lower = k;
  }
  return merged;
}

static std::vector<DigitStep> steps_in(double p, double radix) {
  return digit_steps(static_cast<int>(p), std::max(static_cast<int>(radix), 2));
}
static double digit_rounds(double p, double radix) {
  return static_cast<double>(steps_in(p, radix).size());
}
static double digit_blocks(double p, double radix) {
  double sum = 0;
  for (const DigitStep& step : steps_in(p, radix)) sum += offsets_moved(static_cast<int>(p), step);
  return sum;
}

// Seconds that combining what arrives adds to the messages' own. It is done while the next message
// of the turn, the rounds of one digit, is on its way; the next turn sends what has been combined.
static double digit_combining(double p, double radix, double block, double alpha, double beta,
                              double gamma) {
  double arrived = 0, combined = 0, messages = 0;
  for (const DigitStep& step : steps_in(p, radix)) {
    const double bytes = offsets_starting(static_cast<int>(p), step) * block;
    const double message = alpha + bytes * beta;
    if (step.digit == 1) arrived = combined;
    arrived += message;
    messages += message;
    combined = std::max(combined, arrived) + bytes * gamma;
  }
  return combined - messages;
}

// Rounds in which something arrives that is to be passed on.
static double passing_rounds(double p, double radix) {
  double rounds = 0;
  for (const DigitStep& step : steps_in(p, radix)) {
    if (Units{step.distance()} + Units{step.weight} * step.radix < static_cast<Units>(p)) ++rounds;
  }
  return rounds;
}

// The next message starts when the processor and the port are free, not when the last has arrived.
static double hidden(const Inputs& in, double bytes, double alpha, double beta, double ends) {
  const double next = std::max(ends * in.busy * alpha, bytes * beta);
  return bytes < in.overlap ? alpha + bytes * beta - next : 0;
}

// Whatever their length, as receives are posted too: the next round starts when the processor and
// the port are free, or when that of a window before has ended.
static double window_step(const Inputs& in, double bytes, double alpha, double beta) {
  const double whole = alpha + bytes * beta;
  if (in.overlap <= 0) return whole;
  return std::max({2 * in.busy * alpha, bytes * beta, whole / in.parameter});
}

// The rounds of one digit do not wait for each other, only for those of the digit before.
static double digit_hidden(const Inputs& in, double ranks, double radix, double block, double alpha,
                           double beta, double ends) {
  double sum = 0;
  for (const DigitStep& step : steps_in(ranks, radix)) {
    if (step.digit == 1) continue;
    sum += hidden(in, offsets_moved(static_cast<int>(ranks), step) * block, alpha, beta, ends);
  }
  return sum;
}

// The radix that takes least time: one of those to sqrt(p) and a little above, or p.
static double best_radix(const Inputs& in, double ranks, double block, double alpha, double beta,
                         double ends) {
  const auto cost = [&](double radix) {
    return digit_rounds(ranks, radix) * alpha + digit_blocks(ranks, radix) * block * beta -
           digit_hidden(in, ranks, radix, block, alpha, beta, ends);
  };
  double best = ranks;
  double least = cost(ranks);
  for (double radix = 2; radix < ranks && (radix - 2) * (radix - 2) <= ranks; ++radix) {
    const double seconds = cost(radix);
    if (seconds < least) best = radix;
    least = std::min(least, seconds);
  }
  return best;
}

// A rank's sends are as far apart as the machine lets them be, until the first has arrived.
static double postal_radix(const Inputs& in, double bytes, double alpha, double beta) {
  const double whole = alpha + bytes * beta;
  const double apart = whole - hidden(in, bytes, alpha, beta, 1);
  return 1 + std::max(1.0, whole / apart);
}

static PostalTree postal_tree(double p, double radix) {
  return {static_cast<int>(p), static_cast<int>(radix)};
}
static double postal_rounds(double p, double radix) { return postal_tree(p, radix).rounds(); }

// No rank sends more often, and no message is faster: a bound.
static double reach_time(const Inputs& in, double ranks, double alpha) {
  if (ranks < 2) return 0;
  const double apart = alpha - hidden(in, 0, alpha, 0, 1);
  const double sends = apart > 0 ? std::min(std::floor(alpha / apart), ranks - 1) : ranks - 1;
  return std::max((postal_rounds(ranks, 1 + sends) + sends - 1) * apart, alpha);
}

// Messages that go up; those that go down take as long. What a rank hears from its first child
// comes last, after all that it would hear without it.
template <class BytesFor>
static double postal(const Inputs& in, const PostalTree& tree, int ranks, const BytesFor& bytes_for,
                     double alpha, double beta, double work) {
  struct Root {
    double hears = 0;  // when it can receive more
    double done = 0;   // when it has worked on everything
  };
  std::vector<Root> of(static_cast<std::size_t>(ranks) + 1);
  for (int count = 2; count <= ranks; ++count) {
    const int first = tree.first_child(count);
    const Root& child = of[static_cast<std::size_t>(first)];
    const Root& before = of[static_cast<std::size_t>(count - first)];
    Root& root = of[static_cast<std::size_t>(count)] = before;
    const double bytes = bytes_for(first);
    if (bytes < 0) continue;
    const double whole = alpha + bytes * beta;
    const double start = std::max(before.hears, child.done);
    root.hears = start + whole - hidden(in, bytes, alpha, beta, 1);
    root.done = std::max(start + whole, before.done) + work;
  }
  return of.back().done;
}

static double postal_time(const Inputs& in, double p, double radix, double fixed, double block,
                          double alpha, double beta, double work) {
  const auto bytes = [&](int count) { return fixed + count * block; };
  return postal(in, postal_tree(p, radix), static_cast<int>(p), bytes, alpha, beta, work);
}
// The root knows the sizes: nobody tells it.
static double postal_sizes_up(const Inputs& in, double p, double radix, double alpha, double beta) {
  const PostalTree tree = postal_tree(p, radix);
  int largest = 1;
  for (const TreePlace::Child& child : tree.place(0).children) {
    largest = std::max(largest, child.count);
  }
  const auto bytes = [](int count) { return count * 8.0; };
  return postal(in, tree, largest, bytes, alpha, beta, 0);
}
// Nobody has to be told of a leaf but the leaf, which knows. Where the root has several children to
// tell, the last, a leaf, does it.
static double postal_sizes_down(const Inputs& in, double p, double radix, double alpha,
                                double beta) {
  const PostalTree tree = postal_tree(p, radix);
  const auto bytes = [](int count) { return count == 1 ? -1.0 : (count - 1) * 8.0; };
  const double told = tree.teller() != 0 ? alpha + bytes(static_cast<int>(p) - 1) * beta : 0;
  return told + postal(in, tree, static_cast<int>(p), bytes, alpha, beta, 0);
}

using Values = const double*;

// A name of a formula is one line here.
static constexpr Variable variables[] = {
    {"p", &Inputs::p},
    {"n", &Inputs::n},
    {"largest", &Inputs::largest},
    {"alpha", &Inputs::alpha},
    {"beta", &Inputs::beta},
    {"gamma", &Inputs::gamma},
    {"alpha_uni", &Inputs::alpha_uni},
    {"beta_uni", &Inputs::beta_uni},
    {"segments", &Inputs::parameter},
    {"radix", &Inputs::parameter},
    {"window", &Inputs::parameter},
    {"overlap", &Inputs::overlap},
    {"busy", &Inputs::busy},
    {"short_block", &Inputs::short_block},
};

// clang-format off
static constexpr Function functions[] = {
    {"lg", 1, [](const Inputs&, Values v, int) { return std::log2(v[0]); }},
    {"sqrt", 1, [](const Inputs&, Values v, int) { return std::sqrt(v[0]); }},
    {"ceil", 1, [](const Inputs&, Values v, int) { return std::ceil(v[0]); }},
    {"floor", 1, [](const Inputs&, Values v, int) { return std::floor(v[0]); }},
    {"max", any_number, [](const Inputs&, Values v, int n) { return *std::max_element(v, v + n); }},
    {"min", any_number, [](const Inputs&, Values v, int n) { return *std::min_element(v, v + n); }},
    {"twos", 1, [](const Inputs&, Values v, int) { return twos(v[0]); }},
    {"bits", 1, [](const Inputs&, Values v, int) { return bits(v[0]); }},
    {"is_power_of_two", 1, [](const Inputs&, Values v, int) { return bits(v[0]) == 1 ? 1.0 : 0; }},
    {"parts", 1, [](const Inputs&, Values v, int) { return parts(v[0]); }},
    {"merge_rounds", 1, [](const Inputs&, Values v, int) { return merge_rounds(v[0]); }},
    {"digit_rounds", 2, [](const Inputs&, Values v, int) { return digit_rounds(v[0], v[1]); }},
    {"digit_blocks", 2, [](const Inputs&, Values v, int) { return digit_blocks(v[0], v[1]); }},
    {"digit_combining", 6, [](const Inputs&, Values v, int) {
       return digit_combining(v[0], v[1], v[2], v[3], v[4], v[5]); }},
    {"passing_rounds", 2, [](const Inputs&, Values v, int) { return passing_rounds(v[0], v[1]); }},
    {"postal_rounds", 2, [](const Inputs&, Values v, int) { return postal_rounds(v[0], v[1]); }},
    {"hidden", 4, [](const Inputs& in, Values v, int) {
       return hidden(in, v[0], v[1], v[2], v[3]); }},
    {"window_step", 3, [](const Inputs& in, Values v, int) {
       return window_step(in, v[0], v[1], v[2]); }},
    {"digit_hidden", 6, [](const Inputs& in, Values v, int) {
       return digit_hidden(in, v[0], v[1], v[2], v[3], v[4], v[5]); }},
    {"best_radix", 5, [](const Inputs& in, Values v, int) {
       return best_radix(in, v[0], v[1], v[2], v[3], v[4]); }},
    {"reach_time", 2, [](const Inputs& in, Values v, int) { return reach_time(in, v[0], v[1]); }},
    {"postal_radix", 3, [](const Inputs& in, Values v, int) {
       return postal_radix(in, v[0], v[1], v[2]); }},
    {"postal_time", 7, [](const Inputs& in, Values v, int) {
       return postal_time(in, v[0], v[1], v[2], v[3], v[4], v[5], v[6]); }},
    {"postal_sizes_up", 4, [](const Inputs& in, Values v, int) {
       return postal_sizes_up(in, v[0], v[1], v[2], v[3]); }},
    {"postal_sizes_down", 4, [](const Inputs& in, Values v, int) {
       return postal_sizes_down(in, v[0], v[1], v[2], v[3]); }},
};
// clang-format on

// The one of this process; never freed, as formulas may be static.
static const Expression& compiled(const std::string& text) {
  static auto& mutex = *new std::mutex;
  static auto& known = *new std::unordered_map<std::string, Expression>;
  const std::lock_guard lock(mutex);
  try {
    return known.try_emplace(text, text, variables, functions).first->second;
  } catch (const std::invalid_argument& error) {
    refuse("formula '{}': {}", text, error.what());
  }
}

Formula::Formula(std::string_view text) : compiled_(&compiled(std::string(text))) {}

double Formula::operator()(int p, double n, const Machine& machine, int parameter,
                           double largest) const {
  if (p == 1) return 0;
  return (*compiled_)({.p = static_cast<double>(p),
                       .n = n,
                       .largest = largest > 0 ? largest : n / p,
                       .alpha = machine.alpha,
                       .beta = machine.beta,
                       .gamma = machine.gamma,
                       .alpha_uni = machine.f_alpha * machine.alpha,
                       .beta_uni = machine.f_beta * machine.beta,
                       .parameter = static_cast<double>(parameter),
                       .overlap = machine.overlap,
                       .busy = machine.busy,
                       .short_block = static_cast<double>(ShortBlocks::longest)});
}

}  // namespace tutti
