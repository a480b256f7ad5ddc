#include "select/variant.hpp"

#include <fmt/format.h>

#include <charconv>

#include "algorithms/registry.hpp"

namespace tutti {

std::string full_name(const Variant& variant) {
  if (variant.algorithm == nullptr) return "native";
  if (variant.parameter == 0) return std::string(variant.algorithm->name);
  return fmt::format("{}:{}", variant.algorithm->name, variant.parameter);
}

Variant parse_variant(Collective collective, std::string_view name) {
  const std::size_t colon = name.find(':');
  const Algorithm* algorithm = find_algorithm(collective, name.substr(0, colon));
  if (algorithm == nullptr || colon == std::string_view::npos) return {algorithm};
  int parameter = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + colon + 1, end, parameter);
  if (error != std::errc{} || stop != end || parameter < 1) return {};
  return {algorithm, parameter};
}

}  // namespace tutti
