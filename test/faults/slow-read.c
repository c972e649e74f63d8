/* Delays each read of the file SLOW_READ_OF (the end of its path) by the milliseconds that the file SLOW_READ_BY holds, while
   that exists. Preloaded (LD_PRELOAD). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void wait_for(int descriptor) {
  const char *of = getenv("SLOW_READ_OF"), *by = getenv("SLOW_READ_BY");
  char link[64], path[PATH_MAX];
  if (!of || !by) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return;
  path[length] = '\0';
  size_t end = strlen(of);
  if ((size_t)length < end || strcmp(path + length - end, of) != 0) return;
  FILE *file = fopen(by, "r");
  unsigned int ms = 0;
  if (!file) return;
  if (fscanf(file, "%u", &ms) != 1) ms = 0;
  fclose(file);
  usleep(1000 * ms);
}

ssize_t pread64(int descriptor, void *buffer, size_t bytes, off64_t offset) {
  static ssize_t (*next)(int, void *, size_t, off64_t);
  if (!next) next = (ssize_t(*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT, "pread64");
  wait_for(descriptor);
  return next(descriptor, buffer, bytes, offset);
}

ssize_t read(int descriptor, void *buffer, size_t bytes) {
  static ssize_t (*next)(int, void *, size_t);
  if (!next) next = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
  wait_for(descriptor);
  return next(descriptor, buffer, bytes);
}
