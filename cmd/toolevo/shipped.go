package main

import (
	"sync"

	"toolevo/configs/apis"
	"toolevo/configs/demonstrations"
	"toolevo/envs/toolapi"
	"toolevo/mcts/policy/prompt"
)

// The built-in files are parsed once in a process, and only where a command wants them.
var (
	shippedVersions       = sync.OnceValues(func() (*toolapi.Catalog, error) { return toolapi.Load(apis.FS()) })
	shippedDemonstrations = sync.OnceValues(func() (map[string][]prompt.Demonstration, error) {
		return prompt.LoadDemonstrations(demonstrations.FS())
	})
)
