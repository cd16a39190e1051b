package suite

import (
	"fmt"
	"slices"

	"toolevo/envs/names"
)

var registered []Benchmark

// Register registers a benchmark by its name. It panics if the name is taken.
func Register(b Benchmark) {
	if slices.Contains(Names(), b.Name()) {
		panic(fmt.Sprintf("suite: %q is registered twice", b.Name()))
	}

	registered = append(registered, b)
}

// Examples is the split whose tasks prompts show, solved. They are used for neither training nor
// evaluation.
const Examples = "examples"

// Splits lists the parts that tasks may be divided into. No task is in two parts.
func Splits() []string { return []string{"train", "dev", "test", Examples} }

// Names lists the registered benchmarks.
func Names() []string {
	all := make([]string, len(registered))
	for i, b := range registered {
		all[i] = b.Name()
	}
	return all
}

// All returns the registered benchmarks.
func All() []Benchmark { return slices.Clone(registered) }

// Lookup returns the benchmark called name; the error for an unknown name lists the valid ones.
func Lookup(name string) (Benchmark, error) {
	if i := slices.Index(Names(), name); i >= 0 {
		return registered[i], nil
	}
	return nil, names.Unknown("suite", name, Names())
}
