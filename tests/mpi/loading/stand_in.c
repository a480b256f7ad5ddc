/* Stands in for the library of a device: some memory is the device's. With -DHSA it answers as
   AMD's does, otherwise as NVIDIA's. */
#include <stddef.h>
#include <stdint.h>

static char memory[8 << 20];
static size_t used;

char* device_memory(size_t bytes) {
  char* const begin = memory + used;
  used += bytes;
  return used <= sizeof memory ? begin : NULL;
}

static int is_device(const void* address) {
  return (const char*)address >= memory && (const char*)address < memory + sizeof memory;
}

#ifdef HSA
struct info {
  uint32_t size, type;
};
int hsa_amd_pointer_info(const void* address, struct info* info, void* a, void* b, void* c) {
  (void)a, (void)b, (void)c;
  info->type = is_device(address) ? 1 : 0;
  return 0;
}
#else
enum { invalid_value = 1, memory_type = 2, of_device = 2 };
int cuPointerGetAttribute(unsigned* value, int attribute, const void* address) {
  if (attribute != memory_type || !is_device(address)) return invalid_value;
  *value = of_device;
  return 0;
}
#endif
