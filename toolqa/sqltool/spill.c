#include <stddef.h>
#include <string.h>

#include "budget.h"

// SQLite keeps what does not fit in memory in temporary files: sorters, and the tables of DISTINCT, GROUP BY, UNION,
// windows and subqueries. It deletes each as soon as it has opened it, so that nobody can see from outside how large it
// is. This file system is the machine's own, but for the files that are opened while a statement runs: a temporary one is
// charged to the statement's budget, and no other is opened, whatever the statement is.

// spilled is a temporary file. The machine's own follows it in memory.
typedef struct spilled {
  sqlite3_file base;
  budget *owner;
  int64_t size;
} spilled;

static sqlite3_vfs *host; // the file system of the machine

static sqlite3_file *inner(sqlite3_file *f) { return (sqlite3_file *)((spilled *)f + 1); }

static int spilled_close(sqlite3_file *f) {
  ((spilled *)f)->owner->spill -= ((spilled *)f)->size;
  return inner(f)->pMethods->xClose(inner(f));
}

// The sorter of SQLite merges many rows in one step, in which it does not look at the deadline, but reads and writes.
static int spilled_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at) {
  if (exhausted(((spilled *)f)->owner)) return SQLITE_IOERR;
  return inner(f)->pMethods->xRead(inner(f), to, n, at);
}

static int spilled_write(sqlite3_file *f, const void *from, int n, sqlite3_int64 at) {
  spilled *s = (spilled *)f;
  budget *b = s->owner;
  if (exhausted(b)) return SQLITE_IOERR;
  if (at + n > s->size) {
    if (b->spill + at + n - s->size > b->spill_most) {
      overdrawn(b, SPILL);
      return SQLITE_FULL;
    }
    b->spill += at + n - s->size;
    s->size = at + n;
    if (b->spill > b->spill_peak) b->spill_peak = b->spill;
  }
  return inner(f)->pMethods->xWrite(inner(f), from, n, at);
}

static int spilled_truncate(sqlite3_file *f, sqlite3_int64 size) {
  spilled *s = (spilled *)f;
  int rc = inner(f)->pMethods->xTruncate(inner(f), size);
  if (rc == SQLITE_OK && size < s->size) {
    s->owner->spill -= s->size - size;
    s->size = size;
  }
  return rc;
}

static int spilled_sync(sqlite3_file *f, int flags) { return SQLITE_OK; }

static int spilled_size(sqlite3_file *f, sqlite3_int64 *size) { return inner(f)->pMethods->xFileSize(inner(f), size); }

static int spilled_lock(sqlite3_file *f, int how) { return SQLITE_OK; }

static int spilled_reserved(sqlite3_file *f, int *out) {
  *out = 0;
  return SQLITE_OK;
}

// A file control could make the file larger; SQLite can do without all of them.
static int spilled_control(sqlite3_file *f, int op, void *arg) { return SQLITE_NOTFOUND; }

static int spilled_sector(sqlite3_file *f) { return inner(f)->pMethods->xSectorSize(inner(f)); }

static int spilled_device(sqlite3_file *f) { return inner(f)->pMethods->xDeviceCharacteristics(inner(f)); }

static const sqlite3_io_methods spilled_methods = {
  .iVersion = 1,
  .xClose = spilled_close,
  .xRead = spilled_read,
  .xWrite = spilled_write,
  .xTruncate = spilled_truncate,
  .xSync = spilled_sync,
  .xFileSize = spilled_size,
  .xLock = spilled_lock,
  .xUnlock = spilled_lock,
  .xCheckReservedLock = spilled_reserved,
  .xFileControl = spilled_control,
  .xSectorSize = spilled_sector,
  .xDeviceCharacteristics = spilled_device,
};

static int walled_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out) {
  budget *b = spent();
  if (b == NULL) return host->xOpen(host, name, f, flags, out);
  f->pMethods = NULL;
  if (name != NULL) return SQLITE_CANTOPEN;
  int rc = host->xOpen(host, NULL, inner(f), flags, out);
  if (rc != SQLITE_OK) {
    if (inner(f)->pMethods != NULL) inner(f)->pMethods->xClose(inner(f));
    return rc;
  }
  spilled *s = (spilled *)f;
  s->base.pMethods = &spilled_methods;
  s->owner = b;
  s->size = 0;
  return SQLITE_OK;
}

static int walled_delete(sqlite3_vfs *v, const char *name, int sync) {
  return spent() == NULL ? host->xDelete(host, name, sync) : SQLITE_IOERR;
}

static int walled_access(sqlite3_vfs *v, const char *name, int flags, int *out) {
  return host->xAccess(host, name, flags, out);
}

static int walled_full(sqlite3_vfs *v, const char *name, int n, char *out) {
  return host->xFullPathname(host, name, n, out);
}

static void *walled_dlopen(sqlite3_vfs *v, const char *name) { return NULL; }

static void walled_dlerror(sqlite3_vfs *v, int n, char *message) {
  if (n > 0) message[0] = 0;
}

static int walled_random(sqlite3_vfs *v, int n, char *out) { return host->xRandomness(host, n, out); }

static int walled_sleep(sqlite3_vfs *v, int us) { return host->xSleep(host, us); }

static int walled_time(sqlite3_vfs *v, double *t) { return host->xCurrentTime(host, t); }

static int walled_error(sqlite3_vfs *v, int n, char *s) { return host->xGetLastError(host, n, s); }

// budget_open_vfs registers the file system, once.
int budget_open_vfs(void) {
  static sqlite3_vfs walled = {
    .iVersion = 1,
    .zName = vfs_name,
    .xOpen = walled_open,
    .xDelete = walled_delete,
    .xAccess = walled_access,
    .xFullPathname = walled_full,
    .xDlOpen = walled_dlopen,
    .xDlError = walled_dlerror,
    .xRandomness = walled_random,
    .xSleep = walled_sleep,
    .xCurrentTime = walled_time,
    .xGetLastError = walled_error,
  };
  int rc = sqlite3_initialize();
  if (rc != SQLITE_OK) return rc;
  host = sqlite3_vfs_find(NULL);
  if (host == NULL) return SQLITE_ERROR;
  walled.szOsFile = host->szOsFile + (int)sizeof(spilled);
  walled.mxPathname = host->mxPathname;
  return sqlite3_vfs_register(&walled, 0);
}
