package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/display"
	"toolevo/mcts/account"
	"toolevo/mcts/policy/simserver"
)

// spending are the arguments of a small collection on a server.
func spending(t *testing.T, url, dir string, more ...string) []string {
	return onURL(url, append([]string{
		"collect", "--data", smallData(t), "--trees", "2", "--set", "search.simulations=4", "--run-id", "spends",
		"--engine", "unsafe", "--out", dir,
	}, more...)...)
}

// What is said, kept and printed of a run is what the server counted, to the token.
func TestTokensAreTheServersOwn(t *testing.T) {
	t.Parallel()

	dir, s := filepath.Join(t.TempDir(), "run"), serve(t, simserver.Options{})
	c := document[toolevo.Collected](t, must(t, spending(t, s.URL(), dir, "--json", "--prices", "2,0.5,10")...))
	st := s.Stats()

	want := account.Usage{
		Calls: int64(st.Answered), PromptTokens: int64(st.PromptTokensTold), CachedTokens: int64(st.CachedTokensTold),
		CompletionTokens: int64(st.CompletionTokens),
	}
	want.Cost = account.Prices{Prompt: 2, Cached: 0.5, Completion: 10}.Of(want)

	passes, err := account.Read(dir)
	if err != nil {
		t.Fatal(err)
	}

	listed := document[runList](t, must(t, "runs", dir, "--json")).Runs[0]

	for name, got := range map[string]account.Usage{
		"the result": c.Spent.Usage, "the run": account.Sum(passes).Usage, "the list of runs": listed.Spent.Usage,
	} {
		if off := got.Cost - want.Cost; off > 1e-9 || off < -1e-9 || got.Tokens() == 0 {
			t.Errorf("%s: cost %v, want %v", name, got.Cost, want.Cost)
		}

		if got.Cost = want.Cost; got != want {
			t.Errorf("%s has %+v, the server counted %+v", name, got, want)
		}
	}

	says(t, "runs", must(t, "runs", dir, "--wide"), "openai:sim", "p_s_in", "efficient",
		" "+display.Count(float64(want.Tokens()))+" ", " "+account.Money(want.Cost)+" ",
		fmt.Sprintf(" %d accepted", c.Accepted))
}

// A run that a limit of tokens stops ends with what it has, and comes to the rows of one that
// nothing stops.
func TestStoppedByTokens(t *testing.T) {
	t.Parallel()

	folder := t.TempDir()
	s := serve(t, simserver.Options{})
	whole := filepath.Join(folder, "whole")
	total := document[toolevo.Collected](t, must(t, spending(t, s.URL(), whole, "--json")...)).Spent

	dir := filepath.Join(folder, "stopped")
	half := strconv.FormatInt(total.Tokens()/2, 10)
	r := cli(t, spending(t, s.URL(), dir, "--max-total-tokens", half, "--stop-after", "8h")...)
	says(t, "collect --max-total-tokens", r.err, "--max-total-tokens "+half+" is reached", "everything so far is kept",
		"collect --resume --out "+dir, "--stop-after 8h")

	if _, resume, _ := strings.Cut(r.err, "Continue with:"); r.code != exitInterrupted ||
		strings.Contains(resume, "max-total-tokens") {
		t.Errorf("exit %d\n%s", r.code, r.err)
	}

	again := cli(t, spending(t, s.URL(), dir, "--resume", "--max-total-tokens", half)...)
	says(t, "collect --resume, nothing left to spend", again.err, "--max-total-tokens "+half+" is reached")

	if again.code != exitInterrupted {
		t.Errorf("exit %d", again.code)
	}

	// With other prices it is the same run.
	resumed := document[toolevo.Collected](t, must(t,
		spending(t, s.URL(), dir, "--resume", "--json", "--prices", "1,2")...))
	if resumed.Replayed == 0 || resumed.Spent.Cost == 0 || resumed.Spent.Unpriced > 0 {
		t.Errorf("%+v", resumed)
	}

	if !bytes.Equal(read(t, filepath.Join(whole, rowsFile)), read(t, filepath.Join(dir, rowsFile))) {
		t.Error("the rows differ from those of a run that nothing stopped")
	}
}

// A limit of cost is exceeded by less than one call for each slot, of a collection as of an
// evaluation.
func TestMaxCostIsKept(t *testing.T) {
	t.Parallel()

	const slots, prompt, completion = 4, 2.0, 10.0
	prices := fmt.Sprintf("%v,%v", prompt, completion)

	for _, command := range []string{"collect", "eval"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()

			folder, s := t.TempDir(), serve(t, simserver.Options{})
			args := onServer(s, command, "--data", smallData(t), "--engine", "unsafe", "--prices", prices, "--parallel",
				fmt.Sprint(slots), "--json", "--set", "server.window=32768")
			must(t, append(args, "--out", filepath.Join(folder, "whole"))...)

			passes, err := account.Read(filepath.Join(folder, "whole"))
			if err != nil {
				t.Fatal(err)
			}

			whole := account.Sum(passes)
			// No call costs as much: the window's prompt, and two completions of the longest kind.
			dearest := (32768*prompt + 2*512*completion) / 1e6
			limit := whole.Cost / 3

			r := cli(t, append(args, "--out", filepath.Join(folder, "run"), "--max-cost", fmt.Sprint(limit))...)
			says(t, command+" --max-cost", r.err, "--max-cost "+fmt.Sprint(limit)+" is reached", "--resume --out")

			passes, err = account.Read(filepath.Join(folder, "run"))
			if err != nil || r.code != exitInterrupted {
				t.Fatalf("exit %d, %v\n%s", r.code, err, r.err)
			}

			if cost := account.Sum(passes).Cost; cost < limit || cost >= limit+slots*dearest {
				t.Errorf("cost %v of %v, where a call costs less than %v", cost, limit, dearest)
			}
		})
	}
}

// --max-trajectories ends a collection that has as many as training shall get.
func TestMaxTrajectories(t *testing.T) {
	t.Parallel()

	dir := filepath.Join(t.TempDir(), "run")
	args := []string{"collect", "--data", smallData(t), "--limit", "3", "--trees", "2", "--out", dir}
	r := cli(t, append(args, "--max-trajectories", "4")...)
	says(t, "collect --max-trajectories", r.err, "--max-trajectories 4 is reached", "Continue with:")

	if c := document[toolevo.Collected](t, must(t, append(args, "--resume", "--json")...)); r.code != exitInterrupted ||
		c.Accepted < 4 || c.Replayed+c.TreesLoaded == 0 {
		t.Errorf("exit %d, %+v", r.code, c)
	}
}

// Limits that nobody can keep are refused, and nothing is begun.
func TestLimitsThatCannotBeKept(t *testing.T) {
	t.Parallel()

	s, dir := serve(t, simserver.Options{}), filepath.Join(t.TempDir(), "run")
	fails(t, exitUsage, []string{"--max-cost", "add --prices"}, spending(t, s.URL(), dir, "--max-cost", "1")...)
	fails(t, exitUsage, []string{"asks none", "--stop-after"}, "collect", "--data", smallData(t), "--out", dir,
		"--max-total-tokens", "5")
	fails(t, exitUsage, []string{"--stop-at", "07:00"}, spending(t, s.URL(), dir, "--stop-at", "7")...)
	fails(t, exitUsage, []string{"server.prices", "flag --prices", "0.5,0.05,1.5"},
		spending(t, s.URL(), dir, "--prices", "1,2,3,4")...)
	fails(t, exitUsage, []string{"add --prices"}, "improve", "--max-cost", "1", "--out", dir, improvementFile(t))

	fails(t, exitUsage, []string{"reports no tokens", "--max-total-tokens", "--stop-after"},
		spending(t, withoutUsage(t, s), dir, "--max-total-tokens", "99")...)

	if _, err := os.Stat(dir); err == nil {
		t.Errorf("%s was begun", dir)
	}

	r := cli(t, spending(t, withoutUsage(t, s), dir)...)
	says(t, "collect on a server without usage", r.err, "tokens unknown for ", "whose server reports none")
}

// withoutUsage serves what a server answers without the tokens that it counts.
func withoutUsage(t *testing.T, s *simserver.Server) (url_ string) {
	t.Helper()

	to, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}

	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ModifyResponse = func(r *http.Response) error {
		text, err := io.ReadAll(r.Body)
		text = bytes.ReplaceAll(text, []byte(`"usage"`), []byte(`"unused"`))
		r.Body = io.NopCloser(bytes.NewReader(text))
		r.Header.Set("Content-Length", fmt.Sprint(len(text)))
		return err
	}

	p := httptest.NewServer(proxy)
	t.Cleanup(p.Close)
	return p.URL
}

// improvementFile is one that is never begun.
func improvementFile(t *testing.T) string {
	t.Helper()

	path := filepath.Join(t.TempDir(), "rounds.yaml")
	if err := os.WriteFile(path, []byte(strings.TrimSpace(improveExample())), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// --then runs however a command ends, with what it came to, and changes nothing.
func TestThen(t *testing.T) {
	t.Parallel()

	data, folder := smallData(t), t.TempDir()
	kept := filepath.Join(folder, "summary.json")
	args := []string{"collect", "--data", data, "--limit", "1", "--trees", "1", "--then", "cat > " + kept + "; exit 7"}

	for _, test := range []struct {
		end  string
		exit int
		more []string
	}{
		{"finished", exitDone, []string{"--out", filepath.Join(folder, "run")}},
		{"interrupted", exitInterrupted, []string{"--out", filepath.Join(folder, "other"), "--stop-after", "1ns"}},
		{"failed", exitUsage, []string{"--out", filepath.Join(folder, "run")}},
	} {
		r := cli(t, append(args, test.more...)...)
		says(t, "collect --then", r.err, "--then cat > "+kept, "exit status 7")

		var s struct {
			summary
			Result *toolevo.Collected `json:"result"`
		}
		if err := json.Unmarshal(read(t, kept), &s); err != nil {
			t.Fatal(err)
		}

		if r.code != test.exit || s.Exit != test.exit || s.End != test.end || s.Command != "toolevo collect" ||
			(s.Error == "") != (test.exit == exitDone) || (s.Result != nil) != (test.exit == exitDone) {
			t.Errorf("exit %d, want %d: %+v", r.code, test.exit, s)
		}
	}
}
