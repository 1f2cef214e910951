#include "library.h"

void *natter_load(const char *file, char problem[256]) {
  /* Lazy: symbols that are never called need no lookup. Local: the library's symbols must not
     replace the program's own. */
  void *handle = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
  if (handle) return handle;
  const char *text = dlerror();
  snprintf(problem, 256, "%s", text ? text : file);
  return NULL;
}

int natter_find(void *handle, const char *file, const char *name, void **function, char problem[256]) {
  *function = dlsym(handle, name);
  if (!*function) snprintf(problem, 256, "%s: %s is missing", file, name);
  return *function != NULL;
}
