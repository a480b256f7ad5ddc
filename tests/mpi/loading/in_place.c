/* Loads a Fortran library, hidden from all others, and calls it. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int wrong = -1;
  void* const library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) return puts(dlerror()), 1;
  ((void (*)(int*))dlsym(library, "in_place"))(&wrong);
  puts(wrong == 0 ? "right" : "WRONG");
  return wrong != 0;
}
