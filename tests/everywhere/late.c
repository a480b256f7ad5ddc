/* Not linked to MPI: loads the library that is, hidden from all others. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* const library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) return puts(dlerror()), 2;
  return ((int (*)(void))dlsym(library, "collectives"))();
}
