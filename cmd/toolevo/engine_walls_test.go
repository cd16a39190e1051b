package main

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"toolevo/cmd/internal/cmdline"
	"toolevo/configs"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/engines"
)

// The demo's programs are ours, so it does without walls that are missing, and says so.
func TestTheDemoDoesWithoutMissingWalls(t *testing.T) {
	t.Parallel()
	for _, missing := range [][]confine.Wall{{confine.Landlock}, {confine.Seccomp}, confine.Walls()} {
		var words bytes.Buffer
		a := on(&words)
		_, err := engines.Open(t.Context(), engines.Options{Engine: engines.ForkServer, Lacking: missing})

		accepted, err := a.acceptMissing(err)
		if err != nil {
			t.Fatal(err)
		}

		c, err := configs.Load(configs.SettingLayer("test", "python.accept", accepted))
		if err != nil {
			t.Fatal(err)
		}

		if got := c.Python.Options(0).Accept; !slices.Equal(got, missing) {
			t.Errorf("the demo accepts %v, missing are %v", got, missing)
		}

		says(t, "demo", words.String(), "No "+string(missing[0]), "models' programs are refused")
	}

	a := on(io.Discard)
	a.Environ = []string{"TOOLEVO_PYTHON_EXECUTABLE=no-such-python"}

	if _, err := a.demoWalls(t.Context()); cmdline.ExitCode(err) != exitGaveUp ||
		!strings.Contains(err.Error(), "no-such-python") {
		t.Errorf("without a Python the demo ends with %v", err)
	}
}
