package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/envs/display"
	"toolevo/envs/remote"
	"toolevo/envs/remote/openapi"
	"toolevo/envs/suite"
)

// ImportedTools is what `tools import --json` prints.
type ImportedTools struct {
	Dir   string         `json:"dir"`   // the folder that has the files
	Tools []ImportedTool `json:"tools"` // in the order of the server or document
	Left  []remote.Left  `json:"left"`  // what cannot be expressed, or was not chosen
}

// ImportedTool is a tool that prompts show from now on.
type ImportedTool struct {
	Tool  string   `json:"tool"`            // its name in p_c
	Reads bool     `json:"reads"`           // no call of it changes anything
	Notes []string `json:"notes,omitempty"` // where it differs from what the server says
}

// importing holds the options of the command, and imports tools by them.
type importing struct {
	data, url, document   string
	server, ready, reset  string
	shown                 string
	choose, environment   suite.Repeated
	reads, allow, secrets []string
	describe              int
}

func importCommand() suite.Command {
	i := importing{describe: 256}
	return suite.Command{
		Use: "tools import [COMMAND...]", Help: helpTexts, Document: ImportedTools{}, Options: i.options(),
		Run: func(ctx context.Context, c *suite.Call) error {
			imported, err := i.run(ctx, c.Args)
			return c.Result(imported, func(w io.Writer) {
				imported.print(w)
				c.Say("Next: toolevo tools check --data %s", i.data)
			}, err)
		},
	}
}

func (i *importing) options() []suite.Option {
	return []suite.Option{
		// Both kinds of source share one command, so --reset and --secrets have a form for each.
		suite.DataOption(&i.data),
		{Name: "url", Value: &i.url,
			Usage: "an MCP server that runs at `URL`, in place of a command"},
		{Name: "openapi", Value: &i.document,
			Usage: "the operations of the OpenAPI document `FILE`, in place of an " +
				"MCP server; COMMAND starts the service"},
		{Name: "service", Value: &i.server,
			Usage: "the service at `URL` in place of the document's; {address} in it " +
				"is where COMMAND listens"},
		{Name: "ready", Value: &i.ready, Usage: "`PATH` that the service answers once it is ready"},
		{Name: "choose", Value: &i.choose,
			Usage: "tools whose names fit `PATTERN`, such as get_*; may be repeated"},
		{Name: "reads", Value: &i.reads,
			Usage: "`NAMES` of tools that change nothing, beside those whose " +
				"annotations or methods say so"},
		{Name: "allow", Value: &i.allow,
			Usage: "`NAMES` of tools to use though nothing brings back what they change"},
		{Name: "reset", Value: &i.reset,
			Usage: "shell command `WORDS` that fills the folder of an instance; or, of " +
				"a service, a request, such as \"POST /reset\""},
		{Name: "shown", Value: &i.shown,
			Usage: "`PATH` that agents see in place of the folder of an instance"},
		{Name: "environment", Value: &i.environment,
			Usage: "`NAME=VALUE` in the server's environment; may be repeated"},
		{Name: "secrets", Value: &i.secrets,
			Usage: "`NAMES` of your variables that the server gets; of a service " +
				"SCHEME=NAME, for the document's security schemes"},
		{Name: "describe", Value: &i.describe, Usage: "at most `N` characters of a description",
			Least: 20},
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
		fmt.Fprintf(w, "left out: %s\n", display.Line(l.Name+": "+l.Why, 200))
	}

	fmt.Fprintf(w, "%d tools in %s\n", len(i.Tools), i.Dir)
}

// run asks a server or a document for its tools, and writes what is made of them.
func (i *importing) run(ctx context.Context, command []string) (*ImportedTools, error) {
	imported := &ImportedTools{Dir: folder(i.data), Tools: []ImportedTool{}, Left: []remote.Left{}}

	// People edit the toolset by hand, so an import never overwrites one.
	if _, err := os.Stat(toolsetPath(i.data)); !errors.Is(err, fs.ErrNotExist) {
		return imported, errors.Join(err,
			console.Usage("%s exists already: change it by hand, or import into another data "+
				"folder", toolsetPath(i.data)))
	}

	toolset := newToolset()
	toolset.Allow = i.allow

	offer, err := i.offer(ctx, command, toolset)

	// A document's operations are chosen by tags and paths, too, so openapi has done that. What a
	// server's choice leaves out is noted, because `tools next` leaves out the same tools.
	if err == nil && i.document == "" {
		if err = offer.choose(i.choose); err == nil {
			toolset.Left = offer.unchosen
		}
	}

	if err != nil {
		return imported, err
	}

	offer.describe(toolset, i.reads)
	imported.Left = append(imported.Left, offer.left...)

	for _, t := range offer.tools {
		reads := slices.Contains(toolset.Reads, t.API.Name)
		imported.Tools = append(imported.Tools, ImportedTool{t.API.Name, reads, t.Notes})
	}
	return imported, i.write(toolset, offer)
}

// offer asks for the tools, and notes in the toolset where they are.
func (i *importing) offer(ctx context.Context, command []string, toolset *Toolset) (*offer, error) {
	if i.document != "" {
		service, err := i.service(command)
		if err != nil {
			return nil, err
		}

		options := service.options()
		options.MostDescription = i.describe

		o, text, err := offerFromDocument(i.document, options)
		toolset.OpenAPI, toolset.document = service, text
		return o, err
	}

	server, err := i.mcp(command)
	if err != nil {
		return nil, err
	}

	toolset.MCP = server
	return offerFromServer(ctx, server, i.describe)
}

// write writes the files, once the toolset has been found to be usable.
func (i *importing) write(toolset *Toolset, o *offer) error {
	spec, err := openapi.Base(base, "the tools as they are", o.apis())
	if err != nil {
		return err
	}

	if err := os.MkdirAll(folder(i.data), 0o777); err != nil {
		return err
	}

	// The toolset reads its document from the folder when it is opened.
	if o := toolset.OpenAPI; o != nil {
		if err := disk.Write(filepath.Join(folder(i.data), o.Document),
			toolset.document); err != nil {
			return err
		}
	}

	// A toolset that cannot be used must not be written: it would block the next import.
	if err = toolset.open(folder(i.data)); err == nil {
		err = toolset.check(spec)
	}

	if err != nil {
		return console.Usage("%w", err)
	}

	if err := writeVersion(basePath(i.data), spec); err != nil {
		return err
	}

	// The toolset comes last: until it is there, an import that was cut off can be run again.
	text, err := yaml.Marshal(toolset)
	if err != nil {
		return err
	}

	return disk.Write(toolsetPath(i.data), text)
}

// mcp returns the MCP server that has the tools.
func (i *importing) mcp(command []string) (*remote.MCP, error) {
	server := &remote.MCP{Command: command, URL: i.url, Shown: i.shown, Secrets: i.secrets}

	if i.reset != "" {
		server.Reset = shell(i.reset)
	}

	var err error
	if server.Environment, err = i.variables(); err != nil {
		return nil, err
	}

	for _, name := range i.secrets {
		if os.Getenv(name) == "" {
			return nil, console.Usage("‹secrets› %s: your environment has no such variable", name)
		}
	}

	if err := server.Validate(); err != nil {
		return nil, console.Usage("%w: name it after --, as in `toolevo tools import -- npx "+
			"some-mcp-server`, or by ‹url› or ‹openapi›", err)
	}
	return server, nil
}

// shell returns the words that run a command by a shell.
func shell(command string) []string { return []string{"sh", "-c", command} }

// request fits a reset that is sent to the service, and not a command.
var request = regexp.MustCompile(`^[A-Z]+ /`)

// service returns the service that the document describes.
func (i *importing) service(command []string) (*OpenAPI, error) {
	o := &OpenAPI{Document: "openapi" + strings.ToLower(filepath.Ext(i.document)), Choose: i.choose}
	o.Server, o.Command, o.Ready = i.server, command, i.ready

	// The flag takes either: what looks like a request is sent, and anything else is run by a
	// shell.
	switch {
	case request.MatchString(i.reset):
		o.Reset = i.reset
	case i.reset != "":
		o.ResetCommand = shell(i.reset)
	}

	var err error
	if o.Environment, err = i.variables(); err != nil {
		return nil, err
	}

	// Only the names of variables are kept, so no file of the data folder has a secret.
	for _, pair := range i.secrets {
		scheme, name, ok := strings.Cut(pair, "=")
		if !ok || os.Getenv(name) == "" {
			return nil, console.Usage("‹secrets› %q: want SCHEME=NAME, a security scheme of the "+
				"document and a variable of your environment", pair)
		}

		if o.Secrets == nil {
			o.Secrets = map[string]string{}
		}

		o.Secrets[scheme] = name
	}
	return o, nil
}

// variables returns the variables of the server's environment.
func (i *importing) variables() (map[string]string, error) {
	all := map[string]string{}

	for _, pair := range i.environment {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, console.Usage("‹environment› %q: want NAME=VALUE", pair)
		}

		all[name] = value
	}
	return all, nil
}
