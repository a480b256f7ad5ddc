// From a schedule as the builder writes it to the one that is run, proved and simulated.
#pragma once

#include "passes/fragments.hpp"
#include "passes/reductions.hpp"

namespace tutti {

// Bytes from which on a message may wait for its receiver.
inline constexpr Units long_message = 16 << 10;

// How messages are carried: what the passes have to know of whoever carries them.
struct Carriage {
  Units long_bytes = long_message;
  // A receive and a send of so many bytes at most may be one call. None is, unless said otherwise.
  Units short_bytes = -1;
  // Null: all messages go whole, as do those that wait for their receivers on purpose. What goes in
  // fragments does not wait for its receiver.
  FragmentCount fragments{};
  // Null: nobody's messages can be read where they lie. If a rank can read another's, that one can
  // read its own; they are read so if that spares a copy, and go whole.
  IsReadable readable{};
};

// Receives joined to their reductions, long exchanges ordered, receives hoisted, messages cut into
// fragments, short exchanges paired.
Schedule lowered(Schedule written, Units unit_bytes, const Carriage& carriage);

}  // namespace tutti
