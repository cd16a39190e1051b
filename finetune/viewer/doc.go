// Package viewer shows runs in a browser: what grew, turn by turn, while it grows and afterwards.
//
// # Words
//
// A Run is a run directory, of a collection or an evaluation. An Attempt at a question is a tree,
// or an episode, which is a tree of one branch. A trajectory is the path from a tree's root to the
// selected node. A page is named by a path of run, question, attempt and node.
//
// # Guarantees
//
//   - Runs are only read. What another process adds to one is on the page two seconds later.
//   - A page needs nothing but this program: its scripts and styles are embedded, and browsers are
//     kept from loading anything else. Only a browser of this machine is answered, and only under a
//     name of this machine.
//   - What models and tools wrote is shown as text, invisible characters as escapes.
//   - Everything can be reached by the keyboard, and has an address.
//   - Without scripts everything works except following a run that grows: lists are sorted and
//     paged by links.
//   - Lists have pages, and what is drawn once for each node is written without templates: a run of
//     ten thousand questions opens in seconds.
//
// # Library
//
// Parts of a page are exchanged by htmx 2.0.8 (assets/htmx.min.js, 0BSD, as published): the server
// renders every page whole, and attributes say which part of it a click or a timer exchanges. That
// is one file without a build step. The keys of a page are a few lines in assets/keys.js.
//
// # Caveats
//
// A file (WriteFile) cannot fetch anything: it has no prompts and no free choice of what to
// compare, and a sorted list has its first pages only. A file of many attempts has their pages
// packed, which takes a script to read. The first look at a run of many questions reads all its
// trees, which takes a second for some thousand of them.
package viewer
