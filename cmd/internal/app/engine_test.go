package app

import (
	"slices"
	"testing"

	"toolevo/configs"
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
