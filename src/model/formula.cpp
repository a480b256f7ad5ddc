#include "model/formula.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "topology/digits.hpp"

namespace tutti {

struct Formula::Compiled {
  mu::Parser parser;
  double p = 2, n = 1, largest = 0.5, alpha = 1, beta = 1, gamma = 1, alpha_uni = 1, beta_uni = 1,
         parameter = 1, overlap = 0, busy = 0;

  double hidden(double bytes, double alpha_of, double beta_of, double ends) const;
  double digit_hidden(double ranks, double radix, double block, double alpha_of, double beta_of,
                      double ends) const;
  double best_radix(double ranks, double block, double alpha_of, double beta_of, double ends) const;
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

// Ranks of the largest subtree below the root of a k-nomial tree.
static double largest_subtree(double p, double radix) {
  const std::vector<DigitStep> steps = steps_in(p, radix);
  const double top = steps.empty() ? 1 : steps.back().weight;
  return std::max({std::min(top, p - top), std::floor(top / std::max(radix, 2.0)), 1.0});
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

// What muParser calls: it hands back the formula's own variables.
static double hidden(void* self, double bytes, double alpha, double beta, double ends) {
  return static_cast<Formula::Compiled*>(self)->hidden(bytes, alpha, beta, ends);
}
static double digit_hidden(void* self, double p, double radix, double block, double alpha,
                           double beta, double ends) {
  return static_cast<Formula::Compiled*>(self)->digit_hidden(p, radix, block, alpha, beta, ends);
}
static double best_radix(void* self, double p, double block, double alpha, double beta,
                         double ends) {
  return static_cast<Formula::Compiled*>(self)->best_radix(p, block, alpha, beta, ends);
}

static double lg(double x) { return std::log2(x); }
static double ceiling(double x) { return std::ceil(x); }
static double floor_of(double x) { return std::floor(x); }

Formula::Formula(std::string_view text) : compiled_(std::make_unique<Compiled>()) {
  mu::Parser& parser = compiled_->parser;
  parser.DefineVar("p", &compiled_->p);
  parser.DefineVar("n", &compiled_->n);
  parser.DefineVar("largest", &compiled_->largest);
  parser.DefineVar("alpha", &compiled_->alpha);
  parser.DefineVar("beta", &compiled_->beta);
  parser.DefineVar("gamma", &compiled_->gamma);
  parser.DefineVar("alpha_uni", &compiled_->alpha_uni);
  parser.DefineVar("beta_uni", &compiled_->beta_uni);
  parser.DefineVar("segments", &compiled_->parameter);
  parser.DefineVar("radix", &compiled_->parameter);
  parser.DefineVar("window", &compiled_->parameter);
  parser.DefineVar("overlap", &compiled_->overlap);
  parser.DefineVar("busy", &compiled_->busy);
  parser.DefineFun("lg", lg);
  parser.DefineFun("ceil", ceiling);
  parser.DefineFun("floor", floor_of);
  parser.DefineFun("twos", twos);
  parser.DefineFun("bits", bits);
  parser.DefineFun("merge_rounds", merge_rounds);
  parser.DefineFun("digit_rounds", digit_rounds);
  parser.DefineFun("digit_blocks", digit_blocks);
  parser.DefineFun("passing_rounds", passing_rounds);
  parser.DefineFun("largest_subtree", largest_subtree);
  // They depend on the machine too: never taken for constants.
  parser.DefineFunUserData("hidden", hidden, compiled_.get(), false);
  parser.DefineFunUserData("digit_hidden", digit_hidden, compiled_.get(), false);
  parser.DefineFunUserData("best_radix", best_radix, compiled_.get(), false);
  try {
    parser.SetExpr(std::string(text));
    parser.Eval();
  } catch (const mu::Parser::exception_type& error) {
    throw std::invalid_argument(fmt::format("formula '{}': {}", text, error.GetMsg()));
  }
}

Formula::~Formula() = default;
Formula::Formula(Formula&&) noexcept = default;
Formula& Formula::operator=(Formula&&) noexcept = default;

double Formula::operator()(int p, double n, const Machine& machine, int parameter,
                           double largest) const {
  if (p == 1) return 0;
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
