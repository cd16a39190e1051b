package finetune

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// Cell is what one line of the report is about.
type Cell struct {
	Policy     string `json:"policy"`     // e.g. "scripted:reader"
	API        string `json:"api"`        // the deployed API version, or a family of versions
	Dataset    string `json:"dataset"`    // e.g. "coffee"
	Difficulty string `json:"difficulty"` // "easy" or "hard"
}

// CellOf returns the cell of a policy, an API version and the questions of some labels.
func CellOf(policy, api string, labels map[string]string) Cell {
	return Cell{policy, api, labels[envs.LabelDataset], labels[envs.LabelDifficulty]}
}

// String returns "policy/api/dataset/difficulty", which also prefixes the cell's questions in the
// log.
func (c Cell) String() string {
	return c.Policy + "/" + c.API + "/" + c.Dataset + "/" + c.Difficulty
}

// Job is a cell and what is needed to measure it.
type Job struct {
	Cell     Cell
	Versions []string         // that questions meet; nil is Cell.API
	Env      envs.Environment // deploys them
	Policy   mcts.Policy
	Tasks    []envs.Task // their IDs are distinct
	MaxTurns int         // of a chain, at least 1

	// Repeats is how many episodes are played of each task. Several are sampled, by Seed; a single
	// one is greedy.
	Repeats int
	Seed    uint64
	// Played counts the episodes of each task, by its name (Episode), that were played elsewhere:
	// at most Repeats of each. nil is a job whose episodes Policy plays.
	Played map[string]int

	Controller Controller
}

// Episode returns the name of a task's episodes in the log and among the stored trees, in which
// repeats are trees 0, 1, ….
func (j Job) Episode(t envs.Task) string { return j.Cell.String() + "/" + t.ID }

// attempts yields the tasks of the job with each of their repeats.
func (j Job) attempts() iter.Seq2[envs.Task, int] {
	return func(yield func(envs.Task, int) bool) {
		for _, task := range j.Tasks {
			for repeat := range j.count(task) {
				if !yield(task, repeat) {
					return
				}
			}
		}
	}
}

// count returns how many episodes of a task there may be.
func (j Job) count(t envs.Task) int {
	if j.Played != nil {
		return j.Played[j.Episode(t)]
	}
	return max(j.Repeats, 1)
}

func (j Job) limits() Limits {
	if j.Played != nil {
		return Limits{MaxTurns: j.MaxTurns}
	}
	return Limits{
		MaxTurns: j.MaxTurns, Sampled: j.Repeats > 1 || j.Controller.several(), Seed: j.Seed,
		Controller: j.Controller,
	}
}

// converse returns the job with a conversation of its policy, for one episode, and what ends it.
func (j Job) converse() (one Job, end func()) {
	j.Policy, end = mcts.Converse(j.Policy)
	return j, end
}

// versions returns the API versions that its questions meet.
func (j Job) versions() []string {
	if j.Versions == nil {
		return []string{j.Cell.API}
	}
	return j.Versions
}

// Options say how to measure.
type Options struct {
	Store   *store.Store
	Workers int        // episodes at the same time, at least 1
	Retry   mcts.Retry // for model calls and steps that fail, before their question is lost

	// Elsewhere has episodes played by other processes, which use Play; nil plays them here.
	Elsewhere Elsewhere

	Progress *Progress // counts what is done; may be nil
}

// Elsewhere has an episode played by another process. When it returns, the store has the episode,
// unless it is lost. An error ends the evaluation.
type Elsewhere func(context.Context, Attempt) (Played, error)

// Played is what became of an episode.
type Played struct {
	Lost     error   // why it was lost; nil if it is stored
	Replayed bool    // it took no call to the model
	Seconds  float64 // that it took
}

// Play plays an episode of a job and stores it, as Evaluate does.
func (o *Options) Play(ctx context.Context, job Job, task envs.Task, repeat int) (Played, error) {
	job, endConversation := job.converse()
	defer endConversation()

	r, err := o.episode(ctx, job, task, repeat)
	return Played{r.lost, r.replayed, r.seconds}, err
}

// Lost says why episodes were lost.
type Lost map[Attempt]string

// Attempt identifies an episode of an evaluation: its task by [Job.Episode], and which of the
// task's repeats it is.
type Attempt struct {
	Episode string
	Repeat  int
}

// Evaluate plays the episodes of the jobs that the store lacks, and stores each. It returns those
// that were lost to infrastructure failures. Those lost because a single request was given up
// (envs.GivenUp) are noted in the store at once, and the next evaluation plays them last. The error
// wraps the context's when the evaluation was stopped, and is another when it could not continue;
// what was asked is logged in every case, and so, every few seconds, is how long episodes took
// ([Seconds]). Once ctx has ended no call to the model is begun, as with collect.Run. Memory does
// not grow with the episodes, but for the number of seconds that each took.
func Evaluate(ctx context.Context, jobs []Job, o Options) (Lost, error) {
	if err := o.validate(jobs); err != nil {
		return nil, err
	}

	if o.Progress == nil {
		o.Progress = &Progress{}
	}

	total := 0
	for _, j := range jobs {
		total += len(j.Tasks) * max(j.Repeats, 1)
	}

	o.Progress.count(func(s *Snapshot) { s.Planned = int64(total) })

	_, before, err := o.givenUp(ctx)
	if err != nil {
		return nil, err
	}

	lost, seconds := Lost{}, map[string]float64{}
	noted := time.Now() // the seconds of episodes that ended before
	var givenUp []store.GivenUp
	var mu sync.Mutex // guards what is gathered
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(o.Workers)

	play := func(ctx context.Context, job Job, task envs.Task, repeat int) {
		// Begun before Go, not by the worker: conversations are served in the order in which they
		// began, which is then that of the episodes.
		job, endConversation := job.converse()

		group.Go(func() error {
			defer endConversation()

			// Go waits until a worker is free, and ctx may have ended by then.
			if err := ctx.Err(); err != nil {
				return err
			}

			r, err := o.episode(ctx, job, task, repeat)
			if err != nil {
				return err
			}

			o.Progress.count(r.counted)

			mu.Lock()
			defer mu.Unlock()

			attempt := Attempt{job.Episode(task), repeat}
			if r.lost == nil {
				// An episode that the log answered took no time worth noting: its first run has it.
				if !r.replayed {
					seconds[attempt.String()] = r.seconds
				}

				if time.Since(noted) < notePeriod {
					return nil
				}

				noted = time.Now()
				return noteSeconds(context.WithoutCancel(ctx), o.Store, seconds)
			}

			lost[attempt] = r.lost.Error()

			if r.givenUp != nil {
				givenUp = append(givenUp, *r.givenUp)
			}
			return nil
		})
	}

	// What failed before comes last, and is marked as such: another failure of it says nothing
	// about the server.
	for _, givenUp := range []bool{false, true} {
		playing := groupCtx
		if givenUp {
			playing = mcts.Again(groupCtx)
		}

		for _, job := range jobs {
			for task, repeat := range job.attempts() {
				if before[Attempt{job.Episode(task), repeat}] == givenUp {
					play(playing, job, task, repeat)
				}
			}
		}
	}

	err = group.Wait()

	// An evaluation that was stopped still notes the seconds: the next one replays these episodes.
	noteErr := noteSeconds(context.WithoutCancel(ctx), o.Store, seconds)
	if err := errors.Join(err, noteErr); err != nil {
		return nil, err
	}
	return lost, o.Store.KeepGivenUp(ctx, givenUp)
}

// givenUp returns the episodes that were given up and are not stored, as a list and as a set.
func (o *Options) givenUp(ctx context.Context) (
	all []store.GivenUp, has map[Attempt]bool, err error) {
	all, err = o.Store.GivenUp(ctx)
	has = map[Attempt]bool{}

	for _, g := range all {
		has[Attempt{g.Question, g.Tree}] = true
	}
	return all, has, err
}

func (o *Options) validate(jobs []Job) error {
	if o.Workers < 1 || o.Retry.Attempts < 1 {
		return fmt.Errorf("finetune: %d workers and %d attempts, want at least 1 of each",
			o.Workers, o.Retry.Attempts)
	}

	seen := map[string]bool{}

	for _, j := range jobs {
		if j.MaxTurns < 1 {
			return fmt.Errorf("finetune: %s: %d turns, want at least 1", j.Cell, j.MaxTurns)
		}

		for _, task := range j.Tasks {
			id := j.Episode(task)
			if seen[id] {
				return fmt.Errorf("finetune: the episode %q occurs twice", id)
			}

			seen[id] = true
		}
	}
	return nil
}

// result is what became of an episode.
type result struct {
	record   *mcts.TreeRecord // nil of one that is lost
	lost     error            // why it was lost
	givenUp  *store.GivenUp   // nil where more than a request of it failed
	replayed bool             // it took no call to the model
	seconds  float64          // that it took
}

// counted adds the episode to the counters.
func (r result) counted(s *Snapshot) {
	s.Done++
	if r.replayed {
		s.Replayed++
	}

	if r.record != nil {
		s.Turns += int64(len(r.record.Nodes) - 1)
		s.Unreadable += int64(r.record.Unreadable())
	}
}

// episode plays and stores one episode. It returns an error only for what ends the whole
// evaluation: the user's wish, or a log that cannot be written.
func (o *Options) episode(ctx context.Context, job Job, task envs.Task, repeat int) (result, error) {
	id := mcts.NodeID{Question: job.Episode(task), Tree: repeat}

	record, stored, err := o.Store.LoadTree(ctx, id.Question, id.Tree)
	if stored || err != nil {
		return result{record: record, replayed: true}, err
	}

	if o.Elsewhere != nil {
		return o.elsewhere(ctx, id)
	}

	policy, err := o.Store.Policy(ctx, id.Question, id.Tree, o.Retry.Policy(job.Policy))
	if err != nil {
		return result{}, err
	}

	began := time.Now()

	e, err := Play(ctx, o.Retry.Environment(job.Env), policy, task, id, job.limits())
	if err == nil {
		// The log may have answered all of it: stopped after the last call, before it was stored.
		asked, _ := policy.Counts()
		played := result{record: e.Branch, replayed: asked == 0, seconds: time.Since(began).Seconds()}
		return played, o.Store.SaveTree(ctx, e.Branch)
	}

	return o.failed(ctx, id, err)
}

// elsewhere has an episode played by another process.
func (o *Options) elsewhere(ctx context.Context, id mcts.NodeID) (r result, err error) {
	played, err := o.Elsewhere(ctx, Attempt{id.Question, id.Tree})
	if err != nil {
		return r, err
	}

	if played.Lost != nil {
		return o.failed(ctx, id, played.Lost)
	}

	r = result{replayed: played.Replayed, seconds: played.Seconds}

	var stored bool
	if r.record, stored, err = o.Store.LoadTree(ctx, id.Question, id.Tree); err == nil && !stored {
		err = fmt.Errorf("finetune: the episode %s was played elsewhere, and did not arrive", id.Question)
	}
	return r, err
}

// failed returns what becomes of an episode that failed. The error ends the evaluation.
func (o *Options) failed(ctx context.Context, id mcts.NodeID, err error) (result, error) {
	// Being stopped fails whatever is under way, which loses no question.
	if ctx.Err() != nil {
		return result{}, ctx.Err()
	}

	// An error without a stage is not about this episode alone, and a final one would meet every
	// other, too.
	if _, ok := envs.FailedStage(err); !ok || envs.IsFinal(err) {
		return result{}, err
	}

	reason, ok := envs.GivenUp(err)
	if !ok {
		return result{lost: err}, nil
	}

	// Noted at once, so that it is known even if this process is killed.
	givenUp := &store.GivenUp{Question: id.Question, Tree: id.Tree, Reason: reason}
	return result{lost: err, givenUp: givenUp}, o.Store.NoteGivenUp(ctx, *givenUp)
}

// Episodes yields the episodes of the jobs that are stored or lost, in the order of the jobs and
// their tasks. meta says what an episode does not know about itself. The first error ends it.
func Episodes(ctx context.Context, s *store.Store, jobs []Job, lost Lost,
	meta func(Cell, envs.Task) trajectories.Meta) iter.Seq2[trajectories.Episode, error] {
	return func(yield func(trajectories.Episode, error) bool) {
		for _, j := range jobs {
			for task, repeat := range j.attempts() {
				attempt := Attempt{j.Episode(task), repeat}
				e, stored, err := storedEpisode(ctx, s, attempt, meta(j.Cell, task))

				if failure, isLost := lost[attempt]; !stored && isLost && err == nil {
					e = trajectories.LostEpisode(meta(j.Cell, task), failure)
					e.Repeat = repeat
				} else if !stored && err == nil {
					continue
				}

				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// storedEpisode returns a stored episode, and whether it is stored.
func storedEpisode(ctx context.Context, s *store.Store, a Attempt, meta trajectories.Meta) (
	e trajectories.Episode, stored bool, err error) {
	branch, stored, err := s.LoadTree(ctx, a.Episode, a.Repeat)
	if !stored || err != nil {
		return e, stored, err
	}

	e = trajectories.FromEpisode(meta, branch)

	e.Tokens, err = s.CompletionTokens(ctx, a.Episode, a.Repeat)
	return e, true, err
}
