package main

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
)

// A port that is taken is found out before there is a run, and so is an address that makes no
// sense.
func TestMetricsAddress(t *testing.T) {
	t.Parallel()

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()

	out := filepath.Join(t.TempDir(), "run")

	for address, words := range map[string][]string{
		taken.Addr().String(): {"--metrics", "in use", "another port"},
		"host:":               {"--metrics", "PORT or HOST:PORT"},
	} {
		for _, command := range []string{"collect", "eval"} {
			fails(t, exitUsage, words, command, "--data", smallData(t), "--metrics", address, "--out", out)
		}
	}

	if left := files(t, out); len(left) > 0 {
		t.Errorf("there is %v", left)
	}
}

// The address is told, and the command that continues an interrupted run has it.
func TestMetricsAreTold(t *testing.T) {
	t.Parallel()

	r := cli(t, "collect", "--data", smallData(t), "--limit", "1", "--trees", "1", "--metrics", "0", "--progress",
		"none", "--out", filepath.Join(t.TempDir(), "run"))
	if r.code != exitDone {
		t.Fatal(r.err)
	}

	says(t, "collect --metrics", r.err, "Metrics: http://127.0.0.1:", "/healthz")

	f := (&app{}).addRunFlags(&cobra.Command{}, nil)
	f.Metrics = "9464"

	says(t, "the command to resume", f.resumeCommand(toolevo.Stop{}), " --metrics 9464")
}
