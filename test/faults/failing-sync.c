/* Fails each sync of the file FAIL_SYNC_OF with EIO, once the file FAIL_SYNC_WHEN exists. Preloaded (LD_PRELOAD). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int must_fail(int descriptor) {
  const char *of = getenv("FAIL_SYNC_OF"), *when = getenv("FAIL_SYNC_WHEN");
  char link[64], path[PATH_MAX];
  if (!of || !when || access(when, F_OK) != 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return strcmp(path, of) == 0;
}

int fsync(int descriptor) {
  static int (*next)(int);
  if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  if (must_fail(descriptor)) {
    errno = EIO;
    return -1;
  }
  return next(descriptor);
}

int fdatasync(int descriptor) {
  static int (*next)(int);
  if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  if (must_fail(descriptor)) {
    errno = EIO;
    return -1;
  }
  return next(descriptor);
}
