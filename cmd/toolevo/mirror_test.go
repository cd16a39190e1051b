package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	toolbenchsuite "toolevo/cmd/internal/suites/toolbench"
	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench"
	apicalls "toolevo/envs/toolbench/recorded"
	"toolevo/finetune/fidelity"
)

// calls writes recorded calls of the invented APIs, and returns the file.
func calls(t *testing.T) string {
	t.Helper()

	var text []byte

	for _, split := range suite.Splits() {
		kept, err := toolbench.Open(smallData(t), split)
		if err != nil {
			continue
		}

		for _, d := range kept.Documents {
			for i := range 30 {
				c := apicalls.Call{Key: d.Key, Input: envs.Args{{Name: "n", Value: envs.Number(fmt.Sprint(i))}}}
				if c.Answer.Response = fmt.Sprintf("thing %d", i); i%10 == 9 {
					c.Answer = toolbench.Answer{Error: "missing parameter", Response: ""}
				}

				text = append(text, recordedLine(c)...)
			}
		}
	}

	path := filepath.Join(t.TempDir(), "calls.jsonl")
	write(t, path, string(text))
	return path
}

// recordedLine is a call as a line of a file of recorded calls.
func recordedLine(c apicalls.Call) string {
	return pytext.JSON(envs.Object("category", c.Category, "tool_name", c.Tool, "api_name", c.API,
		"tool_input", c.Input, "error", c.Answer.Error, "response", c.Answer.Response)) + "\n"
}

// writing is a server of models that write texts, and of embeddings.
type writing struct {
	asked   atomic.Int64
	queries atomic.Int64
	first   atomic.Value // the first message that it was sent last
	down    atomic.Bool
}

func (s *writing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Model    string
		Messages []struct{ Content string }
		Input    []string
	}

	if r.Method == http.MethodGet {
		http.NotFound(w, r)
		return
	}

	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || s.down.Load() {
		http.Error(w, `{"error":{"message":"no"}}`, http.StatusBadRequest)
		return
	}

	s.asked.Add(1)

	if strings.HasSuffix(r.URL.Path, "/embeddings") {
		data := make([]map[string]any, len(asked.Input))
		for i, text := range asked.Input {
			data[i] = map[string]any{"index": i, "embedding": []float64{1, float64(len(text))}}
		}

		json.NewEncoder(w).Encode(map[string]any{"data": data})
		return
	}

	system, text := asked.Messages[0].Content, ""
	s.first.Store(system)

	switch {
	case strings.Contains(system, "You review answers"):
		text = `{"reason": "so", "overall_eval": 1}`
	case strings.Contains(system, "You invent calls"):
		text = `{"request": {"n": 7000}, "error": "bad parameter n", "response": ""}`
	case strings.Contains(system, "You explain how"):
		text = "It counts."
	case strings.Contains(system, "is complete"):
		text = "Solved\nso"
	case strings.Contains(system, "You judge"):
		text = "Close. Rating: [[8]]"
	case strings.Contains(system, "You imagine"):
		text = "You are at sea."
	case strings.Contains(system, "You write calls of web APIs, to find"):
		text = requiredBy(asked.Messages[1].Content)
	case strings.Contains(system, "You check whether web APIs"):
		text = fmt.Sprintf(`{"reason": "so", "all_working": %t}`,
			!strings.Contains(asked.Messages[1].Content, "unsubscribe"))
	case strings.Contains(system, "You write calls"):
		text = `{"tool_input": {}}`
	case strings.Contains(system, "You write what users ask"):
		text = queryFor(asked.Messages[1].Content, s.queries.Add(1))
	case strings.Contains(system, "You write requests to an assistant"):
		text = instructionFor(asked.Messages[1].Content)
	case strings.Contains(system, "You review requests to an assistant"):
		if text = "OK"; strings.Contains(asked.Messages[1].Content, "make_outbound_call") {
			text = "IMPOSSIBLE"
		}
	case strings.Contains(system, "You decide"):
		text = `{"reason": "so", "task_status": "Solvable"}`
		if strings.HasPrefix(asked.Model, "strict") &&
			strings.Contains(asked.Messages[1].Content, "number 2") {
			text = `{"reason": "it lacks a city", "task_status": "Unsolvable"}`
		}
	default:
		text = `{"error": "", "response": "thing 1"}`
	}

	json.NewEncoder(w).Encode(map[string]any{"object": "chat.completion", "model": asked.Model, "choices": []any{
		map[string]any{"index": 0, "message": map[string]any{"role": "assistant", "content": text},
			"finish_reason": "stop"},
	}})
}

// requiredBy writes the call that a document requires, with Bern for everything.
func requiredBy(request string) string {
	_, after, _ := strings.Cut(request, `"required_parameters"`)
	required, _, _ := strings.Cut(after, `"optional_parameters"`)
	input := map[string]string{}

	for _, name := range regexp.MustCompile(`"name": "([^"]*)"`).FindAllStringSubmatch(required, -1) {
		input[name[1]] = "Bern"
	}

	text, _ := json.Marshal(map[string]any{"tool_input": input})
	return string(text)
}

// queryFor writes a query for all APIs of a list.
func queryFor(list string, n int64) string {
	var offered []struct {
		Tool string `json:"tool_name"`
		API  string `json:"api_name"`
	}

	if err := json.Unmarshal([]byte(list), &offered); err != nil {
		return err.Error()
	}

	var related [][]string
	for _, o := range offered {
		related = append(related, []string{o.Tool, o.API})
	}

	query := fmt.Sprintf("What now, of number %d?", n)
	text, _ := json.Marshal(map[string]any{"query": query, "related_apis": related})
	return string(text)
}

// Recorded calls become a folder that trains a simulator, whose answers are measured by its test
// sets. What models wrote is not asked for again, and a server that fails leaves no half of a
// folder.
func TestMirror(t *testing.T) {
	t.Parallel()

	s := &writing{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)

	file, data, out := calls(t), smallData(t), filepath.Join(t.TempDir(), "mirror")
	mirror := func(args ...string) []string {
		return append([]string{"mirror", "data", file, "--data", data, "--server", server.URL + "/v1", "--progress",
			"none", "--out", out}, args...)
	}
	asking := mirror("--check", "openai:m", "--augment", "openai:m", "--pairs", "2", "--explain", "openai:m",
		"--explanations", "5", "--explained-failures", "1", "--json")

	s.down.Store(true)
	fails(t, exitGaveUp, []string{"write a text"}, asking...)
	s.down.Store(false)

	first := must(t, asking...)
	asked := s.asked.Load()

	datasets := map[string]int{}
	for _, d := range document[toolbenchsuite.Mirrored](t, first).Datasets {
		datasets[d.Name] = d.Samples
	}

	for name, least := range map[string]int{
		"train_sft": 1, "train_cot": 6, "train_augment": 1, "test_ood_success": 1, "test_id_high": 1,
	} {
		if datasets[name] < least {
			t.Errorf("%s has %d samples, want at least %d: %v", name, datasets[name], least, datasets)
		}
	}

	if again := must(t, asking...); again != first || s.asked.Load() != asked {
		t.Errorf("the models were asked %d times more:\n%s", s.asked.Load()-asked, again)
	}

	says(t, "check", must(t, "check", out), "0 faulty, 0 problems")
	says(t, "finetune",
		must(t, "finetune", out, "--recipe", "mirrorapi-7b", "--gpus", "8", "--print", "--out", out+"-t"),
		"dataset: train_sft,train_cot,train_augment\n", "num_train_epochs: 5.0\n")
	fails(t, exitUsage, []string{"it trains exports of the format sft-trajectory"}, "finetune", out, "--recipe", "tiny",
		"--print", "--out", out+"-t")

	// The simulator always says the same, so it keeps where calls succeed, and only there.
	tests := []string{filepath.Join(out, "test_ood_success.jsonl"), filepath.Join(out, "test_ood_fail.jsonl")}
	eval := append([]string{"eval", "simulator"}, tests...)
	eval = append(eval, "--simulator", "openai:mirror", "--judge", "openai:judge", "--embedder", "embed", "--server",
		server.URL+"/v1", "--progress", "none", "--out", out+"-eval")

	report := document[fidelity.Report](t, must(t, append(eval, "--json")...))
	asked = s.asked.Load()

	for i, keeps := range []float64{1, 0} {
		row := report.Rows[i]
		if row.Keeps != keeps || row.Judge.Rating != 8 || row.Model != "openai:mirror sft" || row.Cosine == nil {
			t.Errorf("row %d is %+v with %+v", i, row, row.Judge)
		}
	}

	says(t, "eval simulator", must(t, append(eval, "--format", "markdown")...),
		"| model | OOD Succ | OOD Fail |", "| openai:mirror sft | 8.00 | 8.00 |")

	if s.asked.Load() != asked {
		t.Errorf("the models were asked %d times more", s.asked.Load()-asked)
	}

	for _, name := range []string{"report.md", "report.csv", "report.tex", "report.json"} {
		if len(read(t, filepath.Join(out+"-eval", name))) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}

func TestMirrorRefuses(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	file, out := filepath.Join(dir, "calls.jsonl"), filepath.Join(dir, "out")
	write(t, file, `{"category": "c", "tool_name": "t", "api_name": "a", "response": 1}`)
	data := []string{"--data", smallData(t)}

	for _, tt := range []struct {
		words []string
		args  []string
	}{
		{[]string{"--out: it is missing"}, []string{"mirror", "data", file}},
		{[]string{"no calls"}, []string{"mirror", "data", "--out", out}},
		{[]string{"--pairs: it is -1"}, []string{"mirror", "data", file, "--out", out, "--pairs", "-1"}},
		{[]string{"toolevo toolbench import"}, []string{"mirror", "data", file, "--out", out, "--data", dir}},
		{[]string{"--check", "writes no texts"}, append(data, "mirror", "data", file, "--out", out, "--check",
			"scripted:reader")},
		{[]string{"--tokenizer"}, append(data, "mirror", "data", file, "--out", out, "--tokenizer", file)},
		{[]string{"no such file"}, append(data, "mirror", "data", "--cache", filepath.Join(dir, "none"), "--out", out)},
		{[]string{"has no instruction"}, []string{"eval", "simulator", file}},
		{[]string{"--workers: it is 0"}, append(data, "mirror", "data", file, "--out", out, "--workers", "0")},
	} {
		args := tt.args
		if args[0] == "--data" { // behind the command
			args = append(args[2:], args[:2]...)
		}

		fails(t, exitUsage, tt.words, args...)
	}

	cases := filepath.Join(dir, "test_id_low.jsonl")
	write(t, cases, `{"instruction": "i", "output": "o"}`)
	fails(t, exitUsage, []string{"case 1", "--simulator"}, "eval", "simulator", cases)
	fails(t, exitUsage, []string{"--format", "markdown"}, "eval", "simulator", cases, "--format", "tex")
	fails(t, exitUsage, []string{"--mode", "cot"}, "eval", "simulator", cases, "--mode", "few-shot")
}

// Requests and queries are written for APIs that work, and the queries can be imported.
func TestMirrorWrites(t *testing.T) {
	t.Parallel()

	s := &writing{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)

	dir, data := t.TempDir(), smallData(t)
	about := []string{
		"--data", data, "--model", "openai:m", "--server", server.URL + "/v1", "--progress", "none", "--json",
	}

	kept, err := toolbench.Open(data, "train")
	if err != nil {
		t.Fatal(err)
	}

	// An API without required parameters works, and another one.
	var working []byte

	apis := 0

	for _, d := range kept.Documents {
		if apis < 2 && len(d.Required) == 0 || apis == 0 {
			c := apicalls.Call{Key: d.Key, Input: envs.Args{}, Answer: toolbench.Answer{Response: "fine"}}
			working = append(working, recordedLine(c)...)
			apis++
		}
	}

	file := filepath.Join(dir, "calls.jsonl")
	write(t, file, string(working))

	requests := append([]string{
		"mirror", "requests", "--each", "2", "--working", file, "--out", filepath.Join(dir, "r"),
	}, about...)

	got := document[toolbenchsuite.MirrorWritten](t, must(t, requests...))
	text := string(read(t, got.Path))

	if got.APIs != apis || got.Count == 0 || strings.Count(text, "\n") != got.Count ||
		!strings.Contains(text, `"tool_input": "{}"`) {
		t.Errorf("%+v:\n%s", got, text)
	}

	queries := append([]string{
		"mirror", "queries", "--count", "4", "--group", "G3_x", "--out", filepath.Join(dir, "q"),
	}, about...)
	got = document[toolbenchsuite.MirrorWritten](t, must(t, queries...))
	if got.Count != 4 || len(got.Groups) != 1 || got.Groups[0].Solvable != 4 ||
		got.Models[1] != "check openai:m" {
		t.Errorf("%+v", got)
	}

	// More are written beside those that there are, and nothing is asked twice.
	written, asked := string(read(t, filepath.Join(dir, "q/test_instruction/G3_x.json"))), s.asked.Load()
	must(t, append(queries, "--count", "5")...)

	more := string(read(t, filepath.Join(dir, "q/test_instruction/G3_x.json")))
	if !strings.HasPrefix(more, strings.TrimSuffix(written, "]")) || s.asked.Load() != asked+2 {
		t.Errorf("%d texts more, and from %s comes %s", s.asked.Load()-asked, written, more)
	}

	must(t, queries...)
	says(t, "import", must(t, "toolbench", "import", filepath.Join(dir, "q"), "--data",
		filepath.Join(dir, "d")), "4 queries of 1 groups")

	// Of three models most decide; what stays is the file without the others, and the reasons stand
	// beside it.
	checked := filepath.Join(dir, "c")
	check := []string{
		"mirror", "queries", filepath.Join(dir, "q"), "--check", "openai:m", "--check",
		"openai:strict", "--check", "openai:stricter", "--out", checked, "--server",
		server.URL + "/v1", "--progress", "none",
	}

	says(t, "check", must(t, check...), "GROUP  QUERIES  SOLVABLE  UNSOLVABLE",
		"G3_x        4         3           1")
	says(t, "verdicts", string(read(t, filepath.Join(checked, "verdicts.jsonl"))),
		`"reason":"it lacks a city"`)
	says(t, "import", must(t, "toolbench", "import", checked, "--data", filepath.Join(dir, "d2")),
		"3 queries of 1 groups")

	prompts := filepath.Join(dir, "prompts")
	write(t, filepath.Join(prompts, "solvable.txt"), "You imagine {task}.")
	says(t, "other prompts", must(t, append(check, "--prompts", prompts)...),
		"G3_x        4         0           0       0     4")
	fails(t, exitUsage, []string{"--prompts", "solvable"}, append(check, "--prompts", dir)...)
	fails(t, exitUsage, []string{"--check: it is missing"}, "mirror", "queries",
		filepath.Join(dir, "q"), "--out", dir)

	fails(t, exitUsage, []string{"--model: it is missing"}, "mirror", "requests", "--out", dir)
	fails(t, exitUsage, []string{"--out: it is missing"}, "mirror", "queries", "--model", "openai:m")
	fails(t, exitUsage, []string{"--group"}, "mirror", "queries", "--model", "openai:m", "--out", dir, "--group",
		"a/b")
	write(t, file, "")
	fails(t, exitUsage, []string{"--working", "succeeded"}, requests...)
}

// A call of each API is sent to a server, once, and its answers say for which APIs queries are
// written. A server that is not there is no API that does not work.
func TestMirrorWorking(t *testing.T) {
	t.Parallel()

	model := httptest.NewServer(&writing{})
	t.Cleanup(model.Close)

	var calls atomic.Int64

	real := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)

		var asked struct {
			Tool  string `json:"tool_name"`
			API   string `json:"api_name"`
			Input string `json:"tool_input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}

		switch {
		case calls.Load() == 1:
			http.Error(w, "later", http.StatusBadGateway)
		case strings.Contains(asked.Input, "Bern"):
			fmt.Fprint(w, `{"error": "", "response": {"in": "Bern"}}`)
		default:
			fmt.Fprint(w, `{"error": "Unauthorized", "response": ""}`)
		}
	}))
	t.Cleanup(real.Close)

	dir, data := t.TempDir(), smallData(t)
	args := func(out, server string) []string {
		return []string{"mirror", "working", "--data", data, "--model", "openai:m", "--server",
			model.URL + "/v1", "--real", server, "--out", filepath.Join(dir, out), "--workers", "1",
			"--progress", "none", "--json"}
	}

	got := document[toolbenchsuite.MirrorWorking](t, must(t, args("w", real.URL)...))
	asked := calls.Load()

	if got.Working == 0 || got.Classes["success"] != got.Working || got.Classes["not-authorised"] == 0 ||
		len(got.Unsent) != 1 || got.APIs != got.Count || int64(got.Count) != asked {
		t.Fatalf("%+v of %d calls", got, asked)
	}

	// What got no answer is sent again, and nothing else.
	again := document[toolbenchsuite.MirrorWorking](t, must(t, args("w", real.URL)...))
	if calls.Load() != asked+1 || len(again.Unsent) != 0 {
		t.Errorf("%d calls more: %+v", calls.Load()-asked, again)
	}

	queries := document[toolbenchsuite.MirrorWritten](t, must(t, "mirror", "queries", "--count", "2",
		"--working", again.Path, "--data", data, "--model", "openai:m", "--server", model.URL+"/v1",
		"--out", filepath.Join(dir, "q"), "--progress", "none", "--json"))
	if queries.Count == 0 {
		t.Errorf("%+v", queries)
	}

	fails(t, exitGaveUp, []string{"refused"}, args("gone", "http://127.0.0.1:1/virtual")...)
	fails(t, exitUsage, []string{"--real"}, args("w", "nowhere")...)
	fails(t, exitUsage, []string{"--model: it is missing"}, "mirror", "working", "--out", dir)
	fails(t, exitUsage, []string{"--real: it is for calls"}, append(args("w", real.URL), dir)...)
}

// Of several trajectories of a query one in which an API does not work is enough to leave it out.
func TestMirrorWorkingTrajectories(t *testing.T) {
	t.Parallel()

	model := httptest.NewServer(&writing{})
	t.Cleanup(model.Close)

	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	answer := func(responses ...string) string {
		nodes := `{"role": "tool", "message": {"name": "Finish", "arguments": "{}", "response": ""}, "next": []}`
		for i, response := range responses {
			text, _ := json.Marshal(response)
			nodes = fmt.Sprintf(`{"role": "tool", "message": {"name": "f%d", "arguments": "{}", `+
				`"response": %s}, "next": [%s]}`, i, text, nodes)
		}

		return `{"query": "q", "available_tools": [{"name": "Finish"}], "answer": {"method": "CoT@1",
			"total_steps": 1, "final_answer": "\"a\"", "answer_details": [` + nodes + `]}}`
	}

	fine, bad := `{"error": "", "response": "fine"}`, `{"error": "please unsubscribe", "response": ""}`
	mistake := `{"error": "missing parameter x", "response": ""}`

	write(t, in("cot/G1_x.json"), `{"1": `+answer(fine, mistake)+`, "2": `+answer(fine)+`, "3": `+
		answer()+`, "4": `+answer(bad)+`}`)
	write(t, in("dfs/G1_x.json"), `{"1": `+answer()+`, "2": `+answer(bad, fine)+`, "3": `+answer()+`}`)

	entry := func(id int) string {
		return fmt.Sprintf(`{"query_id": %d, "query": "q", "relevant APIs": [["t", "f"]], "api_list": [{`+
			`"category_name": "c", "tool_name": "t", "api_name": "f", "api_description": "", `+
			`"method": "GET", "required_parameters": [], "optional_parameters": []}]}`, id)
	}
	write(t, in("G1_x.json"), "["+entry(1)+","+entry(2)+"]")

	args := []string{"mirror", "working", in("cot"), in("dfs"), "--queries", in("G1_x.json"), "--out",
		in("w"), "--progress", "none"}

	for _, more := range [][]string{nil, {"--model", "openai:m", "--server", model.URL + "/v1"}} {
		says(t, "mirror working", must(t, append(args, more...)...),
			"GROUP  WORKING  BROKEN  UNTRIED  LOST", " G1_x        1       2        1     0")

		if ids := string(read(t, in("w/test_query_ids/G1_x.json"))); ids != `{"1":0}` {
			t.Errorf("kept are %s", ids)
		}
	}

	says(t, "why", string(read(t, in("w/trajectories.jsonl"))), `"status":"broken","reason":"so"`)
	says(t, "import", must(t, "toolbench", "import", in("w"), "--data", in("d")), "1 queries of 1 groups")
}
