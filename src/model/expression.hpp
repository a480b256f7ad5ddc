// Arithmetic as text, compiled to a list of operations.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tutti {

// What a formula is evaluated for (model/formula.hpp).
struct Inputs {
  double p = 2, n = 1, largest = 0.5, alpha = 1, beta = 1, gamma = 1, alpha_uni = 1, beta_uni = 1,
         parameter = 1, overlap = 0, busy = 0, short_block = 0;
};

struct Variable {
  std::string_view name;
  double Inputs::*value;
};

constexpr int any_number = -1;

struct Function {
  std::string_view name;
  int arity;  // or any_number, which is at least one
  double (*value)(const Inputs& inputs, const double* arguments, int count);
};

// + - * / ^ (which binds to the right, and closer than a sign), comparisons, &&, ||, ?: and calls.
// Operands of && and ||, and the two of ?:, are evaluated only where they count.
class Expression {
 public:
  // Throws std::invalid_argument, saying where the text is wrong and what is accepted there.
  Expression(std::string_view text, std::span<const Variable> variables,
             std::span<const Function> functions);

  // For any number of threads at once.
  double operator()(const Inputs& inputs) const;

  // Values lie on a stack; an operation takes its operands from the top.
  struct Operation {
    enum class Kind : std::uint8_t { constant, variable, call, jump, jump_if_zero };

    Kind kind;
    union {
      double constant;
      double Inputs::*variable;
      double (*call)(const Inputs&, const double*, int);
    };
    int count;  // of a call's operands; of a jump: where to
  };

 private:
  std::vector<Operation> operations_;
};

}  // namespace tutti
