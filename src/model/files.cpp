#include "model/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tutti {

namespace {

// mkstemp makes files for their owner only; what the user asked for gets the usual mode.
void give_usual_mode(int file) {
  const mode_t mask = umask(0);
  umask(mask);
  (void)fchmod(file, 0666 & ~mask);
}

bool write_all(int file, const std::string& contents) {
  std::size_t done = 0;
  while (done < contents.size()) {
    const ssize_t written = write(file, contents.data() + done, contents.size() - done);
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

std::optional<std::string> contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file) return std::nullopt;
  text << file.rdbuf();
  if (file.bad()) return std::nullopt;
  return text.str();
}

void write_file(const std::string& path, const std::string& contents) {
  const auto refused = [&] {
    return std::invalid_argument(
        fmt::format("'{}' cannot be written: {}; accepted is a file in a folder you may write to",
                    path, std::strerror(errno)));
  };
  struct stat existing {};
  if (stat(path.c_str(), &existing) == 0 && S_ISDIR(existing.st_mode)) {
    errno = EISDIR;
    throw refused();
  }
  if (stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {  // a pipe or a device
    const int device = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (device < 0 || !write_all(device, contents) || close(device) != 0) throw refused();
    return;
  }
  std::string temporary = path + ".XXXXXX";
  const int file = mkstemp(temporary.data());
  if (file < 0) throw refused();
  give_usual_mode(file);
  const bool written = write_all(file, contents);
  const bool closed = close(file) == 0;
  if (written && closed && std::rename(temporary.c_str(), path.c_str()) == 0) return;
  const int reason = errno;
  unlink(temporary.c_str());
  errno = reason;
  throw refused();
}

}  // namespace tutti
