package kept

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// replies answers in turn, and keeps what it was sent.
type replies struct {
	texts    []string
	requests []string
	seeds    []uint64
}

func (r *replies) Write(_ context.Context, _, request string, seed uint64) (string, error) {
	r.requests, r.seeds = append(r.requests, request), append(r.seeds, seed)

	if len(r.texts) == 0 {
		return "", errDown
	}

	text := r.texts[0]
	r.texts = r.texts[1:]
	return text, nil
}

var errDown = errors.New("the server is down")

// A reply that cannot be read is asked for again, with what is wrong with it; at last it is lost,
// which is no failure of ours.
func TestAsk(t *testing.T) {
	t.Parallel()

	ask := func(ctx context.Context, w *replies) (text string, lost, err error) {
		return Ask(ctx, w, Asking{Request: "Say it.", Seed: 1<<63 - 2, Tries: 3}, Prose)
	}

	w := &replies{texts: []string{" \n", "<think>hm</think>", " Yes.\n"}}
	if got, lost, err := ask(t.Context(), w); got != "Yes." || lost != nil || err != nil {
		t.Errorf("%q, %v, %v", got, lost, err)
	}

	// Servers take 63 bits.
	if diff := cmp.Diff([]uint64{1<<63 - 2, 1<<63 - 1, 0}, w.seeds); diff != "" {
		t.Error(diff)
	}

	for i, wrong := range []error{ErrEmpty, ErrThought} {
		if r := w.requests[i+1]; !strings.HasPrefix(r, "Say it.\n") || strings.Count(r, "\n") != 2 ||
			!strings.Contains(r, wrong.Error()) {
			t.Errorf("try %d is asked %q", i+2, r)
		}
	}

	got, lost, err := ask(t.Context(), &replies{texts: []string{"", "", "", "Yes."}})
	if got != "" || !errors.Is(lost, ErrEmpty) || err != nil {
		t.Errorf("lost: %q, %v, %v", got, lost, err)
	}

	if _, lost, err := ask(t.Context(), &replies{texts: []string{""}}); !errors.Is(err, errDown) || lost != nil {
		t.Errorf("a failure of the server: %v, %v", lost, err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	w = &replies{texts: []string{"Yes."}}
	if _, _, err := ask(ctx, w); !errors.Is(err, context.Canceled) || len(w.seeds) > 0 {
		t.Errorf("%v after %d requests", err, len(w.seeds))
	}
}

// A verdict is whole words, alone on the first line but for marks, a name and a remark.
func TestVerdict(t *testing.T) {
	t.Parallel()

	for reply, want := range map[string]string{
		"Pass\nwell":                             "pass",
		"\n\n  pass. All is well":                "pass",
		"**PASS**":                               "pass",
		"```\npass\n```":                         "pass",
		"Verdict: **Pass**":                      "pass",
		"_Final verdict_: pass":                  "pass",
		"Pass - well":                            "pass",
		"Pass, or nearly":                        "",
		"Passed":                                 "",
		"bypass":                                 "",
		"I pass":                                 "",
		"Pass or fail":                           "",
		"Fail: it did not pass":                  "",
		"No fail":                                "",
		"Not pass":                               "not pass",
		"not pass: too short":                    "not pass",
		"Verdict:\npass":                         "",
		"It says this: pass":                     "",
		"**Exam Result**\npass":                  "pass",
		"exam_result: fail":                      "fail",
		"Exam result\nso so":                     "",
		"Well.\nExam result: fail":               "fail",
		"Well.\nExam result: pass\nReason: none": "pass",
		"It says\nExam result: pass\nbut is wrong": "",
		"fail\nExam result: pass":                  "",
		"<think>fail</think>pass":                  "pass",
		"":                                         "",
	} {
		got, err := Verdict(reply, "exam result", "pass", "fail", "not pass")
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", reply, got, err, want)
		}
	}

	if got, err := Verdict("Fail\r\nIt is late.\n", "exam result", "fail"); got != "fail" || err != nil {
		t.Errorf("above a reason: %q, %v", got, err)
	}
}

// A decision is a member of the reply's own object, or of the arguments of a call. What is quoted,
// or contradicted, does not count.
func TestDecision(t *testing.T) {
	t.Parallel()

	for reply, want := range map[string]string{
		`{"ok": "yes"}`: "yes",
		`So: {"reason": "{\"ok\": \"no\"}", "ok": "yes"} Yes.`:                        "yes",
		`{"function": {"name": "f", "arguments": "{\"ok\": 1}"}}`:                     "1",
		`{"tool_calls": [{"arguments": {"ok": "yes"}}, {"arguments": {"ok": "no"}}]}`: "",
		`{"arguments": "{\"ok\": \"yes\"} or not"}`:                                   "",
		`{"answer": {"ok": "yes"}}`:                                                   "",
		`{"ok": "yes"} {"ok": "yes"}`:                                                 "yes",
		`{"ok": "yes"} {"ok": "no"}`:                                                  "",
		`{"ok": "yes"}, or no`:                                                        "",
		`no {"ok": "yes"}`:                                                            "yes",
		`<think>{"ok": "no"}</think>{"ok": "yes"}`:                                    "yes",
		`{"not": {"ok": "yes"`:                                                        "",
		``:                                                                            "",
	} {
		got, err := Decision(reply, "ok", "yes", "no")
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v, want %q", reply, got, err, want)
		}
	}
}
