/* A program that starts itself: one child by MPI_Comm_spawn, two by MPI_Comm_spawn_multiple. Each
   child tells the parent which of Tutti's variables and of the user's it has. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Seen {
  int preloaded, forced, own;
};

static int starts(const char* variable, const char* text) {
  const char* const value = getenv(variable);
  return value != NULL && strstr(value, text) != NULL;
}

static void child(MPI_Comm parent) {
  struct Seen seen = {starts("LD_PRELOAD", "libtutti.so"), starts("TUTTI_FORCE", "allreduce"),
                      starts("OWN", "kept")};
  MPI_Gather(&seen, 3, MPI_INT, NULL, 0, MPI_INT, 0, parent);
}

static void report(const char* how, int children, MPI_Comm inter) {
  struct Seen seen[3];
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Gather(NULL, 0, MPI_INT, seen, 3, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
  for (int i = 0; rank == 0 && i < children; ++i) {
    printf("%s: preloaded %d, forced %d, own %d\n", how, seen[i].preloaded, seen[i].forced,
           seen[i].own);
  }
  MPI_Comm_disconnect(&inter);
}

int main(int argc, char** argv) {
  MPI_Comm parent, inter;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    child(parent);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
  }
  MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                 MPI_ERRCODES_IGNORE);
  report("spawn", 1, inter);

  MPI_Info info;
  char value[256] = "";
  int keys, found;
  MPI_Info_create(&info);
  MPI_Info_set(info, "env", "OWN=kept\nTUTTI_FORCE=bcast=binomial");
  char* commands[] = {argv[0], argv[0]};
  const int numbers[] = {1, 1};
  const MPI_Info infos[] = {info, MPI_INFO_NULL};
  MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, numbers, infos, 0, MPI_COMM_WORLD, &inter,
                          MPI_ERRCODES_IGNORE);
  report("multiple", 2, inter);
  MPI_Info_get_nkeys(info, &keys);
  MPI_Info_get(info, "env", 255, value, &found);
  const int unchanged = keys == 1 && strcmp(value, "OWN=kept\nTUTTI_FORCE=bcast=binomial") == 0;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) puts(unchanged ? "the user's info as it was" : "the user's info CHANGED");
  MPI_Info_free(&info);
  MPI_Finalize();
}
