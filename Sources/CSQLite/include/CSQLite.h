#ifndef NATTER_CSQLITE_H
#define NATTER_CSQLITE_H
#include <sqlite3.h>

/* libsqlite3 is loaded when a function of it is first needed, not with the program: whoever has no account yet, and every command
   that only says something, needs none of it. The functions of <sqlite3.h> that the program uses are defined in sqlite.c, and go
   on to the library's. Without the library nothing can be opened. Loading may be asked for from any thread. */

/* Loads the library. Why it could not be loaded, in the loader's words; NULL when it was. */
const char *natter_sqlite_problem(void);

/* SQLITE_TRANSIENT is a cast that Swift cannot import: the library copies the bytes at once. */
int natter_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count);
int natter_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count);
/* sqlite3_db_config is variadic. */
int natter_sqlite_set_option(sqlite3 *database, int option, int on);
/* sqlite3_config is variadic. Counting the memory in use takes a mutex at each allocation, and nobody asks for the count. */
int natter_sqlite_count_no_memory(void);
#endif
