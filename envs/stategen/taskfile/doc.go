// Package taskfile keeps generated tasks in a data folder: DIR/stategen/SPLIT.jsonl, a task a line,
// with their oracles.
//
// # Words
//
// A [File] is a split for reading. A [Folder] is what one process adds tasks to. Its books count
// the pairs of transitions of all splits, a book for each domain, so that numbering and coverage
// continue with the next command.
//
// # Guarantees
//
//   - No program is in a folder twice, in whichever splits: its text is compared, with the values
//     of its variables. No two tasks of a split get the same ID.
//   - What was committed stays, tasks and books together. What a killed process added later is
//     removed when the folder is edited again, so that resuming gives the same bytes as not
//     stopping.
//   - What was committed is read as it was written, or rejected: DIR/stategen/books.json has the
//     hash of each split, and its own. It has no hash of a split that another program put there,
//     until tasks are added to the folder.
//   - Reading and adding need memory for the place and the identifier of each task, not for tasks.
//
// # Caveats
//
// Only one process at a time may edit a folder.
package taskfile
