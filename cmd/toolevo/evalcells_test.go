package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Where a version refuses nothing the report says whom it misleads, and who noticed; elsewhere
// there is no such table.
func TestEvalByCell(t *testing.T) {
	t.Parallel()

	report := func(api string) string {
		out := filepath.Join(t.TempDir(), "run")
		made(t, "eval", "--data", smallData(t), "--dataset", "coffee", "--limit", "4", "--api", api, "--policy",
			"scripted:stale,scripted:careful", "--out", out, "--engine", "unsafe", "--progress", "none")

		text, err := os.ReadFile(filepath.Join(out, "report.md"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}

	text := report("p_c,p_s_in,factor:reorder-date,factor:half-answer")
	says(t, "the report", text, "Misled: how many episodes", "| explicit lasting | p_s_in | scripted:careful |",
		"| silent lasting | reorder-date | scripted:stale |", "| silent passing | half-answer | scripted:careful |")

	_, table, _ := strings.Cut(text, "Misled:")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 9 || !strings.Contains(line, "| silent") {
			continue
		}

		policy, misled := strings.TrimSpace(cells[3]), strings.TrimSpace(cells[6])
		detected := strings.TrimSpace(cells[7])

		if want := map[string]string{"scripted:stale": "0.0", "scripted:careful": "100.0"}[policy]; misled != "0" &&
			!strings.HasPrefix(detected, want+" ") {
			t.Errorf("%s: misled %s, detected %s", policy, misled, detected)
		}
	}

	if strings.Contains(report("p_c,p_s_in"), "Misled:") {
		t.Error("there is one cell, and a table of it")
	}
}
