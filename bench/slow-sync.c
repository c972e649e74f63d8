/* Adds a fixed time to each sync of a file, as a slower disk would. Preloaded (LD_PRELOAD) into both servers. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <time.h>

#ifndef DELAY_MS
#error "compile with -DDELAY_MS=milliseconds"
#endif

static void wait_a_while(void) {
  struct timespec left = {DELAY_MS / 1000, (DELAY_MS % 1000) * 1000000L};
  while (nanosleep(&left, &left) == -1 && errno == EINTR) {
  }
}

int fsync(int descriptor) {
  static int (*next)(int);
  if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_a_while();
  return next(descriptor);
}

int fdatasync(int descriptor) {
  static int (*next)(int);
  if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_a_while();
  return next(descriptor);
}
