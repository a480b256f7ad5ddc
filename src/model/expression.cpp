#include "model/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string>

#include "model/refuse.hpp"

namespace tutti {

namespace {

using Operation = Expression::Operation;
using Kind = Operation::Kind;

constexpr int deepest = 64;  // values on the stack

struct Binary {
  std::string_view sign;
  int level;  // binds closer than lower ones
  double (*value)(const Inputs&, const double*, int);
};

constexpr int jumping = 2;  // below this level the right operand may not count
constexpr int power = 6;    // above this one stands no operator

// Signs that begin with another one come before it.
constexpr Binary operators[] = {
    {"||", 0, nullptr},
    {"&&", 1, nullptr},
    {"<=", 2, [](const Inputs&, const double* v, int) { return v[0] <= v[1] ? 1.0 : 0.0; }},
    {">=", 2, [](const Inputs&, const double* v, int) { return v[0] >= v[1] ? 1.0 : 0.0; }},
    {"==", 2, [](const Inputs&, const double* v, int) { return v[0] == v[1] ? 1.0 : 0.0; }},
    {"!=", 2, [](const Inputs&, const double* v, int) { return v[0] != v[1] ? 1.0 : 0.0; }},
    {"<", 2, [](const Inputs&, const double* v, int) { return v[0] < v[1] ? 1.0 : 0.0; }},
    {">", 2, [](const Inputs&, const double* v, int) { return v[0] > v[1] ? 1.0 : 0.0; }},
    {"+", 3, [](const Inputs&, const double* v, int) { return v[0] + v[1]; }},
    {"-", 3, [](const Inputs&, const double* v, int) { return v[0] - v[1]; }},
    {"*", 4, [](const Inputs&, const double* v, int) { return v[0] * v[1]; }},
    {"/", 4, [](const Inputs&, const double* v, int) { return v[0] / v[1]; }},
    {"^", power, [](const Inputs&, const double* v, int) { return std::pow(v[0], v[1]); }},
};

double negative(const Inputs&, const double* v, int) { return -v[0]; }

template <class Named>
std::string names_of(std::span<const Named> all) {
  std::string names;
  for (const Named& each : all) names += (names.empty() ? "" : ", ") + std::string(each.name);
  return names;
}

// Recursive descent: each function reads what its name says and appends its operations.
class Parser {
 public:
  Parser(std::string_view text, std::span<const Variable> variables,
         std::span<const Function> functions, std::vector<Operation>& out)
      : text_(text), variables_(variables), functions_(functions), out_(out) {}

  void whole() {
    choice();
    if (next() != '\0') wrong("an operator or the end is expected");
  }

 private:
  void choice() {
    operation(0);
    if (!accept("?")) return;
    const std::size_t to_else = jump(Kind::jump_if_zero);
    choice();
    expect(":");
    const std::size_t to_end = jump(Kind::jump);
    land(to_else);
    --depth_;  // one of the two is on the stack
    choice();
    land(to_end);
  }

  // Operators of `level` and closer ones.
  void operation(int level) {
    if (level == power - 1) return sign();
    operation(level + 1);
    while (const Binary* found = operator_of(level)) {
      if (level < jumping) {
        decide(level);
        continue;
      }
      operation(level + 1);
      call(found->value, 2);
    }
  }

  // a || b is a ? 1 : (b ? 1 : 0); a && b is a ? (b ? 1 : 0) : 0.
  void decide(int level) {
    const bool is_or = level == 0;
    const std::size_t to_second = jump(Kind::jump_if_zero);
    is_or ? constant(1) : truth(level);
    const std::size_t to_end = jump(Kind::jump);
    land(to_second);
    --depth_;
    is_or ? truth(level) : constant(0);
    land(to_end);
  }
  void truth(int level) {
    operation(level + 1);
    constant(0);
    call(operator_named("!=").value, 2);
  }

  void sign() {
    if (accept("-")) {
      sign();
      return call(negative, 1);
    }
    if (accept("+")) return sign();
    value();
    if (!accept("^")) return;
    sign();
    call(operator_named("^").value, 2);
  }

  void value() {
    const char first = next();
    if (accept("(")) {
      choice();
      return expect(")");
    }
    if (std::isdigit(static_cast<unsigned char>(first)) != 0 || first == '.') return number();
    if (std::isalpha(static_cast<unsigned char>(first)) == 0) {
      wrong("a number, a name or '(' is expected");
    }
    const std::string_view name = word();
    next() == '(' ? function(name) : variable(name);
  }

  void number() {
    const std::string rest(text_.substr(at_));
    char* end = nullptr;
    const double value = std::strtod(rest.c_str(), &end);
    if (end == rest.c_str()) wrong("a number is expected");
    at_ += static_cast<std::size_t>(end - rest.c_str());
    constant(value);
  }

  void variable(std::string_view name) {
    const auto found = std::ranges::find(variables_, name, &Variable::name);
    if (found == variables_.end()) {
      refuse("there is no '{}'; accepted are {}", name, names_of(variables_));
    }
    push({.kind = Kind::variable, .variable = found->value, .count = 0});
  }

  void function(std::string_view name) {
    const auto found = std::ranges::find(functions_, name, &Function::name);
    if (found == functions_.end()) {
      refuse("there is no {}(); accepted are {}", name, names_of(functions_));
    }
    expect("(");
    int count = 0;
    do {
      choice();
      ++count;
    } while (accept(","));
    expect(")");
    if (found->arity != any_number && found->arity != count) {
      refuse("{}() takes {} values, not {}", name, found->arity, count);
    }
    call(found->value, count);
  }

  void constant(double value) { push({.kind = Kind::constant, .constant = value, .count = 0}); }
  void push(const Operation& operation) {
    if (++depth_ > deepest) refuse("it is nested too deeply");
    out_.push_back(operation);
  }
  void call(double (*function)(const Inputs&, const double*, int), int count) {
    depth_ -= count - 1;
    out_.push_back({.kind = Kind::call, .call = function, .count = count});
  }
  std::size_t jump(Kind kind) {
    if (kind == Kind::jump_if_zero) --depth_;
    out_.push_back({.kind = kind, .constant = 0, .count = 0});
    return out_.size() - 1;
  }
  void land(std::size_t jump) { out_[jump].count = static_cast<int>(out_.size()); }

  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(std::string_view sign) {
    next();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  void expect(std::string_view sign) {
    if (!accept(sign)) wrong(fmt::format("'{}' is expected", sign));
  }
  std::string_view word() {
    const std::size_t start = at_;
    const auto belongs = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    while (at_ < text_.size() && (belongs(text_[at_]) || text_[at_] == '_')) ++at_;
    return text_.substr(start, at_ - start);
  }
  // The operator that comes next, if it is of this level; it is then behind us.
  const Binary* operator_of(int level) {
    next();
    for (const Binary& each : operators) {
      if (!text_.substr(at_).starts_with(each.sign)) continue;
      if (each.level != level) return nullptr;
      at_ += each.sign.size();
      return &each;
    }
    return nullptr;
  }
  static const Binary& operator_named(std::string_view sign) {
    return *std::ranges::find(operators, sign, &Binary::sign);
  }
  [[noreturn]] void wrong(std::string_view expected) const {
    const std::string where =
        at_ < text_.size() ? fmt::format("at '{}'", text_.substr(at_)) : std::string("at the end");
    refuse("{} {}", expected, where);
  }

  std::string_view text_;
  std::span<const Variable> variables_;
  std::span<const Function> functions_;
  std::vector<Operation>& out_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Expression::Expression(std::string_view text, std::span<const Variable> variables,
                       std::span<const Function> functions) {
  Parser(text, variables, functions, operations_).whole();
}

double Expression::operator()(const Inputs& inputs) const {
  std::array<double, deepest> stack;
  double* top = stack.data();
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const Operation& each = operations_[i];
    switch (each.kind) {
      case Kind::constant:
        *top++ = each.constant;
        break;
      case Kind::variable:
        *top++ = inputs.*each.variable;
        break;
      case Kind::call:
        top -= each.count;
        *top = each.call(inputs, top, each.count);
        ++top;
        break;
      case Kind::jump_if_zero:
        if (*--top != 0) break;
        [[fallthrough]];
      case Kind::jump:
        i = static_cast<std::size_t>(each.count) - 1;
        break;
    }
  }
  return stack[0];
}

}  // namespace tutti
