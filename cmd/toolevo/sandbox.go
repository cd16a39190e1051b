package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/attack"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/engines"
)

// sandboxFlags are the flags of doctor sandbox.
type sandboxFlags struct {
	*settings
	without []string
	abi     int
	short   bool
}

// sandboxCommand attacks the engine that runs model-written programs.
func (a *app) sandboxCommand() *cobra.Command {
	cmd := a.command("sandbox")
	f := &sandboxFlags{settings: a.addSettings(cmd, nil, "engine", "python")}
	addFlags(cmd, "sandbox", into{
		"without":      &f.without,
		"landlock-abi": &f.abi,
		"short":        &f.short,
	})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := f.check(); err != nil {
			return err
		}

		c, err := f.resolve(cmd.Flags())
		if err != nil {
			return err
		}

		ctx := cmd.Context()

		err = a.attackSandbox(ctx, &c.Python, f)
		if ctx.Err() != nil {
			return console.Interrupted("interrupted: nothing is left behind; run the same command again")
		}

		return err
	}

	return cmd
}

// check refuses flags that make no sense.
func (f *sandboxFlags) check() error {
	for _, wall := range f.without {
		if _, err := names.Parse("wall", wall, confine.Walls()); err != nil {
			return console.Usage("--without: %w", err)
		}
	}

	if f.abi < 0 {
		return console.Usage("--landlock-abi %d: want a version from 1 on, or 0 for this kernel's", f.abi)
	}

	return nil
}

// engineOptions are those of the engine to attack: it may lack the walls that the flags take away.
func (f *sandboxFlags) engineOptions(p *engines.Settings) engines.Options {
	o := p.Options(1)
	o.ABI = f.abi

	for _, wall := range f.without {
		o.Lacking = append(o.Lacking, confine.Wall(wall))
	}

	o.Accept = slices.Concat(o.Accept, o.Lacking)

	return o
}

// sandboxReport is what doctor sandbox finds.
type sandboxReport struct {
	Verdict string        `json:"verdict"` // contained or breached
	Engine  sandbox.Stamp `json:"engine"`  // that was attacked
	Asked   string        `json:"asked"`   // the engine that the settings name
	// of the kernel's, and why each is missing; "" is that it stands
	Walls    map[string]string `json:"walls"`
	Landlock landlockReport    `json:"landlock"` // what this machine's can deny
	// other engines, and why each does not work here; "" is that it does
	Others    map[string]string `json:"others,omitempty"`
	Limits    string            `json:"limits"`    // of a run's programs
	Contained int               `json:"contained"` // attacks that did not get through
	Of        int               `json:"of"`        // attacks in all
	Holds     []string          `json:"holds"`     // what no attack got through
	Breached  []string          `json:"breached"`  // what one did
	Attacks   []sandboxFinding  `json:"attacks"`   // each by itself
}

// landlockReport is how much the machine's Landlock can deny.
type landlockReport struct {
	ABI           int      `json:"abi"`             // the version of its interface that is used; 0 is none
	Machine       int      `json:"machine"`         // the machine's
	LeftToSeccomp []string `json:"left_to_seccomp"` // what this version does not know, and seccomp alone keeps inside
}

// landlockSupport returns what Landlock can deny on this machine, using no version newer than most (0: any).
func landlockSupport(most int) landlockReport {
	machine := confine.LandlockABI()

	r := landlockReport{ABI: machine, Machine: machine}
	if most > 0 {
		r.ABI = min(machine, most)
	}

	r.LeftToSeccomp = confine.LeftToSeccomp(r.ABI)

	return r
}

// sandboxFinding is what came of one attack.
type sandboxFinding struct {
	Name         string  `json:"name"`         // of the attack
	Wall         string  `json:"wall"`         // what it tries to get through
	What         string  `json:"what"`         // it does
	Contained    bool    `json:"contained"`    // whether it did not get through
	Seen         string  `json:"seen"`         // what came of it
	Milliseconds float64 `json:"milliseconds"` // that it took
}

// attackSandbox opens the engine behind its bait, attacks it, and reports.
func (a *app) attackSandbox(ctx context.Context, p *engines.Settings, f *sandboxFlags) (err error) {
	bait, err := attack.Lay()
	if err != nil {
		return console.GaveUp(err)
	}
	defer func() { err = errors.Join(err, bait.Close()) }()

	o := f.engineOptions(p)

	engine, err := engines.Open(ctx, o)
	if err != nil {
		return console.GaveUp(err)
	}

	defer func() { err = errors.Join(err, engine.Close()) }()

	r := sandboxReport{
		Engine:   engine.Stamp(),
		Asked:    p.Engine,
		Walls:    missingWalls(o.Lacking),
		Landlock: landlockSupport(f.abi),
		Limits:   p.LimitText(),
	}
	if !f.short {
		r.Others = probeOthers(ctx, o, engine.Stamp().Engine)
	}

	out := a.Out
	if a.JSON {
		out = io.Discard
	}

	r.writeHead(out)

	found, err := bait.Run(ctx, engine, f.short, findingsWriter(out))
	if err != nil {
		return console.GaveUp(err)
	}

	r.add(found)

	err = a.Show(r, func() { r.writeVerdict(out) })
	if n := r.Of - r.Contained; err == nil && n > 0 {
		return console.Bad("doctor sandbox: %d of %d attacks got through", n, r.Of)
	}

	return err
}

// missingWalls maps each of the kernel's walls to why it is missing, or to "".
func missingWalls(without []confine.Wall) map[string]string {
	missing, walls := confine.Probe(), map[string]string{}
	for _, w := range confine.Walls() {
		walls[string(w)] = ""
		if err := missing[w]; err != nil {
			walls[string(w)] = err.Error()
		} else if slices.Contains(without, w) {
			walls[string(w)] = "left out"
		}
	}

	return walls
}

// probeOthers opens each engine that was not chosen, to find out whether it works here.
func probeOthers(ctx context.Context, o engines.Options, chosen string) map[string]string {
	others := map[string]string{}

	for _, name := range []string{engines.Bwrap, engines.ForkServer} {
		if name == chosen {
			continue
		}

		o.Engine = name

		e, err := engines.Open(ctx, o)
		if err == nil {
			err = e.Close()
		}

		others[name] = ""
		if err != nil {
			reason := strings.TrimPrefix(err.Error(), "PythonInterpreter, engine "+name+": ")
			others[name], _, _ = strings.Cut(reason, "\n")
		}
	}

	return others
}

// add puts the findings into the report.
func (r *sandboxReport) add(found []attack.Finding) {
	r.Verdict, r.Of = "contained", len(found)

	r.Holds, r.Breached = []string{}, []string{}
	for _, f := range found {
		r.Attacks = append(r.Attacks, sandboxFinding{
			f.Name, f.Wall, f.What, f.Contained, f.Seen,
			float64(f.Took.Round(10*time.Microsecond).Microseconds()) / 1000,
		})
		if f.Contained {
			r.Contained++
		} else {
			r.Verdict = "breached"
			r.Breached = append(r.Breached, f.Wall)
		}

		r.Holds = append(r.Holds, f.Wall)
	}

	r.Breached = slices.Compact(r.Breached)
	r.Holds = slices.DeleteFunc(slices.Compact(r.Holds),
		func(wall string) bool { return slices.Contains(r.Breached, wall) })
}
