#include "runtime/look_up.hpp"

#include <cstring>

#include "runtime/roomy.hpp"

namespace tutti::runtime {

namespace {

// Writes down what the call says of a side's blocks.
void describe(const Blocks* blocks, const Facts& facts, int p, Words& words) {
  if (blocks == nullptr) return;
  for (int i = 0; i < p; ++i) {
    words.push_back(blocks->counts[i]);
    if (!blocks->displacements.empty()) words.push_back(blocks->displacements[i]);
    if (facts.each != nullptr) words.push_back(static_cast<std::int64_t>(facts.of(i).serial));
  }
}

// Whether a side's blocks are as `word` and those after it say; that is then behind them.
bool has_blocks(const Blocks* blocks, int p, Words::const_iterator& word) {
  if (blocks == nullptr) return true;
  if (blocks->counts.empty() || (blocks->displaced && blocks->displacements.empty())) return false;
  for (int i = 0; i < p; ++i) {
    if (blocks->counts[i] != *word++) return false;
    if (blocks->displaced && blocks->displacements[i] != *word++) return false;
  }
  return true;
}

CallKey key_of(const Arguments& arguments, const CallFacts& facts) {
  CallKey key{.collective = arguments.collective,
              .in_place = arguments.in_place,
              .commutative = facts.commutative,
              .in_at_bottom = arguments.in.address == MPI_BOTTOM,
              .out_at_bottom = arguments.out.address == MPI_BOTTOM,
              .recurs = facts.recurs,
              .root = arguments.root,
              .send_count = arguments.in.count,
              .recv_count = arguments.out.count,
              .send_type = facts.in.all != nullptr ? facts.in.all->shape : 0,
              .recv_type = facts.out.all != nullptr ? facts.out.all->shape : 0};
  if (arguments.op != MPI_OP_NULL) std::memcpy(&key.op, &arguments.op, sizeof arguments.op);
  key.blocks_hash = hash_of(facts.words);
  return key;
}

}  // namespace

bool have_blocks(const Blocks* in, const Blocks* out, int p, const Words& words) {
  auto word = words.begin();
  return has_blocks(in, p, word) && has_blocks(out, p, word);
}

std::uint64_t hash_of(const Words& words) {
  std::uint64_t hash = 0;
  for (std::int64_t word : words) {
    hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

bool may_recur(Collective collective) {
  const CollectiveInfo& about = info(collective);
  return about.irregular() && about.sizes_known();
}

bool recurs(const Arguments& arguments, const Facts& out, Communicator& state, Words& room) {
  if (!may_recur(arguments.collective)) return false;
  const bool reduces = info(arguments.collective).reduces;
  const Blocks* blocks = reduces ? arguments.in_blocks : arguments.out_blocks;
  room = {static_cast<std::int64_t>(arguments.collective) + 1};
  append_sizes(*blocks, out, state.p, room);
  return state.layouts.recurs(hash_of(room));
}

std::shared_ptr<Prepared> prepared_for(const Arguments& arguments, CallFacts& facts,
                                       Communicator& state) {
  const Heard& heard = facts.heard;
  facts.words.clear();
  describe(arguments.in_blocks, facts.in, state.p, facts.words);
  describe(arguments.out_blocks, facts.out, state.p, facts.words);
  if (heard.agreed > 0 || heard.asked) {
    facts.words.insert(facts.words.end(), heard.numbers.begin(), heard.numbers.end());
    facts.words.push_back(heard.asked ? 1 : 0);
  }
  const CallKey key = key_of(arguments, facts);
  const TypesOfSides types{facts.in.all, facts.out.all};
  const std::shared_ptr<Prepared>* const found = state.cache.find(key);
  if (found != nullptr && (*found)->blocks == facts.words) {
    const bool is_free = found->use_count() == 1;
    if ((*found)->is_for(types) || (is_free && (*found)->rename_types(types))) return *found;
  }
  std::shared_ptr<Prepared> prepared;
  const auto make = [&] {
    prepared = prepare(arguments, facts, state);
    state.cache.insert(key, prepared);
  };
  with_room(make);
  return prepared;
}

}  // namespace tutti::runtime
