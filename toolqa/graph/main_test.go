package graph

import (
	"os"
	"testing"

	"toolevo/envs/sandbox/engines"
)

// TestMain lets this binary start the sandbox in which pickles are read.
func TestMain(m *testing.M) {
	engines.Main()
	os.Exit(m.Run())
}
