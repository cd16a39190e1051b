// The part of SQLite's C interface that this package uses beside the driver, which links SQLite but keeps its header to
// itself. SQLite never changes these declarations (https://www.sqlite.org/c3ref/intro.html).
#ifndef TOOLEVO_SQLITE_H
#define TOOLEVO_SQLITE_H

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef struct sqlite3_value sqlite3_value;
typedef struct sqlite3_context sqlite3_context;
typedef struct sqlite3_vfs sqlite3_vfs;
typedef struct sqlite3_file sqlite3_file;
typedef struct sqlite3_io_methods sqlite3_io_methods;
typedef long long sqlite3_int64;

#define SQLITE_OK 0
#define SQLITE_ERROR 1
#define SQLITE_NOMEM 7
#define SQLITE_INTERRUPT 9
#define SQLITE_IOERR 10
#define SQLITE_FULL 13
#define SQLITE_CANTOPEN 14
#define SQLITE_NOTFOUND 12
#define SQLITE_ROW 100
#define SQLITE_DONE 101

enum { SQLITE_INTEGER = 1, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB, SQLITE_NULL };

#define SQLITE_UTF8 1
#define SQLITE_DETERMINISTIC 0x800
#define SQLITE_INNOCUOUS 0x200000
#define SQLITE_TRANSIENT ((void (*)(void *))-1)

#define SQLITE_CONFIG_MALLOC 4
#define SQLITE_CONFIG_GETMALLOC 5

typedef struct sqlite3_mem_methods {
  void *(*xMalloc)(int);
  void (*xFree)(void *);
  void *(*xRealloc)(void *, int);
  int (*xSize)(void *);
  int (*xRoundup)(int);
  int (*xInit)(void *);
  void (*xShutdown)(void *);
  void *pAppData;
} sqlite3_mem_methods;

struct sqlite3_file {
  const sqlite3_io_methods *pMethods;
};

struct sqlite3_io_methods { // of version 1
  int iVersion;
  int (*xClose)(sqlite3_file *);
  int (*xRead)(sqlite3_file *, void *, int n, sqlite3_int64 at);
  int (*xWrite)(sqlite3_file *, const void *, int n, sqlite3_int64 at);
  int (*xTruncate)(sqlite3_file *, sqlite3_int64 size);
  int (*xSync)(sqlite3_file *, int flags);
  int (*xFileSize)(sqlite3_file *, sqlite3_int64 *size);
  int (*xLock)(sqlite3_file *, int);
  int (*xUnlock)(sqlite3_file *, int);
  int (*xCheckReservedLock)(sqlite3_file *, int *);
  int (*xFileControl)(sqlite3_file *, int op, void *);
  int (*xSectorSize)(sqlite3_file *);
  int (*xDeviceCharacteristics)(sqlite3_file *);
};

struct sqlite3_vfs { // of version 2
  int iVersion;
  int szOsFile;
  int mxPathname;
  sqlite3_vfs *pNext;
  const char *zName;
  void *pAppData;
  int (*xOpen)(sqlite3_vfs *, const char *name, sqlite3_file *, int flags, int *out);
  int (*xDelete)(sqlite3_vfs *, const char *name, int sync);
  int (*xAccess)(sqlite3_vfs *, const char *name, int flags, int *out);
  int (*xFullPathname)(sqlite3_vfs *, const char *name, int n, char *out);
  void *(*xDlOpen)(sqlite3_vfs *, const char *name);
  void (*xDlError)(sqlite3_vfs *, int n, char *message);
  void (*(*xDlSym)(sqlite3_vfs *, void *, const char *symbol))(void);
  void (*xDlClose)(sqlite3_vfs *, void *);
  int (*xRandomness)(sqlite3_vfs *, int n, char *out);
  int (*xSleep)(sqlite3_vfs *, int microseconds);
  int (*xCurrentTime)(sqlite3_vfs *, double *);
  int (*xGetLastError)(sqlite3_vfs *, int, char *);
  int (*xCurrentTimeInt64)(sqlite3_vfs *, sqlite3_int64 *);
};

int sqlite3_config(int, ...);
int sqlite3_initialize(void);
sqlite3_vfs *sqlite3_vfs_find(const char *name);
int sqlite3_vfs_register(sqlite3_vfs *, int makeDefault);
void *sqlite3_malloc(int);
void *sqlite3_realloc(void *, int);
void sqlite3_free(void *);

void sqlite3_progress_handler(sqlite3 *, int steps, int (*)(void *), void *);
int sqlite3_prepare_v2(sqlite3 *, const char *sql, int n, sqlite3_stmt **, const char **tail);
int sqlite3_step(sqlite3_stmt *);
int sqlite3_finalize(sqlite3_stmt *);
int sqlite3_extended_errcode(sqlite3 *);
const char *sqlite3_errmsg(sqlite3 *);

int sqlite3_column_count(sqlite3_stmt *);
const char *sqlite3_column_name(sqlite3_stmt *, int);
int sqlite3_column_type(sqlite3_stmt *, int);
sqlite3_int64 sqlite3_column_int64(sqlite3_stmt *, int);
double sqlite3_column_double(sqlite3_stmt *, int);
const unsigned char *sqlite3_column_text(sqlite3_stmt *, int);
const void *sqlite3_column_blob(sqlite3_stmt *, int);
int sqlite3_column_bytes(sqlite3_stmt *, int);

int sqlite3_create_function_v2(sqlite3 *, const char *name, int args, int flags, void *data,
                               void (*call)(sqlite3_context *, int, sqlite3_value **),
                               void (*step)(sqlite3_context *, int, sqlite3_value **),
                               void (*final)(sqlite3_context *), void (*destroy)(void *));
void *sqlite3_user_data(sqlite3_context *);
void *sqlite3_aggregate_context(sqlite3_context *, int n); // of 0 bytes: NULL where there is none yet
int sqlite3_value_type(sqlite3_value *);
double sqlite3_value_double(sqlite3_value *);
const unsigned char *sqlite3_value_text(sqlite3_value *);
int sqlite3_value_bytes(sqlite3_value *);
void sqlite3_result_int(sqlite3_context *, int);
void sqlite3_result_double(sqlite3_context *, double);
void sqlite3_result_text(sqlite3_context *, const char *, int n, void (*destroy)(void *));
void sqlite3_result_error(sqlite3_context *, const char *, int n);
void sqlite3_result_error_code(sqlite3_context *, int);
void sqlite3_result_error_nomem(sqlite3_context *);
void sqlite3_result_error_toobig(sqlite3_context *);
int sqlite3_strglob(const char *pattern, const char *text);
int sqlite3_strlike(const char *pattern, const char *text, unsigned int escape);

#endif
