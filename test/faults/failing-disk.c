/* Fails with EIO, once the file FAIL_WHEN exists, each call of a kind: FAIL_CALLS is `sync` or `write`. FAIL_OF names the one
   file that is concerned; without it every file is. Preloaded (LD_PRELOAD). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int must_fail(const char *call, int descriptor) {
  const char *calls = getenv("FAIL_CALLS"), *of = getenv("FAIL_OF"), *when = getenv("FAIL_WHEN");
  char link[64], path[PATH_MAX];
  if (!calls || !when || strcmp(calls, call) != 0 || access(when, F_OK) != 0) return 0;
  if (of) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = '\0';
    if (strcmp(path, of) != 0) return 0;
  }
  errno = EIO;
  return 1;
}

#define FAILING(call, result, name, parameters, ...)                   \
  result name parameters {                                             \
    static result(*next) parameters;                                   \
    if (!next) next = (result(*) parameters)dlsym(RTLD_NEXT, #name);   \
    return must_fail(call, descriptor) ? -1 : next(__VA_ARGS__);       \
  }

FAILING("sync", int, fsync, (int descriptor), descriptor)
FAILING("sync", int, fdatasync, (int descriptor), descriptor)
FAILING("write", ssize_t, pwrite, (int descriptor, const void *bytes, size_t count, off_t at), descriptor, bytes, count, at)
FAILING("write", ssize_t, pwrite64, (int descriptor, const void *bytes, size_t count, off64_t at), descriptor, bytes, count, at)
