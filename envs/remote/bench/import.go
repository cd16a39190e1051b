package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/envs/display"
	"toolevo/envs/remote"
	"toolevo/envs/suite"
)

// ImportedTools is what `tools import --json` prints.
type ImportedTools struct {
	Dir   string         `json:"dir"`   // the folder that has the files
	Tools []ImportedTool `json:"tools"` // in the order of the server or document
	Left  []LeftTool     `json:"left"`  // what cannot be expressed, or was not chosen
}

// ImportedTool is a tool that prompts show from now on.
type ImportedTool struct {
	Tool  string   `json:"tool"`            // its name in p_c
	Reads bool     `json:"reads"`           // no call of it changes anything
	Notes []string `json:"notes,omitempty"` // where it differs from what the server says
}

// LeftTool is a tool that was left out.
type LeftTool struct {
	Name string `json:"name"` // at the server
	Why  string `json:"why"`  // it was left out
}

// importing is a command that imports tools.
type importing struct {
	data, url, reset, shown string
	choose                  suite.Repeated
	reads, allow            []string
	environment             suite.Repeated
	secrets                 []string
	describe                int
}

func importCommand() suite.Command {
	i := importing{describe: 256}

	return suite.Command{
		Use: "tools import [COMMAND...]", Help: helpTexts, Document: ImportedTools{},
		Options: []suite.Option{
			suite.DataOption(&i.data),
			{Name: "url", Value: &i.url, Usage: "an MCP server that runs at `URL`, in place of a command"},
			{Name: "choose", Value: &i.choose, Usage: "tools whose names fit `PATTERN`, such as get_*"},
			{Name: "reads", Value: &i.reads, Usage: "`NAMES` of tools that change nothing, beside those whose " +
				"annotations say so"},
			{Name: "allow", Value: &i.allow, Usage: "`NAMES` of tools to use though nothing brings back what they " +
				"change"},
			{Name: "reset", Value: &i.reset, Usage: "shell command `WORDS` that fills the folder of an instance"},
			{Name: "shown", Value: &i.shown, Usage: "`PATH` that agents see in place of the folder of an instance"},
			{Name: "environment", Value: &i.environment, Usage: "`NAME=VALUE` in the server's environment"},
			{Name: "secrets", Value: &i.secrets, Usage: "`NAMES` of your variables that the server gets"},
			{Name: "describe", Value: &i.describe, Usage: "at most `N` characters of a description", Least: 20},
		},
		Run: func(ctx context.Context, c *suite.Call) error {
			imported, err := i.run(ctx, c.Args)

			return c.Result(imported, func(w io.Writer) {
				imported.print(w)
				c.Say("Next: toolevo tools check --data %s", i.data)
			}, err)
		},
	}
}

func (i *ImportedTools) print(w io.Writer) {
	for _, t := range i.Tools {
		what := "changes state"
		if t.Reads {
			what = "reads"
		}

		fmt.Fprintf(w, "%-40s %s\n", t.Tool, what)

		for _, note := range t.Notes {
			fmt.Fprintln(w, "   ", display.Line(note, 76))
		}
	}

	for _, l := range i.Left {
		fmt.Fprintf(w, "left out: %s: %s\n", l.Name, display.Line(l.Why, 200))
	}

	fmt.Fprintf(w, "%d tools in %s\n", len(i.Tools), i.Dir)
}

// run asks a server for its tools, and writes what is made of them.
func (i *importing) run(ctx context.Context, command []string) (*ImportedTools, error) {
	imported := &ImportedTools{Dir: folder(i.data), Tools: []ImportedTool{}, Left: []LeftTool{}}

	if _, err := os.Stat(toolsetPath(i.data)); !errors.Is(err, fs.ErrNotExist) {
		return imported, errors.Join(err, console.Usage("%s is there: change it by hand, or import into another data "+
			"folder", toolsetPath(i.data)))
	}

	server, err := i.server(command)
	if err != nil {
		return imported, err
	}

	listed, err := server.Tools(ctx)
	if err != nil {
		return imported, console.GaveUp(err)
	}

	offered := remote.ToolsOf(listed, i.describe)
	for _, l := range offered.Left {
		imported.Left = append(imported.Left, LeftTool{l.Name, l.Why})
	}

	toolset := newToolset()
	toolset.MCP, toolset.Allow = server, i.allow

	if err := i.chosen(offered, toolset, imported); err != nil {
		return imported, err
	}

	spec, err := offered.Base(base, "the tools as they are")
	if err == nil {
		err = toolset.check(spec)
	}

	if err != nil {
		return imported, console.Usage("%w", err)
	}

	if err := writeBase(i.data, spec); err != nil {
		return imported, err
	}

	text, err := yaml.Marshal(toolset)
	if err != nil {
		return imported, err
	}

	return imported, disk.Write(toolsetPath(i.data), text)
}

// server is where the tools are.
func (i *importing) server(command []string) (*remote.MCP, error) {
	server := &remote.MCP{
		Command: command, URL: i.url, Shown: i.shown, Secrets: i.secrets, Environment: map[string]string{},
	}

	if i.reset != "" {
		server.Reset = []string{"sh", "-c", i.reset}
	}

	for _, pair := range i.environment {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, console.Usage("‹environment› %q: want NAME=VALUE", pair)
		}

		server.Environment[name] = value
	}

	for _, name := range i.secrets {
		if os.Getenv(name) == "" {
			return nil, console.Usage("‹secrets› %s: your environment has no such variable", name)
		}
	}

	if err := server.Validate(); err != nil {
		return nil, console.Usage("%w: name it behind --, as in `toolevo tools import -- npx some-mcp-server`, "+
			"or by ‹url›", err)
	}

	return server, nil
}

// chosen leaves the tools that fit a pattern, and notes what is known of them.
func (i *importing) chosen(offered *remote.Toolset, toolset *Toolset, imported *ImportedTools) error {
	var kept []remote.Tool

	for _, t := range offered.Tools {
		name := t.API.Name

		fits, err := i.fits(name)
		if err != nil {
			return console.Usage("‹choose›: %w", err)
		}

		if !fits {
			imported.Left = append(imported.Left, LeftTool{t.Name, "not chosen"})
			continue
		}

		reads := t.ReadsOnly || slices.Contains(i.reads, name)
		if reads {
			toolset.Reads = append(toolset.Reads, name)
		}

		if t.Name != name || len(t.Wire) > 0 {
			if toolset.Called == nil {
				toolset.Called = map[string]Called{}
			}

			toolset.Called[name] = Called{t.Name, t.Wire}
		}

		kept = append(kept, t)
		imported.Tools = append(imported.Tools, ImportedTool{name, reads, t.Notes})
	}

	if offered.Tools = kept; len(kept) == 0 {
		return console.Usage("no tool is left to import: the server offers %d", len(imported.Left))
	}

	return nil
}

// fits reports whether a tool is wanted.
func (i *importing) fits(name string) (bool, error) {
	for _, pattern := range i.choose {
		if ok, err := path.Match(pattern, name); ok || err != nil {
			return ok, err
		}
	}

	return len(i.choose) == 0, nil
}
