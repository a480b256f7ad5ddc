// Cost formulas as readers know them: text in p, n, alpha, beta and gamma, evaluated.
#pragma once

#include <string_view>

#include "machine/machine.hpp"

namespace tutti {

class Expression;

// A compiled formula. Variables: p, n, largest, alpha, beta, gamma, alpha_uni, beta_uni; segments,
// radix and window are the algorithm's parameter, whichever it has. Besides + - * / ^ ?: && || and
// comparisons it knows lg, sqrt, ceil, floor, max, min; is_power_of_two(p), 1 or 0; twos(p), the
// exponent of 2 in p; bits(p), the ones in p's binary form; merge_rounds(p), the rounds in which
// binary blocks of p ranks reduce (Thakur2005, 5.2); digit_rounds(p, radix) and digit_blocks(p,
// radix), the rounds of a radix-r Bruck algorithm and the blocks a rank sends in them,
// passing_rounds(p, radix) those in which something arrives that is to be passed on;
// postal_rounds(p, radix), those of a postal tree (topology/postal_tree.hpp). parts(segments) is
// how many take turns (algorithms/turns.hpp); short_block, a variable, how long a block is that
// does not go straight to its rank (algorithms/short_blocks.hpp).
//
// hidden(bytes, alpha, beta, ends): what a message of a rank costs less, below the machine's
// `overlap`, if the one before is still under way (LogGP: while a message travels its sender may
// start another); ends is 2 if ranks send and receive, else 1. window_step(bytes, alpha, beta):
// from one round to the next of a window, in which each rank sends and receives so many.
// digit_hidden(p, radix, block, alpha, beta, ends): in all rounds of a radix-r Bruck algorithm with
// blocks of so many bytes; best_radix(p, block, alpha, beta, ends), where it takes least time.
// Hockney's model hides nothing: `overlap`, a variable like `busy`, is 0.
//
// reach_time(p, alpha): no message can get from one rank to all sooner: ceil(lg(p))*alpha in
// Hockney's model.
//
// postal_time(p, radix, fixed, block, alpha, beta, work): over a postal tree, with messages of
// `fixed` bytes and a block for each rank of the subtree, and seconds of work after each;
// postal_sizes_up(p, radix, alpha, beta) and postal_sizes_down, of the blocks' sizes, which the
// root knows; postal_radix(bytes, alpha, beta), the radix for messages of about so many bytes.
//
// Every text is parsed once in a process and kept. Evaluating neither locks nor allocates.
class Formula {
 public:
  // Throws std::invalid_argument, quoting the text, if it is no formula.
  explicit Formula(std::string_view text);

  // n in bytes of the whole message, `largest` of its largest block, n/p if 0; machine parameters
  // in seconds. One rank costs nothing.
  double operator()(int p, double n, const Machine& machine = {}, int parameter = 1,
                    double largest = 0) const;

 private:
  const Expression* compiled_;  // never null
};

}  // namespace tutti
