package app_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/envtest/suitetest"
	remote "toolevo/envs/remote/bench"
	"toolevo/envs/sandbox/engines"
	stategen "toolevo/envs/stategen/bench"
	"toolevo/envs/suite"
	"toolevo/finetune/stored"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/server"
	_ "toolevo/toolqa/bench"
)

func TestMain(m *testing.M) {
	engines.Main()
	suite.Register(stategen.StateGen{})
	suite.Register(remote.Remote{})
	suite.Register(suitetest.Shop{})
	server.Register(openai.Kind)
	os.Exit(m.Run())
}

// Trees are grown, checked and exported and policies are evaluated by calling functions.
func TestCollectExportEvaluate(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }

	if err := (&app.Host{}).Fill(ctx, "stategen", in("data")); err != nil {
		t.Fatal(err)
	}

	run := func(name string, set ...string) app.RunJob {
		settings := app.Settings{}.With("suite", "stategen", "python.engine", "unsafe", "limit", "2")
		return app.RunJob{Settings: settings.With(set...), Data: in("data"), Out: in(name)}
	}

	c, err := app.Collect(ctx, app.CollectJob{RunJob: run("run", "api", "p_s_in", "policy", "scripted:reader",
		"search.trees", "2")})
	if err != nil || c.Correct == 0 || c.Dir != in("run") {
		t.Fatalf("collected %+v, %v", c, err)
	}

	checked, err := app.Check(ctx, app.CheckJob{Path: c.Dir})
	if err != nil || checked.Trees == nil || !checked.Trees.Complete {
		t.Errorf("checked %+v, %v", checked, err)
	}

	export := app.NewExportJob()
	export.Paths, export.Out, export.Scripted = []string{c.Dir}, in("export"), true

	m, err := app.Export(ctx, export)
	if err != nil || m.Rows == 0 {
		t.Errorf("exported %+v, %v", m, err)
	}

	e, err := app.Evaluate(ctx, app.EvaluateJob{RunJob: run("eval", "api", "p_c,p_s_in", "policy", "scripted:reader")})
	if err != nil || e.Report == nil || len(e.Report.Overall) != 2 {
		t.Fatalf("evaluated %+v, %v", e, err)
	}

	if _, err := os.Stat(filepath.Join(e.Dir, stored.ReportMarkdown)); err != nil {
		t.Error(err)
	}
}

// A run that is interrupted goes on by the same job, and what is asked for in vain is an error of a
// kind.
func TestRunIsResumed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, out := filepath.Join(dir, "data"), filepath.Join(dir, "run")

	if err := (&app.Host{}).Fill(t.Context(), "stategen", data); err != nil {
		t.Fatal(err)
	}

	job := app.CollectJob{RunJob: app.RunJob{
		Settings: app.Settings{}.With("suite", "stategen", "python.engine", "unsafe", "limit", "1",
			"search.trees", "1"),
		Data: data, Out: out,
	}}

	ctx, cancel := context.WithCancel(t.Context())
	begun := job
	begun.Begun = func(app.Stop) { cancel() }

	_, err := app.Collect(ctx, begun)
	if stop := new(app.StoppedError); !errors.As(err, &stop) || stop.Dir != out {
		t.Fatalf("interrupted: %v", err)
	}

	if _, err := app.Collect(t.Context(), job); console.KindOf(err) != console.WrongUsage {
		t.Errorf("a run that is there is begun again: %v", err)
	}

	job.Resume, job.Data = true, ""
	if c, err := app.Collect(t.Context(), job); err != nil || c.Dir != out {
		t.Errorf("resumed: %+v, %v", c, err)
	}
}
