// Package configs holds toolevo's configuration: the YAML files that ship with it, embedded, and
// the one strict loader.
//
// # Words
//
// A setting has a dotted key, e.g. search.cpuct. Some sections are a suite's own, and it brings
// their defaults (envs/suite). A layer sets some settings: the defaults (default.yaml, which
// explains every one of ours), the preset (search/*.yaml: the search, and what in the environment
// belongs to it), a file, the environment (TOOLEVO_SEARCH_CPUCT), and flags, in this order of
// growing precedence. The resolved configuration remembers which layer each value came from, its
// origin.
//
// # Guarantees
//
//   - An unknown key, a value of the wrong type and an unknown name are errors that say where they
//     are and what would be valid.
//   - A value is taken as written or rejected: no number is rounded or wrapped to fit, and none is
//     infinite.
//   - Equal configurations have equal hashes: the hash covers every setting, and nothing else.
package configs
