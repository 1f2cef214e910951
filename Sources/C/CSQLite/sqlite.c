#include "CSQLite.h"
#include "library.h"

/* The functions that only forward to the library's: result, name, parameters, arguments. None of
   them is called before a database is open. */
#define WITH_HANDLE(F) \
  F(int, sqlite3_extended_result_codes, (sqlite3 *d, int on), (d, on)) \
  F(int, sqlite3_busy_timeout, (sqlite3 *d, int milliseconds), (d, milliseconds)) \
  F(int, sqlite3_limit, (sqlite3 *d, int what, int value), (d, what, value)) \
  F(int, sqlite3_errcode, (sqlite3 *d), (d)) \
  F(const char *, sqlite3_errmsg, (sqlite3 *d), (d)) \
  F(int, sqlite3_system_errno, (sqlite3 *d), (d)) \
  F(int, sqlite3_get_autocommit, (sqlite3 *d), (d)) \
  F(sqlite3_int64, sqlite3_changes64, (sqlite3 *d), (d)) \
  F(sqlite3_int64, sqlite3_last_insert_rowid, (sqlite3 *d), (d)) \
  F(int, sqlite3_exec, \
    (sqlite3 *d, const char *sql, int (*row)(void *, int, char **, char **), void *context, char **error), \
    (d, sql, row, context, error)) \
  F(sqlite3_backup *, sqlite3_backup_init, (sqlite3 *to, const char *name, sqlite3 *from, const char *other), \
    (to, name, from, other)) \
  F(int, sqlite3_backup_step, (sqlite3_backup *b, int pages), (b, pages)) \
  F(int, sqlite3_backup_finish, (sqlite3_backup *b), (b)) \
  F(int, sqlite3_prepare_v3, \
    (sqlite3 *d, const char *sql, int count, unsigned int flags, sqlite3_stmt **s, const char **rest), \
    (d, sql, count, flags, s, rest)) \
  F(int, sqlite3_stmt_readonly, (sqlite3_stmt *s), (s)) \
  F(int, sqlite3_stmt_status, (sqlite3_stmt *s, int what, int reset), (s, what, reset)) \
  F(sqlite3 *, sqlite3_db_handle, (sqlite3_stmt *s), (s)) \
  F(int, sqlite3_bind_parameter_count, (sqlite3_stmt *s), (s)) \
  F(int, sqlite3_bind_null, (sqlite3_stmt *s, int i), (s, i)) \
  F(int, sqlite3_bind_int64, (sqlite3_stmt *s, int i, sqlite3_int64 value), (s, i, value)) \
  F(int, sqlite3_bind_double, (sqlite3_stmt *s, int i, double value), (s, i, value)) \
  F(int, sqlite3_bind_zeroblob, (sqlite3_stmt *s, int i, int count), (s, i, count)) \
  F(int, sqlite3_bind_blob64, \
    (sqlite3_stmt *s, int i, const void *bytes, sqlite3_uint64 count, void (*end)(void *)), \
    (s, i, bytes, count, end)) \
  F(int, sqlite3_bind_text64, \
    (sqlite3_stmt *s, int i, const char *text, sqlite3_uint64 count, void (*end)(void *), unsigned char encoding), \
    (s, i, text, count, end, encoding)) \
  F(int, sqlite3_bind_pointer, \
    (sqlite3_stmt *s, int i, void *pointer, const char *type, void (*end)(void *)), \
    (s, i, pointer, type, end)) \
  F(void, sqlite3_interrupt, (sqlite3 *d), (d)) \
  F(void, sqlite3_progress_handler, \
    (sqlite3 *d, int steps, int (*handler)(void *), void *context), (d, steps, handler, context)) \
  F(int, sqlite3_clear_bindings, (sqlite3_stmt *s), (s)) \
  F(int, sqlite3_step, (sqlite3_stmt *s), (s)) \
  F(int, sqlite3_reset, (sqlite3_stmt *s), (s)) \
  F(int, sqlite3_finalize, (sqlite3_stmt *s), (s)) \
  F(int, sqlite3_column_type, (sqlite3_stmt *s, int i), (s, i)) \
  F(int, sqlite3_column_bytes, (sqlite3_stmt *s, int i), (s, i)) \
  F(sqlite3_int64, sqlite3_column_int64, (sqlite3_stmt *s, int i), (s, i)) \
  F(double, sqlite3_column_double, (sqlite3_stmt *s, int i), (s, i)) \
  F(const unsigned char *, sqlite3_column_text, (sqlite3_stmt *s, int i), (s, i)) \
  F(const void *, sqlite3_column_blob, (sqlite3_stmt *s, int i), (s, i))

/* The functions that check whether the library is loaded, and variadic ones, which need a wrapper
   for Swift. */
#define OTHERS(F) \
  F(int, sqlite3_open_v2, (const char *, sqlite3 **, int, const char *), ) \
  F(int, sqlite3_close_v2, (sqlite3 *), ) \
  F(const char *, sqlite3_errstr, (int), ) \
  F(int, sqlite3_config, (int, ...), ) \
  F(int, sqlite3_db_config, (sqlite3 *, int, ...), )

NATTER_LIBRARY("libsqlite3.so.0", WITH_HANDLE, OTHERS)

const char *natter_sqlite_problem(void) { return library_handle() ? NULL : library_problem; }

NATTER_FORWARDER int sqlite3_open_v2(const char *path, sqlite3 **database, int flags, const char *system) {
  *database = NULL;
  return library_handle() ? library.sqlite3_open_v2(path, database, flags, system) : SQLITE_CANTOPEN;
}
NATTER_FORWARDER int sqlite3_close_v2(sqlite3 *database) {
  return database ? library.sqlite3_close_v2(database) : SQLITE_OK;
}
NATTER_FORWARDER const char *sqlite3_errstr(int code) {
  return library_handle() ? library.sqlite3_errstr(code) : library_problem;
}

int natter_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
int natter_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}
int natter_sqlite_set_option(sqlite3 *database, int option, int on) {
  int was = 0;
  return library.sqlite3_db_config(database, option, on, &was);
}
int natter_sqlite_count_no_memory(void) {
  return library_handle() ? library.sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) : SQLITE_ERROR;
}
