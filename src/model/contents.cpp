#include "model/contents.hpp"

#include <fstream>
#include <sstream>

namespace tutti {

std::optional<std::string> contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file) return std::nullopt;
  text << file.rdbuf();
  if (file.bad()) return std::nullopt;
  return text.str();
}

}  // namespace tutti
