package cmdline

import (
	"testing"
	"testing/fstest"

	"github.com/spf13/cobra"
)

func TestDocumented(t *testing.T) {
	files := fstest.MapFS{
		"help/look.txt": {Data: []byte("Look at a run\n\nShows it.\n\nAll of it.\n\nExamples:\n  " +
			"look runs/a\n")},
		"help/stop.txt": {Data: []byte("Stop\n\nStops at once.\n")},
	}

	look := Documented(&cobra.Command{Use: "look RUN"}, files)
	if look.Short != "Look at a run" || look.Long != "Shows it.\n\nAll of "+
		"it." || look.Example != "  look runs/a" {
		t.Errorf("%q, %q, %q", look.Short, look.Long, look.Example)
	}

	stop := Documented(&cobra.Command{Use: "stop"}, files)
	if stop.Short != "Stop" || stop.Long != "Stops at once." || stop.Example != "" {
		t.Errorf("%q, %q, %q", stop.Short, stop.Long, stop.Example)
	}

	defer func() {
		if recover() == nil {
			t.Error("a command without help was taken")
		}
	}()

	Documented(&cobra.Command{Use: "other"}, files)
}
