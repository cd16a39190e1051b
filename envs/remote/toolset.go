package remote

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolevo/envs/pytext"
	"toolevo/envs/remote/openapi"
	"toolevo/envs/toolapi"
)

// Toolset is what an MCP server offers.
type Toolset struct {
	Tools []Tool
	Left  []Left
}

// Tool is a tool of a server with types. Its calls have the names of API; the server has others
// where its own could not be names here.
type Tool struct {
	API toolapi.APISpec

	Name string            // at the server
	Wire map[string]string // by parameter, where the server has another name for it

	ReadsOnly bool     // by its annotations, which are the server's word
	Notes     []string // where it differs from what the server lists, and what looks wrong there
}

// Left is a tool that is left out: it cannot be expressed, or was not chosen.
type Left struct {
	Name string `json:"name"` // at the server
	Why  string `json:"why"`  // it was left out
}

// ToolsOf makes tools of a server's list, by the rules of package openapi for names, schemas and
// descriptions. mostDescription is how many characters a description may have; 0 is the default of
// openapi.
func ToolsOf(listed []*mcp.Tool, mostDescription int) *Toolset {
	var (
		set   = &Toolset{}
		names []string
		count = map[string]int{}
	)

	name := func(t *mcp.Tool, shared bool) string { return openapi.Named(t.Name, t.Name, shared) }

	for _, t := range listed {
		names = append(names, t.Name)
		count[name(t, false)]++
	}

	for _, t := range listed {
		tool, err := toolOf(t, mostDescription)
		if err != nil {
			set.Left = append(set.Left, Left{t.Name, err.Error()})
			continue
		}

		tool.API.Name = name(t, count[name(t, false)] > 1)
		set.Tools = append(set.Tools, *tool)
	}

	set.warn(listed, names)
	return set
}

// warn adds notes to tools that seem to lack their parameters.
func (set *Toolset) warn(listed []*mcp.Tool, names []string) {
	takes := func(t Tool) bool { return len(t.API.Parameters.All) > 0 }
	none := len(set.Tools) > 1 && !slices.ContainsFunc(set.Tools, takes)

	for i, t := range set.Tools {
		at := slices.Index(names, t.Name)

		switch {
		case takes(t):
		case namesParameters(listed[at].Description, names):
			set.Tools[i].Notes = append(t.Notes,
				"it is listed without parameters, and its description names some"+old)
		case none:
			set.Tools[i].Notes = append(t.Notes,
				"no tool of the server is listed with parameters"+old)
		}
	}
}

// old is the usual reason why a tool lacks its parameters.
const old = ": the server may be older than the libraries that it was installed with"

// toolOf makes a tool that has no name yet.
func toolOf(t *mcp.Tool, mostDescription int) (*Tool, error) {
	text, err := json.Marshal(t.InputSchema)
	if err != nil {
		return nil, fmt.Errorf("its schema: %w", err)
	}

	schema, _, err := pytext.DecodeObject(string(text))
	if err != nil {
		return nil, fmt.Errorf("its schema: %w", err)
	}

	arguments, err := openapi.NewArguments(schema, mostDescription)
	if err != nil {
		return nil, err
	}

	tool := &Tool{
		API: toolapi.APISpec{
			Description: cmp.Or(openapi.Shortened(t.Description, mostDescription), t.Name),
			Parameters:  arguments.Parameters,
		},
		Name: t.Name, Wire: arguments.Wire, Notes: arguments.Notes,
	}
	tool.ReadsOnly = t.Annotations != nil && t.Annotations.ReadOnlyHint

	return tool, nil
}

var (
	// headings precede a list of parameters.
	headings = regexp.MustCompile(`(?i)\b(?:args|arguments|parameters?|params|inputs?)\s*:|[@:]param\b`)

	// quoted fits words in quotes that are called parameters.
	quoted = regexp.MustCompile("['\"`](\\w+)['\"`]\\s*" +
		`(?:\((?:required|optional)|(?:parameter|argument|option)s?\b)`)
)

// namesParameters reports whether a description names parameters, apart from names of tools.
func namesParameters(text string, tools []string) bool {
	return headings.MatchString(text) ||
		slices.ContainsFunc(quoted.FindAllStringSubmatch(text, -1), func(found []string) bool {
			return !slices.Contains(tools, found[1])
		})
}
