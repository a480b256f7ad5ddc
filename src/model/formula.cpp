#include "model/formula.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <bit>
#include <cmath>
#include <stdexcept>

namespace tutti {

struct Formula::Compiled {
  mu::Parser parser;
  double p = 2, n = 1, alpha = 1, beta = 1, gamma = 1;
};

static double twos(double p) { return std::countr_zero(static_cast<unsigned>(p)); }
static double lg(double x) { return std::log2(x); }
static double ceiling(double x) { return std::ceil(x); }
static double floor_of(double x) { return std::floor(x); }

Formula::Formula(std::string_view text) : compiled_(std::make_unique<Compiled>()) {
  mu::Parser& parser = compiled_->parser;
  parser.DefineVar("p", &compiled_->p);
  parser.DefineVar("n", &compiled_->n);
  parser.DefineVar("alpha", &compiled_->alpha);
  parser.DefineVar("beta", &compiled_->beta);
  parser.DefineVar("gamma", &compiled_->gamma);
  parser.DefineFun("lg", lg);
  parser.DefineFun("ceil", ceiling);
  parser.DefineFun("floor", floor_of);
  parser.DefineFun("twos", twos);
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

double Formula::operator()(int p, double n, const Machine& machine) const {
  if (p == 1) return 0;
  compiled_->p = p;
  compiled_->n = n;
  compiled_->alpha = machine.alpha;
  compiled_->beta = machine.beta;
  compiled_->gamma = machine.gamma;
  return compiled_->parser.Eval();
}

}  // namespace tutti
