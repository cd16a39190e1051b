package bench

import (
	"bytes"
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

	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/drift/release"
	"toolevo/envs/remote"
	"toolevo/envs/remote/openapi"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
)

// NextRelease is what `tools next --json` prints.
type NextRelease struct {
	Path    string                  `json:"path"`    // the file of the version
	Changes []release.Change        `json:"changes"` // what was understood, in the order of p_c
	Equal   []string                `json:"equal"`   // tools that are the same
	Added   []string                `json:"added"`   // tools that p_c does not have
	Removed []string                `json:"removed"` // tools without a successor
	Broken  []release.NotUnderstood `json:"broken"`  // what old calls use and the release lacks
	Left    []string                `json:"left"`    // tools that are left out, as they were at import
	Unsure  int                     `json:"unsure"`  // changes of the version that somebody has to confirm
}

func nextCommand() suite.Command {
	n := nextJob{name: "next", describe: 256}
	return suite.Command{
		Use: "tools next [COMMAND...]", Help: helpTexts, Document: NextRelease{},
		Options: []suite.Option{
			suite.DataOption(&n.data),
			{Name: "openapi", Value: &n.document,
				Usage: "the next OpenAPI document `FILE`, in place of a command"},
			{Name: "url", Value: &n.url, Usage: "the next MCP server runs at `URL`"},
			{Name: "name", Value: &n.name, Usage: "the version is called `NAME`"},
			{Name: "describe", Value: &n.describe, Usage: "at most `N` characters of a description",
				Least: 20},
		},
		Run: func(ctx context.Context, c *suite.Call) error {
			next, err := n.run(ctx, c.Args)
			return c.Result(next, func(w io.Writer) {
				next.print(w)
				c.Say("Next: toolevo versions diff p_c %s --set suite=remote --data %s", n.name,
					n.data)
				c.Say("      toolevo gate p_c %s --set suite=remote --data %s --out gate", n.name,
					n.data)
			}, err)
		},
	}
}

// nextJob makes a version of the tools' next release.
type nextJob struct {
	data, document, url, name string
	describe                  int
}

// run compares the tools as they are with those of the next release.
func (n *nextJob) run(ctx context.Context, command []string) (*NextRelease, error) {
	next := &NextRelease{
		Path: filepath.Join(versionsPath(n.data),
			n.name+".yaml"), Changes: []release.Change{}, Equal: []string{},
		Added: []string{}, Removed: []string{}, Broken: []release.NotUnderstood{}, Left: []string{},
	}

	toolset, err := readToolset(n.data)
	if err != nil {
		return next, err
	}

	spec, err := readBase(n.data)
	if err != nil {
		return next, err
	}

	if err := n.checkName(next.Path); err != nil {
		return next, err
	}

	o, err := n.offer(ctx, command, toolset)
	if err != nil {
		return next, err
	}

	inferred, err := release.Between(spec, o.apis(), n.name)
	if err != nil {
		return next, err
	}

	// Appended to empty lists, so that none of them is null in the document.
	next.Changes = append(next.Changes, inferred.Changes...)
	next.Equal = append(next.Equal, inferred.Equal...)
	next.Added = append(next.Added, inferred.Added...)
	next.Removed = append(next.Removed, inferred.Removed...)
	next.Broken = append(next.Broken, inferred.Broken...)
	next.Left = append(next.Left, o.unchosen...)

	for _, a := range inferred.Version.APIs {
		next.Unsure += toolapi.Unsure(a.Inferred)
	}

	text, err := inferred.Version.Encode()
	if err != nil {
		return next, err
	}

	if was, err := os.ReadFile(next.Path); err == nil && !bytes.Equal(was, text) {
		return next, console.Usage("%s is there and holds something else, such as corrections: "+
			"choose another ‹name›, or remove it", next.Path)
	}

	// Unsure changes are written, too: people correct the file, and the gate counts them.
	return next, writeVersion(next.Path, inferred.Version)
}

// plainName fits names that files may have, too.
var plainName = regexp.MustCompile(`^\w[\w.-]*$`)

// checkName rejects the name of the version if its file could not be one more of the versions.
func (n *nextJob) checkName(path string) error {
	if !plainName.MatchString(n.name) {
		return console.Usage("‹name› %q: want letters, digits, and after those also . or -", n.name)
	}

	all, err := Remote{}.Versions(n.data)
	if err != nil {
		return err
	}

	_, err = os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && slices.Contains(all.Names(), n.name) {
		return console.Usage("‹name› %s: there is such a version, which is not %s", n.name, path)
	}
	return nil
}

// offer asks the next release for its tools, in the environment of today's server.
func (n *nextJob) offer(ctx context.Context, command []string, now *Toolset) (*offer, error) {
	if n.document != "" {
		var options openapi.Options
		if now.OpenAPI != nil {
			options = now.OpenAPI.options()
		}

		// All that the import left out would look new. The patterns of its choice do not say what
		// that was: they may fit other operations of the release, or none.
		options.Choose, options.Leave = nil, now.leftOut()
		options.MostDescription = n.describe

		o, _, err := offerFromDocument(n.document, options)
		return o, err
	}

	// A server may list its tools by its environment, so the release gets the one of today's
	// server.
	server := &remote.MCP{Command: command, URL: n.url}
	if was := now.MCP; was != nil {
		server.Environment, server.Secrets = was.Environment, was.Secrets

		// One that runs has no folder.
		if len(command) > 0 {
			server.Reset, server.Shown = was.Reset, was.Shown
		}
	}

	if err := server.Validate(); err != nil {
		return nil, console.Usage("%w: name the next release after --, or by ‹url› or ‹openapi›",
			err)
	}

	o, err := offerFromServer(ctx, server, n.describe)
	if err != nil {
		return nil, err
	}

	// What was left out must not be taken for the successor of a tool either.
	left := now.leftOut()
	o.tools = slices.DeleteFunc(o.tools, func(t remote.Tool) bool {
		isLeft := slices.Contains(left, t.Name)
		if isLeft {
			o.unchosen = append(o.unchosen, t.Name)
		}
		return isLeft
	})
	return o, nil
}

// widthOfChange is how many columns of the terminal are left for a change.
const widthOfChange = 66

func (n *NextRelease) print(w io.Writer) {
	for _, c := range n.Changes {
		fmt.Fprintf(w, "%3.0f %% sure  %s\n", 100*c.Sure, display.Line(c.Change.String(),
			widthOfChange))

		// Only somebody who has to decide needs the reason.
		if c.Sure < 1 {
			fmt.Fprintf(w, "            %s\n", display.Line(c.Why, widthOfChange))
		}
	}

	// What is broken has no adapter, so nobody may overlook it.
	for _, b := range n.Broken {
		fmt.Fprintf(w, "BROKEN      %s\n", display.Line(fmt.Sprintf("%s %s: %s", b.Tool,
			b.Parameter, b.Why), 200))
	}

	for _, name := range n.Added {
		fmt.Fprintf(w, "added       %s\n", name)
	}

	for _, name := range n.Removed {
		fmt.Fprintf(w, "removed     %s\n", name)
	}

	if len(n.Left) > 0 {
		fmt.Fprintf(w, "left out, as at import: %s\n", display.Line(strings.Join(n.Left, ", "),
			200))
	}

	fmt.Fprintf(w, "%d tools are the same; the version is in %s\n", len(n.Equal), n.Path)

	if n.Unsure > 0 {
		fmt.Fprintf(w, "%d changes are less than 60 %% sure: confirm each there by sure: 1, or "+
			"correct it\n", n.Unsure)
	}
}
