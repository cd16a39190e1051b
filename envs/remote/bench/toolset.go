package bench

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/goccy/go-yaml"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/envs/names"
	"toolevo/envs/remote"
	"toolevo/envs/remote/openapi"
	"toolevo/envs/toolapi"
	"toolevo/envs/yamltext"
)

// Toolset says where tools are, and how they may be used: the file tools.yaml.
type Toolset struct {
	MCP     *remote.MCP `yaml:"mcp,omitempty"`
	OpenAPI *OpenAPI    `yaml:"openapi,omitempty"`

	// Reads are the tools whose calls change nothing.
	Reads []string `yaml:"reads,flow"`

	// Allow are tools to use although nothing brings back what they change.
	Allow []string `yaml:"allow,omitempty,flow"`

	// Left are the tools, by the server's names, that an import left out; the next release leaves
	// them out, too.
	Left []string `yaml:"left,omitempty,flow"`

	// Called has the server's own names, by tool.
	Called map[string]Called `yaml:"called,omitempty"`

	Masks []Mask `yaml:"masks,omitempty"`

	// Judge judges tasks by their rubrics; nil judges none.
	Judge *Model `yaml:"judge,omitempty"`

	// Simulated answers calls in place of the tools; nil leaves that to the tools themselves.
	Simulated *Model `yaml:"simulated,omitempty"`

	Instances int           `yaml:"instances"` // at the same time
	Timeout   time.Duration `yaml:"timeout"`   // of one call, and of a task's command
	Patience  time.Duration `yaml:"patience"`  // for a server that cannot be started

	source   remote.Source
	document []byte // of OpenAPI, until it is written
}

// OpenAPI is a service whose operations are tools.
type OpenAPI struct {
	Document string   `yaml:"document"`              // its file, beside tools.yaml
	Choose   []string `yaml:"choose,omitempty,flow"` // which operations, see openapi.Options

	remote.HTTP `yaml:",inline"`

	unchosen []string // operations of the document, once it was opened
}

// Called are the server's own names of a tool and its parameters, where these could not be names
// here.
type Called struct {
	Name       string            `yaml:"name,omitempty"`
	Parameters map[string]string `yaml:"parameters,omitempty"` // by their names here
}

// Mask replaces what a tool cannot repeat, in comparisons and for the agent.
type Mask struct {
	Pattern string `yaml:"pattern"` // a regular expression of Go
	With    string `yaml:"with"`
}

// newToolset returns a toolset with the defaults.
func newToolset() *Toolset {
	return &Toolset{Instances: 4, Timeout: 30 * time.Second, Patience: 2 * time.Minute}
}

// The files of the suite in a data folder.
func folder(data string) string       { return filepath.Join(data, "remote") }
func toolsetPath(data string) string  { return filepath.Join(folder(data), "tools.yaml") }
func basePath(data string) string     { return filepath.Join(folder(data), base+".yaml") }
func versionsPath(data string) string { return filepath.Join(folder(data), "versions") }

func tasksPath(data, split string) string {
	return filepath.Join(folder(data), "tasks", split+".jsonl")
}

// readToolset reads the toolset of a data folder.
func readToolset(data string) (*Toolset, error) {
	path := toolsetPath(data)

	text, err := disk.ReadText(path)
	if err != nil {
		return nil, fmt.Errorf("no tools of your own in %s: `toolevo tools import` puts them "+
			"there: %w", data, err)
	}

	t := newToolset()
	if err = yamltext.Decode(text, t, yaml.Strict()); err == nil {
		err = t.open(folder(data))
	}

	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// open validates the toolset and finds its source. The document of a service is in dir.
func (t *Toolset) open(dir string) error {
	switch {
	case (t.MCP == nil) == (t.OpenAPI == nil):
		return errors.New("it has to say where the tools are: want mcp or openapi")
	case t.Instances < 1:
		return fmt.Errorf("instances is %d, want at least 1", t.Instances)
	case t.Timeout <= 0 || t.Patience <= 0:
		return errors.New("timeout and patience want to be longer than 0s")
	}

	// Faults are found on opening, before any server is started.
	if _, err := t.masks(); err != nil {
		return err
	}

	if err := errors.Join(t.Judge.validate("judge"), t.Simulated.validate("simulated")); err != nil {
		return err
	}

	if t.MCP != nil {
		t.source = t.MCP
		return t.MCP.Validate()
	}

	// The document says where requests go, so the source of a service cannot do without it.
	text, err := disk.ReadText(filepath.Join(dir, t.OpenAPI.Document))
	if err != nil {
		return err
	}

	t.source, err = t.OpenAPI.open(text)
	return err
}

// open reads the operations of a document.
func (o *OpenAPI) open(document []byte) (remote.Source, error) {
	offered, err := openapi.Load(document, o.options())
	if err != nil {
		return nil, err
	}

	o.unchosen = offered.Unchosen

	operations := make(map[string]openapi.Operation, len(offered.Tools))
	for _, tool := range offered.Tools {
		operations[tool.API.Name] = tool.Operation
	}
	return o.Source(operations)
}

// options say what is made of the document. An instance that is started has a server of its own.
func (o *OpenAPI) options() openapi.Options {
	starts := len(o.Command) > 0
	options := openapi.Options{Choose: o.Choose, AnyHost: starts}

	if !starts {
		options.Server = o.Server
	}
	return options
}

// leftOut returns the names of what was left out when the tools were imported.
func (t *Toolset) leftOut() []string {
	if t.OpenAPI == nil {
		return t.Left
	}
	return slices.Concat(t.Left, t.OpenAPI.unchosen)
}

func (t *Toolset) masks() ([]remote.Mask, error) {
	all := make([]remote.Mask, len(t.Masks))

	for i, m := range t.Masks {
		pattern, err := regexp.Compile(m.Pattern)
		if err != nil {
			return nil, fmt.Errorf("mask %d: %w", i+1, err)
		}

		all[i] = remote.Mask{Pattern: pattern, With: m.With}
	}
	return all, nil
}

// startsInstances reports whether an instance has a state that nobody else changes.
func (t *Toolset) startsInstances() bool {
	if t.OpenAPI != nil {
		return t.OpenAPI.Resettable()
	}
	return len(t.MCP.Command) > 0
}

// mayCall reports whether the tool itself may be called, and not only what stands in for it.
func (t *Toolset) mayCall(tool string) bool {
	return t.startsInstances() || slices.Contains(t.Reads, tool) || slices.Contains(t.Allow, tool)
}

// startsPrograms reports whether each instance is a program of its own.
func (t *Toolset) startsPrograms() bool {
	return t.MCP != nil && len(t.MCP.Command) > 0 || t.OpenAPI != nil && len(t.OpenAPI.Command) > 0
}

// most returns how many instances there may be at the same time.
func (t *Toolset) most() int {
	if t.OpenAPI != nil && t.OpenAPI.Most() > 0 {
		return min(t.OpenAPI.Most(), t.Instances)
	}
	return t.Instances
}

// check returns an error about tools of a version that the toolset must not use, or names that the
// version does not have.
func (t *Toolset) check(spec *toolapi.Spec) error {
	var tools, unsafe []string

	for _, a := range spec.APIs {
		tool := a.ToolName()
		if envs.IsSystem(tool) {
			continue
		}

		tools = append(tools, tool)
		if t.Simulated == nil && !t.mayCall(tool) {
			unsafe = append(unsafe, tool)
		}
	}

	for _, named := range slices.Concat(t.Reads, t.Allow) {
		if !slices.Contains(tools, named) {
			return names.Unknown("tool", named, tools)
		}
	}

	if len(unsafe) > 0 {
		return fmt.Errorf("nothing brings back what %v change: name those that only read in reads, "+
			"those that are to be used all the same in allow, and take the others out of %s.yaml",
			unsafe, base)
	}
	return nil
}

// service returns the service that calls the tools, or what stands in for them.
func (t *Toolset) service(source remote.Source) (*remote.Service, error) {
	masks, err := t.masks()
	if err != nil {
		return nil, err
	}

	reads := map[string]bool{}

	for _, tool := range t.Reads {
		name, _ := t.wire(tool, nil)
		reads[name] = true
	}

	// A model is waited for as long as everywhere else: while its server restarts, for example.
	timeout := t.Timeout
	_, simulated := source.(*simulation)
	if simulated {
		timeout = 0
	}
	return remote.New(source, remote.Options{
		ReadsOnly: func(tool string) bool { return reads[tool] },
		Shared:    !simulated && !t.startsInstances(),
		Masks:     masks, Most: t.most(), Ahead: !simulated && t.startsPrograms(),
		Timeout: timeout, Patience: t.Patience,
	}), nil
}

// wire returns a call in the server's own names.
func (t *Toolset) wire(tool string, args envs.Args) (name string, wireArgs envs.Args) {
	called := t.Called[tool]

	wireArgs = slices.Clone(args)
	for i, a := range wireArgs {
		wireArgs[i].Name = cmp.Or(called.Parameters[a.Name], a.Name)
	}
	return cmp.Or(called.Name, tool), wireArgs
}
