// Memory that processes of one machine share, by a name until all have it.
#pragma once

#include <cstddef>
#include <string>

namespace tutti {

class SharedObject {
 public:
  SharedObject() = default;
  SharedObject(SharedObject&& other) noexcept;
  SharedObject& operator=(SharedObject&& other) noexcept;
  ~SharedObject();

  // A new one of so many bytes, all zero; nobody else's has its name. Empty if there can be none. A
  // process that makes its first one forgets names of others that were killed meanwhile.
  static SharedObject create(std::size_t bytes);
  // The one that another process made. Empty if it is not there, or not of that size.
  static SharedObject open(const std::string& name, std::size_t bytes);

  bool exists() const { return memory_ != nullptr; }
  char* memory() const { return memory_; }
  std::size_t bytes() const { return bytes_; }
  const std::string& name() const { return name_; }
  // Has the machine set memory aside for a part of it, near the processor that asks. False if there
  // is not enough: who touched it would be killed.
  bool reserve(std::size_t offset, std::size_t bytes);
  // Has all of it, once it is set aside, where this process finds it without a fault.
  void map_all();
  // From now on nobody can open it, and it goes with the last who has it.
  void forget_name();
  // Nothing but its memory is needed any more.
  void close();

 private:
  bool map(std::size_t bytes);

  std::string name_;
  int file_ = -1;
  char* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tutti
