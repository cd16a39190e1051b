package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/envs/dynamic"
	"toolevo/envs/kept"
	"toolevo/envs/names"
	"toolevo/envs/perturb"
	"toolevo/envs/suite"
	"toolevo/finetune/facts"
	"toolevo/finetune/report"
	"toolevo/finetune/robustness"
	"toolevo/finetune/tabulate"
	"toolevo/mcts/policy/serving"
)

// DriftDefaults returns the default settings of an experiment with drift.
func DriftDefaults() map[string]string {
	defaults := map[string]string{"policy": "scripted:stale,scripted:reader,scripted:oracle"}

	for _, b := range suite.All() {
		if d, ok := b.(suite.Drifter); ok {
			maps.Copy(defaults, d.DriftDefaults())
		}
	}

	return defaults
}

// All stands for every name of a list.
const All = "all"

// DriftJob measures what drifting APIs and reworded questions cost, by evaluations in folders of
// Out. Their IDs begin with ID, unless it is "".
type DriftJob struct {
	RunJob
	Feedbacks     []string // what a rejected call is told, one at a time; All means each of them
	Perturbations []string // how questions are changed, one at a time; All means each of them, "none" no change
	By            string   // the model that judges answers beside the suite's rule, KIND:MODEL; "" for none
}

// Drifted is what an experiment with drift found.
type Drifted struct {
	*robustness.Report
	Files []string `json:"files"` // what was written: the tables in several formats, figures, and a page
}

// EvaluateDrift makes the evaluations of a job, or resumes them, and reports on them. If only
// episodes were lost it returns the result beside the error.
func EvaluateDrift(ctx context.Context, job DriftJob) (*Drifted, error) {
	if err := job.check(); err != nil {
		return nil, err
	}

	c, err := job.resolve()
	if err != nil {
		return nil, err
	}

	job.Announce("eval drift", choiceOf(c, job.Data)...)

	runs, judge := job.runs(c), ""

	// Judging is part of the work: the folder's note covers what the judge takes, too.
	err = job.inFolder(len(runs), func() (err error) {
		if err := job.makeAll(ctx, c, runs); err != nil {
			return err
		}

		judge, err = job.judge(ctx, c, runs)
		return err
	})
	if err != nil {
		return nil, err
	}

	page, err := job.page(ctx, runs, judge)
	if err != nil {
		return nil, err
	}

	files, err := writeDrift(job.Out, page)
	if err != nil {
		return nil, err
	}

	// The result is returned beside the error: the figures of what was measured are valid.
	lost := 0
	for _, s := range page.Robustness.Statistics {
		lost += s.Lost
	}

	if lost > 0 {
		err = console.GaveUp(fmt.Errorf("%d episodes were lost to infrastructure failures; "+
			"the figures are of the others. The same command plays them again", lost))
	}
	return &Drifted{page.Robustness, files}, err
}

// resolve is resolveParts for the experiment. The default API version is of the default suite
// alone.
func (j *DriftJob) resolve() (*configs.Resolved, error) {
	defaults := DriftDefaults()

	c, err := j.resolveParts("eval drift", defaults)
	if err == nil && c.Suite != defaults["suite"] {
		defaults["api"] = drift.OutOfDomain
		c, err = j.resolveParts("eval drift", defaults)
	}

	return c, err
}

// Perturbations names all ways to change questions.
func Perturbations() []string {
	var all []string

	for _, kind := range perturb.Kinds() {
		if kind != perturb.None {
			all = append(all, string(kind))
		}
	}

	return all
}

// judge has the job's model judge the evaluations, and returns its name in their verdicts, "" for
// none. What it writes is kept, so that nothing is asked twice.
func (j *DriftJob) judge(ctx context.Context, c *configs.Resolved, runs []driftRun) (
	judge string, err error) {
	if j.By == "" {
		return "", nil
	}

	texts, err := kept.Open(filepath.Join(j.Out, JudgedFile))
	if err != nil {
		return "", err
	}

	// The model is opened for the first question that has no kept answer, perhaps never.
	toClose := []io.Closer{texts}
	defer func() {
		for _, opened := range toClose {
			err = errors.Join(err, opened.Close())
		}
	}()

	open := func(o suite.WriterOptions) (kept.Writer, error) {
		w, err := serving.New(c, nil, nil, j.Servers).Writer(j.By, o)
		if err != nil {
			return nil, console.Option("by", "%w", err)
		}

		toClose = append(toClose, w)

		// Kept answers are those of this model under these options: others would differ.
		return texts.Writer(fmt.Sprintf("%s %g %d", j.By, o.Temperature, o.MaxTokens), w), nil
	}

	prompts, err := ReadPrompts(c)
	if err != nil {
		return "", err
	}

	for _, m := range runs {
		if judge, err = j.judgeRun(ctx, c.Suite, m.dir, prompts, open); err != nil {
			return "", err
		}
	}

	return judge, nil
}

// judgeRun has the answers of an evaluation judged, and returns the judge's name in the verdicts.
func (j *DriftJob) judgeRun(
	ctx context.Context, name, dir string, p kept.Prompts, open suite.OpenWriter,
) (string, error) {
	benchmark, err := suite.Lookup(name)
	judging, ok := benchmark.(suite.Judger)

	if err != nil || !ok {
		return "", console.Option("by", "answers of the suite %s are judged by its rule alone",
			name)
	}
	defer j.Step("Judging " + dir)()

	judge, err := judging.Judge(ctx, dir, j.By, p, open)

	if _, ours := envs.FailedStage(err); ctx.Err() != nil {
		err = console.Interrupted("%s: the same command continues where it stopped",
			j.Servers.Account.Why())
	} else if ours {
		err = console.GaveUp(err)
	}

	return judge, err
}

// JudgedFile keeps what the judging model wrote, in the folder of an experiment.
const JudgedFile = "judged.jsonl"

// check rejects a job that makes no sense.
func (j *DriftJob) check() error {
	// Questions as asked are evaluated in any case, so none asks for nothing more.
	if slices.Equal(j.Perturbations, []string{unperturbed}) {
		j.Perturbations = nil
	}

	// Each name is an evaluation in a folder of its own, so a repeated name would be made twice.
	for _, list := range []struct {
		option string
		named  *[]string
		valid  []string
	}{{"feedbacks", &j.Feedbacks, dynamic.Feedbacks()}, {"perturbations", &j.Perturbations, Perturbations()}} {
		if slices.Equal(*list.named, []string{All}) {
			*list.named = list.valid
		}

		for i, name := range *list.named {
			if _, err := names.Parse(strings.TrimSuffix(list.option, "s"), name, list.valid); err != nil {
				return console.Usage("‹%s›: %w", list.option, err)
			}

			if slices.Contains((*list.named)[:i], name) {
				return console.Usage("‹%s› names %s twice: name it once", list.option, name)
			}
		}
	}

	// Without perturbations drift is still measured; without a feedback there is no evaluation.
	if len(j.Feedbacks) == 0 {
		return console.Usage("‹feedbacks› is empty: want at least one of %s",
			strings.Join(dynamic.Feedbacks(), ", "))
	}
	return nil
}

// unperturbed is the wording of questions as they are asked.
const unperturbed = string(perturb.None)

// driftRun is one evaluation of the experiment.
type driftRun struct {
	dir      string
	feedback string
	wording  string   // of the questions
	apis     []string // deployed
	prompt   string   // the version of the prompt
}

// runs lists the evaluations: for each feedback one of the questions as asked, under the version of
// the prompt and the drifted ones, and one of each perturbation, in which nothing else changes.
func (j *DriftJob) runs(c *configs.Resolved) []driftRun {
	var all []driftRun

	drifted := slices.DeleteFunc(slices.Clone(c.API), func(api string) bool { return api == c.Prompt })

	for _, feedback := range j.Feedbacks {
		m := driftRun{
			dir: filepath.Join(j.Out, feedback, "as-asked"), feedback: feedback,
			wording: unperturbed, apis: append([]string{c.Prompt}, drifted...), prompt: c.Prompt,
		}
		all = append(all, m)

		for _, name := range j.Perturbations {
			m.dir, m.wording = filepath.Join(j.Out, feedback, name), name
			m.apis = []string{c.Prompt}
			all = append(all, m)
		}
	}

	return all
}

// setting returns what an evaluation changes where it deploys a version.
func (m *driftRun) setting(api string) robustness.Setting {
	switch {
	case m.wording != unperturbed:
		return robustness.Setting{Kind: robustness.Perturbation, Name: m.wording}
	case api != m.prompt:
		return robustness.Setting{Kind: robustness.Versioning, Name: api}
	}

	return robustness.Setting{Kind: robustness.Baseline, Name: string(robustness.Baseline)}
}

// difficulties are those of questions in an evaluation, by dataset and ID. A difficulty may say
// what the deployed versions touch, and then a question has another one in another evaluation.
type difficulties map[[2]string]string

// note keeps a question's difficulty; "" where several have its ID, which then has to do with no
// version.
func (d difficulties) note(k facts.Key) {
	id := [2]string{k.Dataset, k.QuestionID}
	if before, known := d[id]; known && before != k.Difficulty {
		k.Difficulty = ""
	}

	d[id] = k.Difficulty
}

// apply gives a question the difficulty that was noted, and the name that has it.
func (d difficulties) apply(k *facts.Key) {
	if noted := d[[2]string{k.Dataset, k.QuestionID}]; noted != "" {
		k.Difficulty = noted
		k.SetQuestion()
	}
}

// page reports on the evaluations, and on what a judge said of them.
func (j *DriftJob) page(ctx context.Context, runs []driftRun, judge string) (*report.Page, error) {
	var (
		all    []robustness.Played
		judged []robustness.Judged
	)

	// All versions are in the first evaluation, so its difficulties count for every one.
	first := difficulties{}

	for _, m := range runs {
		board, err := j.Board(ctx, []string{m.dir})
		if err != nil {
			return nil, err
		}

		for _, fact := range board.Facts {
			if m.dir == runs[0].dir {
				first.note(fact.Key)
			}

			isAlone := fact.Cluster == fact.Question
			if first.apply(&fact.Key); isAlone {
				fact.Cluster = fact.Question
			}

			all = append(all, robustness.Played{
				Fact: fact, Feedback: m.feedback, Setting: m.setting(fact.API),
			})
		}

		for _, v := range board.Verdicts {
			// Another judge may have judged the same folders before.
			if first.apply(&v.Key); v.Judge == judge {
				judged = append(judged, robustness.Judged{
					Verdict: v, Unread: !v.Read, Feedback: m.feedback, Setting: m.setting(v.API),
				})
			}
		}
	}

	page := &report.Page{Title: "What drift and wording cost",
		Robustness: robustness.ReportOf(all, judged)}
	return page, j.addRuns(ctx, page, runs)
}

// addRuns adds to a page where its figures come from.
func (j *DriftJob) addRuns(ctx context.Context, page *report.Page, runs []driftRun) error {
	dirs := make([]string, len(runs))
	for i, m := range runs {
		dirs[i] = m.dir
	}

	_, err := j.Host.addRuns(ctx, page, dirs)

	for i := range page.Runs {
		page.Runs[i].Name = fmt.Sprintf("feedback %s, %s", runs[i].feedback, page.Runs[i].Name)
	}
	return err
}

// makeAll makes the evaluations, or resumes them.
func (j *DriftJob) makeAll(ctx context.Context, c *configs.Resolved, runs []driftRun) error {
	for i, m := range runs {
		j.Say("Evaluation %d of %d: feedback %s, questions %s", i+1, len(runs), m.feedback,
			map[bool]string{true: "as asked", false: m.wording}[m.wording == unperturbed])

		if err := j.make(ctx, c, m); err != nil {
			return err
		}
	}
	return nil
}

// make makes one evaluation, or resumes it. One that lost questions has a report of the others, and
// the experiment continues.
func (j *DriftJob) make(ctx context.Context, c *configs.Resolved, m driftRun) error {
	part := j.RunJob
	if j.ID != "" {
		part.ID = strings.Join([]string{j.ID, m.feedback, filepath.Base(m.dir)}, "-")
	}

	lost, err := part.evaluateIn(ctx, m.dir, c, "api", strings.Join(m.apis, ","),
		"environment.feedback", m.feedback, "perturb", m.wording)
	if lost != nil {
		j.Say("%v", lost)
	}
	return err
}

// DriftPage is the page of an experiment.
const DriftPage = "drift.html"

// writeDrift writes the report of an experiment in all formats, and returns the paths.
func writeDrift(dir string, page *report.Page) ([]string, error) {
	r := page.Robustness
	return tabulate.WriteFolder(dir, append([]tabulate.File{
		tabulate.JSONFile("drift.json", r),
		{Name: "drift.csv", Write: r.WriteCSV},
		{Name: "drift-statistics.csv", Write: r.WriteStatisticsCSV},
		{Name: DriftPage, Write: page.Write},
	}, append(tabulate.TableFiles("drift", r.Tables()), tabulate.FigureFiles(r.Figures())...)...))
}
