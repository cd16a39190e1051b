package main

import (
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/disk"
)

func (a *app) reportCommand() *cobra.Command {
	job := toolevo.ReportJob{Host: a.host(console.ProgressNone), Examples: 10, Seed: 1}
	out := "report.html"
	cmd := newCommand("report RUN...")
	addFlags(cmd, "report", into{
		"out":      &out,
		"title":    &job.Title,
		"examples": &job.Examples,
		"seed":     &job.Seed,
	})
	cmd.RunE = func(cmd *cobra.Command, runs []string) error {
		if job.Examples < 0 {
			return console.Usage("--examples %d: want 0 or more", job.Examples)
		}

		job.Runs = runs

		page, err := toolevo.Report(cmd.Context(), job)
		if err != nil {
			return err
		}
		return a.writePage(out, page.Write)
	}
	return cmd
}

// writePage writes an HTML file and says how to look at it.
func (a *app) writePage(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return console.Usage("--out %s is a folder: name a file, e.g. --out %s", path, filepath.Join(path, "page.html"))
	}

	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}

	if err := disk.WriteFile(path, write); err != nil {
		return err
	}

	info, err := os.Stat(path)
	if err != nil {
		return err
	}

	a.Say("%s: %.1f MB. Open it in a browser.", path, float64(info.Size())/1e6)
	return nil
}
