/* ThreadSanitizer sees only what it has compiled. Synchronization.Mutex takes a lock that nobody holds with an atomic
   operation in the caller's own code, which it sees; one that somebody holds is taken, and given on, in Swift's library
   and in the kernel (FUTEX_LOCK_PI), which it does not see. Without the words below it would call everything that two
   threads do one after the other under such a lock a race, once in a while.

   These two functions stand in front of the library's own, in the tests only. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

/* Synchronization._MutexHandle._lockSlow(UInt32), ._unlockSlow() */
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

typedef SWIFT void lock_function(uint32_t thread, SELF void *handle);
typedef SWIFT void unlock_function(SELF void *handle);

SWIFT void natter_lock_slowly(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT void natter_unlock_slowly(SELF void *handle) __asm__(UNLOCK);

static lock_function *library_lock;
static unlock_function *library_unlock;

__attribute__((constructor)) static void find_the_library(void) {
  library_lock = (lock_function *)dlsym(RTLD_NEXT, LOCK);
  library_unlock = (unlock_function *)dlsym(RTLD_NEXT, UNLOCK);
  if (!library_lock || !library_unlock) abort();
}

SWIFT void natter_lock_slowly(uint32_t thread, SELF void *handle) {
  library_lock(thread, handle);
  __tsan_acquire(handle);
}

SWIFT void natter_unlock_slowly(SELF void *handle) {
  __tsan_release(handle);
  library_unlock(handle);
}
#endif
#endif
