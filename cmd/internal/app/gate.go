package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/envs/drift"
	"toolevo/envs/names"
	"toolevo/envs/toolapi"
	"toolevo/envs/wire"
	"toolevo/envs/yamltext"
	"toolevo/finetune/gate"
	"toolevo/finetune/stored"
	"toolevo/finetune/tabulate"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// GateDefaults returns the default settings of a gate.
func GateDefaults() map[string]string {
	return map[string]string{"split": "test", "policy": "scripted:stale"}
}

// GateJob measures what a release of APIs costs a policy, by two evaluations in folders of Out.
type GateJob struct {
	RunJob
	gate.Options

	Current  string // an API version, by its name; prompts show it
	Next     string // another one, by its name or file
	JUnit    string // a file for the report as JUnit XML; "" is one in Out
	Markdown string // a file for the report as Markdown; "" is one in Out
}

// The files of a gate, in its folder.
const (
	gateJSON     = "gate.json"
	gateMarkdown = "gate.md"
	gateJUnit    = "junit.xml"
	gateVersions = "versions.yaml" // both, as they were played
)

// Gate plays the tasks under the current version, and under the next one those that used what
// changed; an interrupted gate continues where it stopped. If the gate does not pass it returns the
// report beside the error.
func Gate(ctx context.Context, job GateJob) (*gate.Report, error) {
	c, err := job.resolveParts("gate", GateDefaults())
	if err != nil {
		return nil, err
	}

	if len(c.Policy) != 1 {
		return nil, console.Usage("a gate is about one policy, not about %s",
			strings.Join(c.Policy, ", "))
	}

	in, err := job.versions(c)
	if err == nil {
		err = job.checkOptions(in)
	}

	if err != nil {
		return nil, err
	}

	job.Announce("gate", append(choiceOf(c, job.Data), in.Current.Name+" to "+in.Next.Name)...)

	// The number of runs is unknown: if no task used what changed, the next version is not played.
	if err := job.inFolder(0, func() error {
		if err := job.keepVersions(in); err != nil {
			return err
		}
		return job.play(ctx, c, in)
	}); err != nil {
		return nil, err
	}

	report, err := gate.Judge(in.Input, job.Options)
	if err != nil {
		return nil, err
	}

	// A gate that does not pass is written, too: the report says why.
	if err := job.write(report); err != nil {
		return nil, err
	}
	return report, report.Err()
}

// checkOptions refuses options that could not be followed, before hours of episodes.
func (j *GateJob) checkOptions(in *gated) error {
	if err := j.Check(); err != nil {
		return err
	}

	if slices.Equal(j.Allowed, []string{All}) {
		j.Allowed = slices.Collect(maps.Keys(in.changed))
		return nil
	}

	tools := slices.Concat(in.Current.Tools, in.Next.Tools)
	slices.Sort(tools)
	tools = slices.Compact(tools)

	for _, name := range j.Allowed {
		if _, err := names.Parse("tool", name, tools); err != nil {
			return console.Usage("‹allow›: %w", err)
		}
	}
	return nil
}

// keepVersions notes the versions that are to be played. It refuses a folder in which others were:
// the runs there would go on with those.
func (j *GateJob) keepVersions(in *gated) error {
	path := filepath.Join(j.Out, gateVersions)

	was, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), !IsRun(filepath.Join(j.Out, "current")):
		return disk.Write(path, in.files)
	case err == nil && !bytes.Equal(was, in.files):
		return console.Usage("%s holds runs under %s and %s as %s has them, and they are others now: "+
			"choose another ‹out›", j.Out, in.Current.Name, in.Next.Name, gateVersions)
	}
	return err
}

// play plays the tasks under both versions.
func (j *GateJob) play(ctx context.Context, c *configs.Resolved, in *gated) error {
	current, err := j.playUnder(ctx, c, "current", j.Current, nil)
	if err != nil {
		return err
	}

	in.addCurrent(current)

	// Tasks that are equal by construction are not played twice.
	if again := in.toReplay(); len(again) > 0 {
		// A task that was lost before may turn out to use nothing that changed: the run goes on
		// with the tasks that it began with, and such ones are left out of the verdict.
		again, err := j.withEarlier(again)
		if err != nil {
			return err
		}

		next, err := j.playUnder(ctx, c, "next", j.Next, again)
		if err != nil {
			return err
		}

		in.addNext(next)
	}
	return nil
}

// withEarlier adds to tasks those that a run under the next version was made with.
func (j *GateJob) withEarlier(tasks []string) ([]string, error) {
	text, err := store.ReadConfig(filepath.Join(j.Out, "next"))
	if errors.Is(err, store.ErrNoRun) {
		return tasks, nil
	}

	var earlier struct {
		Only []string `yaml:"only"`
	}

	if err == nil {
		err = yamltext.Decode([]byte(text), &earlier)
	}

	all := slices.Concat(tasks, earlier.Only)
	slices.Sort(all)
	return slices.Compact(all), err
}

// gated is the input of a verdict in the making.
type gated struct {
	gate.Input

	files   []byte          // of the versions
	changed map[string]bool // tools
	unsure  int             // changes that nobody has confirmed
	unknown bool            // the next version has names that mean nothing now
}

// versions reads the two versions, and how the tools change.
func (j *GateJob) versions(c *configs.Resolved) (*gated, error) {
	versions := VersionsJob{Host: j.Host, Settings: j.Settings, Data: j.Data}

	from, fromFile, isPath, err := versions.versionAndFile(j.Current)
	// The run under the next version needs its name, too, and has no file of it.
	if isPath {
		return nil, console.Usage("CURRENT has to be the name of a version, not the file %s: prompts "+
			"show it under both", j.Current)
	}

	if err != nil {
		return nil, err
	}

	to, toFile, isPath, err := versions.versionAndFile(j.Next)
	if err != nil {
		return nil, err
	}

	// A gate takes a file by its path alone; a setting needs the prefix.
	if isPath {
		j.Next = drift.FilePrefix + strings.TrimPrefix(j.Next, drift.FilePrefix)
	}

	if c.Prompt != from.Name {
		j.Settings = j.Settings.With("prompt", from.Name)
	}

	in := newGated(from, to)
	in.files = slices.Concat(fromFile, []byte("---\n"), toFile)

	if in.unsure > 0 {
		j.Say("%d changes of %s were inferred, and are less than 60 %% sure: versions diff shows "+
			"what to confirm", in.unsure, to.Name)
	}

	return in, nil
}

// newGated returns the input of a verdict on two versions, before any task is played.
func newGated(from, to *toolapi.Version) *gated {
	in := &gated{
		Input:   gate.Input{Current: versionOf(from), Next: versionOf(to)},
		changed: map[string]bool{},
	}

	// What is an unknown name now may be called then.
	for _, a := range to.APIs {
		if _, known := from.API(a.Name); !known {
			in.unknown = true
		}
	}

	for _, d := range drift.Diff(from, to) {
		in.unsure += toolapi.Unsure(d.Inferred)

		for _, what := range changesOf(d) {
			in.Changes = append(in.Changes, gate.Change{Tool: d.Tool, What: what})
			in.changed[d.Tool] = true
		}
	}

	// The form of answers and their faults concern every tool.
	if formatOf(from) != formatOf(to) || len(to.Faults) > 0 {
		for _, tool := range in.Current.Tools {
			in.Changes = append(in.Changes, gate.Change{Tool: tool, What: "answers have another form, or may fail"})
			in.changed[tool] = true
		}
	}

	return in
}

// versionOf returns a version with its tools, without those of the environment.
func versionOf(v *toolapi.Version) gate.Version {
	named := gate.Version{Name: v.Name}

	for _, a := range v.APIs {
		if !envs.IsSystem(a.Tool) && !slices.Contains(named.Tools, a.Tool) {
			named.Tools = append(named.Tools, a.Tool)
		}
	}

	return named
}

// changesOf says what becomes of a tool. Its document is left out: no prompt shows it.
func changesOf(d drift.Difference) (all []string) {
	if d.To == "" {
		return []string{"it is gone"}
	}

	if d.From != d.To {
		all = append(all, signatures(d.From, d.To))
	}

	for _, p := range d.Parameters {
		was, _, _ := strings.Cut(p.From, " ")
		is, _, _ := strings.Cut(p.To, " ")

		if was == is {
			is = "takes other values"
		} else {
			is = "is " + is
		}

		all = append(all, p.Name+" "+is)
	}
	return append(all, d.Notes...)
}

// signatures says what differs between two signatures: the name, and parameters that are gone or
// new.
func signatures(from, to string) string {
	was, before, _, _ := wire.ParseSignature(from)
	is, after, one, _ := wire.ParseSignature(to)

	if one != to { // several APIs have taken over
		return from + " is now " + to
	}

	var parts []string
	if was != is {
		parts = append(parts, "called "+is)
	}

	without := func(all, others []string) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(all), func(name string) bool {
			return slices.Contains(others, name)
		}), ", ")
	}

	if gone := without(before, after); gone != "" {
		parts = append(parts, "without "+gone)
	}

	if more := without(after, before); more != "" {
		parts = append(parts, "with "+more)
	}
	return "now " + strings.Join(parts, ", ")
}

// playUnder plays tasks under a version, all unless some are named, and returns the episodes.
func (j *GateJob) playUnder(
	ctx context.Context, c *configs.Resolved, name, version string, only []string,
) ([]stored.Played, error) {
	dir := filepath.Join(j.Out, name)

	part := j.RunJob
	if j.ID != "" {
		part.ID = j.ID + "-" + name
	}

	// Names may have commas and brackets, which only a list in JSON keeps apart.
	list, err := json.Marshal(append([]string{}, only...))
	if err != nil {
		return nil, err
	}

	// Episodes that a failing service lost are part of the verdict, if the rest has a report.
	if _, err := part.evaluateIn(ctx, dir, c, "api", version, "only", string(list)); err != nil {
		return nil, err
	}

	e, err := stored.OpenReading(ctx, j.Say, dir)
	if err != nil {
		return nil, err
	}
	defer e.Close()

	var played []stored.Played

	for p, err := range e.Played(ctx, e.Missing) {
		if err != nil {
			return nil, err
		}

		played = append(played, p)
	}
	return played, nil
}

// addCurrent adds the episodes under the current version. A task is equal by construction if it
// called nothing that changed, and no name that the next version may know.
func (in *gated) addCurrent(episodes []stored.Played) {
	byID := map[string]*gate.Task{}

	for _, p := range episodes {
		t, ok := byID[p.QuestionID]
		if !ok {
			t = &gate.Task{
				ID: p.QuestionID, Calls: map[string][]string{}, Equal: true, Judge: p.Labels[envs.LabelJudge],
			}
			byID[p.QuestionID] = t
		}

		t.Current = append(t.Current, tryOf(p))

		for _, turn := range p.Turns {
			in.addTurn(t, p.Version, &turn)
		}

		// A lost episode might have called anything.
		if p.Lost != "" {
			t.Equal = false
		}
	}

	for _, id := range slices.Sorted(maps.Keys(byID)) {
		in.Tasks = append(in.Tasks, *byID[id])
	}
}

// addTurn adds the calls of a turn under the current version to a task.
func (in *gated) addTurn(t *gate.Task, v *toolapi.Version, turn *trajectories.Turn) {
	for _, c := range turn.Calls(v.ToolOf) {
		// An invalid action called no tool, but what it named may be one of the next version.
		switch {
		case c.Outcome == envs.InvalidAction:
			t.Equal = t.Equal && !in.unknown
		case c.Tool != "" && !envs.IsSystem(c.Tool):
			t.Calls[c.Tool] = append(t.Calls[c.Tool], c.Key)
			t.Equal = t.Equal && !in.changed[c.Tool]
		}
	}
}

// toReplay returns the tasks to play under the next version.
func (in *gated) toReplay() (ids []string) {
	for _, t := range in.Tasks {
		if !t.Equal {
			ids = append(ids, t.ID)
		}
	}

	return ids
}

// addNext adds the episodes under the next version.
func (in *gated) addNext(episodes []stored.Played) {
	for i := range in.Tasks {
		for _, p := range episodes {
			if p.QuestionID == in.Tasks[i].ID && !in.Tasks[i].Equal {
				in.Tasks[i].Next = append(in.Tasks[i].Next, tryOf(p))
			}
		}
	}
}

// tryOf returns an episode as a verdict sees it.
func tryOf(p stored.Played) gate.Try {
	return gate.Try{Right: p.IsCorrect(), Answer: p.Answer, Failure: p.Lost}
}

// write writes the report in all forms.
func (j *GateJob) write(r *gate.Report) error {
	_, err := tabulate.WriteFolder(j.Out, []tabulate.File{
		tabulate.JSONFile(gateJSON, r),
		{Name: gateMarkdown, Write: r.WriteMarkdown},
		{Name: gateJUnit, Write: r.WriteJUnit},
	})
	if err != nil {
		return err
	}

	if j.JUnit != "" {
		if err := disk.WriteFile(j.JUnit, r.WriteJUnit); err != nil {
			return err
		}
	}

	if j.Markdown != "" {
		return disk.WriteFile(j.Markdown, r.WriteMarkdown)
	}
	return nil
}
