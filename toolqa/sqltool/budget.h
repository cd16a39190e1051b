// What one statement may take, and how much it has taken. A budget belongs to one connection, and is spent by one
// statement at a time.
#ifndef TOOLEVO_BUDGET_H
#define TOOLEVO_BUDGET_H

#include <stdint.h>

#include "sqlite.h"

// What a statement had too much of.
enum {
  NOTHING = 0,
  TIME,      // its deadline has passed
  CANCELLED, // nobody waits for it any more
  MEMORY,    // it wanted more than it may have
  SPILL,     // its temporary files grew larger than they may
  HOST       // the machine has no more memory
};

typedef struct budget {
  sqlite3 *db;
  sqlite3_stmt *stmt; // the statement that runs, or NULL

  int64_t deadline; // by the monotonic clock, in ns
  int cancelled;    // set by any thread
  int over;         // what it had too much of first
  unsigned asked;   // how often it asked for memory

  int64_t memory, memory_peak, memory_most; // bytes SQLite has for it
  int64_t spill, spill_peak, spill_most;    // bytes in its temporary files
} budget;

// cell is a value of a row. Text stays until the next step.
typedef struct cell {
  int type;
  sqlite3_int64 whole;
  double real;
  const void *text;
  int n;
} cell;

// LONGEST_TEXT is the longest text or row of a statement, in bytes.
#define LONGEST_TEXT (1 << 18)

// vfs_name is the name of the file system that a connection with a budget opens.
#define vfs_name "toolevo-sqltool"

int budget_install(void);
int budget_open_vfs(void);
budget *budget_new(sqlite3 *db, int64_t memory_most, int64_t spill_most);
void budget_cancel(budget *);
void budget_rearm(budget *);

int budget_start(budget *, const char *sql, int n, int64_t timeout);
int budget_step(budget *, cell *row, int n);
void budget_finish(budget *);

// spent returns the budget of the statement that this thread runs, or NULL.
budget *spent(void);

// exhausted reports whether a statement must end, and writes down why.
int exhausted(budget *);

// overdrawn writes down what a statement had too much of.
void overdrawn(budget *, int what);

// register_bounded puts functions that cannot run for long in the place of those of SQLite that can.
int register_bounded(budget *);

// register_aggregates adds the aggregate functions of MySQL that SQLite lacks.
int register_aggregates(sqlite3 *);

#endif
