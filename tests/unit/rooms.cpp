#include "rooms.hpp"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tutti {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string without_comments(const std::string& source) {
  std::string text;
  bool in_string = false;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (!in_string && source.compare(i, 2, "//") == 0) {
      i = source.find('\n', i);
      if (i == std::string::npos) break;
    } else if (!in_string && source.compare(i, 2, "/*") == 0) {
      i = source.find("*/", i + 2);
      if (i == std::string::npos) break;
      i += 1;
      continue;
    } else if (source[i] == '"' && (i == 0 || source[i - 1] != '\\')) {
      in_string = !in_string;
    }
    text += source[i];
  }
  return text;
}

static bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The rest of the word at `at`, or nothing if a word does not start there.
static std::string word_at(const std::string& text, std::size_t at) {
  if (at > 0 && in_word(text[at - 1])) return "";
  std::size_t end = at;
  while (end < text.size() && in_word(text[end])) ++end;
  return text.substr(at, end - at);
}

static bool is_mpi_name(const std::string& word) {
  return word.starts_with("MPI_") || word.starts_with("PMPI_");
}

// "% p" or "%call.p", if it is there.
static std::string modulo_p(const std::string& text, std::size_t at) {
  if (text[at] != '%') return "";
  std::size_t operand = text.find_first_not_of(' ', at + 1);
  if (operand == std::string::npos) return "";
  if (text.compare(operand, 5, "call.") == 0) operand += 5;
  return word_at(text, operand) == "p" ? text.substr(at, operand + 1 - at) : "";
}

std::string out_of_room(const std::string& source) {
  const std::string text = without_comments(source);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string word = word_at(text, i);
    if (is_mpi_name(word) || word == "in_place") return word;
    if (const std::string modulo = modulo_p(text, i); !modulo.empty()) return modulo;
  }
  return "";
}

std::string mpi_in(const std::string& source) {
  const std::string text = without_comments(source);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#include") && line.find("mpi") != std::string::npos) return line;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (const std::string word = word_at(text, i); is_mpi_name(word)) return word;
  }
  return "";
}

std::vector<fs::path> sources_under(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".cpp" || extension == ".hpp" || extension == ".def") {
      found.push_back(entry.path());
    }
  }
  return found;
}

}  // namespace tutti
