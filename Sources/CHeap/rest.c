#include <stddef.h>
#include <stdint.h>

/* libdispatch watches once a second whether its threads are blocked, for as long as the program runs, and would wake an idle
   program for it. Here no thread of its pool waits for anything but the disk: nobody needs the watch. It is the one timer on
   libdispatch's own queue; it is suspended before it first runs. Of use where libdispatch is part of the program (the static
   standard library): calls inside a shared one do not come by here. */

extern char _dispatch_mgr_q[] __attribute__((weak));
extern char _dispatch_source_type_timer[];
void dispatch_suspend(void *object);
/* Made by the linker's option --wrap; without it nothing calls what follows. */
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
