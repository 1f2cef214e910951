#include "CLibrary.h"

void *natter_load(const char *file, char problem[256]) {
  /* Lazy: what is never called need not be looked for. Local: nothing of it may take the place of the program's own. */
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
