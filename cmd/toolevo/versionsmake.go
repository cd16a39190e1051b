package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/envs/durable"
	"toolevo/envs/kept"
	"toolevo/envs/regular"
	"toolevo/envs/toolapi"
)

// makeOptions are the flags of `versions make`.
type makeOptions struct {
	from, out string
	count     int
	seed      uint64
	holdOut   []string
	factor    string
	operators []string
	script    string
	unseen    int
	asJSON    *bool
}

// maximumMade is how many versions a command makes at most.
const maximumMade = 10_000

func (a *app) versionsMakeCommand() *cobra.Command {
	var o makeOptions

	cmd := newCommand("make")
	cmd.Long = strings.Replace(cmd.Long, "OPERATORS\n", operatorHelp(), 1)

	o.addTo(cmd, 50)

	flags := cmd.Flags()
	flags.StringVar(&o.factor, "factor", "", "`NAME` of the only thing that changes: "+
		strings.Join(drift.FactorNames(), ", ")+" (default: many at once)")
	console.Complete(cmd, "factor", console.Listed(drift.FactorNames()))
	flags.StringSliceVar(&o.operators, "ops", nil, "`NAMES` of the operators, in their order; see above (default: "+
		"drawn for each API)")
	console.Complete(cmd, "ops", console.Listed(drift.OperatorNames()))
	flags.StringVar(&o.script, "script", "", "`FILE` of operators for each tool, with names that you choose")
	flags.IntVar(&o.unseen, "unseen", 0, "`N` more versions of words that the others do not have, in DIR/unseen")
	o.asJSON = console.JSONFlag(cmd)
	tools := a.addToolsFlags(cmd)

	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		shipped, err := tools.versions()
		if err != nil {
			return err
		}

		o.holdOut = o.heldOut(cmd, shipped)

		if o.script != "" && !cmd.Flags().Changed("count") {
			o.count = 1
		}

		if err := o.check(); err != nil {
			return err
		}

		a.announce("versions make", "of "+o.from, fmt.Sprintf("seed %d", o.seed), "data "+*tools.data)

		return a.makeVersions(cmd.Context(), shipped, &o)
	}

	return cmd
}

// addTo adds the flags of every command that makes versions.
func (o *makeOptions) addTo(cmd *cobra.Command, count int) {
	flags := cmd.Flags()
	flags.StringVar(&o.from, "from", "p_c", "`NAME` of the version they are made from")
	flags.IntVar(&o.count, "count", count, "`N` versions")
	flags.Uint64Var(&o.seed, "seed", 1, "`N` is the seed of all randomness")
	flags.StringVar(&o.out, "out", "", "folder `DIR` for the files")
	flags.StringSliceVar(&o.holdOut, "hold-out", nil, "`NAMES` of versions whose identifiers are not used (default: "+
		"all that are shipped, but the source)")
}

// heldOut are the versions whose identifiers are not used.
func (o *makeOptions) heldOut(cmd *cobra.Command, shipped *toolapi.Catalog) []string {
	if cmd.Flags().Changed("hold-out") {
		return o.holdOut
	}

	return drift.AllBut(shipped, o.from)
}

// check refuses options that make no sense.
func (o *makeOptions) check() error {
	switch {
	case o.out == "":
		return console.Usage("--out is missing: want the folder for the files")
	case o.count < 1 || o.count > maximumMade:
		return console.Usage("--count %d: want 1 to %d", o.count, maximumMade)
	case o.unseen < 0 || o.unseen > maximumMade:
		return console.Usage("--unseen %d: want at most %d", o.unseen, maximumMade)
	case o.factor != "" && len(o.operators) > 0:
		return console.Usage("--factor and --ops: name one thing that changes, or operators")
	case o.script != "" && (o.factor != "" || len(o.operators) > 0 || o.unseen > 0 || o.count != 1):
		return console.Usage("--script makes one version, by what FILE says: give it without --count, --factor, " +
			"--ops and --unseen")
	}

	return nil
}

// operatorHelp lists the operators with what they do.
func operatorHelp() string {
	var b strings.Builder
	for _, o := range drift.Operators() {
		fmt.Fprintf(&b, "  %-22s  %s\n", o.Name, o.About)
	}

	return b.String()
}

// madeVersions is the result of `versions make`.
type madeVersions struct {
	From      string        `json:"from"`                // the version they were made from
	Factor    string        `json:"factor,omitempty"`    // the only thing that changes
	Operators []string      `json:"operators,omitempty"` // in their order, where they were named
	Seed      uint64        `json:"seed"`                // of all randomness
	HeldOut   []string      `json:"held_out"`            // versions whose identifiers do not occur
	Dir       string        `json:"dir"`                 // the folder of the files
	Made      []madeVersion `json:"made"`                // in the order of their numbers
	Unseen    []madeVersion `json:"unseen,omitempty"`    // those of other words
}

// madeVersion is a version that was made.
type madeVersion struct {
	Version string         `json:"version"` // its name
	Path    string         `json:"path"`    // its file
	Changes []drift.Change `json:"changes"` // by tool, in the order in which they were made

	file toolapi.File
}

func (a *app) makeVersions(ctx context.Context, shipped *toolapi.Catalog, o *makeOptions) error {
	m, err := drift.NewMaker(shipped, o.from, o.holdOut, o.seed)
	if err != nil {
		return err
	}

	result := madeVersions{
		From: o.from, Factor: o.factor, Operators: o.operators, Seed: o.seed, HeldOut: o.holdOut, Dir: o.out,
	}

	if o.unseen > 0 {
		result.Unseen, err = o.make(ctx, m.Of(drift.Unseen), filepath.Join(o.out, "unseen"), o.unseen)
		m = m.Of(drift.Seen)
	}

	if err == nil {
		result.Made, err = o.make(ctx, m, o.out, o.count)
	}

	if err != nil {
		return err
	}

	var files []toolapi.File
	for _, v := range slices.Concat(result.Made, result.Unseen) {
		files = append(files, v.file)
	}

	if _, err := shipped.WithFiles(files...); err != nil {
		return fmt.Errorf("a version that was made is not whole, which is a mistake of the program: %w", err)
	}

	if err := writeVersions(files); err != nil {
		return err
	}

	return a.Show(*o.asJSON, result, func() {
		fmt.Fprintf(a.Out, "%d versions of %s in %s\n", o.count, o.from, o.out)

		if o.unseen > 0 {
			fmt.Fprintf(a.Out, "%d of other words in %s\n", o.unseen, filepath.Join(o.out, "unseen"))
		}

		a.Say("Next: toolevo %s", console.Shell("collect", "--api", drift.FilePrefix+filepath.Join(o.out, "*.yaml")))
	})
}

// make makes versions for a folder.
func (o *makeOptions) make(ctx context.Context, m *drift.Maker, dir string, count int) ([]madeVersion, error) {
	one, err := o.maker(m)
	if err != nil {
		return nil, err
	}

	return kept.All(ctx, count, runtime.GOMAXPROCS(0), nil, func(_ context.Context, i int) (madeVersion, error) {
		spec, changes, err := one(i)
		if err != nil {
			return madeVersion{}, err
		}

		return newMadeVersion(dir, spec, changes)
	})
}

// newMadeVersion is a version with its file in a folder.
func newMadeVersion(dir string, spec *toolapi.Spec, changes []drift.Change) (madeVersion, error) {
	text, err := spec.Encode()
	path := filepath.Join(dir, spec.Version+".yaml")

	return madeVersion{spec.Version, path, changes, toolapi.File{Path: path, Text: string(text)}}, err
}

// maker returns what makes the i-th version: by the operators that are named, by those of a script, or of the factor,
// or else by operators that are drawn.
func (o *makeOptions) maker(m *drift.Maker) (func(i int) (*toolapi.Spec, []drift.Change, error), error) {
	switch {
	case o.script != "":
		text, err := regular.ReadText(o.script)
		if err != nil {
			return nil, err
		}

		script, err := drift.ParseScript(toolapi.File{Path: o.script, Text: string(text)})
		if err != nil {
			return nil, err
		}

		return func(int) (*toolapi.Spec, []drift.Change, error) { return m.Scripted(script) }, nil
	case len(o.operators) > 0:
		operators, err := drift.ParseOperators(o.operators)
		if err != nil {
			return nil, console.Usage("--ops: %w", err)
		}

		return always(func(i int) (*toolapi.Spec, []drift.Change) { return m.Applied("made", operators, i) }), nil
	case o.factor != "":
		f, err := drift.ParseFactor(o.factor)
		if err != nil {
			return nil, console.Usage("--factor: %w", err)
		}

		return always(func(i int) (*toolapi.Spec, []drift.Change) { return m.FactorVersion(f, i) }), nil
	}

	return always(m.Version), nil
}

// always is what makes a version without an error.
func always(one func(int) (*toolapi.Spec, []drift.Change)) func(int) (*toolapi.Spec, []drift.Change, error) {
	return func(i int) (*toolapi.Spec, []drift.Change, error) {
		spec, changes := one(i)
		return spec, changes, nil
	}
}

// writeVersions writes files that are not there yet. Runs may have been made from others.
func writeVersions(files []toolapi.File) error {
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
			return err
		}

		was, err := os.ReadFile(f.Path)
		switch {
		case err == nil && string(was) == f.Text:
			continue
		case err == nil:
			return console.Usage("%s is there and holds something else: choose another --out or --seed, or remove it",
				f.Path)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}

		if err := durable.Write(f.Path, []byte(f.Text)); err != nil {
			return err
		}
	}

	return nil
}
