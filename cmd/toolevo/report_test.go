package main

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The page has the figures of the evaluation, of the collection, and of the rounds.
func TestReport(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	rounds := "round,correct,samples,server,policy,api,dataset,difficulty,n,lost,official,official_low,official_high," +
		"strict,strict_low,strict_high,turns\n" +
		"2,9,9,vllm,mine,p_s_ood,all,all,40,0,0.9750,0.8714,0.9956,0.9750,0.8714,0.9956,7\n"

	if err := os.WriteFile(filepath.Join(dir, "rounds.csv"), []byte(rounds), 0o600); err != nil {
		t.Fatal(err)
	}

	file := filepath.Join(dir, "page.html")

	r := cli(t, "report", smallEvaluation(t), smallRun(t), dir, "--title", "Mine", "--out", file)
	if r.code != exitDone {
		t.Fatal(r.err)
	}

	says(t, "report", r.err, file, "browser")

	plain := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(string(read(t, file)), " "))
	says(t, "the page", strings.Join(strings.Fields(plain), " "), "Mine", "scripted:stale", "consistent", "changed",
		"repeated-deprecated", "vllm 97.5", "Collections", "coffee easy", "api: ")
}

func TestReportMistakes(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	fails(t, exitUsage, []string{"not a run directory"}, "report", dir)
	fails(t, exitUsage, []string{"--examples"}, "report", smallRun(t), "--examples", "-1")

	if err := os.WriteFile(filepath.Join(dir, "rounds.csv"), []byte("a,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	fails(t, exitUsage, []string{"rounds.csv", "not a table of rounds"}, "report", dir)
}
