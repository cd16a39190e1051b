// Package sqlite opens the SQLite files of this program: logs of runs, caches and corpora.
//
// # Words
//
// While a process writes a file, and after one was killed, the file has parts beside it: the
// write-ahead log (-wal), the index of that (-shm), and the rollback journal (-journal). A journal
// is hot if the process that wrote it is gone: its contents have to be put back before anyone can
// read the file.
//
// # Guarantees
//
//   - A file can be read even if a process was killed while writing it ([OpenToRead]): a hot
//     journal is rolled back, under SQLite's own locks if the file may be written, or else in a
//     copy in memory.
//   - Files on a file system without shared memory are still written and read ([OpenToWrite]).
//     Files on one without locks are read but not written, and the error says so
//     ([disk.ErrNoLocks]).
//   - [ReadHeader] reads what a file says about itself and changes nothing, not even beside it.
//
// # Caveats
//
// Without shared memory every commit is synced, which takes longer, and a writer waits for readers,
// for at most a minute. A file system without locks is recognised only after waiting for one.
//
// A copy in memory is as large as the file. It is made only of a file that SQLite cannot open, and
// a file that a live process writes can be opened.
package sqlite
