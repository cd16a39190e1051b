package app

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/attack"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/engines"
)

// SandboxJob tries to get out of the engine that runs model-written programs.
type SandboxJob struct {
	Host
	Settings Settings
	Without  []string // walls that are taken away
	ABI      int      // the newest version of Landlock's interface that is used; 0 is the kernel's
	Short    bool     // the quick attacks alone, and no look at other engines
	// Begun gets what is attacked, before the first attack; Found the result of each.
	Begun func(*SandboxReport)
	Found func(attack.Finding)
}

// check rejects a job that makes no sense.
func (j *SandboxJob) check() error {
	for _, wall := range j.Without {
		if _, err := names.Parse("wall", wall, confine.Walls()); err != nil {
			return console.Usage("‹without›: %w", err)
		}
	}

	if j.ABI < 0 {
		return console.Usage("‹landlock-abi› %d: want a version from 1 on, or 0 for this kernel's",
			j.ABI)
	}
	return nil
}

// engineOptions returns the options of the engine to attack, which may lack the walls that the job
// takes away.
func (j *SandboxJob) engineOptions(p *engines.Settings) engines.Options {
	o := p.Options(1)
	o.ABI = j.ABI

	for _, wall := range j.Without {
		o.Lacking = append(o.Lacking, confine.Wall(wall))
	}

	o.Accept = slices.Concat(o.Accept, o.Lacking)
	return o
}

// errExamined is the error of an interrupted examination.
var errExamined = console.Interrupted("interrupted: nothing is left behind; run the same " +
	"command again")

// SandboxReport is what attacks on an engine found.
type SandboxReport struct {
	Verdict string        `json:"verdict"` // contained or breached
	Engine  sandbox.Stamp `json:"engine"`  // that was attacked
	Asked   string        `json:"asked"`   // the engine that the settings name
	// the kernel's, and why each is missing; "" if it is there
	Walls    map[string]string `json:"walls"`
	Landlock LandlockReport    `json:"landlock"` // what this machine's can deny
	// other engines, and why each does not work here; "" if it does
	Others    map[string]string `json:"others,omitempty"`
	Limits    string            `json:"limits"`    // of a run's programs
	Contained int               `json:"contained"` // attacks that did not get through
	Of        int               `json:"of"`        // attacks in all
	Holds     []string          `json:"holds"`     // walls that no attack got through
	Breached  []string          `json:"breached"`  // walls that an attack got through
	Attacks   []SandboxFinding  `json:"attacks"`   // each by itself
}

// LandlockReport is how much the machine's Landlock can deny.
type LandlockReport struct {
	ABI           int      `json:"abi"`             // the version of its interface that is used; 0 without Landlock
	Machine       int      `json:"machine"`         // the machine's
	LeftToSeccomp []string `json:"left_to_seccomp"` // what this version cannot deny, so that only seccomp does
}

// landlockSupport returns what Landlock can deny on this machine, using no version newer than most
// (0: any).
func landlockSupport(most int) LandlockReport {
	machine := confine.LandlockABI()

	r := LandlockReport{ABI: machine, Machine: machine}
	if most > 0 {
		r.ABI = min(machine, most)
	}

	r.LeftToSeccomp = confine.LeftToSeccomp(r.ABI)
	return r
}

// SandboxFinding is the result of one attack.
type SandboxFinding struct {
	Name         string  `json:"name"`         // of the attack
	Wall         string  `json:"wall"`         // what it tries to get through
	What         string  `json:"what"`         // it does
	Contained    bool    `json:"contained"`    // whether it did not get through
	Seen         string  `json:"seen"`         // its result
	Milliseconds float64 `json:"milliseconds"` // that it took
}

// AttackSandbox tries to get out of an engine. It returns the result beside the error of a bad one.
func AttackSandbox(ctx context.Context, job SandboxJob) (*SandboxReport, error) {
	if err := job.check(); err != nil {
		return nil, err
	}

	c, err := job.Resolve(job.Settings, nil, nil)
	if err != nil {
		return nil, err
	}

	r, err := job.attack(ctx, &c.Python)
	if ctx.Err() != nil {
		return nil, errExamined
	}
	return r, err
}

// attack opens the engine behind its bait, attacks it, and reports.
func (j *SandboxJob) attack(ctx context.Context, p *engines.Settings) (
	_ *SandboxReport, err error) {
	// Laid before the engine starts, which inherits a descriptor of it unless it sees to that.
	bait, err := attack.Lay()
	if err != nil {
		return nil, console.GaveUp(err)
	}
	defer func() { err = errors.Join(err, bait.Close()) }()

	o := j.engineOptions(p)

	engine, err := engines.Open(ctx, o)
	if err != nil {
		return nil, console.GaveUp(err)
	}

	defer func() { err = errors.Join(err, engine.Close()) }()

	r := &SandboxReport{
		Engine:   engine.Stamp(),
		Asked:    p.Engine,
		Walls:    missingWalls(o.Lacking),
		Landlock: landlockSupport(j.ABI),
		Limits:   p.LimitText(),
	}
	if !j.Short {
		r.Others = probeOthers(ctx, o, engine.Stamp().Engine)
	}

	j.Begun(r)

	found, err := bait.Run(ctx, engine, j.Short, j.Found)
	if err != nil {
		return nil, console.GaveUp(err)
	}

	// The report comes beside the error: it says what got through.
	if r.add(found); r.Contained < r.Of {
		err = console.Bad("doctor sandbox: %d of %d attacks got through", r.Of-r.Contained, r.Of)
	}
	return r, err
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
func (r *SandboxReport) add(found []attack.Finding) {
	r.Verdict, r.Of = "contained", len(found)

	r.Holds, r.Breached = []string{}, []string{}
	for _, f := range found {
		r.Attacks = append(r.Attacks, SandboxFinding{
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
