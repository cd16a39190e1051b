package main

import (
	"toolevo/mcts/policy/doctor"
)

// What commands print with --json, where it is not a type of its own elsewhere. JSON.md is generated from
// the comments on the fields of all of them.

type doctorDocument struct {
	Verdict doctor.Verdict `json:"verdict"` // the worst of all servers: ok, could-not-tell, warning or problem
	Servers []examined     `json:"servers"` // of the policies, in their order
}

type dryRunDocument struct {
	Kind       string            `json:"kind"`        // "collect" or "eval"
	Questions  int               `json:"questions"`   // that would be asked
	ConfigHash string            `json:"config_hash"` // of the settings that change a result
	Inputs     map[string]string `json:"inputs"`      // what the questions use: hashes and makers, by name
	Config     string            `json:"config"`      // the configuration as YAML, with the origin of each value
	Engine     string            `json:"engine"`      // what would run model-written programs, in words
}
