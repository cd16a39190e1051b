package trajectories

import "strings"

// Python is what ran the programs of a trajectory. Where the environment runs none, its fields are empty.
type Python struct {
	Engine  string `json:"engine"`            // what kept the programs inside, e.g. "forkserver"; "unsafe" is nothing
	Version string `json:"version"`           // of Python
	Modules string `json:"modules,omitempty"` // what they could import beside the standard library: "numpy 1.24.2, pandas 2.1"
	Without string `json:"without,omitempty"` // walls that were missing, and that the user did without: "landlock"
	Limits  string `json:"limits,omitempty"`  // of a program: "wall 32s, cpu 8s, memory 1024 MiB, output 64 KiB"
}

// String is the engine in words, without the limits: "forkserver python 3.11.2 numpy 1.24.2".
func (p Python) String() string {
	if p.Engine == "" {
		return ""
	}
	words := []string{p.Engine, "python", p.Version}
	if p.Modules != "" {
		words = append(words, p.Modules)
	}
	if p.Without != "" {
		words = append(words, "without", p.Without)
	}
	return strings.Join(words, " ")
}

func (p Python) valid() Python {
	return Python{valid(p.Engine), valid(p.Version), valid(p.Modules), valid(p.Without), valid(p.Limits)}
}

// Unconfined reports whether the programs ran with no walls around them, or with fewer than there should be. The first
// wall of the engine wasi is WebAssembly, and in bwrap a mount namespace stands in for landlock.
func (p Python) Unconfined() bool {
	switch p.Engine {
	case "unsafe":
		return true
	case "wasi":
		return false
	case "bwrap":
		return p.Without != "" && p.Without != "landlock"
	}
	return p.Without != ""
}
