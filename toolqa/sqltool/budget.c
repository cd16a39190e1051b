#include "budget.h"

#include <ctype.h>
#ifdef __linux__
#include <features.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

// The statement that this thread runs. It is set as long as SQLite runs for a statement, and at no other time, so that
// all other work with SQLite in this process costs what it always does, and is charged to nobody.
static __thread budget *current;

budget *spent(void) { return current; }

// now returns the monotonic time in ns. Where there is one that is read at little cost and a few ms late, that is enough.
static int64_t now(int exact) {
  struct timespec t;
#ifdef CLOCK_MONOTONIC_COARSE
  clock_gettime(exact ? CLOCK_MONOTONIC : CLOCK_MONOTONIC_COARSE, &t);
#else
  clock_gettime(CLOCK_MONOTONIC, &t);
#endif
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void overdrawn(budget *b, int what) {
  if (b->over == NOTHING) b->over = what;
}

int exhausted(budget *b) {
  if (b->over != NOTHING) return 1;
  if (__atomic_load_n(&b->cancelled, __ATOMIC_RELAXED)) overdrawn(b, CANCELLED);
  else if (now(0) >= b->deadline) overdrawn(b, TIME);
  return b->over != NOTHING;
}

// The allocator of SQLite is one for the process. Ours hands everything on to SQLite's own and counts what the statement
// of the thread has.
static sqlite3_mem_methods own;

// grant says whether a statement gets n more bytes. SQLite asks for memory in nearly all that it does, also where it
// does not look at the deadline, so it is looked at here.
static int grant(budget *b, int64_t n) {
  if (n > 0 && b->memory + n > b->memory_most) {
    overdrawn(b, MEMORY);
    return 0;
  }
  if (n >= 4096 || ++b->asked % 64 == 0) return !exhausted(b);
  return 1;
}

static void charge(budget *b, int64_t n) {
  b->memory += n;
  if (b->memory > b->memory_peak) b->memory_peak = b->memory;
}

static void *counted_malloc(int n) {
  budget *b = current;
  if (b == NULL) return own.xMalloc(n);
  if (!grant(b, n)) return NULL;
  void *p = own.xMalloc(n);
  if (p != NULL) charge(b, own.xSize(p));
  else overdrawn(b, HOST);
  return p;
}

static void *counted_realloc(void *p, int n) {
  budget *b = current;
  if (b == NULL) return own.xRealloc(p, n);
  int64_t before = own.xSize(p);
  if (!grant(b, n - before)) return NULL;
  void *q = own.xRealloc(p, n);
  if (q != NULL) charge(b, own.xSize(q) - before);
  else overdrawn(b, HOST);
  return q;
}

static void counted_free(void *p) {
  if (current != NULL) current->memory -= own.xSize(p);
  own.xFree(p);
}

// budget_install puts the counting allocator in place, which SQLite allows before it is first used only.
int budget_install(void) {
  int rc = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &own);
  if (rc != SQLITE_OK) return rc;
  sqlite3_mem_methods counted = own;
  counted.xMalloc = counted_malloc;
  counted.xRealloc = counted_realloc;
  counted.xFree = counted_free;
  return sqlite3_config(SQLITE_CONFIG_MALLOC, &counted);
}

// look is SQLite's progress handler.
static int look(void *p) { return current == p && exhausted(p); }

// budget_new returns the budget of a connection; NULL when there is no memory for it. It is freed with free, after the
// connection has been closed.
budget *budget_new(sqlite3 *db, int64_t memory_most, int64_t spill_most) {
  budget *b = calloc(1, sizeof *b);
  if (b == NULL) return NULL;
  b->db = db;
  b->memory_most = memory_most;
  b->spill_most = spill_most;
  sqlite3_progress_handler(db, 200, look, b);
  if (register_bounded(b) != SQLITE_OK || register_aggregates(db) != SQLITE_OK) {
    sqlite3_progress_handler(db, 0, NULL, NULL);
    free(b);
    return NULL;
  }
  return b;
}

// budget_cancel ends the statement that runs, if there is one. Any thread may call it.
void budget_cancel(budget *b) { __atomic_store_n(&b->cancelled, 1, __ATOMIC_RELAXED); }

// budget_rearm forgets that the statement before was cancelled. It is called before another thread learns of the next one.
void budget_rearm(budget *b) { __atomic_store_n(&b->cancelled, 0, __ATOMIC_RELAXED); }

// budget_start prepares the statement that sql is, which then has so many ns until it must end. More than one is an
// error.
int budget_start(budget *b, const char *sql, int n, int64_t timeout) {
  b->deadline = now(1) + timeout;
  b->over = NOTHING;
  b->asked = 0;
  b->memory = b->memory_peak = 0;
  b->spill = b->spill_peak = 0;
  const char *tail = NULL;
  current = b;
  int rc = sqlite3_prepare_v2(b->db, sql, n, &b->stmt, &tail);
  current = NULL;
  if (rc != SQLITE_OK) return rc;
  while (tail < sql + n && (isspace((unsigned char)*tail) || *tail == ';')) tail++;
  return b->stmt == NULL || tail < sql + n ? SQLITE_ERROR : SQLITE_OK;
}

// budget_step runs the statement to its next row, of n values.
int budget_step(budget *b, cell *row, int n) {
  current = b;
  int rc = exhausted(b) ? SQLITE_INTERRUPT : sqlite3_step(b->stmt);
  for (int i = 0; rc == SQLITE_ROW && i < n; i++) {
    cell *c = &row[i];
    c->text = NULL;
    c->n = 0;
    switch (c->type = sqlite3_column_type(b->stmt, i)) {
    case SQLITE_INTEGER:
      c->whole = sqlite3_column_int64(b->stmt, i);
      break;
    case SQLITE_FLOAT:
      c->real = sqlite3_column_double(b->stmt, i);
      break;
    case SQLITE_TEXT:
      c->text = sqlite3_column_text(b->stmt, i);
      c->n = sqlite3_column_bytes(b->stmt, i);
      if (c->text == NULL) rc = SQLITE_NOMEM;
      break;
    case SQLITE_BLOB:
      c->text = sqlite3_column_blob(b->stmt, i);
      c->n = sqlite3_column_bytes(b->stmt, i);
      if (c->text == NULL && b->over != NOTHING) rc = SQLITE_NOMEM; // an empty one is NULL, too
      break;
    }
  }
  current = NULL;
  // SQLite does without some memory that it is refused; a statement that had too much has ended all the same.
  if ((rc == SQLITE_ROW || rc == SQLITE_DONE) && b->over != NOTHING) rc = SQLITE_INTERRUPT;
  return rc;
}

// budget_finish frees what the statement has.
void budget_finish(budget *b) {
  current = b;
  sqlite3_finalize(b->stmt);
  b->stmt = NULL;
  current = NULL;
#ifdef __GLIBC__
  if (b->memory_peak >= 16 << 20) malloc_trim(0); // it keeps what was freed, for each thread that ever ran a statement
#endif
}
