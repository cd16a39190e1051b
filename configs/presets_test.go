package configs_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/envtest"
	"toolevo/mcts"
)

var update = flag.Bool("update", false, "write the golden files anew")

func preset(t *testing.T, name string) mcts.Config {
	t.Helper()

	c, err := configs.Load(configs.SettingLayer("test", "preset", name))
	if err != nil {
		t.Fatal(err)
	}
	return c.Search.Config
}

// arms is one decision, between A and B. Both pay, on the twentieth step.
type arms struct{}

type pulled struct{ history envs.History }

func (p pulled) History() envs.History { return p.history }

func (p pulled) Status() envs.Status {
	if p.history.Len() == 20 {
		return envs.Terminated
	}
	return envs.Running
}

func (arms) Reset(_ context.Context, t envs.Task) (envs.State, error) {
	return pulled{envs.NewHistory(t)}, nil
}

func (arms) Step(_ context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	call := envs.Call{Name: string(a), Tool: string(a)}
	turn := envs.Turn{Action: a, Call: call, Outcome: envs.OK, Observation: "Go on."}

	if s.History().Len() < 19 {
		return envs.Transition{State: pulled{s.History().Append(turn)}, Turn: turn}, nil
	}

	turn.Outcome, turn.Observation = envs.Correct, "It pays."
	return envs.Transition{State: pulled{s.History().Append(turn)}, Turn: turn, Reward: 1,
		Grade: envs.Grade{Answer: turn.Call.Name, Official: true, Strict: true}}, nil
}

// puller proposes both arms at the root and "on" below it, whatever the seed.
type puller struct{}

func (puller) Propose(_ context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	texts, priors := []string{"on"}, []float64{1}
	if r.History.Len() == 0 {
		texts, priors = []string{"A", "B"}, []float64{0.7, 0.3}
	}

	ps := make([]mcts.Proposal, r.N)
	for i := range ps {
		ps[i] = mcts.Proposal{Text: texts[i%len(texts)], LogProb: math.Log(priors[i%len(priors)]), Scored: true}
	}
	return ps, nil
}

func pull(t *testing.T, c mcts.Config, simulations int, seed uint64) *mcts.Tree {
	t.Helper()

	c.Simulations, c.MaxDepth = simulations, 30

	tree, err := (&mcts.Search{Env: arms{}, Policy: puller{}, Config: c, Seed: seed}).Grow(context.Background(),
		envs.Task{ID: "arms", Question: "Which arm pays: A or B?"}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}

	if err := tree.Check(c); err != nil {
		t.Fatal(err)
	}
	return tree
}

// Two arms that both pay, priors 0.7 and 0.3, c = 1.25, so once an arm is visited its value is
// 1 + 1.25 P sqrt(N)/(1+n), and before that 1.25 P sqrt(N).
//
// reference rolls out both arms in the first simulation. From then on both have Q = 1 and the
// larger P/(1+n) wins:
//
//	after  A B   0.7/(1+A)  0.3/(1+B)  next
//	1      1 1   0.35       0.15       A
//	2      2 1   0.233      0.15       A
//	3      3 1   0.175      0.15       A
//	4      4 1   0.14       0.15       B
//	5      4 2   0.14       0.1        A
//	6      5 2   0.117      0.1        A
//	7      6 2
func TestReferenceVisitsByHand(t *testing.T) {
	for n, want := range map[int][3]int{1: {2, 1, 1}, 2: {3, 2, 1}, 4: {5, 4, 1}, 5: {6, 4, 2}, 7: {8, 6, 2}} {
		tree := pull(t, preset(t, "reference"), n, 1)

		a, b := tree.Root.Children[0], tree.Root.Children[1]
		if got := [3]int{tree.Root.Visits, a.Visits, b.Visits}; got != want {
			t.Errorf("after %d simulations: root, A, B have %v visits, want %v", n, got, want)
		}
	}
}

// paper rolls out one arm, at random, in the first simulation.
//
// A first: B stays at Q = 0 and is worth 0.375 sqrt(N) until it is tried. At N = 10 that is 1.186
// against A's 1 + 0.875 sqrt(10)/11 = 1.252, at N = 11 it is 1.2437 against 1 + 0.875 sqrt(11)/12 =
// 1.2418: simulation 12 tries B.
//
// B first: at N = 1 B is worth 1 + 0.375/2 = 1.188, A 0.875; at N = 2 B 1.177, A 0.875 sqrt(2) =
// 1.237: simulation 3 tries A, which is then ahead until N = 8.
func TestPaperVisitsByHand(t *testing.T) {
	aFirst := map[int][2]int{1: {1, 0}, 5: {5, 0}, 11: {11, 0}, 12: {11, 1}}
	bFirst := map[int][2]int{1: {0, 1}, 2: {0, 2}, 3: {1, 2}, 5: {3, 2}, 8: {6, 2}}
	seen := map[string]bool{}

	for seed := range uint64(12) {
		want, name := aFirst, "A"
		if pull(t, preset(t, "paper"), 1, seed).Root.Children[1].Visits == 1 {
			want, name = bFirst, "B"
		}

		seen[name] = true

		for n, visits := range want {
			tree := pull(t, preset(t, "paper"), n, seed)
			if got := [2]int{tree.Root.Children[0].Visits, tree.Root.Children[1].Visits}; got != visits ||
				tree.Root.Visits != n {
				t.Errorf("%s first, after %d simulations: A, B have %v visits of %d, want %v", name, n, got,
					tree.Root.Visits, visits)
			}
		}
	}

	if len(seen) != 2 {
		t.Errorf("of 12 seeds all tried %v first", seen)
	}
}

// wanderer walks the maze by words drawn from each sample's seed.
type wanderer struct{}

func (wanderer) Propose(_ context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	words := []envs.Action{"right", "climb", "up", "stop", "left", "down", "right right", "fly"}

	ps := make([]mcts.Proposal, r.N)
	for i := range ps {
		rng := rand.New(rand.NewPCG(r.Seed+uint64(i), 1))
		n := min(rng.IntN(len(words)), rng.IntN(len(words)))
		ps[i] = mcts.Proposal{Text: string(words[n]), LogProb: -0.1 * float64(n+1), Scored: true}
	}

	return ps, nil
}

// The golden trees are small enough to follow by hand: five simulations of each preset in the maze.
func TestGoldenTrees(t *testing.T) {
	for _, name := range configs.Presets() {
		t.Run(name, func(t *testing.T) {
			c := preset(t, name)
			c.Simulations = 5
			c.Samples = min(c.Samples, 3)
			s := &mcts.Search{Env: envtest.NewMaze(), Policy: wanderer{}, Config: c, Seed: 3}

			tree, err := s.Grow(context.Background(), envtest.MazeTask, 0, nil)
			if err != nil {
				t.Fatal(err)
			}

			if err := tree.Check(c); err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			fmt.Fprintf(&got, "preset %s, %d samples, %d simulations (%d idle), %d requests\n\n", name, c.Samples,
				tree.Simulations, tree.Idle, tree.Calls)

			if err := tree.Record().WriteText(&got, "From start to goal.", mcts.TextOptions{Cached: true}); err != nil {
				t.Fatal(err)
			}

			golden(t, name+".tree", got.Bytes())
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()

	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
