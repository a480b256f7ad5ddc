// How cases are drawn: what is common in programs is common, and what is at an edge is more so.
#include "call.hpp"

namespace tutti::fuzz {

namespace {

constexpr int collectives = static_cast<int>(Collective::exscan) + 1;
constexpr int most_elements = 100000;  // basic types, in one buffer

Collective draw_collective(Random& random) {
  int total = 0;
  for (int i = 0; i < collectives; ++i) total += info(static_cast<Collective>(i)).weight;
  int left = random.below(total);
  int chosen = 0;
  while ((left -= info(static_cast<Collective>(chosen)).weight) >= 0) ++chosen;
  return static_cast<Collective>(chosen);
}

// Whether a buffer holds p times what is drawn.
bool has_blocks(Collective collective) {
  if (collective == Collective::bcast) return false;
  return !info(collective).reduces || collective == Collective::reduce_scatter_block ||
         collective == Collective::reduce_scatter;
}

// A size in units. `unit` basic types make one.
int draw_size(Random& random, const Call& call) {
  static const std::vector<int> primes{23, 31, 61, 97, 127, 211, 509};
  const int kind = random.below(1000);
  if (kind < 150) return random.below(2);
  if (kind < 350) return random.between(call.p - 1, call.p + 1);
  if (kind < 700) return random.between(2, 20);
  if (kind < 840) return random.pick(primes);
  if (kind < 985) return random.below(1500) / call.unit;
  const int blocks = has_blocks(call.collective) ? call.p : 1;
  return random.between(most_elements / 10, most_elements) / call.unit / blocks;
}

// `number` sizes, most often of one of the patterns that make algorithms stumble.
std::vector<int> draw_sizes(Random& random, const Call& call, int number) {
  const int size = draw_size(random, call);
  std::vector<int> sizes(static_cast<std::size_t>(number), size);
  const int pattern = random.below(6);
  if (pattern == 0 || number == 1) return sizes;  // all the same
  const int longest = random.below(number);       // one has nearly everything
  for (int i = 0; i < number; ++i) {
    int& each = sizes[static_cast<std::size_t>(i)];
    if (pattern == 1) each = random.below(5);
    if (pattern == 2) each = random.chance(80) ? 0 : size;  // mostly empty
    if (pattern == 3) each = i == longest ? size : random.below(2) * random.below(2);
    if (pattern == 4) each = random.below(size + 1);
    if (pattern == 5) each = size / number * (i % call.p) + i % 3;  // ascending
  }
  return sizes;
}

void draw_sizes(Call& call, Random& random) {
  const Sizes kind = call.about().sizes;
  const int number = kind == Sizes::same ? 1 : kind == Sizes::by_pair ? call.p * call.p : call.p;
  call.sizes = draw_sizes(random, call, number);
  if (kind != Sizes::by_pair || !call.in_place) return;
  // In place, what a pair exchanges is as long in both directions.
  const auto at = [&](int i, int j) -> int& {
    return call.sizes[static_cast<std::size_t>(i * call.p + j)];
  };
  for (int i = 0; i < call.p; ++i) {
    for (int j = 0; j < i; ++j) at(i, j) = at(j, i);
  }
}

Side draw_side(Random& random, const Call& call, Form form, bool is_plain) {
  Side side;
  const bool ordered = form == Form::varied || form == Form::typed;
  const int types = form == Form::typed ? call.p : 1;
  for (int i = 0; i < types; ++i) {
    side.types.push_back(is_plain ? Description{.repeat = 1}
                                  : draw_description(random, *call.signature, call.unit));
  }
  side.at_bottom = random.chance(8);
  side.ignored_is_null = random.chance(50);
  if (!ordered) return side;
  const int most = random.below(4);  // elements in a hole
  const bool shuffled = random.chance(50);
  side.order = random.permutation(call.p);
  for (int i = 0; i < call.p; ++i) {
    if (!shuffled) side.order[static_cast<std::size_t>(i)] = i;
    side.holes.push_back(random.below(most + 1));
  }
  side.start = random.chance(30) ? random.between(-8, 8) : 0;
  return side;
}

void draw_sides(Call& call, Random& random) {
  call.send.clear();
  call.receive.clear();
  if (call.collective == Collective::barrier) return;
  // A third of the programs knows basic types only; another third uses one type everywhere.
  const int kind = random.below(3);
  const bool is_plain = kind == 0 || call.about().reduces;
  for (int rank = 0; rank < call.p; ++rank) {
    call.send.push_back(draw_side(random, call, call.form(Direction::send), is_plain));
    call.receive.push_back(draw_side(random, call, call.form(Direction::receive), is_plain));
    if (call.about().reduces) {
      call.send.back().at_bottom = call.receive.back().at_bottom = false;
    } else if (kind == 1) {
      for (Description& type : call.send.back().types) type = call.receive[0].types[0];
      for (Description& type : call.receive.back().types) type = call.receive[0].types[0];
    }
  }
}

void draw_data(Call& call, Random& random) {
  if (call.about().reduces) {
    call.reduction = draw_reduction(random);
  } else {
    static const std::vector<int> units{1, 1, 1, 2, 3, 4, 6, 12};
    call.unit = random.pick(units);
    call.signature = &random.pick(signatures());
  }
}

// Draws one thing anew.
void vary(Call& call, Random& random) {
  switch (random.below(4)) {
    case 0:
      call.root = random.below(call.p);
      break;
    case 1:
      draw_sizes(call, random);
      break;
    case 2:
      draw_sides(call, random);
      break;
    default:
      if (call.about().reduces && random.chance(70)) {
        redraw_operator(call.reduction, random);
      } else if (call.collective != Collective::bcast) {
        call.in_place = !call.in_place;
        draw_sizes(call, random);
      }
  }
}

}  // namespace

std::vector<Call> draw_case(Random& random, int p) {
  Call call;
  call.collective = draw_collective(random);
  call.p = p;
  call.root = random.below(p);
  call.values = random.next();
  if (call.collective == Collective::barrier) return {call};
  call.in_place = call.collective != Collective::bcast && random.chance(25);
  draw_data(call, random);
  draw_sizes(call, random);
  draw_sides(call, random);
  std::vector<Call> calls{call};
  const int kind = random.below(10);
  if (kind >= 8) {  // another one in between
    calls.push_back(call);
    vary(calls.back(), random);
  }
  if (kind >= 6) calls.push_back(call);
  for (Call& each : calls) {
    each.values = random.next();
    each.forgets = random.chance(30);
  }
  return calls;
}

}  // namespace tutti::fuzz
