package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/dynamic"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/engines"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// demoMark is the file that marks a folder as a demo's. It is locked while a demo works there.
const demoMark = ".toolevo-demo"

func (a *app) demoCommand() *cobra.Command {
	cmd := newCommand("demo")
	out := cmd.Flags().String("out", "toolevo-demo", "work in the folder `DIR`")
	about := cmd.Flags().String("suite", "", "of the suite `NAME`: "+demoStateGen+" (default: questions over corpora)")
	cmdline.Complete(cmd, "suite", cmdline.Offered([]string{demoStateGen}))

	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if *about != "" && *about != demoStateGen {
			return console.Usage("--suite: there is no demo of %q: want %s, or nothing", *about, demoStateGen)
		}

		d := a.newDemo(*out, *about)

		release, err := d.claim()
		if err != nil {
			return err
		}

		defer func() { err = errors.Join(err, release()) }()

		if d.accept, err = a.demoWalls(cmd.Context()); err != nil {
			return err
		}
		return d.all(cmd.Context())
	}
	return cmd
}

// demoStateGen is the suite of a demo on generated tasks.
const demoStateGen = "stategen"

// demo is one pass through the whole job.
type demo struct {
	app       *app
	suite     string   // "" is the default one
	id        string   // the start of its runs' IDs, which are the same in every demo
	versions  int      // how many to make
	feedbacks []string // to compare
	gap       string   // before the example and the made version
	dir       string
	config    string // the configuration below dir
	data      string // the folders below dir
	trees     string
	searched  string // trees under each of the feedbacks
	samples   string
	made      string
	evaluated string
	drifted   string            // evaluations under each of the feedbacks
	accept    string            // walls that are missing and accepted, separated by commas
	attack    engines.Attack    // one for all runs
	starting  *console.Starting // says on a terminal what is being done; nil elsewhere
	example   trajectories.Row  // a trajectory to look at
}

func (a *app) newDemo(dir, about string) *demo {
	in := func(name string) string { return filepath.Join(dir, name) }

	d := &demo{
		app:       a,
		suite:     about,
		id:        "demo",
		versions:  1,
		gap:       "\n",
		dir:       dir,
		config:    in("toolevo.yaml"),
		data:      in("data"),
		trees:     in("run"),
		searched:  in("search"),
		samples:   in("export"),
		made:      in("made"),
		evaluated: in("eval"),
		drifted:   in("drift"),
		attack:    a.attack,
	}

	// This demo compares feedbacks, too: without gaps it still fits a screen of 24 lines.
	if about == demoStateGen {
		d.id, d.versions, d.feedbacks, d.gap = "demo-"+about, 2, dynamic.Feedbacks(), ""
	}

	// Every run attacks its engine before it begins. They all share one, so once is enough.
	if d.attack == nil {
		d.attack = engines.Once()
	}

	if a.Draws(console.ProgressAuto) {
		d.starting = a.starting(console.ProgressAuto)
	}
	return d
}

// claim makes the folder, or clears it of an earlier demo, and keeps other demos out.
func (d *demo) claim() (release func() error, err error) {
	entries, err := os.ReadDir(d.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		if errors.Is(err, syscall.ENOTDIR) {
			return nil, console.Usage("--out %s is a file: name a folder, which need not be there", d.dir)
		}
		return nil, err
	}

	marked := func(e fs.DirEntry) bool { return e.Name() == demoMark && e.Type().IsRegular() }
	if len(entries) > 0 && !slices.ContainsFunc(entries, marked) {
		return nil, console.Usage("%s is not empty, and no demo made it: choose another --out", d.dir)
	}

	if err := os.MkdirAll(d.dir, 0o755); err != nil {
		return nil, err
	}

	release, err = store.Lock(filepath.Join(d.dir, demoMark))
	if err != nil {
		return nil, err
	}

	if err := d.clear(); err != nil {
		return nil, errors.Join(err, release())
	}
	return release, nil
}

// clear removes what an earlier demo made, unless its run is at work again.
func (d *demo) clear() error {
	if err := store.Busy(d.trees); err != nil {
		return err
	}

	for _, dir := range []string{
		d.config, d.data, d.trees, d.searched, d.samples, d.made, d.evaluated, d.drifted,
	} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}

	return nil
}

// demoWalls returns the walls that this machine lacks. A run with a model would refuse to begin;
// the demo does without them, for no model wrote its programs.
func (a *app) demoWalls(ctx context.Context) (string, error) {
	layers, err := configs.EnvironmentLayers(a.Environ)
	if err != nil {
		return "", err
	}

	c, err := configs.Load(layers...)
	if err != nil {
		return "", err
	}

	engine, err := engines.Open(ctx, c.Python.Options(1))
	if err != nil {
		return a.acceptMissing(err)
	}
	return "", engine.Close()
}

// acceptMissing returns the walls whose lack err reports, or err itself if it is about something
// else.
func (a *app) acceptMissing(err error) (string, error) {
	var missing *confine.MissingError
	if !errors.As(err, &missing) {
		return "", console.GaveUp(err)
	}

	var names []string
	for _, wall := range slices.Sorted(maps.Keys(missing.Missing)) {
		names = append(names, string(wall))
	}

	a.Say("No %s here: models' programs are refused, the demo's are ours.",
		strings.Join(names, ", "))
	return strings.Join(names, ","), nil
}

// all does every step of the demo.
func (d *demo) all(ctx context.Context) error {
	steps := []func(context.Context) error{
		d.configure, d.fill, d.collect, d.check, d.export, d.make, d.evaluate,
	}
	if len(d.feedbacks) > 0 {
		steps = append(steps, d.compare)
	}

	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}

	d.next()
	return nil
}

// do does a step. What the step says is passed on only if it fails: the demo has its own words.
func (d *demo) do(what string, work func(toolevo.Host) error) error {
	defer d.starting.Step(what)()

	words := &muted{}
	host := d.app.host(console.ProgressNone)
	host.Progress, host.Screen, host.Attack = words, &words.said, d.attack

	err := work(host)
	if err != nil && console.KindOf(err) != console.Interruption {
		d.app.Say("%s", strings.TrimSpace(cmdline.Flags(words.said.String())))
	}
	return err
}

// muted keeps what a job says off the screen.
type muted struct{ said bytes.Buffer }

// Say keeps a line.
func (m *muted) Say(format string, args ...any) { fmt.Fprintf(&m.said, format+"\n", args...) }

// Step shows nothing.
func (*muted) Step(string) (done func()) { return func() {} }

// Report shows nothing.
func (*muted) Report(func() console.Status) (stop func()) { return func() {} }

// tell writes a line of the demo's result.
func (d *demo) tell(format string, args ...any) { fmt.Fprintf(d.app.Out, format+"\n", args...) }
