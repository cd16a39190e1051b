package serving

import (
	"slices"
	"sync"

	"toolevo/configs"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/prompt"
)

// embedded has the solved tasks of each benchmark, parsed once in a process, on first use.
var embedded sync.Map

// demonstrations returns the solved tasks that prompts show, by dataset: the user's own, else those
// of the data folder. The paper's layout, and prompts without a data folder, show the embedded
// ones.
func (m *Models) demonstrations() (map[string][]prompt.Demonstration, error) {
	if own := m.Config.Server.Demonstrations; own != "" {
		return prompt.ReadDemonstrations(own, m.Config.Datasets())
	}

	if m.Data != "" && m.Config.Server.Layout != string(prompt.Paper) {
		return prompt.MadeDemonstrations(suite.DemonstrationsDir(m.Data, m.Benchmark.Name()))
	}

	d, ok := m.Benchmark.(suite.Demonstrator)
	if !ok {
		return nil, nil
	}

	load := sync.OnceValues(func() (map[string][]prompt.Demonstration, error) {
		return prompt.LoadDemonstrations(d.Demonstrations())
	})
	loaded, _ := embedded.LoadOrStore(m.Benchmark.Name(), load)
	return loaded.(func() (map[string][]prompt.Demonstration, error))()
}

// Prompt returns what a model is shown of the prompt version.
func (m *Models) Prompt() (prompt.Prompt, error) {
	modules := append([]string{}, m.Config.Python.Modules...) // none is not nil

	v, err := m.Versions.Version(m.Config.Prompt)
	if err != nil {
		return prompt.Prompt{}, err
	}

	p, err := NewPrompt(m.Benchmark, m.Config, v, modules, m.Versions)
	if err != nil {
		return p, err
	}

	if slices.ContainsFunc(m.Config.Policy, func(name string) bool { return BaselineOf(name) == Documents }) {
		p.Announced = announced(m.Benchmark, v, modules, m.Versions)
	}

	p.Demonstrations, err = m.demonstrations()
	p.Shots = m.Config.Server.Shots
	return p, err
}

// NewPrompt returns what a model is shown of an API version, as a configuration wants it, without
// demonstrations; modules are those that programs may import, nil says nothing about them. The
// deployed version may be announced if it is one of versions.
func NewPrompt(
	benchmark suite.Benchmark, c *configs.Resolved, version *toolapi.Version, modules []string,
	versions *toolapi.Catalog,
) (prompt.Prompt, error) {
	apis := benchmark.Tools(version, modules)
	p := prompt.New(apis)
	p.NoUpdateTool, p.Codec = !c.Environment.UpdateTool, c.Environment.ActionCodec()
	p.ByDataset = byDataset(benchmark, c.Server.Prompt.Tools, apis)
	p.Learns = c.Environment.Learns()

	// Used only for histories in which a version was announced: before that no prompt reveals what
	// is deployed.
	if c.Environment.Announces() && versions != nil {
		p.Announced = announced(benchmark, version, modules, versions)
	}

	var err error
	if p.Layout, err = prompt.ParseLayout(c.Server.Layout); err != nil {
		return p, err
	}

	clean, err := chat.NewSanitizer()
	if err != nil {
		return p, err
	}

	p.Clean = clean.Clean
	return p, nil
}

// announced returns what replaces an API that a version lists, in another one of versions.
func announced(
	b suite.Benchmark, version *toolapi.Version, modules []string, versions *toolapi.Catalog,
) func(string, *toolapi.API) []*toolapi.API {
	return func(name string, listed *toolapi.API) []*toolapi.API {
		own := version.Named(listed.Name)
		if len(own) == 0 { // a task's own tools are known by their names alone
			own = []*toolapi.API{listed}
		}

		var all []*toolapi.API
		for _, a := range own {
			all = append(all, exposing(b, versions, name, modules, a.Tool)...)
		}
		return all
	}
}

// exposing returns the APIs by which a version exposes a tool, as prompts show them.
func exposing(
	b suite.Benchmark, versions *toolapi.Catalog, name string, modules []string, tool string,
) []*toolapi.API {
	v, err := versions.Version(name)
	if err != nil {
		return nil
	}

	others := func(a *toolapi.API) bool { return a.Tool != tool }
	if shown := slices.DeleteFunc(slices.Clone(b.Tools(v, modules)), others); len(shown) > 0 {
		return shown
	}
	return v.Exposing(tool)
}

// byDataset returns the tools that prompts show for tasks of each dataset, or nil if all tasks are
// shown all.
func byDataset(b suite.Benchmark, listed string, apis []*toolapi.API) map[string][]*toolapi.API {
	n, ok := b.(suite.Narrower)
	if !ok || listed == configs.ToolsAll {
		return nil
	}

	tools, unasked := n.DatasetTools()
	if !unasked && listed != configs.ToolsOfDataset {
		return nil
	}

	all := make(map[string][]*toolapi.API, len(tools))
	for dataset, names := range tools {
		all[dataset] = slices.DeleteFunc(slices.Clone(apis), func(a *toolapi.API) bool {
			return !slices.Contains(names, a.Tool)
		})
	}

	return all
}
