package interop

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// diagnosis is what toolevo doctor is to find out about a server.
type diagnosis struct {
	version  string            // is named
	verdicts map[string]string // of every check but the clock, which has figures and no right answer
}

// What the servers do, as the scripts start them. See README.md.
var (
	vllmVerdicts = map[string]string{
		"reachable": "ok", "version": "ok", "model": "ok", "completion": "ok", "template": "ok", "prefix-cache": "ok",
		"window": "ok", "room": "ok", "samples": "ok", "seeds": "ok", "greedy": "ok", "stop": "ok", "logprobs": "ok",
		"slots": "ok", "parameters": "ok", "crosstalk": "ok", "reasoning": "ok",
		"defaults": "warning", // the model brings some along
		"actions":  "problem", // its weights are random
	}
	ollamaVerdicts = map[string]string{
		"reachable": "ok", "model": "ok", "completion": "ok", "template": "ok", "prefix-cache": "ok", "room": "ok",
		"samples": "ok", "seeds": "ok", "greedy": "ok", "defaults": "ok", "stop": "ok", "loaded": "ok",
		"parameters": "ok", "crosstalk": "ok", "reasoning": "ok",
		"version":      "warning", // it is old:
		"window":       "warning", // what is longer is cut in silence
		"logprobs":     "warning", // there are none
		"slots":        "warning", // OLLAMA_NUM_PARALLEL=1
		"kept-prompts": "warning", // one, and no setting says so
		"actions":      "problem", // its weights are random
	}
)

// examination is what doctor prints.
type examination struct {
	Verdict string
	Servers []struct {
		Policy, Verdict string
		Checks          []struct{ Name, Verdict, Seen, Run, Do string }
		Estimate        *struct {
			PerHour int `json:"completions_per_hour"`
		}
		Probes int
	}
}

// Exit codes of doctor.
const (
	exitWarnings = 1
	exitProblems = 3
)

func (p *program) testDoctor(t *testing.T) {
	p.proxy.reset(-1)
	// Of a prompt that fills the window a busy machine reads for long.
	arguments := []string{
		"doctor", "--policy", p.policy, "--data", p.data, "--dataset", "coffee", "--json",
		"--timeout", fmt.Sprint(patience / 2),
	}
	out, _ := p.ends(t, exitProblems, append(arguments, p.settings...)...)

	var found examination
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	if len(found.Servers) != 1 || found.Verdict != "problem" || found.Servers[0].Verdict != "problem" ||
		found.Servers[0].Policy != p.policy {
		t.Fatalf("%+v, want one server with a problem", found)
	}

	s := found.Servers[0]
	verdicts := map[string]string{}

	for _, c := range s.Checks {
		t.Logf("%-12s %-8s %s", c.Name, c.Verdict, c.Seen)

		verdicts[c.Name] = c.Verdict
		if c.Seen == "" || c.Verdict != "ok" && (c.Run == "" || c.Do == "") {
			t.Errorf("%+v does not say what was seen, what a run does and what to do", c)
		}

		if c.Name == "version" && !strings.Contains(c.Seen, p.diagnosis.version) {
			t.Errorf("the version is %q, want %s", c.Seen, p.diagnosis.version)
		}
	}

	if verdicts["clock"] == "" || s.Estimate == nil || s.Estimate.PerHour < 1 {
		t.Errorf("the server was not timed: %+v", s.Estimate)
	}

	delete(verdicts, "clock")

	// Who does not know how many slots there are does not look for how many prompts they keep.
	if kept := p.diagnosis.verdicts["kept-prompts"]; verdicts["slots"] == "could-not-tell" && kept != "" {
		verdicts["kept-prompts"] = kept
	}

	// A busy machine cannot tell these, and doctor says so.
	for _, timed := range []string{"slots", "prefix-cache"} {
		if verdicts[timed] == "could-not-tell" {
			verdicts[timed] = p.diagnosis.verdicts[timed]
		}
	}

	if diff := cmp.Diff(p.diagnosis.verdicts, verdicts); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}

	if s.Probes < 1 || s.Probes > p.proxy.count() {
		t.Errorf("%d probes, and %d requests came", s.Probes, p.proxy.count())
	}
}

// A model that the server does not have is a problem, and the ones that it has are named.
func (p *program) testDoctorUnknownModel(t *testing.T) {
	p.proxy.reset(-1)
	kind, model, _ := strings.Cut(p.policy, ":")
	out, _ := p.ends(t, exitProblems,
		append([]string{"doctor", "--policy", kind + ":nobody-knows-this", "--data", p.data,
			"--dataset", "coffee"}, p.settings...)...)
	t.Log(out)

	if !strings.Contains(out, "nobody-knows-this") || !strings.Contains(out, model) {
		t.Errorf("it does not say which model is missing, and that the server has %s", model)
	}
}
