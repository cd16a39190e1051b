package instruct

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/kept"
	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

// speaker answers with its lines, one after the other, and notes what it was asked.
type speaker struct {
	lines []string
	asked []string
	seeds []uint64
}

func (s *speaker) Write(ctx context.Context, instructions, request string, seed uint64) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}

	if len(s.lines) == 0 {
		return "", errors.New("nothing more to say")
	}

	line := s.lines[0]
	s.lines = s.lines[1:]
	s.asked = append(s.asked, instructions+"\n\n"+request)
	s.seeds = append(s.seeds, seed)
	return line, nil
}

// domain has the tools of the voice service, as far as prompts show them.
type domain struct{ stategen.Domain }

func (domain) Name() string { return "voice" }

func (domain) APIs() []toolapi.APISpec {
	return []toolapi.APISpec{{
		Name: "text_to_speech", Description: "Says a text.\nMore about it.",
		Parameters: toolapi.Parameters{All: []toolapi.Parameter{{Name: "text"}, {Name: "voice_name", Optional: true}}},
	}}
}

const (
	good = "VARIABLES\n- `user_variable_0`: a text\n- `user_variable_1`: a category\n- `user_constant_0`: a name\n\n" +
		"TASK\nLook for a female voice of `user_variable_1` and say `user_variable_0` as `user_constant_0`."
	leaking = good + " That is narration, for `user_variable_1`."
)

func negotiator(writer, reviewer kept.Writer) *Negotiator {
	return &Negotiator{
		Writer: writer, Reviewer: reviewer, Policy: "openai:tester", Seed: 7,
		Domain:  func(*stategen.Program) (stategen.Domain, error) { return domain{}, nil },
		Program: func(_ stategen.Domain, p *stategen.Program) (string, error) { return "program of " + p.Domain, nil },
	}
}

func TestNegotiation(t *testing.T) {
	for _, c := range []struct {
		name            string
		drafts, reviews []string
		published       bool
		verdicts        []string // of the drafts
		accepted        bool
	}{
		{name: "accepted at once", drafts: []string{good}, reviews: []string{"OK"}, verdicts: []string{OK},
			accepted: true},
		{name: "a diagnosis, then accepted", drafts: []string{good, good}, reviews: []string{"REVISE\nToo long.",
			"<OK>"},
			verdicts: []string{"Too long.", OK}, accepted: true},
		{name: "never accepted", drafts: []string{good, good, good}, reviews: []string{"REVISE\na", "b", "REVISE\nc"},
			verdicts: []string{"a", "b", "c"}},
		{name: "never accepted, as published", published: true, drafts: []string{good, good, good},
			reviews: []string{"a", "b"}, verdicts: []string{"a", "b", ""}},
		{name: "accepted the second time, as published", published: true, drafts: []string{good, good},
			reviews: []string{"a", "OK"}, verdicts: []string{"a", OK}, accepted: true},
		{name: "impossible", drafts: []string{good}, reviews: []string{"IMPOSSIBLE"}, verdicts: []string{Impossible}},
		{name: "impossible later", drafts: []string{good, good}, reviews: []string{"a", "impossible."},
			verdicts: []string{"a", Impossible}},
		{name: "a hidden value goes back without a review", drafts: []string{leaking, good}, reviews: []string{"OK"},
			verdicts: []string{`The value of user_variable_1 is shown: "narration".`, OK}, accepted: true},
		{name: "a hidden value at last", drafts: []string{good, good, leaking}, reviews: []string{"a", "b"},
			verdicts: []string{"a", "b", `The value of user_variable_1 is shown: "narration".`}},
		{name: "no definitions", drafts: []string{"TASK\nSay it.", good}, reviews: []string{"OK"},
			verdicts: []string{"The answer has no heading VARIABLES.", OK}, accepted: true},
		{name: "a draft of the draft", reviews: []string{"OK"}, accepted: true,
			drafts:   []string{"VARIABLES\n- none\n\nTASK\nSay it.\n\nBetter:\n\n" + good, good},
			verdicts: []string{"The answer has the headings twice: write it once, without drafts.", OK}},
		{name: "a review with an introduction", drafts: []string{good, good}, reviews: []string{"Not OK", "OK"},
			verdicts: []string{"Not OK", OK}, accepted: true},
		{name: "a reviewer who says nothing", drafts: []string{good, good}, reviews: []string{"", "OK"},
			verdicts: []string{"", OK}, accepted: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			writer, reviewer := &speaker{lines: c.drafts}, &speaker{lines: c.reviews}
			n := negotiator(writer, reviewer)
			n.Published = c.published

			made, accepted, err := n.Negotiate(t.Context(), voiceTask())
			if err != nil {
				t.Fatal(err)
			}

			var verdicts []string
			for _, d := range made.Drafts {
				verdicts = append(verdicts, d.Verdict)
			}

			if diff := cmp.Diff(c.verdicts, verdicts); diff != "" || accepted != c.accepted {
				t.Errorf("accepted: %v; verdicts: %s", accepted, diff)
			}

			if len(writer.lines)+len(reviewer.lines) > 0 {
				t.Errorf("not asked for: %q, %q", writer.lines, reviewer.lines)
			}

			last := made.Drafts[len(made.Drafts)-1]
			if made.Text != last.Text || made.Variables != last.Variables || made.Writer != "openai:tester" {
				t.Errorf("%+v", made)
			}
		})
	}
}

// What each model is told: the domain, the tools, the program with its variables, and what was said
// before.
func TestWhatModelsAreTold(t *testing.T) {
	writer := &speaker{lines: []string{good, leaking, good}}
	reviewer := &speaker{lines: []string{"REVISE\nSay who is called.", "OK"}}

	if _, _, err := negotiator(writer, reviewer).Negotiate(t.Context(), voiceTask()); err != nil {
		t.Fatal(err)
	}

	for _, asked := range append(writer.asked, reviewer.asked...) {
		for _, want := range []string{
			"A voice service.", "- text_to_speech(text, voice_name?): Says a text.\n", "program of voice",
			"user_variable_0: a text; hidden value: \"The ferry leaves at nine. Be early.\"",
		} {
			if !strings.Contains(asked, want) {
				t.Errorf("%q is missing in\n%s", want, asked)
			}
		}
	}

	for i, want := range []string{"", "Say who is called.", "The value of user_variable_1 is shown"} {
		if want != "" && !strings.Contains(writer.asked[i], want) {
			t.Errorf("draft %d: %q is missing in\n%s", i, want, writer.asked[i])
		}
	}

	if strings.Contains(writer.asked[0], "last answer") || !strings.Contains(writer.asked[1],
		"Look for a female voice") {
		t.Error("the writer is shown another draft than its last")
	}

	if !strings.Contains(reviewer.asked[0], "Look for a female voice") {
		t.Error("the reviewer is shown no draft")
	}

	if writer.seeds[0] == writer.seeds[1] || writer.seeds[0] == reviewer.seeds[0] {
		t.Error("two requests have one seed")
	}
}

// A negotiation that was cut off goes on with what was kept, and asks nothing twice.
func TestNegotiationGoesOn(t *testing.T) {
	texts, err := kept.Open(filepath.Join(t.TempDir(), "texts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = texts.Close() }()

	negotiate := func(writer, reviewer kept.Writer) (stategen.Instruction, error) {
		made, _, err := negotiator(texts.Writer("w", writer), texts.Writer("r", reviewer)).
			Negotiate(t.Context(), voiceTask())
		return made, err
	}

	if _, err := negotiate(&speaker{lines: []string{good}}, &speaker{lines: []string{"a"}}); err == nil {
		t.Fatal("the second draft came from nowhere")
	}

	first, err := negotiate(&speaker{lines: []string{good}}, &speaker{lines: []string{"OK"}})
	if err != nil {
		t.Fatal(err)
	}

	again, err := negotiate(&speaker{}, &speaker{})
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(first, again); diff != "" || len(first.Drafts) != 2 {
		t.Error(diff)
	}
}

func TestParseDraft(t *testing.T) {
	for _, c := range []struct{ name, reply, variables, text, wrong string }{
		{name: "as asked", reply: "VARIABLES\n- a\n\nTASK\nDo it.\n", variables: "- a", text: "Do it."},
		{name: "marked up", reply: "Sure!\n\n## **Variables:**\n- a\n\n### Task\nDo it.", variables: "- a",
			text: "Do it."},
		{name: "a task that speaks of tasks", reply: "VARIABLES\n- a: the task\nTASK\nThe task\nis this.",
			variables: "- a: the task", text: "The task\nis this."},
		{name: "nothing", reply: "", wrong: "no heading VARIABLES"},
		{name: "a task alone", reply: "TASK\nDo it.", text: "TASK\nDo it.", wrong: "no heading VARIABLES"},
		{name: "definitions alone", reply: "VARIABLES\n- a", text: "VARIABLES\n- a", wrong: "no heading TASK"},
		{name: "the wrong order", reply: "TASK\nDo it.\nVARIABLES\n- a", text: "TASK\nDo it.\nVARIABLES\n- a",
			wrong: "no heading TASK"},
		{name: "empty definitions", reply: "VARIABLES\n\nTASK\nDo it.", text: "Do it.", wrong: "below VARIABLES"},
		{name: "an empty task", reply: "VARIABLES\n- a\nTASK\n \n", variables: "- a", wrong: "below TASK"},
		{name: "code", reply: "VARIABLES\n- a\nTASK\n```\nf(a)\n```", variables: "- a", text: "```\nf(a)\n```",
			wrong: "code"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := parseDraft(c.reply)
			if d.Variables != c.variables || d.Text != c.text {
				t.Errorf("%+v", d)
			}

			if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%v, want %q", err, c.wrong)
			}
		})
	}
}

func TestParseVerdict(t *testing.T) {
	for reply, want := range map[string]string{
		"OK": OK, "ok.": OK, "<OK>": OK, " **OK**\n": OK, "OK\nClear and complete.": OK, "\"OK\"": OK,
		"IMPOSSIBLE": Impossible, "<IMPOSSIBLE>\nIt makes no sense.": Impossible,
		"REVISE\nName the voice.": "Name the voice.", "<REVISE>\n a\nb ": "a\nb", "REVISE": "", "": "", " \n": "",
		"Name the voice.":            "Name the voice.",
		"OK, but name the voice.":    "OK, but name the voice.",
		"Not OK":                     "Not OK",
		"It would be IMPOSSIBLE to.": "It would be IMPOSSIBLE to.",
	} {
		if got := parseVerdict(reply); got != want {
			t.Errorf("%q: %q, want %q", reply, got, want)
		}
	}
}

func TestNegotiationStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	n := negotiator(&speaker{lines: []string{good}}, &speaker{lines: []string{"OK"}})
	if _, accepted, err := n.Negotiate(ctx, voiceTask()); !errors.Is(err, context.Canceled) || accepted {
		t.Errorf("accepted: %v; %v", accepted, err)
	}
}
