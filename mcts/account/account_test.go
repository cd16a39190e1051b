package account

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParsePrices(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]*Prices{
		"":           nil,
		"2, 10":      {2, 2, 10},
		"2,0.5,10":   {2, 0.5, 10},
		"2":          nil,
		"1,2,3,4":    nil,
		"1,-2":       nil,
		"1,NaN":      nil,
		"1,cheap":    nil,
		"1e400,1":    nil,
		"0,0,0":      {},
		"0.15,0,0.6": {0.15, 0, 0.6},
	} {
		var list []string
		if text != "" {
			list = strings.Split(text, ",")
		}

		got, err := ParsePrices(list)
		if diff := cmp.Diff(want, got.Others); diff != "" || (err == nil) != (want != nil || text == "") {
			t.Errorf("%q: %v %s", text, err, diff)
		}
	}
}

// 1,000 prompt tokens at 2, of which 400 at 0.5, and 100 completion tokens at 10:
// (600 × 2 + 400 × 0.5 + 100 × 10) / 1e6 = 0.0024.
func TestCost(t *testing.T) {
	t.Parallel()

	a := New("v1").Open(PriceList{Others: &Prices{2, 0.5, 10}})
	a.Add(1000, 400, 100)
	a.Add(0, 0, 0) // of a server that tells nothing

	want := Usage{Calls: 2, PromptTokens: 1000, CachedTokens: 400, CompletionTokens: 100, Untold: 1, Cost: 0.0024}
	if diff := cmp.Diff(want, a.Total().Usage); diff != "" {
		t.Error(diff)
	}

	if diff := cmp.Diff(want, a.parent.Total().Usage); diff != "" {
		t.Error("the command's", diff)
	}

	var none *Account
	none.Add(1, 0, 1)
	none.Accept(1)

	if none.Reached() != nil || none.Why() != "interrupted" {
		t.Error("no account has a limit")
	}
}

// A judge costs something else than the policy: 1,000 and 100 tokens of each at 1 and 2, and at 10
// and 20, are 0.0012 and 0.012. What was not priced before is charged by who took it; a model that
// nobody knows the price of costs nothing, and is counted.
func TestPricesOfModels(t *testing.T) {
	t.Parallel()

	prices, err := ParsePrices(strings.Split("1,2,openai:judge=10,20,small=0.1,0.05,0.2", ","))
	if err != nil {
		t.Fatal(err)
	}

	for model, want := range map[string]*Prices{
		"openai:policy": {1, 1, 2}, "openai:judge": {10, 10, 20},
		"ollama:judge": {1, 1, 2}, "ollama:small": {0.1, 0.05, 0.2},
	} {
		if diff := cmp.Diff(want, prices.Of(model)); diff != "" {
			t.Error(model, diff)
		}
	}

	run := New("v1").Open(PriceList{})
	run.Of("openai:policy").Add(1000, 0, 100)
	run.Of("openai:judge").Add(1000, 0, 100)

	if u := run.Total(); u.Cost != 0 || u.Unpriced != 2 {
		t.Errorf("%+v", u)
	}

	command := New("v1")
	again := command.Open(prices)
	again.Resume(run.Passes())
	again.Of("openai:judge").Add(1000, 0, 100)

	for name, a := range map[string]*Account{"run": again, "command": command} {
		if u := a.Total(); math.Abs(u.Cost-(0.0012+2*0.012)) > 1e-12 || u.Unpriced != 0 || u.Calls != 3 {
			t.Errorf("%s: %+v", name, u)
		}
	}

	// Where prices are missing for what was charged in part, that stays.
	partly := Pass{Usage: Usage{Calls: 2, Cost: 3, Unpriced: 1}, Models: map[string]Usage{
		"openai:a": {Calls: 2, Cost: 3, Unpriced: 1},
	}}
	other := New("v1").Open(PriceList{Models: map[string]Prices{"b": {1, 1, 1}}})
	other.Resume([]Pass{partly})

	if u := other.Total(); u.Cost != 3 || u.Unpriced != 1 {
		t.Errorf("charged in part: %+v", u)
	}

	only := New("v1").Open(PriceList{Models: map[string]Prices{"judge": {1, 1, 1}}})
	only.Of("openai:policy").Add(5, 0, 5)

	if u := only.Total(); u.Unpriced != 1 {
		t.Errorf("%+v", u)
	}

	for _, list := range []string{"judge=1", "1,judge=1,2", "1,2,judge=x,2", "1,2,judge=", "=1,2,3,4"} {
		if _, err := ParsePrices(strings.Split(list, ",")); err == nil {
			t.Errorf("%s is taken", list)
		}
	}
}

// begun is an account with limits, and the context of its work.
func begun(t *testing.T, s Stops) (*Account, context.Context) {
	t.Helper()

	a := New("v1")

	ctx, end, err := a.Begin(t.Context(), s, func(error) {})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(end)
	return a, ctx
}

// A limit ends the work with the call that reaches it, and not before. What earlier passes took
// counts.
func TestLimits(t *testing.T) {
	t.Parallel()

	prices := &Prices{1, 1, 2} // a call below costs (100 + 2 × 50) / 1e6 = 0.0002, and has 150 tokens

	for name, test := range map[string]struct {
		stops  Stops
		before int // calls of an earlier pass
		prices *Prices
		prompt int // tokens
		calls  int // after which it stops
		option string
		unkept bool
	}{
		"tokens":              {Stops{Tokens: 450}, 0, nil, 100, 3, "max-total-tokens", false},
		"tokens, resumed":     {Stops{Tokens: 450}, 2, nil, 100, 1, "max-total-tokens", false},
		"cost":                {Stops{Cost: 0.00059}, 0, prices, 100, 3, "max-cost", false},
		"cost, resumed":       {Stops{Cost: 0.00059}, 2, prices, 100, 1, "max-cost", false},
		"cost without prices": {Stops{Cost: 9}, 0, nil, 100, 1, "max-cost", true},
		"tokens untold":       {Stops{Tokens: 9}, 0, nil, 0, 1, "max-total-tokens", true},
		"cost untold":         {Stops{Cost: 9}, 0, prices, 0, 1, "max-cost", true},
		"both":                {Stops{Tokens: 1000, Cost: 0.0004}, 0, prices, 100, 2, "max-cost", false},
	} {
		t.Run(name, func(t *testing.T) {
			command, ctx := begun(t, test.stops)
			run := command.Open(PriceList{Others: test.prices})

			if test.before > 0 { // its prices were not known then
				n := int64(test.before)
				run.Resume([]Pass{{Usage: Usage{
					Calls: n, PromptTokens: 100 * n, CompletionTokens: 50 * n, Unpriced: n,
				}}})
			}

			calls := 0
			for ; ctx.Err() == nil && calls < 10; calls++ {
				run.Add(test.prompt, 0, test.prompt/2)
			}

			l := run.Reached()
			if l == nil || calls != test.calls || l.Option != test.option || l.Unkept != test.unkept {
				t.Errorf("%d calls, %+v, want %d", calls, l, test.calls)
			}
		})
	}
}

// Trajectories are those of all runs of a command, each counted once though a run that goes on
// finds them again.
func TestMaxTrajectories(t *testing.T) {
	t.Parallel()

	command, ctx := begun(t, Stops{Trajectories: 10})
	first, second := command.Open(PriceList{}), command.Open(PriceList{})

	second.Resume([]Pass{{Accepted: 4}})
	first.Accept(5)
	second.Accept(2) // of those that it had
	second.Accept(4)

	if ctx.Err() != nil {
		t.Fatal("5 and 4 are not 10")
	}

	if second.Accept(5); command.Reached() == nil || ctx.Err() == nil {
		t.Error("5 and 5 are 10")
	}
}

// The prices of a run need not be its own, but somebody has to know them.
func TestReady(t *testing.T) {
	t.Parallel()

	command, _ := begun(t, Stops{Cost: 5})
	if err := command.Open(PriceList{}).Ready(); err == nil {
		t.Error("nobody knows what calls cost")
	}

	command.Price(PriceList{Others: &Prices{1, 1, 1}})

	if err := command.Open(PriceList{}).Ready(); err != nil {
		t.Error(err)
	}

	if !command.Open(PriceList{}).Counts() || New("").Counts() {
		t.Error("which limits are there?")
	}
}

// Work ends after a time, and at the next time of day of the machine's clock.
func TestTime(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		stops  Stops
		want   time.Duration
		option string
	}{
		"after":          {Stops{After: 8 * time.Hour}, 8 * time.Hour, "stop-after"},
		"at, today":      {Stops{At: "07:30"}, 7*time.Hour + 30*time.Minute, "stop-at"},
		"at, tomorrow":   {Stops{At: "00:00"}, 24 * time.Hour, "stop-at"},
		"at comes first": {Stops{At: "07:00", After: 8 * time.Hour}, 7 * time.Hour, "stop-at"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // its clock begins at midnight UTC
				<-time.After(time.Until(time.Date(2000, 1, 2, 0, 0, 0, 0, time.Local)) % (24 * time.Hour))

				began := time.Now()
				a, ctx := begun(t, test.stops)
				<-ctx.Done()

				if took := time.Since(began); took != test.want || a.Reached().Option != test.option {
					t.Errorf("%v by %v, want %v", took, a.Reached(), test.want)
				}
			})
		})
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()

	for _, s := range []Stops{{After: -1}, {At: "25:00"}, {At: "7"}, {Tokens: -1}, {Cost: -1}, {Trajectories: -1}} {
		var l *Limit
		if err := s.Check(); !errors.As(err, &l) || !strings.Contains(err.Error(), "want ") {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// What was kept is read back, whatever else the file has, and the passes of a run add up.
func TestRead(t *testing.T) {
	t.Parallel()

	dir, start := t.TempDir(), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	passes := []Pass{
		{Started: start, Ended: start.Add(90 * time.Second), Usage: Usage{Calls: 2, PromptTokens: 30, Unpriced: 2}},
		{
			Started: start, Ended: start.Add(10 * time.Second), Prices: &Prices{1, 1, 2}, Accepted: 4,
			Usage: Usage{Calls: 3, PromptTokens: 50, CompletionTokens: 5, Cost: 0.00006},
		},
	}

	text, err := json.Marshal(passes)
	if err != nil {
		t.Fatal(err)
	}

	text = []byte(strings.ReplaceAll(string(text), `"software"`, `"policies":{"a":1},"software"`))
	if err := os.WriteFile(filepath.Join(dir, File), text, 0o644); err != nil {
		t.Fatal(err)
	}

	got, err := Read(dir)
	if diff := cmp.Diff(passes, got); diff != "" || err != nil {
		t.Error(err, diff)
	}

	total := Sum(got)
	want := Total{Usage{Calls: 5, PromptTokens: 80, CompletionTokens: 5, Cost: 0.00006, Unpriced: 2}, 100}

	if diff := cmp.Diff(want, total); diff != "" {
		t.Error(diff)
	}

	const words = "2m: 5 calls, 80 prompt tokens, 5 completion tokens, cost 6e-05, 2 calls without a price"
	if total.String() != words {
		t.Errorf("%s", total)
	}
}
