#include <stddef.h>
#include <stdint.h>

/* Once a second, for as long as the program runs, libdispatch checks whether its threads are
   blocked, which would wake an idle program. Threads of its pool wait only for the disk here, so
   the check has no use. It is the only timer on libdispatch's own queue, and is suspended before it
   first fires. This works where libdispatch is linked into the program (the static standard
   library): calls inside a shared library do not reach the wrapper. */

extern char _dispatch_mgr_q[] __attribute__((weak));
extern char _dispatch_source_type_timer[];
void dispatch_suspend(void *object);
/* Defined by the linker's option --wrap; without it nothing calls the following function. */
void *__real_dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue)
    __attribute__((weak));
void *__wrap_dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue);

void *__wrap_dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue) {
  void *source = __real_dispatch_source_create(type, handle, mask, queue);
  if (source != NULL && queue != NULL && queue == (void *)_dispatch_mgr_q
      && type == (const void *)_dispatch_source_type_timer) {
    dispatch_suspend(source);
  }
  return source;
}
