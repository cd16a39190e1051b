package app

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/suite"
	"toolevo/mcts/policy/doctor"
	"toolevo/mcts/store"
)

// Need is something that must hold before a run begins. Commands that make a run do not begin
// without it, and doctor reports it.
type Need struct {
	Name doctor.Name // as doctor reports it
	what string      // as it is said while it takes a while; "" is not said
	// look returns what was seen, and why a run cannot begin; "" means that nothing was looked at.
	look func(context.Context) (seen string, err error)
}

// Needs returns what to look at, in this order: what is quick, then what is asked of servers and
// the engine, which later ones need.
func (j *RunJob) Needs(b *Bench) []Need {
	preparer, _ := b.Suite.(suite.Preparer)
	paid := b.OnServers() || preparer != nil && preparer.Remote()

	needs := []Need{
		{doctor.Folder, "", func(context.Context) (string, error) { return j.findRoom(paid) }},
		{doctor.Logs, "", func(context.Context) (string, error) {
			if err := j.openLog(b); err != nil {
				return "", err
			}
			return "", j.serveMetrics(b)
		}},
	}

	// A run that nothing is paid for may still prepare here, but there is nothing to say about it.
	asked := func(name doctor.Name, what, seen string, look func(context.Context) error) {
		if !paid {
			what, seen = "", ""
		}

		// Workers look at their own servers.
		if j.Coordinate == nil {
			needs = append(needs, Need{name, what, func(ctx context.Context) (string, error) {
				return seen, look(ctx)
			}})
		}
	}

	asked(doctor.Servers, "Looking at the servers", "they answer, and have the model", b.probe)

	if b.RunsPrograms() {
		start := func(ctx context.Context) (string, error) {
			err := j.startEngine(ctx, b)
			return b.Stamp.String(), err
		}
		guard := func(ctx context.Context) (string, error) { return j.guardEngine(ctx, b) }

		needs = append(needs, Need{doctor.Python, "Opening the sandbox", start},
			Need{doctor.Walls, "Trying to get out of the sandbox", guard})
	}

	asked(doctor.Greeting, "Asking each server for a completion", "they take what a run sends",
		func(ctx context.Context) error { return b.Greet(ctx, j.samples(b)) })
	return needs
}

// guardEngine makes sure that programs do not get out of the engine.
func (j *RunJob) guardEngine(ctx context.Context, b *Bench) (seen string, err error) {
	// Doctor continues where a need is not met: there may be no engine.
	if b.Engine == nil {
		return "", nil
	}
	return "programs do not get out of the sandbox", j.Guard(ctx, b.Stamp, j.engine)
}

// Meets looks at a need, and says so if it takes a while.
func (j *RunJob) Meets(ctx context.Context, n Need) (seen string, err error) {
	if n.what != "" {
		defer j.Step(n.what)()
	}
	return n.look(ctx)
}

// leastRoom is how many bytes must be free for a run. A small one takes less, a large one
// gigabytes, as a [Plan] estimates: a disk that fills up ends the run, which can be resumed.
const leastRoom = 64 << 20

// findRoom makes sure that no other process works on the run, that its folder has room, and that
// its limits can be kept. servers says that models on servers are asked.
func (j *RunJob) findRoom(servers bool) (seen string, err error) {
	if err := j.checkLimits(servers); err != nil {
		return "", err
	}

	dir := cmp.Or(j.Out, filepath.Join(RunsFolder, j.kind))
	if j.Out != "" {
		if err := store.Busy(dir); err != nil {
			return "", err
		}

		if there, err := os.ReadDir(dir); err == nil && len(there) > 0 && !IsRun(dir) {
			j.Say("%s is not empty (%s is in it): the run's files are added to it.", dir,
				there[0].Name())
		}
	}

	free, err := store.Room(dir)
	if err != nil {
		return "", err
	}

	seen = fmt.Sprintf("%s are free in %s", display.Bytes(int64(min(free, math.MaxInt64))),
		filepath.Dir(dir))
	if free < leastRoom {
		return "", console.GaveUp(fmt.Errorf("only %s: make room, or choose another disk with ‹out›", seen))
	}
	return seen, nil
}
