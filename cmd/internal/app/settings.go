package app

import (
	"slices"
	"strings"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/policy/serving"
)

// Settings say where the settings of a job come from, beside the defaults and the environment.
type Settings struct {
	File string          // a YAML file or the name of a shipped one; empty if there is no such file
	Set  []configs.Layer // what the user set, which wins over everything else
}

// With returns the settings with more that override them: keys and values, as in "seed", "2".
func (s Settings) With(settings ...string) Settings {
	s.Set = slices.Clone(s.Set)
	for pair := range slices.Chunk(settings, 2) {
		s.Set = append(s.Set, configs.SettingLayer("this command", pair[0], pair[1]))
	}
	return s
}

// Resolve makes the configuration. defaults are those of the kind of job. When a run is resumed,
// its own configuration overrides the environment, which it was made with, so that its folder is
// all it takes; what the user sets overrides both, and is rejected unless the run has it.
func (h *Host) Resolve(s Settings, defaults map[string]string, resumed []configs.Layer) (
	*configs.Resolved, error) {
	var layers []configs.Layer
	for key, value := range defaults {
		layers = append(layers, configs.SettingLayer("default of this command", key, value))
	}

	environment, err := configs.EnvironmentLayers(h.Environ)
	if err != nil {
		return nil, err
	}

	if resumed != nil && s.File == "" {
		return configs.Load(slices.Concat(layers, environment, resumed, s.Set)...)
	}

	layers = append(layers, resumed...)

	if s.File != "" {
		file, err := configs.FileLayer(s.File)
		if err != nil {
			return nil, err
		}

		layers = append(layers, file)
	}
	return configs.Load(slices.Concat(layers, environment, s.Set)...)
}

// checkPolicyNamed rejects a server without a policy: the default policy is a script, which never
// asks it, and its trajectories would look like those of the model.
func (j *RunJob) checkPolicyNamed(c *configs.Resolved) error {
	if !strings.HasPrefix(c.Origin("policy"), "default") {
		return nil
	}

	set := slices.DeleteFunc(server.AddressVariables(), func(v string) bool { return j.Lookup(v) == "" })
	if j.Servers.Addresses != "" {
		set = []string{"‹server›"} // without the address, which may hold a key
	}

	if len(set) == 0 {
		return nil
	}
	return console.Usage("%s names a server, but no policy is named, and the default, %s, asks no "+
		"model.\nName the model, with ‹policy› %[3]s, or the default, with ‹policy› %[2]s",
		set[0], strings.Join(c.Policy, ","), serving.Offers())
}

// ParseSetting reads a setting of the user, KEY=VALUE. origin says where it was given.
func ParseSetting(origin, kv string) (configs.Layer, error) {
	key, value, ok := strings.Cut(kv, "=")
	if !ok {
		return configs.Layer{}, console.Usage("‹set› %s: want KEY=VALUE, e.g. ‹set› search.cpuct=2",
			kv)
	}
	return configs.SettingLayer(origin+" "+key, key, value), nil
}
