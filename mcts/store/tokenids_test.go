package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/mcts"
	"toolevo/mcts/store"
)

// tokens is a model that tells ids: of the prompt at a place, and of two samples there.
type tokens struct {
	prompts map[string][]int
	told    map[string]mcts.TokenIDs // by path and text
}

// sampledAt are the ids of a sample of a seed at a place.
func sampledAt(path string, seed uint64) []int { return []int{len(path), int(seed), 151643} }

func (m *tokens) Propose(_ context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	all := make([]mcts.Proposal, r.N)

	for i := range all {
		seed := r.Seed + uint64(i)
		t := mcts.TokenIDs{Sampled: sampledAt(r.Node.Path, seed), LogProbs: []float64{-0.5, -1, -2}, Whole: seed%5 != 0}
		all[i] = mcts.Proposal{Text: fmt.Sprint(seed), Sampled: t.PackSampled()}

		if t.Prompt = m.prompts[r.Node.Path]; t.Prompt != nil {
			all[i].PromptIDs = mcts.PackIDs(t.Prompt)
		}

		m.told[r.Node.Path+" "+all[i].Text] = t
	}
	return all, nil
}

// A long prompt that all prompts of a tree begin with.
var manyIDs = func() (ids []int) {
	for i := range 2000 {
		ids = append(ids, 100_000+i*37%50_000)
	}
	return ids
}()

func newTokens() *tokens {
	after := func(path string, seed uint64, more ...int) []int {
		return slices.Concat(manyIDs, sampledAt(path, seed), more)
	}
	return &tokens{told: map[string]mcts.TokenIDs{}, prompts: map[string][]int{
		"0":     manyIDs,
		"0.0":   after("0", 2, 7, 8),                  // the first sample and an observation
		"0.1":   append(slices.Clone(manyIDs), 9),     // a template that writes the turn in other tokens
		"0.1.0": append([]int{1}, after("0.1", 3)...), // nothing is the same
		"0.0.0": slices.Concat(after("0", 2, 7, 8), sampledAt("0.0", 4), []int{9}),
		"0.2":   {5},
	}}
}

// The log has the ids of each prompt and sample as they were told, whoever reads it, and a run that
// is resumed goes on with the differences.
func TestTokenIDs(t *testing.T) {
	ctx, s, m := context.Background(), open(t), newTokens()

	first := policy(t, s, m)
	ask := func(p *store.Policy, r mcts.Request) {
		t.Helper()

		if _, err := p.Propose(ctx, r); err != nil {
			t.Fatal(err)
		}
	}

	ask(first, request("0", 1))
	ask(first, request("0.0", 3))

	resumed := policy(t, s, m)
	ask(resumed, request("0", 1)) // of the log

	for i, path := range []string{"0.1", "0.0.0", "0.1.0", "0.2", "0.3"} {
		ask(resumed, request(path, uint64(2+i)))
	}

	more := request("0.0", 5) // samples that are drawn later
	more.First = 2
	ask(resumed, more)

	for name, p := range map[string]*store.Policy{"the one that asked": resumed, "another": policy(t, s, nil)} {
		for key, want := range m.told {
			path, text, _ := strings.Cut(key, " ")

			got, ok, err := p.TokenIDs(ctx, path, text)
			if err != nil {
				t.Fatal(err)
			}

			if known := want.Whole && want.Prompt != nil; ok != known {
				t.Errorf("%s: the ids of %s are known: %v", name, key, ok)
			} else if d := cmp.Diff(want, got); ok && d != "" {
				t.Errorf("%s: the ids of %s, -told +got:\n%s", name, key, d)
			}
		}

		if _, ok, err := p.TokenIDs(ctx, "0", "unsaid"); ok || err != nil {
			t.Errorf("%s: a text that was not sampled has ids: %v, %v", name, ok, err)
		}
	}
}

// Prompts that begin alike take the space of one, and those that a run keeps no ids of take none.
func TestTokenIDsAreSmall(t *testing.T) {
	ctx := context.Background()

	size := func(m mcts.Policy) (n int) {
		path := filepath.Join(t.TempDir(), "run.db")

		s, err := store.Open(ctx, path)
		if err != nil {
			t.Fatal(err)
		}

		p := policy(t, s, m)

		for _, path := range []string{"0", "0.0", "0.1", "0.0.0"} {
			if _, err := p.Propose(ctx, request(path, 2)); err != nil {
				t.Fatal(err)
			}
		}

		if err := s.Close(); err != nil {
			t.Fatal(err)
		}

		db, err := sql.Open("sqlite3", path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()

		if err := db.QueryRow(`SELECT sum(length(proposals)) FROM calls`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}

	with, without := size(newTokens()), size(proposer(func(r mcts.Request) []mcts.Proposal {
		return []mcts.Proposal{{Text: fmt.Sprint(r.Seed)}, {Text: fmt.Sprint(r.Seed + 1)}}
	}))

	if most := 3*len(manyIDs) + 400; with-without > most || without > 400 {
		t.Errorf("%d bytes with ids and %d without, want at most %d more", with, without, most)
	}
}
