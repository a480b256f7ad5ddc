// Calls that went to the native collective. One that says the same goes there again at once: what a
// short native call takes, some hundred instructions, is not to be doubled by finding that out.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace tutti::runtime {

// What a program passed in MPI's C interface, but for addresses of data: the native collective
// judges these, and no choice depends on them. It does on an input that is said to be in place, and
// what is said of that input besides means nothing then: no such call is written down.
class PassedOn {
 public:
  // `p` is of the communicator; arrays of counts and displacements have so many entries.
  template <class... Parameters>
  void write_down(int p, Parameters... parameters) {
    if ((is_in_place(parameters) || ...)) return;
    arrays_.clear();
    std::size_t word = 0;
    (write_down(p, parameters, word), ...);
  }

  // Nothing says the same as what was not written down.
  template <class... Parameters>
  bool says_same(int p, Parameters... parameters) const {
    std::size_t word = 0, array = 0;
    return (has_word(parameters, word) && ...) && (has_array(p, parameters, array) && ...);
  }

 private:
  template <class Value>
  static constexpr bool is_array = std::is_same_v<Value, const int*>;

  template <class Value>
  static bool is_in_place([[maybe_unused]] Value value) {
    if constexpr (std::is_same_v<Value, const void*>) return value == MPI_IN_PLACE;
    return false;
  }

  template <class Value>
  static std::uintptr_t word_of(Value value) {
    if constexpr (std::is_pointer_v<Value>) {
      return reinterpret_cast<std::uintptr_t>(value);
    } else {
      return static_cast<unsigned>(value);
    }
  }

  template <class Value>
  void write_down(int p, Value value, std::size_t& word) {
    if constexpr (is_array<Value>) {
      arrays_.insert(arrays_.end(), value, value + p);
    } else if constexpr (!std::is_void_v<std::remove_pointer_t<Value>>) {
      words_[word++] = word_of(value);
    }
  }

  template <class Value>
  bool has_word(Value value, std::size_t& word) const {
    if constexpr (is_array<Value> || std::is_void_v<std::remove_pointer_t<Value>>) {
      return !is_in_place(value);
    } else {
      return word_of(value) == words_[word++];
    }
  }

  template <class Value>
  bool has_array(int p, Value value, std::size_t& array) const {
    if constexpr (!is_array<Value>) {
      return true;
    } else {
      const auto written = arrays_.begin() + p * static_cast<int>(array++);
      return value != nullptr && std::equal(value, value + p, written);
    }
  }

  // Counts, datatypes, operator, root; the communicator, as which nothing is 0, comes last.
  std::array<std::uintptr_t, 6> words_{};
  std::vector<int> arrays_;
};

}  // namespace tutti::runtime
