package serving

import (
	"slices"
	"sync"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/mcts/policy/prompt"
)

// demonstrationsOf has the solved tasks of each benchmark, parsed once in a process, and only where they are wanted.
var demonstrationsOf sync.Map

func loadDemonstrations(b suite.Benchmark) (map[string][]prompt.Demonstration, error) {
	d, ok := b.(suite.Demonstrator)
	if !ok {
		return nil, nil
	}

	load := sync.OnceValues(func() (map[string][]prompt.Demonstration, error) {
		return prompt.LoadDemonstrations(d.Demonstrations())
	})
	loaded, _ := demonstrationsOf.LoadOrStore(b.Name(), load)

	return loaded.(func() (map[string][]prompt.Demonstration, error))()
}

// Prompt returns what a model is shown of the prompt version.
func (m *Models) Prompt() (prompt.Prompt, error) {
	modules := append([]string{}, m.Config.Python.Modules...) // none is not nil

	v, err := m.Versions.Version(m.Config.Prompt)
	if err != nil {
		return prompt.Prompt{}, err
	}

	return NewPrompt(m.Benchmark, m.Config, v, modules)
}

// NewPrompt returns what a model is shown of an API version, as a configuration wants it; modules are those that
// programs may import, nil says nothing about them.
func NewPrompt(
	benchmark suite.Benchmark, c *configs.Resolved, version *toolapi.Version, modules []string,
) (prompt.Prompt, error) {
	apis := benchmark.Tools(version, modules)
	p := prompt.New(toolLines(apis))
	p.NoUpdateTool, p.Codec = !c.Environment.UpdateTool, c.Environment.ActionCodec()

	if c.Server.Prompt.Tools == configs.ToolsOfDataset {
		p.ByDataset = map[string][]string{}

		for dataset, names := range benchmark.(suite.Narrower).DatasetTools() { // validated
			p.ByDataset[dataset] = toolLines(narrowed(apis, names))
		}
	}

	var err error
	p.Demonstrations, err = loadDemonstrations(benchmark)

	return p, err
}

// Tools returns the APIs of the prompt version that the prompt lists for tasks of a dataset.
func (m *Models) Tools(dataset string) ([]*toolapi.API, error) {
	v, err := m.Versions.Version(m.Config.Prompt)
	if err != nil {
		return nil, err
	}

	apis := m.Benchmark.Tools(v, append([]string{}, m.Config.Python.Modules...))
	if !m.Config.Environment.UpdateTool {
		apis = slices.DeleteFunc(slices.Clone(apis), func(api *toolapi.API) bool { return api.Tool == envs.UpdateTool })
	}

	if m.Config.Server.Prompt.Tools != configs.ToolsOfDataset {
		return apis, nil
	}

	if names, ok := m.Benchmark.(suite.Narrower).DatasetTools()[dataset]; ok { // validated
		apis = narrowed(apis, names)
	}

	return apis, nil
}

// narrowed are the APIs of tools with some names.
func narrowed(apis []*toolapi.API, names []string) []*toolapi.API {
	return slices.DeleteFunc(slices.Clone(apis), func(api *toolapi.API) bool {
		return !slices.Contains(names, api.Tool)
	})
}

// toolLines are APIs as a prompt lists them.
func toolLines(apis []*toolapi.API) []string {
	lines := make([]string, len(apis))
	for i, api := range apis {
		lines[i] = toolLine(api)
	}

	return lines
}

func toolLine(api *toolapi.API) string { return api.Signature() + ", " + api.Description }

// Functions are the APIs that a prompt of [NewPrompt] lists for tasks of a dataset, as OpenAI's chat API describes
// functions.
func Functions(benchmark suite.Benchmark, p prompt.Prompt, version *toolapi.Version, modules []string,
	dataset string) []envs.Args {
	var all []envs.Args

	lines := p.ToolLines(dataset)
	for _, api := range benchmark.Tools(version, modules) {
		if slices.Contains(lines, toolLine(api)) {
			all = append(all, api.Function())
		}
	}

	return all
}
