package judge_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"toolevo/finetune/judge"
	"toolevo/trajectories"
)

const passes = 3

// drawn makes answers of three agents to the queries of two groups by chance, some missing, lost or
// such as no judge is asked about, and what a judge says of them.
func drawn(rng *rand.Rand) (*told, []judge.Answer) {
	j := &told{
		status: map[string][]judge.Status{}, complete: map[string]judge.Status{},
		prefer: map[string][]judge.Preference{},
	}

	var all []judge.Answer

	for _, agent := range []string{"b", "a", "c"} {
		for _, group := range []string{"G2_y", "G1_x"} {
			for i := range 6 {
				a := answered(agent, fmt.Sprint(group, i), "9 degrees")
				a.Group, a.Exposure = group, []string{"exposed", "unexposed", ""}[i%3]

				switch rng.IntN(12) {
				case 0:
					a.Given = nil
				case 1:
					a = with(a, answered(agent, "", ""))
				case 2:
					a = with(a, answered(agent, "", "give_up_and_restart"))
				case 3:
					a.Given.Nodes = a.Given.Nodes[:1] // does not end with Finish
				case 4:
					a.Given, a.Lost = nil, true
				case 5:
					continue // the agent was not asked
				}

				for range passes {
					j.status[key(&a)] = append(j.status[key(&a)], judge.Status(rng.IntN(4)))
					j.prefer[a.ID] = append(j.prefer[a.ID], judge.Preference(rng.IntN(4)))
				}

				j.complete[key(&a)] = []judge.Status{judge.Unsolved, judge.Solved, judge.Lost}[rng.IntN(3)]
				all = append(all, a)
			}
		}
	}

	return j, all
}

// with returns an answer that says what another one does.
func with(a, other judge.Answer) judge.Answer {
	a.Given = other.Given
	return a
}

// empty tells whether an answer is missing, empty or gives up.
func empty(a *judge.Answer) bool {
	return a.Given == nil || !strings.Contains(a.Given.Final, "degrees")
}

// finished tells whether an answer ends with a call of Finish.
func finished(a *judge.Answer) bool {
	return a.Given != nil && a.Given.Nodes[len(a.Given.Nodes)-1].Call.Name == "Finish"
}

// solved is what a pass says of an answer: by the judge, unless it is empty or does not end.
func (t *told) solved(a *judge.Answer, pass int) judge.Status {
	if empty(a) || !finished(a) {
		return judge.Unsolved
	}
	return t.status[key(a)][pass]
}

// whole is whether an answer is complete: by the judge, unless it is empty.
func (t *told) whole(a *judge.Answer) judge.Status {
	if empty(a) {
		return judge.Unsolved
	}
	return t.complete[key(a)]
}

// naiveRate is the mean of the passes, each of which is the mean of its groups, with the lost left
// out.
func naiveRate(
	groups [][]*judge.Answer, passes int, of func(*judge.Answer, int) judge.Status,
) *judge.Rate {
	r, read := &judge.Rate{Passes: []float64{}}, map[string]bool{}

	for pass := range passes {
		sum, measured := 0.0, 0.0

		for _, group := range groups {
			worth, n := 0.0, 0.0

			for _, a := range group {
				s := of(a, pass)
				if s == judge.Lost {
					r.Lost++
					continue
				}

				worth += map[judge.Status]float64{judge.Unsolved: 0, judge.Unsure: 0.5, judge.Solved: 1}[s]
				n++
				read[a.ID] = true
			}

			if n > 0 {
				sum, measured = sum+worth/n, measured+1
			}
		}

		if measured > 0 {
			r.Passes = append(r.Passes, sum/measured)
		}
	}

	for _, p := range r.Passes {
		r.Mean += p / float64(len(r.Passes))
	}

	for _, p := range r.Passes {
		r.Deviation += (p - r.Mean) * (p - r.Mean) / float64(len(r.Passes))
	}

	r.N, r.Deviation = len(read), math.Sqrt(r.Deviation)
	return r
}

// naiveRow is what a report says of an agent at the queries of a group, or of both.
func naiveRow(j *told, all []judge.Answer, row *judge.Row) judge.Row {
	want := judge.Row{Cell: row.Cell}
	groups := map[string][]*judge.Answer{}

	for i := range all {
		a := &all[i]
		if a.Agent.Policy != row.Policy || row.Dataset != "mean" && a.Group != row.Dataset ||
			row.Difficulty != "all" && a.Exposure != row.Difficulty {
			continue
		}

		if a.Lost {
			want.Lost++
			continue
		}

		want.N++
		if a.Given == nil {
			want.Missing++
		}

		groups[a.Group] = append(groups[a.Group], a)
	}

	if want.N > 0 {
		both := [][]*judge.Answer{groups["G1_x"], groups["G2_y"]}
		want.SoPR = naiveRate(both, passes, j.solved)
		want.FAC = naiveRate(both, 1, func(a *judge.Answer, _ int) judge.Status { return j.whole(a) })
	}

	return want
}

// round is who wins one: the only side that solved the query, else the only one that answered, else
// the one that the judge prefers.
func (t *told) round(reference, candidate *judge.Answer, pass int) judge.Preference {
	first, second := t.solved(reference, pass), t.solved(candidate, pass)

	switch {
	case first == judge.Lost || second == judge.Lost:
		return judge.NoPreference
	case (first == judge.Solved) != (second == judge.Solved):
		return map[bool]judge.Preference{true: judge.First, false: judge.Second}[first == judge.Solved]
	case reference.Given == nil && candidate.Given == nil:
		return judge.Neither
	case (reference.Given == nil) != (candidate.Given == nil):
		return map[bool]judge.Preference{true: judge.First, false: judge.Second}[candidate.Given == nil]
	}

	return t.prefer[reference.ID][pass]
}

// naiveWins counts the queries that both were asked and neither lost, by who won more rounds.
func naiveWins(j *told, all []judge.Answer, row *judge.WinRow) judge.WinRow {
	want := judge.WinRow{Reference: row.Reference, Candidate: row.Candidate, Dataset: row.Dataset}

	for i := range all {
		for k := range all {
			reference, candidate := &all[i], &all[k]
			if reference.Agent != row.Reference || candidate.Agent != row.Candidate ||
				reference.ID != candidate.ID || reference.Lost || candidate.Lost ||
				row.Dataset != "mean" && reference.Group != row.Dataset {
				continue
			}

			votes := map[judge.Preference]int{}
			for pass := range passes {
				votes[j.round(reference, candidate, pass)]++
			}

			want.LostRounds += votes[judge.NoPreference]

			switch {
			case votes[judge.NoPreference] == passes:
				continue
			case votes[judge.First] > votes[judge.Second]:
				want.Lose++
			case votes[judge.First] < votes[judge.Second]:
				want.Win++
			default:
				want.Tie++
			}

			want.N++
		}
	}
	return want
}

// Queries without an answer count 0, those that we lost and judgements that cannot be read count
// nowhere and are counted, and shortcuts ask no judge: by a naive reading of the package comment of
// answers drawn by chance. Any number of workers gives the same.
func TestScoresNaively(t *testing.T) {
	t.Parallel()

	for seed := range uint64(6) { // intervals, which nothing here asks for, take long
		j, all := drawn(rand.New(rand.NewPCG(seed, 33)))
		judged := scored(t, j, all, 1)
		r := judged.Report(trajectories.Maker{Name: "told"}, passes)

		if diff := gocmp.Diff(judged, scored(t, j, all, 5)); diff != "" {
			t.Fatalf("seed %d: another number of workers: %s", seed, diff)
		}

		near := gocmp.Options{
			cmpopts.EquateApprox(0, 1e-12), cmpopts.IgnoreFields(judge.Rate{}, "Low", "High"),
			cmpopts.IgnoreFields(judge.WinRow{}, "Low", "High", "Rate"),
		}

		for _, row := range slices.Concat(r.Rows, r.Means) {
			if diff := gocmp.Diff(naiveRow(j, all, &row), row, near); diff != "" {
				t.Fatalf("seed %d: %v: %s", seed, row.Cell, diff)
			}
		}

		for _, row := range r.Wins {
			if diff := gocmp.Diff(naiveWins(j, all, &row), row, near); diff != "" {
				t.Fatalf("seed %d: %s in %s: %s", seed, row.Candidate, row.Dataset, diff)
			}

			if share := float64(row.Win) / float64(max(row.N, 1)); row.Dataset != "mean" &&
				(math.Abs(row.Rate-share) > 1e-12 || row.Low > share || row.High < share) {
				t.Fatalf("seed %d: %d of %d are won, and the rate is %+v", seed, row.Win, row.N, row)
			}
		}

		inOrder(t, r)
	}
}

// scored has answers judged by some workers, with one judgement told after the other.
func scored(t *testing.T, j judge.Judge, all []judge.Answer, workers int) *judge.Judged {
	t.Helper()

	told, last := 0, 0

	judged, err := judge.Run(t.Context(), j, all, judge.Options{
		Scores: judge.Scores(), Passes: passes, Workers: workers, Done: func(done, total int) {
			if told++; done != told || total < done {
				t.Errorf("judgement %d is told as %d of %d", told, done, total)
			}

			last = total
		},
	})
	if err != nil {
		t.Fatal(err)
	}

	if told == 0 || told != last {
		t.Errorf("%d of %d judgements were told", told, last)
	}
	return judged
}

// inOrder makes sure that rows stand by agent, then by group, as they came, then by exposure, each
// once.
func inOrder(t *testing.T, r *judge.Report) {
	t.Helper()

	place := func(row judge.Row) [3]int {
		return [3]int{
			slices.Index([]string{"b", "a", "c"}, row.Policy),
			slices.Index([]string{"G2_y", "G1_x", "mean"}, row.Dataset),
			slices.Index([]string{"all", "exposed", "unexposed"}, row.Difficulty),
		}
	}
	before := func(a, b judge.Row) int {
		x, y := place(a), place(b)
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]), cmp.Compare(x[2], y[2]))
	}

	for _, rows := range [][]judge.Row{r.Rows, r.Means} {
		if !slices.IsSortedFunc(rows, before) {
			t.Errorf("rows are not in order: %v", rows)
		}

		same := func(a, b judge.Row) bool { return a.Cell == b.Cell }
		if once := slices.CompactFunc(slices.Clone(rows), same); len(once) != len(rows) {
			t.Errorf("%d rows of %d cells", len(rows), len(once))
		}
	}
}

// recorder is a model that notes what it is asked, seeds too.
type recorder struct {
	mu    sync.Mutex
	asked []string
	seeds map[uint64]bool
	text  string
}

func (r *recorder) Write(
	_ context.Context, instructions, request string, seed uint64,
) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()

	r.asked = append(r.asked, fmt.Sprint(instructions, "|", request, "|", seed))
	r.seeds[seed] = true
	return r.text, nil
}

// A model is asked the same in every run, in whichever order, and nothing twice: passes, rounds and
// attempts have seeds of their own, which fit into 63 bits.
func TestAModelIsAskedTheSame(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		text  string
		asked int // of 2 agents, 3 passes, 1 completeness each and 3 rounds
	}{
		"read at once": {"Unsolved\n" + `{"answer_status": "Unsolved", "index": 1}`, 2*3 + 2 + 3},
		// Where no status is read there is no preference to ask for.
		"never read": {prose, (2*3 + 2) * 3},
		// Unsure asks again with the calls, and says nothing of completeness or preference.
		"unsure": {`{"answer_status": "Unsure"}`, 2*3*2 + 2*3 + 3*3},
	} {
		var first []string

		for _, workers := range []int{1, 4} {
			m := &recorder{text: test.text, seeds: map[uint64]bool{}}
			j := &judge.Model{Name: "test:judge", Writer: m, Completing: m}
			all := []judge.Answer{answered("a", "7", "9 degrees"), answered("b", "7", "9 degrees")}
			scored(t, j, all, workers)
			slices.Sort(m.asked)

			if len(m.asked) != test.asked || len(m.seeds) != test.asked {
				t.Errorf("%s: asked %d times with %d seeds, want %d", name, len(m.asked), len(m.seeds),
					test.asked)
			}

			if first == nil {
				first = m.asked
			}

			if diff := gocmp.Diff(first, m.asked); diff != "" {
				t.Errorf("%s: another run asks something else: %s", name, diff)
			}

			for seed := range m.seeds {
				if seed > math.MaxInt64 {
					t.Errorf("%s: a server takes no seed %d", name, seed)
				}
			}
		}
	}
}

// A prompt of completeness in place of ours is all that a judge is asked, and part of who judges.
func TestCompletePrompt(t *testing.T) {
	t.Parallel()

	m := &model{answer: func(instructions, request string, _ int) (string, error) {
		if want := "Q: How warm is it?\nA: {query}"; instructions != "" || request != want {
			t.Errorf("asked %q, %q, want %q alone", instructions, request, want)
		}
		return "Answer Status\nSolved\nReason\nIt says so.", nil
	}}
	j := judging(m)
	j.CompletePrompt = "Q: {query}\nA: {answer}"
	a := answered("a", "7", "{query}")

	if s, err := j.Complete(t.Context(), &a); s != judge.Solved || err != nil {
		t.Errorf("%s, %v", s, err)
	}

	if j.Maker() == judging(m).Maker() {
		t.Error("other words have the same judge")
	}
}

// Whoever writes what cannot be read is told so, once, however often it is asked.
func TestAskedAgain(t *testing.T) {
	t.Parallel()

	m := says(prose)
	a := answered("a", "7", "9 degrees")

	if _, err := judging(m).Complete(t.Context(), &a); err != nil {
		t.Fatal(err)
	}

	if len(m.asked) != 3 || m.asked[1] != m.asked[2] || !strings.HasPrefix(m.asked[1], m.asked[0]) ||
		m.asked[1] == m.asked[0] {
		t.Errorf("asked %q", m.asked)
	}
}

// alone is the error of a request that a server fails at, though it answers others.
type alone struct{}

func (alone) Error() string   { return "the request is too long" }
func (alone) GivenUp() string { return "too long" }

// A request that no server will ever answer is one lost judgement: the others are made.
func TestAHopelessRequestIsLost(t *testing.T) {
	t.Parallel()

	all := []judge.Answer{
		answered("a", "7", "9 degrees"), answered("a", "8", "endless"),
		answered("a", "9", "8 degrees"),
	}
	m := &model{answer: func(instructions, request string, _ int) (string, error) {
		if strings.Contains(request, "endless") {
			return "", fmt.Errorf("write a text: %w", alone{})
		}
		return approves(instructions), nil
	}}

	done, err := judge.Run(t.Context(), judging(m), all, judge.Options{
		Scores: []judge.Score{judge.SoPR, judge.FAC}, Passes: 1, Workers: 2,
	})
	if err != nil {
		t.Fatal(err)
	}

	for i, want := range []judge.Status{judge.Solved, judge.Lost, judge.Solved} {
		if j := done.Judgements[i]; j.Passes[0] != want || *j.Complete != want {
			t.Errorf("%s: %v and %v, want %v", j.ID, j.Passes[0], *j.Complete, want)
		}
	}
}

// A failure of a judge is ours, whatever it was asked, and ends the run.
func TestAFailureIsNoJudgement(t *testing.T) {
	t.Parallel()

	down := errors.New("the server is down")
	all := []judge.Answer{answered("a", "7", "9 degrees"), answered("b", "7", "9 degrees")}
	reached := 0

	for fails := range 12 {
		m := &model{answer: func(_, _ string, n int) (string, error) {
			if n > fails {
				return "", down
			}
			return "Unsolved\n" + `{"answer_status": "Unsure", "index": 0}`, nil
		}}

		_, err := judge.Run(t.Context(), judging(m), all, judge.Options{
			Scores: judge.Scores(), Passes: 1, Workers: 1,
		})
		if err == nil {
			break
		}

		reached++

		if !errors.Is(err, down) || len(m.asked) != fails+1 {
			t.Errorf("call %d fails: %v after %d calls", fails+1, err, len(m.asked))
		}
	}

	// Two statuses, each with and without calls, two of completeness, one preference.
	if reached != 2*2+2+1 {
		t.Errorf("%d calls can fail, want 7", reached)
	}

	for _, o := range []judge.Options{{Passes: 0, Workers: 1}, {Passes: 1, Workers: 0}} {
		if _, err := judge.Run(t.Context(), judge.Rule{}, all, o); err == nil {
			t.Errorf("%d passes and %d workers are taken", o.Passes, o.Workers)
		}
	}
}
