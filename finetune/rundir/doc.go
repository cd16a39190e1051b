// Package rundir says how run directories are doing, from what each notes about itself: no tree is
// loaded, no data folder is needed, and runs that other processes work on may be read at any time.
//
// # Words
//
// A run is running while a process holds its lock, finished when it noted that nothing is left to
// do, and otherwise interrupted: --resume continues it. One whose manifest cannot be trusted is
// damaged, and one of another format is unreadable.
//
// # Guarantees
//
//   - A process that works on a run notes its progress every second (Note), so the note that a
//     killed one leaves is no older.
//   - A note is replaced as a whole. It is not synced: after a power cut it may be old, or missing.
//     Nothing but this list depends on it.
//
// # Caveats
//
// A run without a note tells what its manifest has, and how many trees are stored.
package rundir
