#include "model/formula.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "topology/digits.hpp"
#include "topology/postal_tree.hpp"

namespace tutti {

struct Formula::Compiled {
  explicit Compiled(const std::string& text);
  Compiled(const Compiled&) = delete;  // the parser points into it

  std::mutex mutex;  // of all that follows
  mu::Parser parser;
  double p = 2, n = 1, largest = 0.5, alpha = 1, beta = 1, gamma = 1, alpha_uni = 1, beta_uni = 1,
         parameter = 1, overlap = 0, busy = 0;

  double hidden(double bytes, double alpha_of, double beta_of, double ends) const;
  double window_step(double bytes, double alpha_of, double beta_of) const;
  double digit_hidden(double ranks, double radix, double block, double alpha_of, double beta_of,
                      double ends) const;
  double best_radix(double ranks, double block, double alpha_of, double beta_of, double ends) const;
  double postal_radix(double bytes, double alpha_of, double beta_of) const;
  double reach_time(double ranks, double alpha_of) const;
  // Over a tree of so many ranks, with messages of bytes_for(count) between a subtree of `count`
  // ranks and its parent; there is none where that is below 0.
  template <class BytesFor>
  double postal(const PostalTree& tree, int ranks, const BytesFor& bytes_for, double alpha_of,
                double beta_of, double work) const;
};

static double twos(double p) { return std::countr_zero(static_cast<unsigned>(p)); }
static double bits(double p) { return std::popcount(static_cast<unsigned>(p)); }

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
double Formula::Compiled::hidden(double bytes, double alpha_of, double beta_of, double ends) const {
  const double next = std::max(ends * busy * alpha_of, bytes * beta_of);
  return bytes < overlap ? alpha_of + bytes * beta_of - next : 0;
}

// Whatever their length, as receives are posted too: the next round starts when the processor and
// the port are free, or when that of a window before has ended.
double Formula::Compiled::window_step(double bytes, double alpha_of, double beta_of) const {
  const double whole = alpha_of + bytes * beta_of;
  if (overlap <= 0) return whole;
  return std::max({2 * busy * alpha_of, bytes * beta_of, whole / parameter});
}

// The rounds of one digit do not wait for each other, only for those of the digit before.
double Formula::Compiled::digit_hidden(double ranks, double radix, double block, double alpha_of,
                                       double beta_of, double ends) const {
  double sum = 0;
  for (const DigitStep& step : steps_in(ranks, radix)) {
    if (step.digit == 1) continue;
    sum += hidden(offsets_moved(static_cast<int>(ranks), step) * block, alpha_of, beta_of, ends);
  }
  return sum;
}

// The radix that takes least time: one of those to sqrt(p) and a little above, or p.
double Formula::Compiled::best_radix(double ranks, double block, double alpha_of, double beta_of,
                                     double ends) const {
  const auto cost = [&](double radix) {
    return digit_rounds(ranks, radix) * alpha_of + digit_blocks(ranks, radix) * block * beta_of -
           digit_hidden(ranks, radix, block, alpha_of, beta_of, ends);
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
double Formula::Compiled::postal_radix(double bytes, double alpha_of, double beta_of) const {
  const double whole = alpha_of + bytes * beta_of;
  const double apart = whole - hidden(bytes, alpha_of, beta_of, 1);
  return 1 + std::max(1.0, whole / apart);
}

static PostalTree postal_tree(double p, double radix) {
  return {static_cast<int>(p), static_cast<int>(radix)};
}
static double postal_rounds(double p, double radix) { return postal_tree(p, radix).rounds(); }

// No rank sends more often, and no message is faster: a bound.
double Formula::Compiled::reach_time(double ranks, double alpha_of) const {
  if (ranks < 2) return 0;
  const double apart = alpha_of - hidden(0, alpha_of, 0, 1);
  const double sends = apart > 0 ? std::min(std::floor(alpha_of / apart), ranks - 1) : ranks - 1;
  return std::max((postal_rounds(ranks, 1 + sends) + sends - 1) * apart, alpha_of);
}

// Messages that go up; those that go down take as long. What a rank hears from its first child
// comes last, after all that it would hear without it.
template <class BytesFor>
double Formula::Compiled::postal(const PostalTree& tree, int ranks, const BytesFor& bytes_for,
                                 double alpha_of, double beta_of, double work) const {
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
    const double whole = alpha_of + bytes * beta_of;
    const double start = std::max(before.hears, child.done);
    root.hears = start + whole - hidden(bytes, alpha_of, beta_of, 1);
    root.done = std::max(start + whole, before.done) + work;
  }
  return of.back().done;
}

// What muParser calls: it hands back the formula's own variables.
static double hidden(void* self, double bytes, double alpha, double beta, double ends) {
  return static_cast<Formula::Compiled*>(self)->hidden(bytes, alpha, beta, ends);
}
static double window_step(void* self, double bytes, double alpha, double beta) {
  return static_cast<Formula::Compiled*>(self)->window_step(bytes, alpha, beta);
}
static double digit_hidden(void* self, double p, double radix, double block, double alpha,
                           double beta, double ends) {
  return static_cast<Formula::Compiled*>(self)->digit_hidden(p, radix, block, alpha, beta, ends);
}
static double best_radix(void* self, double p, double block, double alpha, double beta,
                         double ends) {
  return static_cast<Formula::Compiled*>(self)->best_radix(p, block, alpha, beta, ends);
}

static double reach_time(void* self, double p, double alpha) {
  return static_cast<Formula::Compiled*>(self)->reach_time(p, alpha);
}
static double postal_radix(void* self, double bytes, double alpha, double beta) {
  return static_cast<Formula::Compiled*>(self)->postal_radix(bytes, alpha, beta);
}
static double postal_time(void* self, double p, double radix, double fixed, double block,
                          double alpha, double beta, double work) {
  const auto bytes = [&](int count) { return fixed + count * block; };
  return static_cast<Formula::Compiled*>(self)->postal(postal_tree(p, radix), static_cast<int>(p),
                                                       bytes, alpha, beta, work);
}
// The root knows the sizes: nobody tells it.
static double postal_sizes_up(void* self, double p, double radix, double alpha, double beta) {
  const PostalTree tree = postal_tree(p, radix);
  int largest = 1;
  for (const TreePlace::Child& child : tree.place(0).children) {
    largest = std::max(largest, child.count);
  }
  const auto bytes = [](int count) { return count * 8.0; };
  return static_cast<Formula::Compiled*>(self)->postal(tree, largest, bytes, alpha, beta, 0);
}
// Nobody has to be told of a leaf but the leaf, which knows. Where the root has several children to
// tell, the last, a leaf, does it.
static double postal_sizes_down(void* self, double p, double radix, double alpha, double beta) {
  const PostalTree tree = postal_tree(p, radix);
  const auto bytes = [](int count) { return count == 1 ? -1.0 : (count - 1) * 8.0; };
  const double told = tree.teller() != 0 ? alpha + bytes(static_cast<int>(p) - 1) * beta : 0;
  return told + static_cast<Formula::Compiled*>(self)->postal(tree, static_cast<int>(p), bytes,
                                                              alpha, beta, 0);
}

static double lg(double x) { return std::log2(x); }
static double ceiling(double x) { return std::ceil(x); }
static double floor_of(double x) { return std::floor(x); }

Formula::Compiled::Compiled(const std::string& text) {
  parser.DefineVar("p", &p);
  parser.DefineVar("n", &n);
  parser.DefineVar("largest", &largest);
  parser.DefineVar("alpha", &alpha);
  parser.DefineVar("beta", &beta);
  parser.DefineVar("gamma", &gamma);
  parser.DefineVar("alpha_uni", &alpha_uni);
  parser.DefineVar("beta_uni", &beta_uni);
  parser.DefineVar("segments", &parameter);
  parser.DefineVar("radix", &parameter);
  parser.DefineVar("window", &parameter);
  parser.DefineVar("overlap", &overlap);
  parser.DefineVar("busy", &busy);
  parser.DefineFun("lg", lg);
  parser.DefineFun("ceil", ceiling);
  parser.DefineFun("floor", floor_of);
  parser.DefineFun("twos", twos);
  parser.DefineFun("bits", bits);
  parser.DefineFun("merge_rounds", merge_rounds);
  parser.DefineFun("digit_rounds", digit_rounds);
  parser.DefineFun("digit_blocks", digit_blocks);
  parser.DefineFun("digit_combining", digit_combining);
  parser.DefineFun("passing_rounds", passing_rounds);
  parser.DefineFun("postal_rounds", postal_rounds);
  // They depend on the machine too: never taken for constants.
  parser.DefineFunUserData("hidden", tutti::hidden, this, false);
  parser.DefineFunUserData("window_step", tutti::window_step, this, false);
  parser.DefineFunUserData("digit_hidden", tutti::digit_hidden, this, false);
  parser.DefineFunUserData("best_radix", tutti::best_radix, this, false);
  parser.DefineFunUserData("reach_time", tutti::reach_time, this, false);
  parser.DefineFunUserData("postal_radix", tutti::postal_radix, this, false);
  parser.DefineFunUserData("postal_time", tutti::postal_time, this, false);
  parser.DefineFunUserData("postal_sizes_up", tutti::postal_sizes_up, this, false);
  parser.DefineFunUserData("postal_sizes_down", tutti::postal_sizes_down, this, false);
  try {
    parser.SetExpr(text);
    parser.Eval();
  } catch (const mu::Parser::exception_type& error) {
    throw std::invalid_argument(fmt::format("formula '{}': {}", text, error.GetMsg()));
  }
}

// The one of this process; never freed, as formulas may be static.
static Formula::Compiled& compiled(const std::string& text) {
  static auto& mutex = *new std::mutex;
  static auto& known = *new std::unordered_map<std::string, std::unique_ptr<Formula::Compiled>>;
  const std::lock_guard lock(mutex);
  const auto found = known.find(text);
  if (found != known.end()) return *found->second;
  return *known.emplace(text, std::make_unique<Formula::Compiled>(text)).first->second;
}

Formula::Formula(std::string_view text) : compiled_(&compiled(std::string(text))) {}

double Formula::operator()(int p, double n, const Machine& machine, int parameter,
                           double largest) const {
  if (p == 1) return 0;
  const std::lock_guard lock(compiled_->mutex);
  compiled_->p = p;
  compiled_->n = n;
  compiled_->largest = largest > 0 ? largest : n / p;
  compiled_->alpha = machine.alpha;
  compiled_->beta = machine.beta;
  compiled_->gamma = machine.gamma;
  compiled_->alpha_uni = machine.f_alpha * machine.alpha;
  compiled_->beta_uni = machine.f_beta * machine.beta;
  compiled_->parameter = parameter;
  compiled_->overlap = machine.overlap;
  compiled_->busy = machine.busy;
  return compiled_->parser.Eval();
}

}  // namespace tutti
