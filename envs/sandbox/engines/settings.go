package engines

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"toolevo/envs/names"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
)

// Settings are the section python of the configuration: the engine of programs that a model wrote,
// and their limits. configs/default.yaml explains each. What is chosen on a machine is the engine's
// stamp, an input of the run.
type Settings struct {
	Choice      `yaml:",inline"`
	WallSeconds float64 `yaml:"wall_seconds" least:"0.001"`
	CPUSeconds  int     `yaml:"cpu_seconds" least:"1"`
	MemoryMiB   int     `yaml:"memory_mib" least:"64"`
	OutputKiB   int     `yaml:"output_kib" least:"1"`
}

// Choice is the settings that choose the engine.
type Choice struct {
	Engine     string   `yaml:"engine"`                 // one of Names
	Executable string   `yaml:"executable"`             // the python3
	Modules    []string `yaml:"modules,flow" least:"0"` // third-party modules that programs may import, where installed
	Accept     []string `yaml:"accept,flow" least:"0"`  // walls to do without if the machine lacks them
}

// Options returns the engine's options with servers (see [Options.Servers]).
func (c *Choice) Options(servers int) Options {
	o := Options{Engine: c.Engine, Executable: c.Executable, Modules: c.Modules, Servers: servers}
	for _, wall := range c.Accept {
		o.Accept = append(o.Accept, confine.Wall(wall))
	}
	return o
}

// Limits returns the limits of each program.
func (s *Settings) Limits() sandbox.Limits {
	return sandbox.Limits{
		Wall:   time.Duration(s.WallSeconds * float64(time.Second)),
		CPU:    time.Duration(s.CPUSeconds) * time.Second,
		Memory: int64(s.MemoryMiB) << 20,
		Output: s.OutputKiB << 10,
	}
}

// LimitText returns Limits in words, as rows have them.
func (s *Settings) LimitText() string {
	return fmt.Sprintf("wall %vs, cpu %ds, memory %d MiB, output %d KiB", s.WallSeconds, s.CPUSeconds, s.MemoryMiB,
		s.OutputKiB)
}

// moduleName matches a top-level module, whose submodules come with it.
var moduleName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Validate returns the first invalid setting, and why it is.
func (s *Settings) Validate() (setting string, err error) {
	if _, err := names.Parse("engine", s.Engine, Names()); err != nil {
		return "engine", err
	}

	if s.Engine == Unsafe && len(s.Accept) > 0 {
		return "accept", errors.New("is of no use with the engine unsafe, which has no walls")
	}

	for _, wall := range s.Accept {
		if _, err := names.Parse("wall", wall, confine.Walls()); err != nil {
			return "accept", err
		}
	}

	for _, module := range s.Modules {
		if !moduleName.MatchString(module) {
			return "modules", fmt.Errorf("%q is not the name of a module, want e.g. numpy", module)
		}
	}

	return "", nil
}
