package app

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"toolevo/configs"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/engines"
)

// A run that mixes engines goes on under its own configuration, and opens the engine that the job
// names.
func TestChooseEngine(t *testing.T) {
	t.Parallel()

	set := func(key, value string) configs.Layer { return configs.SettingLayer("test", key, value) }

	c, err := configs.Load(set("python.engine", "unsafe"), set("python.executable", "/py"), set("seed", "7"))
	if err != nil {
		t.Fatal(err)
	}

	j := RunJob{MixEngines: true, Resume: true, PythonServers: 3}
	if err := j.chooseEngine(c, []configs.Layer{set("python.engine", "forkserver")}); err != nil {
		t.Fatal(err)
	}

	if j.engine.Engine != engines.Unsafe || j.engine.Executable != "/py" || c.Python.Engine != engines.ForkServer ||
		c.Python.Executable == "/py" || c.Seed != 7 {
		t.Errorf("it opens %+v for a configuration with %+v", j.engine, c.Python)
	}

	want := []string{"python.engine=unsafe", "python.executable=/py"}
	if !slices.Equal(j.overrides, want) {
		t.Errorf("to resume takes %v, want %v", j.overrides, want)
	}
}

// A worker whose engine does not open is not told of an option that `work` does not have.
func TestEngineOfWorker(t *testing.T) {
	t.Parallel()

	fails := errors.New("no Python")
	host := Host{Open: func(context.Context, engines.Options) (sandbox.Engine, error) {
		return nil, fails
	}}

	worker := (&working{WorkJob: WorkJob{Host: host}}).runJob("run")
	if _, err := worker.openEngine(t.Context()); !errors.Is(err, fails) ||
		strings.Contains(err.Error(), "mix-engines") {
		t.Errorf("a worker is told %v", err)
	}

	resumed := &RunJob{Host: host, Resume: true}
	if _, err := resumed.openEngine(t.Context()); !errors.Is(err, fails) ||
		!strings.Contains(err.Error(), "‹mix-engines›") {
		t.Errorf("who resumes a run is told %v", err)
	}
}
