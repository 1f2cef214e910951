#ifndef NATTER_CSQLITE_SHIM_H
#define NATTER_CSQLITE_SHIM_H
#include <sqlite3.h>

/* SQLITE_TRANSIENT is a cast that Swift cannot import: the library copies the bytes at once. */
static inline int natter_sqlite_bind_text(sqlite3_stmt *s, int i, const char *t, sqlite3_uint64 n) {
  return sqlite3_bind_text64(s, i, t, n, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline int natter_sqlite_bind_blob(sqlite3_stmt *s, int i, const void *t, sqlite3_uint64 n) {
  return n == 0 ? sqlite3_bind_zeroblob(s, i, 0)
                : sqlite3_bind_blob64(s, i, t, n, SQLITE_TRANSIENT);
}
/* sqlite3_db_config is variadic. */
static inline int natter_sqlite_set_option(sqlite3 *db, int option, int on) {
  int was = 0;
  return sqlite3_db_config(db, option, on, &was);
}
/* sqlite3_config is variadic. Counting the memory in use takes a mutex at each allocation, and nobody asks for the count. */
static inline int natter_sqlite_count_no_memory(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
#endif
