# Faults of the medium, one each: tutti_medium_mutant(NAME FILE FROM TO)

set(release "std::memory_order_release")
set(relaxed "std::memory_order_relaxed")
set(acquire "std::memory_order_acquire")
set(seq_cst "std::memory_order_seq_cst")

# What says that there is something new, or that it was taken.
tutti_medium_mutant(signal_before_entry medium.hpp
  "entry.bytes = static_cast"
  "store(entry.number, to.published + 1); entry.bytes = static_cast")
tutti_medium_mutant(signals_stored_relaxed medium.hpp
  "to.store(value, ${release})" "to.store(value, ${relaxed})")
tutti_medium_mutant(number_stored_relaxed medium.hpp
  "store(entry.number, ++to.published)" "entry.number.store(++to.published, ${relaxed})")
tutti_medium_mutant(number_loaded_relaxed medium.hpp
  "entry.number.load(${seq_cst})" "entry.number.load(${relaxed})")
tutti_medium_mutant(counter_stored_relaxed medium.hpp
  "store(from.i_took->value, from.taken)" "from.i_took->value.store(from.taken, ${relaxed})")
tutti_medium_mutant(tells_of_no_short_entry medium.hpp
  "% told_at_once != 0 && is_short" "% told_at_once != 0 || is_short")
tutti_medium_mutant(tells_late_of_what_is_lent medium.hpp
  "% told_at_once != 0 && is_short" "% told_at_once != 0 && (is_short || true)")
tutti_medium_mutant(counter_loaded_relaxed medium.hpp
  "they_took_here->value.load(${seq_cst})" "they_took_here->value.load(${relaxed})")
tutti_medium_mutant(counter_of_another_pair medium.cpp
  "theirs.taken_from(me)" "theirs.taken_from((me + 1) % ranks)")

# When something may be written again.
tutti_medium_mutant(room_for_one_too_many medium.hpp
  "to.they_took < entries_of_ring" "to.they_took <= entries_of_ring")
tutti_medium_mutant(room_not_looked_for medium.hpp
  "|| look_what_was_taken(to);" "|| true;")
tutti_medium_mutant(taken_all_but_one medium.hpp
  "to.they_took >= number" "to.they_took + 1 >= number")
tutti_medium_mutant(cell_free_for_one_too_early medium.cpp
  "published + 1})" "published})")
tutti_medium_mutant(cell_free_when_one_reads medium.cpp
  "return holders.empty()" "return holders.size() < 2")
tutti_medium_mutant(cell_always_free medium.cpp
  "return holders.empty()" "return true")

# Sleeping.
tutti_medium_mutant(publishing_wakes_nobody medium.hpp "wake(to);" "")
tutti_medium_mutant(taking_wakes_nobody medium.hpp "wake(from);" "")
tutti_medium_mutant(giving_up_wakes_nobody medium.hpp
  "for (const Peer& peer : peers_) wake(peer);" "")
tutti_medium_mutant(who_sleeps_is_not_woken waiting.cpp
  "word.exchange(0, ${seq_cst}) != 0" "word.exchange(0, ${seq_cst}) == 0")
tutti_medium_mutant(sleeps_without_look medium.hpp
  "if (is_idle()) sleep_while" "if (is_idle() || true) sleep_while")
tutti_medium_mutant(looks_before_it_is_asleep medium.hpp
  "asleep_->store(1, ${seq_cst});\n    if (is_idle())"
  "const bool idle = is_idle();\n    asleep_->store(1, ${seq_cst});\n    if (idle)")
tutti_medium_mutant(asleep_stored_release medium.hpp
  "asleep_->store(1, ${seq_cst})" "asleep_->store(1, ${release})")
tutti_medium_mutant(asleep_loaded_acquire medium.hpp
  "asleep->load(${seq_cst})" "asleep->load(${acquire})")
tutti_medium_mutant(signals_stored_release medium.hpp
  "to.store(value, ${seq_cst})" "to.store(value, ${release})")
tutti_medium_mutant(number_loaded_acquire medium.hpp
  "entry.number.load(${seq_cst})" "entry.number.load(${acquire})")
tutti_medium_mutant(counter_loaded_acquire medium.hpp
  "they_took_here->value.load(${seq_cst})" "they_took_here->value.load(${acquire})")
tutti_medium_mutant(gave_up_loaded_acquire medium.hpp
  "of_peer.value.load(${seq_cst})" "of_peer.value.load(${acquire})")
