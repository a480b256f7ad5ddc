#include "runtime/devices.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "families/loaded.hpp"
#include "runtime/communicator.hpp"

namespace tutti::runtime {

namespace {

// A kind of devices: its library, whose name begins so; a file that is there where a device is; and
// whether an address is known to the library, which is asked by the function it exports.
struct Kind {
  const char* library;
  const char* device;
  const char* function;
  bool (*knows)(void* function, const void* address);
};

// cuPointerGetAttribute(data, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address). Pinned memory of the host
// is memory like any other.
bool cuda_knows(void* function, const void* address) {
  constexpr int memory_type = 2;
  constexpr unsigned of_host = 1;
  unsigned type = of_host;
  const auto ask = reinterpret_cast<int (*)(void*, int, const void*)>(function);
  return ask(&type, memory_type, address) == 0 && type != of_host;
}

// hsa_amd_pointer_info(address, info, ...), on which HIP stands. Unlike HIP's own it leaves no
// error behind that the program would see.
bool hsa_knows(void* function, const void* address) {
  struct Info {  // of the first release; later ones fill in what `size` says
    std::uint32_t size, type;
    void *agent_base, *host_base;
    std::size_t bytes;
    void* user_data;
  } info{};
  info.size = sizeof info;
  constexpr std::uint32_t unknown = 0;
  const auto ask = reinterpret_cast<int (*)(const void*, Info*, void*, void*, void*)>(function);
  return ask(address, &info, nullptr, nullptr, nullptr) == 0 && info.type != unknown;
}

constexpr std::array kinds{
    Kind{"libcuda.so", "/dev/nvidiactl", "cuPointerGetAttribute", cuda_knows},
    Kind{"libhsa-runtime64.so", "/dev/kfd", "hsa_amd_pointer_info", hsa_knows},
};

bool is_on_device(const void* address) {
  return std::ranges::any_of(kinds, [&](const Kind& kind) {
    void* const library = loaded_library(kind.library, 0);
    void* const function = library != nullptr ? dlsym(library, kind.function) : nullptr;
    return function != nullptr && kind.knows(function, address);
  });
}

// Where a side's data begins: of blocks, each one's that is not empty.
bool is_on_device(const Side& side, const Blocks* blocks, const Facts& facts, int p) {
  if (!side.present) return false;
  const char* const base = static_cast<const char*>(side.address);
  if (blocks == nullptr) {
    return side.count > 0 && is_on_device(base + facts.all->true_lb);
  }
  for (int i = 0; i < p; ++i) {
    if (blocks->counts[i] == 0) continue;
    const Datatype& type = facts.of(i);
    const Count displacement = blocks->displacements.empty() ? 0 : blocks->displacements[i];
    const Count unit = blocks->types != nullptr ? 1 : type.extent;
    // One block's place is all blocks', unless they lie at addresses of their own.
    if (is_on_device(base + displacement * unit + type.true_lb)) return true;
    if (side.address != MPI_BOTTOM) return false;
  }
  return false;
}

}  // namespace

bool may_have_devices() {
#ifdef TUTTI_SMPI  // ranks are threads of one process, and their buffers its own
  return false;
#else
  const char* const said = std::getenv("TUTTI_DEVICES");
  if (said != nullptr && *said != '\0') return std::strcmp(said, "0") != 0;
  return std::ranges::any_of(kinds, [](const Kind& kind) {
    return access(kind.device, F_OK) == 0 || loaded_library(kind.library, 0) != nullptr;
  });
#endif
}

bool any_on_device(const Arguments& arguments, const CallFacts& facts, const Communicator& state) {
  const bool mine = is_on_device(arguments.in, arguments.in_blocks, facts.in, state.p) ||
                    is_on_device(arguments.out, arguments.out_blocks, facts.out, state.p);
  int any = mine ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, state.shadow);
  return any != 0;
}

}  // namespace tutti::runtime
