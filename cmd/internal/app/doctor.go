package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"toolevo/configs"
	"toolevo/finetune/stored"
	"toolevo/mcts"
	"toolevo/mcts/estimate"
	"toolevo/mcts/policy/doctor"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/policy/serving"
)

// DoctorJob examines what a collection needs before it begins, and the servers of its models.
type DoctorJob struct {
	CollectJob
	Quick    bool          // look at servers in a few requests
	Parallel int           // requests that are made side by side; 0 is doctor's own
	Timeout  time.Duration // of a probe; 0 is doctor's own
	Adopt    bool          // look for settings that solve the problems, and examine again with them
	Text     io.Writer     // takes the report for people while it is made; nil takes none
	// Word words the check of a need that is not met; nil leaves it as it is.
	Word func(*doctor.Check, error)
}

// Diagnosis is what an examination found.
type Diagnosis struct {
	Verdict  doctor.Verdict `json:"verdict"` // the worst of all: ok, not-probed, could-not-tell, warning or problem
	Machine  []doctor.Check `json:"machine"` // what a run needs besides its servers
	Servers  []Examined     `json:"servers"` // of the policies, in their order
	Settings string         `json:"-"`       // with Adopt: a configuration file, unless there are problems
	Located  bool           `json:"-"`       // Settings has the addresses of the job's servers
}

// Examined is the report on a server of a policy.
type Examined struct {
	Policy string `json:"policy"` // whose server it is
	*doctor.Report
}

// mostTries is how often an examination is repeated with settings that it found: one problem may
// hide another.
const mostTries = 4

// Doctor examines, and reports.
func Doctor(ctx context.Context, job DoctorJob) (*Diagnosis, error) {
	ctx = mcts.AtOnce(ctx)
	job.Parallel = cmp.Or(job.Parallel, doctor.DefaultParallel)

	if job.Text == nil {
		job.Text = io.Discard
	}

	d, err := job.examine(ctx)
	for range mostTries {
		if err != nil || !job.Adopt || !job.adoptFound(d) {
			break
		}

		d, err = job.examine(ctx)
	}

	if err == nil && job.Adopt && d.Verdict != doctor.Problem {
		d.Settings, err = job.settings(ctx, d)
	}

	if err != nil {
		return nil, err
	}
	return d, nil
}

// examine looks at everything that a run needs, then at one server after the other.
func (j *DoctorJob) examine(ctx context.Context) (*Diagnosis, error) {
	job := j.Prepared()

	c, noted, err := job.Configure(ctx)
	if err != nil {
		return nil, err
	}

	// What no data could make right is rejected, and not one finding among others.
	b, err := NewBench(job.Data, c, job.Servers, noted)
	if err != nil {
		return nil, err
	}

	d := &Diagnosis{Verdict: doctor.OK, Machine: []doctor.Check{}, Servers: []Examined{}}
	j.writeHead("a run of collect with these arguments")

	// Missing data is a finding: the servers are examined all the same, with less to ask them.
	whole, err := job.Read(ctx, c, noted)
	if err == nil {
		b = whole
	}
	defer func() { _ = b.Close() }() // nothing was written

	j.note(d, j.needCheck(doctor.Data, "questions and corpora are in "+job.Data, err))

	if err == nil {
		j.examineMachine(ctx, d, &job, b)
	}

	if err := doctor.WriteFindings(j.Text, d.Machine); err != nil {
		return nil, err
	}
	return d, j.examineServers(ctx, d, b)
}

// note adds a check of something that a run needs.
func (j *DoctorJob) note(d *Diagnosis, c doctor.Check) {
	d.Machine = append(d.Machine, c)
	d.Verdict = d.Verdict.Worse(c.Verdict)
	_ = doctor.WriteCheck(j.Text, c) // which fails again at the end
}

// needCheck returns the check of something that a run needs; an error says what is missing.
func (j *DoctorJob) needCheck(name doctor.Name, seen string, err error) doctor.Check {
	if err == nil {
		return doctor.Check{Name: name, Verdict: doctor.OK, Seen: seen}
	}

	what, do, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")

	c := doctor.Check{Name: name, Verdict: doctor.Problem, Seen: what, Run: "does not begin",
		Do: do}
	if j.Word != nil {
		j.Word(&c, err)
	}

	c.Do = cmp.Or(c.Do, "set right what it names")
	return c
}

// examineMachine looks at what a run needs, as the run does before it begins.
func (j *DoctorJob) examineMachine(ctx context.Context, d *Diagnosis, job *CollectJob, b *Bench) {
	if unfit := OnePolicy(stored.Collection)(b); unfit != nil {
		c := j.needCheck(doctor.Settings, "", unfit)
		c.Verdict, c.Run = doctor.Warning, "of collect does not begin; eval may take them"
		j.note(d, c)
	}

	absent := false // a server

	for _, n := range job.Needs(b) {
		// Without a server there is nobody to greet, and the same failure to report again.
		if absent && n.Name == doctor.Greeting {
			continue
		}

		seen, err := job.Meets(ctx, n)
		if ctx.Err() != nil {
			return
		}

		if seen != "" || err != nil {
			j.note(d, j.needCheck(n.Name, seen, err))
		}

		absent = absent || n.Name == doctor.Servers && err != nil
	}
}

// examineServers looks at the servers of the models, one after the other.
func (j *DoctorJob) examineServers(ctx context.Context, d *Diagnosis, b *Bench) error {
	targets, err := b.Targets()
	if err != nil {
		return err
	}

	for _, t := range targets {
		if err := j.examineServer(ctx, d, b, t); err != nil {
			return err
		}
	}

	if ctx.Err() != nil {
		return errExamined
	}

	if len(targets) == 0 {
		j.Say("%s needs no server, so nothing is examined. For a model's server:\n  toolevo "+
			"doctor ‹policy› %s [‹server› URL]",
			strings.Join(b.Config.Policy, ", "), strings.ReplaceAll(serving.Offers(), " or ", "|"))
	}

	return nil
}

// examineServer looks at one server.
func (j *DoctorJob) examineServer(ctx context.Context, d *Diagnosis, b *Bench, t serving.Target) error {
	o := t.Options
	o.Timeout, o.Parallel, o.Quick = j.Timeout, j.Parallel, j.Quick

	o.Dialect = b.Dialect(t)
	if len(b.Tasks) > 0 {
		o.Actor = actor{b, t}
	}

	fmt.Fprintln(j.Text)
	j.writeHead(t.Policy)
	o.Found = func(c doctor.Check) { doctor.WriteCheck(j.Text, c) }

	r, err := doctor.Examine(ctx, o)

	switch {
	case ctx.Err() != nil:
		return errExamined
	case err != nil:
		return err
	}

	// The verdict so far is kept apart: the wording of these findings depends on the others.
	others := d.Verdict
	d.Servers, d.Verdict = append(d.Servers, Examined{t.Policy, r}), others.Worse(r.Verdict)
	return r.WriteFindings(j.Text, others)
}

// actor has the model of a target write first turns in the tasks of a bench.
type actor struct {
	b      *Bench
	target serving.Target
}

// Act implements doctor.Actor.
func (a actor) Act(ctx context.Context, n int) ([]doctor.Turn, server.Dialect, error) {
	return a.b.FirstTurns(ctx, a.target, estimate.Spread(a.b.Tasks, n))
}

// Better implements doctor.Actor.
func (a actor) Better(ctx context.Context, n int) (map[string]string, int, error) {
	other, readable, err := a.b.BetterForm(ctx, a.target, estimate.Spread(a.b.Tasks, n))
	return other.Settings(), readable, err
}

// writeHead writes the head of a list of checks.
func (j *DoctorJob) writeHead(what string) {
	legend := doctor.Legend
	if j.Quick {
		legend = doctor.QuickLegend
	}

	fmt.Fprintf(j.Text, "%s\n%s\n\n", what, legend)
}

// adoptFound adopts the settings that solve problems, and those with which a model acts more often.
// It reports whether any of them are new.
func (j *DoctorJob) adoptFound(d *Diagnosis) bool {
	found := map[string]string{}

	for _, s := range d.Servers {
		for _, c := range s.Checks {
			if c.Verdict == doctor.Problem || c.Name == doctor.Actions && c.Verdict == doctor.Warning {
				maps.Copy(found, c.Set)
			}
		}
	}

	added := j.adopt(found)
	if len(added) > 0 {
		fmt.Fprintf(j.Text, "\nOnce more, with %s:\n\n", strings.Join(added, ", "))
	}
	return len(added) > 0
}

// adopt sets settings, and returns those that are new, each KEY=VALUE.
func (j *DoctorJob) adopt(settings map[string]string) (added []string) {
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		kv := key + "=" + settings[key]

		if !slices.ContainsFunc(j.Settings.Set, func(l configs.Layer) bool { return string(l.YAML) == kv }) {
			j.Settings = j.Settings.With(key, settings[key])
			added = append(added, kv)
		}
	}

	return added
}

// settings returns a configuration file with what the job says of the model, its servers and the
// programs that it writes, with what was found about these, and with all that the job's own file
// says, which it replaces.
func (j *DoctorJob) settings(ctx context.Context, d *Diagnosis) (string, error) {
	for _, s := range d.Servers {
		j.adopt(s.Settings())
	}

	if s := j.Servers; s.Addresses != "" && !s.Exposed() && !strings.HasPrefix(s.Addresses, "command:") {
		j.adopt(map[string]string{"server.urls": s.Addresses})
		d.Located = true
	}

	job := j.Prepared()

	c, _, err := job.Configure(ctx)
	if err != nil {
		return "", err
	}
	return c.Own(func(key string) bool {
		return IsModelSetting(key) || c.Origin(key) == j.Settings.File
	}), nil
}

// IsModelSetting reports whether a setting is about the model, its servers, or the programs that it
// writes.
func IsModelSetting(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return section == "policy" || section == "server" || section == "python" || key == "environment.codec"
}
