package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/drift"
	"toolevo/envs/durable"
	"toolevo/envs/response"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
)

func (a *app) versionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "versions",
		Short: "Make API versions, and look at them",
		Long: `An API version is a file: the names and parameters under which tools are
deployed, how calls of them become calls of the tools, and the notices about
names that are gone. The program ships some; make others, or write your own, and
deploy them with --api 'file:DIR/*.yaml'.`,
	}
	cmd.AddCommand(a.versionsMakeCommand(), a.versionsListCommand(), a.versionsShowCommand(),
		a.versionsValidateCommand())

	return console.Group(cmd)
}

// suiteFlag adds --suite to a command without a configuration.
func suiteFlag(cmd *cobra.Command) func() (suite.Benchmark, error) {
	name := cmd.Flags().String("suite", suite.Names()[0], "`NAME` of the benchmark whose tools they expose")

	return func() (suite.Benchmark, error) { return suite.Lookup(*name) }
}

// makeOptions are the flags of `versions make`.
type makeOptions struct {
	from, out string
	count     int
	seed      uint64
	holdOut   []string
	factor    string
	asJSON    *bool
}

// maximumMade is how many versions a command makes at most.
const maximumMade = 10_000

func (a *app) versionsMakeCommand() *cobra.Command {
	var o makeOptions

	cmd := &cobra.Command{
		Use:   "make",
		Short: "Make drifted versions from a version",
		Long: `Makes versions in which every API has another name, and parameters are renamed,
listed one by one, merged, or joined by flags, counts and prefixes. Each is a
file DIR/made_SEED_NUMBER.yaml, checked as those that ship with the program are.

With --factor one thing changes in all APIs and nothing else does, as in the
paper's section 5.3: the names of APIs or of parameters, by other words or by a
special character, or the form of answers, which become JSON objects. The files
are DIR/FACTOR_SEED_NUMBER.yaml.

The same source, seed and number give the same bytes, however many are made.
Identifiers of the versions that are held out occur in none, so that these
measure what was not trained on.`,
		Example: `  toolevo versions make --from p_c --count 50 --seed 1 --out made
  toolevo collect --api 'file:made/*.yaml' --out runs/made
  toolevo versions make --factor names-character --count 1 --out made`,
		Args: console.Positional(0, 0),
	}
	flags := cmd.Flags()
	flags.StringVar(&o.from, "from", "p_c", "`NAME` of the version they are made from")
	flags.IntVar(&o.count, "count", 50, "`N` versions")
	flags.Uint64Var(&o.seed, "seed", 1, "`N` is the seed of all randomness")
	flags.StringVar(&o.out, "out", "", "folder `DIR` for the files")
	flags.StringSliceVar(&o.holdOut, "hold-out", nil, "`NAMES` of versions whose identifiers are not used (default: "+
		"all that are shipped, but the source)")
	flags.StringVar(&o.factor, "factor", "", "`NAME` of the only thing that changes: "+
		strings.Join(drift.FactorNames(), ", ")+" (default: many at once)")
	console.Complete(cmd, "factor", console.Listed(drift.FactorNames()))
	o.asJSON = console.JSONFlag(cmd)
	benchmark := suiteFlag(cmd)

	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		b, err := benchmark()
		if err != nil {
			return err
		}

		shipped, err := b.Versions()
		if err != nil {
			return err
		}

		if !cmd.Flags().Changed("hold-out") {
			o.holdOut = drift.AllBut(shipped, o.from)
		}

		return a.makeVersions(b, shipped, &o)
	}

	return cmd
}

// madeVersions is the result of `versions make`.
type madeVersions struct {
	From    string        `json:"from"`             // the version they were made from
	Factor  string        `json:"factor,omitempty"` // the only thing that changes
	Seed    uint64        `json:"seed"`             // of all randomness
	HeldOut []string      `json:"held_out"`         // versions whose identifiers do not occur
	Dir     string        `json:"dir"`              // the folder of the files
	Made    []madeVersion `json:"made"`             // in the order of their numbers
}

// madeVersion is a version that was made.
type madeVersion struct {
	Version string         `json:"version"` // its name
	Path    string         `json:"path"`    // its file
	Changes []drift.Change `json:"changes"` // by tool, in the order in which they were made
}

func (a *app) makeVersions(b suite.Benchmark, shipped *toolapi.Catalog, o *makeOptions) error {
	switch {
	case o.out == "":
		return console.Usage("--out is missing: want the folder for the files")
	case o.count < 1 || o.count > maximumMade:
		return console.Usage("--count %d: want 1 to %d", o.count, maximumMade)
	}

	m, err := drift.NewMaker(shipped, o.from, o.holdOut, o.seed)
	if err != nil {
		return err
	}

	one, err := versionMaker(m, o.factor)
	if err != nil {
		return err
	}

	result := madeVersions{From: o.from, Factor: o.factor, Seed: o.seed, HeldOut: o.holdOut, Dir: o.out}

	var files []toolapi.File

	for i := range o.count {
		spec, changes := one(i)

		text, err := spec.Encode()
		if err != nil {
			return err
		}

		path := filepath.Join(o.out, spec.Version+".yaml")
		files = append(files, toolapi.File{Path: path, Text: string(text)})
		result.Made = append(result.Made, madeVersion{spec.Version, path, changes})
	}

	if _, err := b.Versions(files...); err != nil {
		return fmt.Errorf("a version that was made is not whole, which is a mistake of the program: %w", err)
	}

	if err := writeVersions(o.out, files); err != nil {
		return err
	}

	return a.Show(*o.asJSON, result, func() {
		fmt.Fprintf(a.Out, "%d versions of %s in %s\n", o.count, o.from, o.out)
		a.Say("Next: toolevo %s", console.Shell("collect", "--api", drift.FilePrefix+filepath.Join(o.out, "*.yaml")))
	})
}

// versionMaker returns what makes the i-th version: one in which a factor changes, or much at once where none is named.
func versionMaker(m *drift.Maker, factor string) (func(i int) (*toolapi.Spec, []drift.Change), error) {
	if factor == "" {
		return m.Version, nil
	}

	f, err := drift.ParseFactor(factor)
	if err != nil {
		return nil, console.Usage("--factor: %w", err)
	}

	return func(i int) (*toolapi.Spec, []drift.Change) { return m.FactorVersion(f, i) }, nil
}

// writeVersions writes files that are not there yet. Runs may have been made from others.
func writeVersions(dir string, files []toolapi.File) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}

	for _, f := range files {
		was, err := os.ReadFile(f.Path)
		switch {
		case err == nil && string(was) == f.Text:
			continue
		case err == nil:
			return console.Usage("%s is there and holds something else: choose another --out or --seed, or remove it",
				f.Path)
		case !isMissing(err):
			return err
		}

		write := func(w io.Writer) error { _, err := io.WriteString(w, f.Text); return err }
		if err := durable.WriteFile(f.Path, write); err != nil {
			return err
		}
	}

	return nil
}

// versionList is the result of `versions list`.
type versionList struct {
	Versions []listedVersion `json:"versions"` // in alphabetical order
}

// listedVersion is a version in few words.
type listedVersion struct {
	Version string `json:"version"`        // its name
	About   string `json:"about"`          // one line for people
	File    string `json:"file,omitempty"` // of a version of the user's own
}

func (a *app) versionsListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list [FILE…]",
		Short:   "List the versions that are shipped, and those in files",
		Example: "  toolevo versions list\n  toolevo versions list made/*.yaml",
		Args:    console.Positional(0, -1),
	}
	asJSON, benchmark := console.JSONFlag(cmd), suiteFlag(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		catalog, own, err := openVersions(benchmark, args)
		if err != nil {
			return err
		}

		var list versionList

		for _, name := range catalog.Names() {
			list.Versions = append(list.Versions, listedVersion{name, catalog.Spec(name).About, own[name]})
		}

		return a.Show(*asJSON, list, func() {
			t := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
			for _, v := range list.Versions {
				fmt.Fprintf(t, "%s\t%s\n", display.Line(v.Version, 0), display.Line(v.About, 0))
			}

			_ = t.Flush() // a.Out keeps its error
		})
	}

	return cmd
}

// openVersions loads the versions of a benchmark and those in files, folders or patterns. own has the paths of the
// latter, by name.
func openVersions(benchmark func() (suite.Benchmark, error), patterns []string) (c *toolapi.Catalog,
	own map[string]string, err error) {
	b, err := benchmark()
	if err != nil {
		return nil, nil, err
	}

	var files []toolapi.File

	own = map[string]string{}

	for _, pattern := range patterns {
		more, specs, err := drift.ReadFiles(strings.TrimPrefix(pattern, drift.FilePrefix))
		if err != nil {
			return nil, nil, err
		}

		files = append(files, more...)
		for i, s := range specs {
			own[s.Version] = more[i].Path
		}
	}

	c, err = b.Versions(files...)

	return c, own, err
}

// shownVersion is the result of `versions show`.
type shownVersion struct {
	Version string     `json:"version"` // its name
	About   string     `json:"about"`   // one line for people
	APIs    []shownAPI `json:"apis"`    // in the order of the tool list
	// the names of an answer's members, where answers are JSON objects
	Response *response.Format `json:"response,omitempty"`
}

// shownAPI is an API of a version.
type shownAPI struct {
	Tool      string `json:"tool"`              // the tool that it exposes
	Signature string `json:"signature"`         // its name and parameters
	Example   string `json:"example,omitempty"` // the arguments of a call, as a notice shows them
}

func (a *app) versionsShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show NAME|FILE",
		Short:   "Show the tools, names and examples of a version",
		Example: "  toolevo versions show p_s_in\n  toolevo versions show made/made_1_000.yaml",
		Args:    console.Positional(1, 1),
	}
	asJSON, benchmark := console.JSONFlag(cmd), suiteFlag(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		name, files := args[0], args[:0]
		if _, err := os.Stat(name); err == nil || strings.HasSuffix(name, ".yaml") {
			files = args
		}

		catalog, own, err := openVersions(benchmark, files)
		if err != nil {
			return err
		}

		for version := range own {
			name = version
		}

		if len(own) > 1 {
			return console.Usage("%s has %d versions: name one file", args[0], len(own))
		}

		v, err := catalog.Version(name)
		if err != nil {
			return err
		}

		shown := shownVersion{Version: v.Name, About: v.About, Response: v.Response}
		for _, api := range v.APIs {
			shown.APIs = append(shown.APIs, shownAPI{api.Tool, api.Signature(), api.Example()})
		}

		return a.Show(*asJSON, shown, func() {
			fmt.Fprintf(a.Out, "%s: %s\n", display.Line(v.Name, 0), display.Line(v.About, 0))

			if v.Response != nil {
				fmt.Fprintf(a.Out, "\nAnswers: %s\n", display.Line(v.Response.Wrap(true, "…"), 0))
			}

			for _, api := range shown.APIs {
				fmt.Fprintf(a.Out, "\n%s: %s\n", display.Line(api.Tool, 0), display.Line(api.Signature, 0))

				if api.Example != "" {
					fmt.Fprintf(a.Out, "  %s\n", display.Line(api.Example, 0))
				}
			}
		})
	}

	return cmd
}

// validatedVersions is the result of `versions validate`.
type validatedVersions struct {
	Valid []string `json:"valid"` // the versions' names, in alphabetical order
}

func (a *app) versionsValidateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "validate FILE…",
		Short: "Check files of versions",
		Long: `Checks that each file is a version: it exposes every tool once, its adapters
lead from its parameters to the tool's and back, and the example of every notice
is a call. Exits with 1 at the first that is none, and says what is wrong.`,
		Example: "  toolevo versions validate made/*.yaml",
		Args:    console.Positional(1, -1),
	}
	asJSON, benchmark := console.JSONFlag(cmd), suiteFlag(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		_, own, err := openVersions(benchmark, args)
		if err != nil && console.ExitCode(err) != console.ExitUsage {
			return console.Bad("%w", err)
		}

		if err != nil {
			return err
		}

		var result validatedVersions
		for name := range own {
			result.Valid = append(result.Valid, name)
		}

		slices.Sort(result.Valid)

		return a.Show(*asJSON, result, func() { fmt.Fprintf(a.Out, "%d versions are valid\n", len(result.Valid)) })
	}

	return cmd
}
