#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "budget.h"

// The aggregate functions of MySQL that SQLite lacks. They are written in C because SQLite may have no memory for the state
// of one, which the driver's aggregates in Go do not expect.

// spread is the state of a variance (Welford's method).
typedef struct spread {
  sqlite3_int64 n;
  double mean, moved;
} spread;

// What is made of a spread.
enum { SAMPLE = 1, ROOT = 2 };

static void spread_step(sqlite3_context *c, int argc, sqlite3_value **argv) {
  (void)argc;
  if (sqlite3_value_type(argv[0]) == SQLITE_NULL) return;
  spread *s = sqlite3_aggregate_context(c, sizeof *s);
  if (s == NULL) {
    sqlite3_result_error_nomem(c);
    return;
  }
  double x = sqlite3_value_double(argv[0]), d = x - s->mean;
  s->n++;
  s->mean += d / (double)s->n;
  s->moved += d * (x - s->mean);
}

// spread_final gives NULL where there are too few numbers, and where the result is none.
static void spread_final(sqlite3_context *c) {
  const spread *s = sqlite3_aggregate_context(c, 0);
  int kind = *(const int *)sqlite3_user_data(c);
  if (s == NULL) return;
  sqlite3_int64 n = kind & SAMPLE ? s->n - 1 : s->n;
  if (n < 1) return;
  double f = s->moved / (double)n;
  if (kind & ROOT) f = sqrt(f);
  if (isfinite(f)) sqlite3_result_double(c, f);
}

// distinct is the state of GROUP_CONCAT(DISTINCT text SEPARATOR separator): SQLite's own DISTINCT allows no separator.
typedef struct distinct {
  char *text; // the values so far, with separators
  int n, room;
  struct value {
    uint32_t hash;
    int at, n; // in text
  } *values;
  int count, space;
  int *slots; // a hash table of numbers of values, from 1 on; twice as many as there is space for values
} distinct;

static uint32_t hash_of(const char *text, int n) { // FNV-1a
  uint32_t h = 2166136261u;
  for (int i = 0; i < n; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
  return h;
}

// slot_of returns where the number of a value is, or would be.
static int *slot_of(const distinct *d, const char *text, int n, uint32_t hash) {
  uint32_t mask = (uint32_t)d->space * 2 - 1;
  for (uint32_t i = hash;; i++) {
    int *slot = &d->slots[i & mask];
    if (*slot == 0) return slot;
    const struct value *v = &d->values[*slot - 1];
    if (v->hash == hash && v->n == n && memcmp(d->text + v->at, text, n) == 0) return slot;
  }
}

// widen makes space for twice as many values. It returns 0 if there is no memory.
static int widen(distinct *d) {
  int space = d->space ? d->space * 2 : 8;
  struct value *values = sqlite3_realloc(d->values, space * (int)sizeof *values);
  if (values == NULL) return 0;
  d->values = values;
  int *slots = sqlite3_malloc(space * 2 * (int)sizeof *slots);
  if (slots == NULL) return 0;
  memset(slots, 0, space * 2 * sizeof *slots);
  sqlite3_free(d->slots);
  d->slots = slots;
  d->space = space;
  for (int i = 0; i < d->count; i++) {
    const struct value *v = &values[i];
    *slot_of(d, d->text + v->at, v->n, v->hash) = i + 1;
  }
  return 1;
}

// lengthen makes room for n more bytes of text. It returns 0 if there is no memory.
static int lengthen(distinct *d, int n) {
  if (d->n + n <= d->room) return 1;
  int room = 2 * (d->n + n);
  char *text = sqlite3_realloc(d->text, room);
  if (text == NULL) return 0;
  d->text = text;
  d->room = room;
  return 1;
}

static void distinct_step(sqlite3_context *c, int argc, sqlite3_value **argv) {
  (void)argc;
  if (sqlite3_value_type(argv[0]) == SQLITE_NULL) return;
  distinct *d = sqlite3_aggregate_context(c, sizeof *d);
  const char *text = (const char *)sqlite3_value_text(argv[0]), *separator = (const char *)sqlite3_value_text(argv[1]);
  if (d == NULL || text == NULL || separator == NULL || (d->count == d->space && !widen(d))) {
    sqlite3_result_error_nomem(c);
    return;
  }
  int n = sqlite3_value_bytes(argv[0]), between = d->count ? sqlite3_value_bytes(argv[1]) : 0;
  uint32_t hash = hash_of(text, n);
  int *slot = slot_of(d, text, n, hash);
  if (*slot != 0) return;
  if (d->n + between + n > LONGEST_TEXT) {
    sqlite3_result_error_toobig(c);
    return;
  }
  if (!lengthen(d, between + n + 1)) { // 1, so that there is a text even if it is empty
    sqlite3_result_error_nomem(c);
    return;
  }
  memcpy(d->text + d->n, separator, between);
  memcpy(d->text + d->n + between, text, n);
  d->values[d->count] = (struct value){hash, d->n + between, n};
  d->n += between + n;
  *slot = ++d->count;
}

// distinct_final gives NULL where there was no value.
static void distinct_final(sqlite3_context *c) {
  distinct *d = sqlite3_aggregate_context(c, 0);
  if (d == NULL) return;
  if (d->count > 0) sqlite3_result_text(c, d->text, d->n, SQLITE_TRANSIENT);
  sqlite3_free(d->text);
  sqlite3_free(d->values);
  sqlite3_free(d->slots);
  memset(d, 0, sizeof *d);
}

// compare_values is -1, 0 or 1 as MySQL compares: texts as texts, all else as numbers, of a text what it begins with.
static void compare_values(sqlite3_context *c, int argc, sqlite3_value **argv) {
  (void)argc;
  int a = sqlite3_value_type(argv[0]), b = sqlite3_value_type(argv[1]);
  if (a == SQLITE_NULL || b == SQLITE_NULL) return;
  if (a == SQLITE_TEXT && b == SQLITE_TEXT) {
    int n = sqlite3_value_bytes(argv[0]), m = sqlite3_value_bytes(argv[1]);
    int order = memcmp(sqlite3_value_text(argv[0]), sqlite3_value_text(argv[1]), n < m ? n : m);
    if (order == 0) order = n - m;
    sqlite3_result_int(c, (order > 0) - (order < 0));
    return;
  }
  double x = sqlite3_value_double(argv[0]), y = sqlite3_value_double(argv[1]);
  sqlite3_result_int(c, (x > y) - (x < y));
}

int register_aggregates(sqlite3 *db) {
  static const int kinds[] = {0, SAMPLE, ROOT, SAMPLE | ROOT};
  static const struct {
    const char *name;
    int args;
    const int *kind;
    void (*step)(sqlite3_context *, int, sqlite3_value **);
    void (*final)(sqlite3_context *);
  } all[] = {
    {"variance", 1, &kinds[0], spread_step, spread_final},
    {"var_pop", 1, &kinds[0], spread_step, spread_final},
    {"var_samp", 1, &kinds[SAMPLE], spread_step, spread_final},
    {"std", 1, &kinds[ROOT], spread_step, spread_final},
    {"stddev", 1, &kinds[ROOT], spread_step, spread_final},
    {"stddev_pop", 1, &kinds[ROOT], spread_step, spread_final},
    {"stddev_samp", 1, &kinds[SAMPLE | ROOT], spread_step, spread_final},
    {"concat_distinct", 2, &kinds[0], distinct_step, distinct_final},
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int rc = sqlite3_create_function_v2(db, all[i].name, all[i].args, flags, (void *)all[i].kind, NULL, all[i].step, all[i].final, NULL);
    if (rc != SQLITE_OK) return rc;
  }
  return sqlite3_create_function_v2(db, "compare_values", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL, compare_values, NULL, NULL, NULL);
}
