package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/mcts/account"
)

// charging is a server that tells of every reply that it took 1,000 prompt tokens and 100 of
// completion: at 1 and 10 a million a call costs 0.002.
func charging(t *testing.T, server string) (url_ string) {
	t.Helper()

	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}

	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ModifyResponse = func(r *http.Response) error {
		text, err := io.ReadAll(r.Body)
		if r.StatusCode == http.StatusOK {
			text = bytes.Replace(text, []byte("{"), []byte(`{"usage":{"prompt_tokens":1000,"completion_tokens":100},`), 1)
		}

		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		r.Header.Set("Content-Length", fmt.Sprint(len(text)))
		return err
	}

	p := httptest.NewServer(proxy)
	t.Cleanup(p.Close)
	return p.URL + to.Path
}

// A command whose models judge or write stops within one call for each slot of --max-cost, says how
// to go on, and goes on to its end.
func TestMaxCostOfJudgesAndWriters(t *testing.T) {
	t.Parallel()

	const slots, call, limit = 2, 0.002, 0.005 // reached by the third call

	folder, answers := t.TempDir(), filepath.Join(t.TempDir(), "cot", "G1_x.json")
	write(t, answers, judgedAnswers(8))

	judged, _ := judgeServer(t, "9 degrees")
	writer := httptest.NewServer(&writing{})
	t.Cleanup(writer.Close)

	for name, args := range map[string][]string{
		"eval judge": {
			"eval", "judge", answers, "--by", "openai:m", "--server", charging(t, judged), "--score", "sopr",
		},
		"tasks instruct": {
			"tasks", "instruct", "--data", smallData(t), "--split", "train", "--policy", "openai:m", "--server",
			charging(t, writer.URL+"/v1"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			out := filepath.Join(folder, strings.ReplaceAll(name, " ", "-"))
			args := append(args, "--out", out, "--parallel", fmt.Sprint(slots), "--prices", "1,10",
				"--progress", "none")

			r := cli(t, append(args, "--max-cost", fmt.Sprint(limit))...)
			says(t, name, r.err, "--max-cost 0.005 is reached", "It took", "cost 0.00", "the same command goes on")

			spent := spentIn(t, out)
			if r.code != exitInterrupted || spent.Cost < limit || spent.Cost >= limit+slots*call {
				t.Errorf("exit %d, cost %v\n%s", r.code, spent.Cost, r.err)
			}

			must(t, args...)

			if all := spentIn(t, out); all.Calls <= spent.Calls || all.Cost <= spent.Cost {
				t.Errorf("%+v, after %+v", all, spent)
			}
		})
	}
}

// spentIn is what the account of a folder comes to.
func spentIn(t *testing.T, dir string) account.Total {
	t.Helper()

	passes, err := account.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return account.Sum(passes)
}

// judgedAnswers are some answers as ToolBench has them, all of them given.
func judgedAnswers(n int) string {
	final := `"{\"return_type\": \"give_answer\", \"final_answer\": \"9 degrees\"}"`
	answers := make([]string, n)

	for i := range answers {
		answers[i] = fmt.Sprintf(`"%d": {"query": "How warm is it in town %d?", "available_tools": [{"name": "Finish"}],
			"answer": {"method": "CoT@1", "total_steps": 1, "final_answer": %s, "answer_details": [{"role": "tool",
			"message": {"name": "Finish", "arguments": %s, "response": ""}, "next": []}]}}`, i, i, final, final)
	}

	return "{" + strings.Join(answers, ", ") + "}"
}

// An improvement stops in whatever stage reaches the limit, within one call for each slot. A
// completion token costs 1 here, and a call has at most 512 of each of two samples.
func TestMaxCostOfAnImprovement(t *testing.T) {
	t.Parallel()

	const limit, dearest = 50, 2 * 512

	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	file, _ := improvement(t, dir, "*-2")

	text := strings.ReplaceAll(string(read(t, file)), "limit: 1", "limit: 1, parallel: 1")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}

	r := cliWith(t, "", modulesHere(), "improve", file, "--out", out, "--prices", "0,1000000", "--max-cost",
		fmt.Sprint(limit))
	says(t, "improve --max-cost", r.err, "1/evaluate-simulated …", "--max-cost 50 is reached", "It took",
		"the same command goes on")

	spent := spentIn(t, out)
	if r.code != exitInterrupted || spent.Cost < limit || spent.Cost >= limit+dearest {
		t.Errorf("exit %d, %+v\n%s", r.code, spent, r.err)
	}

	// The stages before the one that was stopped are done, and stand below the improvement in the
	// list of runs.
	all := document[runList](t, must(t, "runs", out, "--json", "--sort", "run")).Runs
	if len(all) < 3 || all[0].Kind != "improve" || all[0].State != "interrupted" || all[0].Spent.Cost != spent.Cost ||
		all[1].Parent != out {
		t.Errorf("%+v", all)
	}
}
