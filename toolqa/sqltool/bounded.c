#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"

// Some functions of SQLite take as long as the product of the lengths of two texts, in one step: minutes, within the
// longest texts that there can be. These give what SQLite's give, and refuse texts whose product is too large.

// most_steps is the largest product: some 20 ms. A step is a byte compared.
static const int64_t most_steps = 1 << 23;

// longest_text is that of a text in bytes, which is SQLite's limit in a connection (see limits).
static const int longest_text = LONGEST_TEXT;

// longest_pattern is that of LIKE and GLOB, as SQLite bounds it, too: it calls itself for each wildcard.
static const int longest_pattern = 1000;

// affordable says whether a function may take so many steps.
static int affordable(sqlite3_context *c, int64_t a, int64_t b) {
  if (a * b > most_steps) {
    sqlite3_result_error_toobig(c);
    return 0;
  }
  if (a * b > 1 << 16 && exhausted(sqlite3_user_data(c))) { // a statement calls many of them without looking at the deadline
    sqlite3_result_error_code(c, SQLITE_INTERRUPT);
    return 0;
  }
  return 1;
}

// inside says whether a byte is within a character and not its first.
static int inside(char c) { return (c & 0xc0) == 0x80; }

static int is_null(sqlite3_value *v) { return sqlite3_value_type(v) == SQLITE_NULL; }

// matched is LIKE and GLOB: pattern, text.
static void matched(sqlite3_context *c, int argc, sqlite3_value **argv, int glob) {
  unsigned int escape = 0;
  if (sqlite3_value_bytes(argv[0]) > longest_pattern) {
    sqlite3_result_error(c, "pattern too long", -1);
    return;
  }
  if (argc == 3) {
    if (is_null(argv[2])) return;
    const unsigned char *e = sqlite3_value_text(argv[2]);
    // MySQL and SQLite differ in what a wildcard that escapes means, so nobody can rely on it.
    if (e == NULL || sqlite3_value_bytes(argv[2]) != 1 || e[0] >= 0x80 || e[0] == '%' || e[0] == '_') {
      sqlite3_result_error(c, "ESCAPE must be one ASCII character and no wildcard", -1);
      return;
    }
    escape = e[0];
  }
  const char *pattern = (const char *)sqlite3_value_text(argv[0]), *text = (const char *)sqlite3_value_text(argv[1]);
  if (pattern == NULL || text == NULL) return;
  if (!affordable(c, sqlite3_value_bytes(argv[0]), sqlite3_value_bytes(argv[1]))) return;
  int differs = glob ? sqlite3_strglob(pattern, text) : sqlite3_strlike(pattern, text, escape);
  sqlite3_result_int(c, !differs);
}

static void like(sqlite3_context *c, int argc, sqlite3_value **argv) { matched(c, argc, argv, 0); }

static void glob(sqlite3_context *c, int argc, sqlite3_value **argv) { matched(c, argc, argv, 1); }

// find returns where a text has another in it, from a place on, or -1.
static int find(const char *text, int n, const char *what, int m, int from) {
  while (from <= n - m) {
    const char *at = memchr(text + from, what[0], n - m - from + 1);
    if (at == NULL) return -1;
    from = at - text;
    if (memcmp(at, what, m) == 0) return from;
    from++;
  }
  return -1;
}

// instr is INSTR(text, what): the number of a character, or of a byte where both are blobs.
static void instr(sqlite3_context *c, int argc, sqlite3_value **argv) {
  if (is_null(argv[0]) || is_null(argv[1])) return;
  int blobs = sqlite3_value_type(argv[0]) == SQLITE_BLOB && sqlite3_value_type(argv[1]) == SQLITE_BLOB;
  const char *text = (const char *)sqlite3_value_text(argv[0]), *what = (const char *)sqlite3_value_text(argv[1]);
  if (text == NULL || what == NULL) {
    sqlite3_result_error_nomem(c);
    return;
  }
  int n = sqlite3_value_bytes(argv[0]), m = sqlite3_value_bytes(argv[1]);
  if (!affordable(c, n, m)) return;
  int from = m == 0 ? 0 : find(text, n, what, m, 0);
  while (from > 0 && !blobs && inside(text[from])) from = find(text, n, what, m, from + 1);
  int number = from + 1;
  for (int i = 1; i < from && !blobs; i++) number -= inside(text[i]);
  sqlite3_result_int(c, number);
}

// replace is REPLACE(text, what, with).
static void replace(sqlite3_context *c, int argc, sqlite3_value **argv) {
  const char *text = (const char *)sqlite3_value_text(argv[0]), *what = (const char *)sqlite3_value_text(argv[1]);
  if (text == NULL || what == NULL) return; // NULL, or no memory, which SQLite knows
  int n = sqlite3_value_bytes(argv[0]), m = sqlite3_value_bytes(argv[1]);
  if (what[0] == 0) {
    sqlite3_result_text(c, text, n, SQLITE_TRANSIENT);
    return;
  }
  const char *with = (const char *)sqlite3_value_text(argv[2]);
  if (with == NULL) return;
  int r = sqlite3_value_bytes(argv[2]);
  if (!affordable(c, n, m)) return;
  int64_t size = n; // of the result
  for (int at = find(text, n, what, m, 0); at >= 0; at = find(text, n, what, m, at + m)) size += r - m;
  if (size > longest_text) {
    sqlite3_result_error_toobig(c);
    return;
  }
  char *out = sqlite3_malloc((int)size + 1), *end = out;
  if (out == NULL) {
    sqlite3_result_error_nomem(c);
    return;
  }
  int from = 0;
  for (int at; (at = find(text, n, what, m, from)) >= 0; from = at + m) {
    memcpy(end, text + from, at - from);
    memcpy(end += at - from, with, r);
    end += r;
  }
  memcpy(end, text + from, n - from);
  sqlite3_result_text(c, out, (int)size, sqlite3_free);
}

// LEFT and RIGHT are the ends of a text that trim looks at.
enum { LEFT = 1, RIGHT = 2 };

// one returns how long the first character of a set is that stands at an end of a text, or 0.
static int one(const char *text, int n, const char *set, int m, int end) {
  for (int i = 0, next; i < m; i = next) {
    for (next = i + 1; next < m && (unsigned char)set[i] >= 0xc0 && inside(set[next]);) next++;
    int size = next - i;
    if (size <= n && memcmp(end == LEFT ? text : text + n - size, set + i, size) == 0) return size;
  }
  return 0;
}

// trim takes from the given ends of a text all characters of a set, which is a blank where none is given.
static void trim(sqlite3_context *c, int argc, sqlite3_value **argv, int ends) {
  const char *text = (const char *)sqlite3_value_text(argv[0]);
  const char *set = argc == 1 ? " " : (const char *)sqlite3_value_text(argv[1]);
  if (text == NULL || set == NULL) return;
  int n = sqlite3_value_bytes(argv[0]), m = (int)strlen(set);
  if (!affordable(c, n, m)) return;
  for (int size; (ends & LEFT) && (size = one(text, n, set, m, LEFT)) > 0; n -= size) text += size;
  for (int size; (ends & RIGHT) && (size = one(text, n, set, m, RIGHT)) > 0;) n -= size;
  sqlite3_result_text(c, text, n, SQLITE_TRANSIENT);
}

static void trim_both(sqlite3_context *c, int argc, sqlite3_value **argv) { trim(c, argc, argv, LEFT | RIGHT); }

static void trim_left(sqlite3_context *c, int argc, sqlite3_value **argv) { trim(c, argc, argv, LEFT); }

static void trim_right(sqlite3_context *c, int argc, sqlite3_value **argv) { trim(c, argc, argv, RIGHT); }

int register_bounded(budget *b) {
  static const struct {
    const char *name;
    int args;
    void (*call)(sqlite3_context *, int, sqlite3_value **);
  } all[] = {
    {"like", 2, like},       {"like", 3, like},       {"glob", 2, glob},        {"instr", 2, instr},       {"replace", 3, replace},
    {"trim", 1, trim_both},  {"trim", 2, trim_both},  {"ltrim", 1, trim_left},  {"ltrim", 2, trim_left},
    {"rtrim", 1, trim_right}, {"rtrim", 2, trim_right},
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int rc = sqlite3_create_function_v2(b->db, all[i].name, all[i].args, flags, b, all[i].call, NULL, NULL, NULL);
    if (rc != SQLITE_OK) return rc;
  }
  return SQLITE_OK;
}
