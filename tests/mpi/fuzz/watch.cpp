#include "watch.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>

namespace tutti::fuzz {

namespace {

constexpr unsigned limit_seconds = 120;

char text_of_call[4096];
const char* volatile stage_of_call = "";

void say(const char* text) {
  [[maybe_unused]] const auto written = write(STDOUT_FILENO, text, std::strlen(text));
}

void on_signal(int signal) {
  say(signal == SIGALRM ? "NO END after 120 s " : "CRASHED ");
  say(stage_of_call);
  say(": ");
  say(text_of_call);
  if (signal == SIGALRM) _exit(3);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

void start_watching() {
  for (const int signal : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) {
    std::signal(signal, on_signal);
  }
}

void watch_call(const std::string& text) {
  const std::size_t size = std::min(text.size(), sizeof text_of_call - 2);
  std::memcpy(text_of_call, text.data(), size);
  text_of_call[size] = '\n';
  text_of_call[size + 1] = '\0';
  alarm(limit_seconds);
}

void watch(const char* stage) { stage_of_call = stage; }

}  // namespace tutti::fuzz
