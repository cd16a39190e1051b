// Package sqlite opens the SQLite files of this program: logs of runs, caches and corpora.
//
// # Words
//
// Beside a file stand, while a process writes it and after one was killed, its parts: the
// write-ahead log (-wal), the index of that (-shm), and the rollback journal (-journal). A journal
// is hot when the process that wrote it is gone: what it holds has to be put back before anyone can
// read the file.
//
// # Guarantees
//
//   - A file that a process was killed over can be read ([OpenToRead]): a hot journal is rolled
//     back, under SQLite's own locks, wherever the file may be written, and in a copy in memory
//     where not.
//   - A file system without shared memory is written and read all the same ([OpenToWrite]), and one
//     without locks is read; it is not written, and the error says so ([disk.ErrNoLocks]).
//   - [ReadHeader] reads what a file says of itself and changes nothing, not even beside it.
//
// # Caveats
//
// Without shared memory every commit is synced, which takes longer, and a writer waits for who
// reads, for a minute at most. That a lock cannot be had because there are none is found out only
// after it was waited for.
//
// A copy in memory is as large as the file. It is made of a file that SQLite cannot open; one that
// a live process writes can be opened.
package sqlite
