package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolevo/envs/disk"
	"toolevo/finetune/child"
	"toolevo/finetune/host"
)

// driver runs cells. Paths of the grid are relative to its folder.
type driver struct {
	grid    *grid
	dir     string
	results string
	toolevo string
	commit  string
}

// run runs the missing ones of some cells, or of all.
func (d *driver) run(ctx context.Context, names []string) (err error) {
	// These paths are relative to where the program began, not to the folder it works in.
	for _, path := range []*string{&d.results, &d.toolevo} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}

	if err := os.Chdir(d.dir); err != nil {
		return err
	}

	for _, name := range names {
		if !slices.ContainsFunc(d.grid.Cells, func(c *cell) bool { return c.Name == name }) {
			return fmt.Errorf("there is no cell %q in this grid", name)
		}
	}

	for _, c := range d.grid.Cells {
		if len(names) > 0 && !slices.Contains(names, c.Name) || d.isDone(c) {
			continue
		}

		// Those of a training done elsewhere never were here, and other cells can still be run.
		if _, lacks := d.weights(c); c.Weights != "" && errors.Is(lacks, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("%s: the weights are not here: remove the results "+
				"of %s to make them", c.Name, c.Weights))
			continue
		}

		fmt.Fprintf(os.Stderr, "%s  %s\n", time.Now().Format(time.TimeOnly), c.Name)

		if err := d.runCell(ctx, c); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}

		if err := d.tidy(); err != nil {
			return err
		}
	}
	return err
}

func (d *driver) isDone(c *cell) bool {
	_, err := os.Stat(filepath.Join(d.results, c.Name, manifestFile))
	return err == nil
}

// tidy removes what no missing cell needs: weights are large, and what a training would resume from
// is three times as large.
func (d *driver) tidy() error {
	for _, c := range d.grid.Cells {
		isNeeded := func(other *cell) bool { return other.Weights == c.Name && !d.isDone(other) }

		what := "trained"
		if slices.ContainsFunc(d.grid.Cells, isNeeded) {
			what = "trained/*/*/optimizer.pt"
		}

		found, err := filepath.Glob(d.workPath(c, what))
		if err != nil {
			return err
		}

		for _, path := range found {
			if d.isDone(c) {
				err = errors.Join(err, os.RemoveAll(path))
			}
		}

		if err != nil {
			return err
		}
	}
	return nil
}

// workPath returns a path in the folder of a cell.
func (d *driver) workPath(c *cell, name string) string { return filepath.Join("cells", c.Name, name) }

// notes are the stages of a cell that are done, with the seconds of the attempt that ended them.
type notes struct {
	Seconds  map[string]float64 `json:"seconds"`
	Attempts int                `json:"attempts"`        // how often the cell was begun or resumed
	Stamp    string             `json:"stamp,omitempty"` // of the first attempt that noted it
}

// readNotes reads the notes of a cell, which it may not have yet, and refuses those of another
// program or design: the results name one.
func (d *driver) readNotes(c *cell) (done notes, err error) {
	text, err := os.ReadFile(d.workPath(c, "notes.json"))
	if err == nil {
		err = json.Unmarshal(text, &done)
	}

	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return done, err
	}

	stamp, err := d.stamp(c)

	if done.Stamp = cmp.Or(done.Stamp, stamp); err == nil && done.Stamp != stamp {
		err = fmt.Errorf("it was begun by another program or with other settings: remove %s to "+
			"begin it anew", filepath.Join(d.dir, d.workPath(c, "")))
	}

	if done.Seconds == nil {
		done.Seconds = map[string]float64{}
	}
	return done, err
}

// runCell runs the stages of a cell that are not done, and stores the results.
func (d *driver) runCell(ctx context.Context, c *cell) error {
	done, err := d.readNotes(c)
	if err != nil {
		return err
	}

	if err := os.MkdirAll(d.workPath(c, ""), 0o755); err != nil {
		return err
	}

	// Noted before the attempt begins: costs show how often one that was killed was tried.
	done.Attempts++
	note := func() error {
		text, err := json.MarshalIndent(done, "", "  ")
		return errors.Join(err, disk.Write(d.workPath(c, "notes.json"), text))
	}

	if err := note(); err != nil {
		return err
	}

	for _, s := range d.stages(c) {
		if _, ok := done.Seconds[s.name]; ok {
			continue
		}

		began := time.Now()
		if err := s.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}

		// A stage that was cut short has no note: the next attempt repeats or resumes it.
		done.Seconds[s.name] = time.Since(began).Round(time.Second / 10).Seconds()
		if err := note(); err != nil {
			return err
		}
	}

	return d.store(c, done)
}

// stamp returns a hash of the program and the settings of a cell.
func (d *driver) stamp(c *cell) (string, error) {
	program, _, err := disk.Sum(d.toolevo)
	if err != nil {
		return "", err
	}

	settings, err := d.settings(c)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(program+settings))), err
}

// settings returns a hash of all commands of a cell. Where the program is says nothing about it.
func (d *driver) settings(c *cell) (string, error) {
	named := &driver{grid: d.grid, toolevo: "toolevo"}

	var commands [][]string

	if c.isTraining() {
		for _, p := range d.grid.Sets[c.Set] {
			commands = append(commands, named.collect(c, p))
		}

		commands = append(commands, d.grid.Export, named.train(c))
	}

	for _, name := range c.APIs {
		commands = append(commands, named.eval(c, name))
	}

	text, err := json.Marshal([]any{commands, d.grid.Server})
	return fmt.Sprintf("%x", sha256.Sum256(text)), err
}

// stage is a step of a cell. One that was cut short is repeated, or resumes.
type stage struct {
	name string
	do   func(context.Context) error
}

func (d *driver) stages(c *cell) (all []stage) {
	if c.isTraining() {
		all = d.training(c)
	}

	evaluate := func(ctx context.Context) error { return d.evaluate(ctx, c) }
	return append(all, stage{"evaluate", evaluate})
}

// training collects the parts of a set, exports each, and trains on all of them. Parts have
// questions in common: exported together, one part's trajectories would take the place of others.
func (d *driver) training(c *cell) (all []stage) {
	for i, p := range d.grid.Sets[c.Set] {
		run := d.workPath(c, fmt.Sprintf("run-%d", i))
		out := d.exportPath(c, i)
		export := slices.Concat([]string{d.toolevo, "export", run}, d.grid.Export,
			[]string{"--out", out})

		all = append(all, stage{fmt.Sprintf("collect-%d", i), func(ctx context.Context) error {
			return d.command(ctx, c, resumed(run, d.collect(c, p))...)
		}}, stage{fmt.Sprintf("export-%d", i), func(ctx context.Context) error {
			// An export that was cut short cannot be resumed.
			if err := os.RemoveAll(out); err != nil {
				return err
			}
			return d.command(ctx, c, export...)
		}})
	}

	return append(all, stage{"train", func(ctx context.Context) error {
		return d.command(ctx, c, d.train(c)...)
	}})
}

// exportPath returns the folder of the samples of a part of the cell's set.
func (d *driver) exportPath(c *cell, part int) string {
	return d.workPath(c, fmt.Sprintf("export-%d", part))
}

// collect returns the command that collects a part of the cell's set.
func (d *driver) collect(c *cell, p part) []string {
	// A larger model trains on fewer questions, so as not to take longer.
	limit := p.Limit / max(d.grid.Models[c.Model].Divide, 1)
	args := []string{d.toolevo, "collect", "--api", d.grid.api(p.API),
		"--limit", strconv.Itoa(limit), "--seed", strconv.Itoa(c.Seed)}
	return slices.Concat(args, d.grid.Collect, p.Args)
}

// train returns the command that trains on the cell's exports.
func (d *driver) train(c *cell) (args []string) {
	m := d.grid.Models[c.Model]
	fill := strings.NewReplacer("{toolevo}", d.toolevo, "{model}", m.Folder,
		"{out}", d.workPath(c, "trained"), "{seed}", strconv.Itoa(c.Seed))

	for _, word := range slices.Concat(d.grid.Train, m.Train) {
		if word != "{exports}" {
			args = append(args, fill.Replace(word))
			continue
		}

		for i := range d.grid.Sets[c.Set] {
			args = append(args, d.exportPath(c, i))
		}
	}
	return args
}

// eval returns the command that plays the cell's questions under a version.
func (d *driver) eval(c *cell, name string) []string {
	// A model as it is gets examples in its prompt, which a trained one no longer needs.
	asked := d.grid.Models[c.Model].Asked
	if c.Set == "" {
		asked = d.grid.Models[c.Model].Untrained
	}

	args := []string{d.toolevo, "eval", "--api", d.grid.api(name), "--limit", c.Limit}
	if c.Baselines != "" {
		args = append(args, "--baseline", c.Baselines)
	}
	return slices.Concat(args, d.grid.Eval, asked)
}

// api returns what --api takes for a name in the tables.
func (g *grid) api(name string) string {
	if api, ok := g.APIs[name]; ok {
		return api
	}
	return name
}

// resumed returns the arguments of a command that makes a run, or resumes it.
func resumed(run string, args []string) []string {
	args = append(args, "--out", run)
	if _, err := os.Stat(filepath.Join(run, "run.json")); err == nil {
		args = append(args, "--resume")
	}
	return args
}

// command runs a program of a cell, whose output goes to the cell's log.
func (d *driver) command(ctx context.Context, c *cell, args ...string) error {
	program, err := child.Start(ctx,
		child.Command{Args: args, Log: d.workPath(c, "log"), Lock: d.workPath(c, "lock")})
	if err != nil {
		return err
	}

	return program.Wait()
}

// weights returns the folder that a cell measures.
func (d *driver) weights(c *cell) (string, error) {
	switch {
	case c.Set == "":
		return filepath.EvalSymlinks(d.grid.Models[c.Model].Folder)
	case c.Weights != "":
		c = d.grid.cell(c.Weights)
	}

	return filepath.EvalSymlinks(d.workPath(c, "trained/model"))
}

// evaluate serves the weights and plays the questions.
func (d *driver) evaluate(ctx context.Context, c *cell) (err error) {
	folder, err := d.weights(c)
	if err != nil {
		return fmt.Errorf("the weights: %w (kept only while a missing cell needs them)", err)
	}

	served, err := d.grid.Server.Serve(ctx, host.Checkpoint{Folder: folder, Name: c.Name}, "",
		d.workPath(c, "server.log"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, served.Stop()) }()

	// Two families cannot be told apart behind commas, so each version has a run of its own.
	for _, name := range c.APIs {
		args := append(resumed(d.workPath(c, "eval-"+name), d.eval(c, name)),
			"--policy", served.Policy, "--server", served.Address)

		// A server that dies ends the evaluation at once, instead of losing all of its questions.
		ask := func(ctx context.Context) error { return d.command(ctx, c, args...) }
		if err := served.While(ctx, ask); err != nil {
			return err
		}
	}

	return nil
}
