#pragma once
#include <sqlite3.h>
#include <sys/types.h>

/* What Swift cannot call itself: variadic functions, and values that SQLite defines as casts. */

/* sqlite3_bind_blob with SQLITE_TRANSIENT, a macro that casts -1 to a function pointer. */
static inline int fixture_sqlite_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/* sqlite3_bind_text with SQLITE_TRANSIENT. */
static inline int fixture_sqlite_bind_text(
    sqlite3_stmt *statement, int index, const char *text, int count) {
  return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

/* sqlite3_db_config for the options that take one flag; it is variadic. */
static inline int fixture_sqlite_set_flag(sqlite3 *connection, int option, int value) {
  return sqlite3_db_config(connection, option, value, (int *)0);
}

/* Reads from the main file through SQLite's own descriptor. Opening and closing the file beside
   SQLite would drop every POSIX lock this process holds on it. No query runs and no page is
   cached. A file shorter than asked for gives zeros at the end. */
static inline int fixture_sqlite_read_file(
    sqlite3 *connection, void *bytes, int count, sqlite3_int64 offset) {
  sqlite3_file *file = (sqlite3_file *)0;
  int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK) return code;
  if (file == (sqlite3_file *)0 || file->pMethods == (const sqlite3_io_methods *)0) {
    return SQLITE_CANTOPEN;
  }
  code = file->pMethods->xRead(file, bytes, count, offset);
  return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
}

/* Whether some connection, in any process, has taken the right to write to the main file. Takes no
   lock itself. */
static inline int fixture_sqlite_is_reserved(sqlite3 *connection, int *result) {
  sqlite3_file *file = (sqlite3_file *)0;
  int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK) return code;
  if (file == (sqlite3_file *)0 || file->pMethods == (const sqlite3_io_methods *)0) {
    return SQLITE_CANTOPEN;
  }
  return file->pMethods->xCheckReservedLock(file, result);
}

/* sync_file_range, which is declared for _GNU_SOURCE only: begins to write a part of a file to the
   disk and does not wait for it. Does nothing where there is no such call. */
#ifdef __linux__
int sync_file_range(int descriptor, __off64_t offset, __off64_t count, unsigned int flags);
#endif
static inline void fixture_file_start_writing(int descriptor, long long offset, long long count) {
#ifdef __linux__
  const unsigned int write = 2; /* SYNC_FILE_RANGE_WRITE */
  (void)sync_file_range(descriptor, offset, count, write);
#else
  (void)descriptor, (void)offset, (void)count;
#endif
}
