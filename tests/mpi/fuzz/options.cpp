#include "options.hpp"

#include <cstdio>
#include <cstdlib>

namespace tutti::fuzz {

namespace {

[[noreturn]] void refuse(const char* what, const char* argument) {
  std::fprintf(stderr,
               "fuzz: %s: %s\naccepted: --seed S, --cases N, --first N, --collective NAME (Bcast, "
               "...), --judge, --limits, --trace\n",
               what, argument);
  std::exit(2);
}

bool is_known(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(Collective::exscan); ++i) {
    if (name == info(static_cast<Collective>(i)).name) return true;
  }
  return false;
}

long number(const char* text) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || value < 0) refuse("not a number from 0 on", text);
  return value;
}

}  // namespace

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--trace") options.trace = true;
    if (word == "--judge") options.against = Against::both;
    if (word == "--limits") options.limits = true;
    if (word == "--trace" || word == "--judge" || word == "--limits") continue;
    if (word != "--seed" && word != "--cases" && word != "--first" && word != "--collective") {
      refuse("no such option", argv[i]);
    }
    if (++i == argc) refuse("a value is missing after", word.c_str());
    if (word == "--seed") options.seed = static_cast<Seed>(number(argv[i]));
    if (word == "--cases") options.cases = number(argv[i]);
    if (word == "--first") options.first = number(argv[i]);
    if (word == "--collective") options.collective = argv[i];
  }
  if (!options.collective.empty() && !is_known(options.collective)) {
    refuse("no such collective", options.collective.c_str());
  }
  return options;
}

}  // namespace tutti::fuzz
