#ifndef NATTER_LIBRARY_H
#define NATTER_LIBRARY_H
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

/* A library that is loaded at the first use of one of its functions, not with the program. Two
   lists declare the functions used. Each list is a macro that passes every function to the macro F:
   its result, name, parameters, and the arguments of the call.

     #define FORWARDED(F) F(int, one_count, (one *o, int limit), (o, limit)) ...
     #define OTHERS(F) F(int, one_configure, (int, ...), ) ...
     NATTER_LIBRARY("libone.so.1", FORWARDED, OTHERS)

   Then `library.NAME` is the library's function, `library_handle()` its handle, or NULL if it could
   not be loaded, and `library_problem` the reason. The functions of the first list are defined and
   forward to the library's: they may be called only after it is loaded. The caller defines those of
   the second list. */

/* Hidden, so that a library loaded later cannot bind to these functions instead of the original
   ones. */
#define NATTER_FORWARDER __attribute__((visibility("hidden")))

#define NATTER_MEMBER(result, name, parameters, arguments) result(*name) parameters;
#define NATTER_FIND(result, name, parameters, arguments) \
  && natter_find(handle, library_file, #name, (void **)&library.name, library_problem)
#define NATTER_FORWARD(result, name, parameters, arguments) \
  NATTER_FORWARDER result name parameters { return library.name arguments; }

#define NATTER_LIBRARY(file, FORWARDED, OTHERS) \
  static const char library_file[] = file; \
  static struct { FORWARDED(NATTER_MEMBER) OTHERS(NATTER_MEMBER) } library; \
  static char library_problem[256]; \
  static void *library_loaded; \
  static void load_library(void) { \
    void *handle = natter_load(library_file, library_problem); \
    if (handle FORWARDED(NATTER_FIND) OTHERS(NATTER_FIND)) library_loaded = handle; \
  } \
  static void *library_handle(void) { \
    static pthread_once_t once = PTHREAD_ONCE_INIT; \
    pthread_once(&once, load_library); \
    return library_loaded; \
  } \
  FORWARDED(NATTER_FORWARD)

/* Loads a library. Returns its handle, or NULL with the loader's message in `problem`. */
void *natter_load(const char *file, char problem[256]);
/* Looks up a function. Returns 0 if it is missing, with a message in `problem`. */
int natter_find(void *handle, const char *file, const char *name, void **function, char problem[256]);
#endif
