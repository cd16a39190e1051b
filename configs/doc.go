// Package configs holds toolevo's configuration: the YAML files that ship with it, embedded, and
// the one strict loader.
//
// # Words
//
// A setting has a dotted key, e.g. search.cpuct. Some sections belong to a suite, which brings
// their defaults along (envs/suite). A layer sets some settings: the defaults (default.yaml, which
// explains all others), the preset (search/*.yaml: the search, and what in the environment belongs
// to it), a file, the environment (TOOLEVO_SEARCH_CPUCT), and flags, in order of increasing
// precedence. The resolved configuration remembers the origin of each value: the layer it came
// from.
//
// # Guarantees
//
//   - Unknown keys, values of the wrong type and unknown names are errors that say where they are
//     and what would be valid.
//   - A value is taken as written or rejected: no number is rounded or wrapped to fit, and none is
//     infinite.
//   - Equal configurations have equal hashes: the hash covers the settings that decide what a run
//     finds, and nothing else: neither how far it goes, such as split and limit, nor what changes
//     no result, such as the servers.
package configs
