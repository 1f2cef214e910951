#ifndef NATTER_CSQLITE_H
#define NATTER_CSQLITE_H
#include <sqlite3.h>

/* libsqlite3 is loaded at the first call of one of its functions, not at start: a user without an
   account, and commands that only print text, do not need it. sqlite.c defines the functions of
   <sqlite3.h> that the program uses and forwards them to the library. Without the library no
   database can be opened. Any thread may trigger the loading. */

/* Loads the library. Returns the loader's error message if that fails, otherwise NULL. */
const char *natter_sqlite_problem(void);

/* SQLITE_TRANSIENT is a cast that Swift cannot import. It makes the library copy the bytes during
   the call. */
int natter_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count);
int natter_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count);
/* Wraps sqlite3_db_config, which is variadic. */
int natter_sqlite_set_option(sqlite3 *database, int option, int on);
/* Turns memory statistics off. Counting the memory in use takes a mutex at each allocation, and the
   program does not use the count. Wraps sqlite3_config, which is variadic. */
int natter_sqlite_count_no_memory(void);

/* Adds the tokenizer `natter` of full-text indexes to a connection. Every connection that reads or
   changes such an index needs it. Returns a result code; SQLITE_ERROR if the library lacks FTS5. */
int natter_sqlite_add_tokenizer(sqlite3 *database);
/* A tokenizer `natter` for texts that are not in an index. */
typedef struct natter_sqlite_tokenizer natter_sqlite_tokenizer;
/* Makes a tokenizer, which may be used until the connection is closed. Returns a result code. */
int natter_sqlite_make_tokenizer(sqlite3 *database, natter_sqlite_tokenizer **tokenizer);
/* Calls `take` with each token of `text` in order. The bytes of a token are valid during that call.
   Returns a result code. */
int natter_sqlite_tokenize(
    natter_sqlite_tokenizer *tokenizer, const char *text, int count, void *context,
    void (*take)(void *context, const char *token, int count));
void natter_sqlite_free_tokenizer(natter_sqlite_tokenizer *tokenizer);
/* Returns 1 for a character that is a token by itself, 0 for all others. */
int natter_sqlite_is_token(unsigned int character);
#endif
