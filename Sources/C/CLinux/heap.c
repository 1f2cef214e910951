#define _GNU_SOURCE
#include "heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Buffers as large as a screen's cells are allocated and freed with each frame. Up to this size the
   heap serves them, which avoids a memory mapping each time. */
#define NATTER_LARGE (1 << 20)

void natter_heap_share(void) {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, NATTER_LARGE);
  mallopt(M_TRIM_THRESHOLD, 2 * NATTER_LARGE);
}

/* A mapping of the process, as smaps(5) reports it. */
struct stretch {
  unsigned long start, end;
  int is_text;
};

/* Returns whether a mapping is unwritable and belongs to the program or a library. The program
   never unloads libraries, so no other mapping can have replaced it meanwhile. */
static int is_text(const char *permissions, const char *path) {
  if (permissions[0] != 'r' || permissions[1] != '-' || permissions[3] != 'p') return 0;
  if (path[0] != '/') return 0;
  return strstr(path, ".so") != NULL || permissions[2] == 'x';
}

void natter_heap_give_back(void) {
  malloc_trim(0);
  FILE *maps = fopen("/proc/self/smaps", "re");
  if (maps == NULL) return;
  struct stretch stretch = {0, 0, 0};
  char line[4352];
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long start, end, size;
    char permissions[5], path[4096] = "";
    if (sscanf(line, "%lx-%lx %4s %*s %*s %*s %4095[^\n]", &start, &end, permissions, path) >= 3) {
      stretch = (struct stretch){start, end, is_text(permissions, path)};
    } else if (sscanf(line, "Anonymous: %lu kB", &size) == 1 || sscanf(line, "Swap: %lu kB", &size) == 1) {
      /* Private pages differ from the file: they hold addresses that the loader wrote. */
      if (size > 0) stretch.is_text = 0;
    } else if (strncmp(line, "VmFlags:", 8) == 0 && stretch.is_text) {
      madvise((void *)stretch.start, stretch.end - stretch.start, MADV_DONTNEED);
      stretch.is_text = 0;
    }
  }
  fclose(maps);
}
