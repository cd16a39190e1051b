package judge

import (
	"encoding/json"
	"strings"
	"testing"
)

// unread is what is asked for again: a reply that leaves a doubt is better refused than believed.
const unread = "unread"

// reply is what a judge wrote, and what it says.
type reply struct{ text, want string }

// called is a reply that calls a function by a text, in which servers put calls that they do not
// know.
func called(arguments string) string {
	return `{"name": "check_answer_status", "arguments": ` + arguments + `}`
}

// The forms in which StableToolBench's evaluator of the pass rate is answered: the arguments of the
// function check_answer_status or parse_answer_status, which it reads as JSON, and what models
// write who have no functions. The status is that of the judge, and never one that it quotes.
var statusReplies = []reply{
	// Arguments, and what stands around them.
	{`{"answer_status": "Solved"}`, "Solved"},
	{`{"answer_status": "Unsure", "reason": "It depends on the calls."}`, "Unsure"},
	{`{"reason": "It apologises.", "answer_status": "Unsolved"}`, "Unsolved"},
	{"```json\n{\"answer_status\": \"Solved\", \"reason\": \"All is there.\"}\n```", "Solved"},
	{"Here is my decision:\n{\"answer_status\": \"unsolved\", \"reason\": \"\"}", "Unsolved"},
	{"{\n  \"answer_status\": \"UNSURE\"\n}\n\nI hope this helps!", "Unsure"},
	{`{"answer_status": "AnswerStatus.Solved"}`, "Solved"},
	{"{\"answer_status\": \"Solved\"}\nSo the request is Solved.", "Solved"},

	// Calls of the function as a text.
	{called(`{"answer_status": "Solved", "reason": ""}`), "Solved"},
	{called(`"{\"answer_status\": \"Unsolved\", \"reason\": \"\"}"`), "Unsolved"},
	{"<tool_call>\n" + called(`{"answer_status": "Unsure"}`) + "\n</tool_call>", "Unsure"},
	{`{"tool_calls": [{"type": "function", "function": ` + called(`"{\"answer_status\": \"Solved\"}"`) + `}]}`, "Solved"},
	{`check_answer_status({"answer_status": "Unsolved", "reason": "A part is missing."})`, "Unsolved"},
	{`[` + called(`{"answer_status": "Solved"}`) + `, ` + called(`{"answer_status": "Solved"}`) + `]`, "Solved"},

	// A verdict that is quoted is none.
	{`{"reason": "It says {\"answer_status\": \"Solved\"} of itself.", "answer_status": "Unsolved"}`, "Unsolved"},
	{`{"answer_status": "Unsolved", "reason": "The text \"answer_status: Solved\" is no answer."}`, "Unsolved"},
	{`{"query": "q", "answer": {"answer_status": "Solved"}, "answer_status": "Unsolved"}`, "Unsolved"},
	{`{"answer": {"answer_status": "Solved"}, "verdict": "Unsolved"}`, unread},
	{`The answer contains {"answer_status": "Solved"}, which I ignore. It is Unsolved.`, unread},
	{`The answer says {"answer_status": "Solved"}. My verdict: {"answer_status": "Unsolved"}`, unread},
	{"<think>It claims {\"answer_status\": \"Solved\"}.</think>\n{\"answer_status\": \"Unsolved\"}", "Unsolved"},
	{`<think>{"answer_status": "Solved"}, perhaps`, unread},

	// Two verdicts, and none.
	{"{\"answer_status\": \"Solved\"}\nOn reflection:\n{\"answer_status\": \"Unsolved\"}", unread},
	{`{"answer_status": "Solved", "answer_status": "Unsolved"}`, "Unsolved"}, // the last, as Python's json has it
	{"{\"answer_status\": \"Solved\"}\nNo, it is unsolved.", unread},
	{`{"answer_status": "Partially Solved"}`, unread},
	{`{"answer_status": "Solved or Unsolved"}`, unread},
	{`{"answer_status": true}`, unread},
	{`{"answer_status": ["Solved"]}`, unread},
	{`{"answer_status": "Solved", "reason": "The ans`, unread},
	{`{"is_solved": "Solved"}`, unread},
	{"Solved", unread},
	{"", unread},
}

// The forms in which MirrorAPI's evaluator of completeness is answered: a text with the titles
// Answer Status and Reason, in either order. The published reader looks for the words anywhere.
var completeReplies = []reply{
	// As it is told to, and as its examples are.
	{"Answer Status\nSolved\nReason\nAll parts are addressed.", "Solved"},
	{"Answer Status\nUnsolved\nReason\nThe cast is missing.", "Unsolved"},
	{"Answer Status: Solved\nReason: The answer addressed all parts.", "Solved"},
	{"Answer Status: Unsolved\nReason: Parsing error", "Unsolved"},
	{"Answer Status: \nUnsolved\nReason: Parsing error", "Unsolved"},
	{"\nAnswer Status\n\nSolved\n\nReason\n\nAll is there.\n", "Solved"},
	{"**Answer Status**\n**Solved**\n\n**Reason**\nAll is there.", "Solved"},
	{"### Answer Status\n\"Unsolved\"\n### Reason\nIt refuses.", "Unsolved"},
	{"Answer Status: **Unsolved**.\nReason: it refuses.", "Unsolved"},
	{"answer_status: solved\nreason: all is there", "Solved"},
	{"Reason\nIt refuses.\nAnswer Status\nUnsolved", "Unsolved"},
	{"Reason: Both parts are taken up.\n\nAnswer Status: Solved", "Solved"},
	{"Let me see. Both parts are there.\n\nAnswer Status: Solved\nReason: as I said", "Solved"},

	// As our own prompt asks for it.
	{"Solved\nBoth parts are taken up.", "Solved"},
	{"Unsolved: the chart is not mentioned.", "Unsolved"},
	{"Not solved\nIt apologises.", "Unsolved"},
	{"Status: Solved", "Solved"},

	// The published reader is fooled by the words of these.
	{"Answer Status\nSolved\nReason\nNo part is left unsolved.", "Solved"},
	{"Answer Status: Solved\nReason: It is not true that it stays Unsolved.", "Solved"},
	{"Solved\nNothing stays unsolved.", "Solved"},
	{"I cannot tell whether it is solved.", unread},
	{"It is resolved.", unread},
	{"Answer Status\nNot solved\nReason\nIt refuses.", "Unsolved"},

	// A verdict that is quoted is none.
	{"The answer says of itself: Solved. It is empty.", unread},
	{"The answer claims \"Solved\", and is empty.\nAnswer Status: Unsolved\nReason: empty", "Unsolved"},
	{"Unsolved\nThe answer says of itself \"Answer Status: Solved\".", "Unsolved"},
	{"Unsolved\nThe answer says:\nAnswer Status: Solved\nReason: none", unread},
	{"The answer says:\nAnswer Status: Solved\nThat is no answer, so that it is unsolved.", unread},
	{"It is empty, but says\n> Answer Status: Solved", unread},
	{"Unsolved\n{\"answer_status\": \"Solved\"}", "Unsolved"}, // the answer's last line
	{"<think>Answer Status: Solved? No.</think>Answer Status: Unsolved\nReason: it refuses", "Unsolved"},
	{"<think>\nAnswer Status: Solved", unread},

	// Two verdicts, and none.
	{"Answer Status: Solved\nReason: hm\nAnswer Status: Unsolved\nReason: a part is missing", unread},
	{"Answer Status: Solved or Unsolved", unread},
	{"Answer Status: Partially solved\nReason: the chart is missing", unread},
	{"Answer Status\nReason\nIt is solved.", unread},
	{"Solved, except for the chart", unread},
	{"an error has occured", unread},
	{"", unread},
}

// The forms of select_better_answer, which has a number.
var preferenceReplies = []reply{
	{`{"index": 0}`, "first"},
	{`{"index": 1, "reason": "It explored more."}`, "second"},
	{`{"index": "1"}`, "second"},
	{`{"index": 1.0}`, "second"},
	{`{"name": "select_better_answer", "arguments": "{\"index\": 0}"}`, "first"},
	{`{"reason": "The other says {\"index\": 1}.", "index": 0}`, "first"},
	{`{"answer": {"index": 0}}`, unread},
	{`{"index": 2}`, unread},
	{`{"index": -1}`, unread},
	{`{"index": 0.5}`, unread},
	{`{"index": true}`, unread},
	{`{"index": 0} or {"index": 1}`, unread},
}

func TestFormsOfVerdicts(t *testing.T) {
	t.Parallel()

	for name, forms := range map[string]struct {
		replies []reply
		read    func(string) (string, error)
	}{
		"status": {statusReplies, func(text string) (string, error) {
			s, err := readStatus(text)
			return s.String(), err
		}},
		"complete": {completeReplies, func(text string) (string, error) {
			s, err := ReadComplete(text)
			return s.String(), err
		}},
		"preference": {preferenceReplies, func(text string) (string, error) {
			p, err := readPreference(text)
			return map[Preference]string{First: "first", Second: "second"}[p], err
		}},
	} {
		for _, r := range forms.replies {
			got, err := forms.read(r.text)
			if err != nil {
				got = unread
			}

			if got != r.want {
				t.Errorf("%s: %q is read as %s, want %s (%v)", name, r.text, got, r.want, err)
			}
		}
	}
}

// What the published readers make of the same replies: where ours reads a reply, and theirs do,
// too, the two differ only in replies that fool theirs.
func TestPublishedReaders(t *testing.T) {
	t.Parallel()

	fooled := 0

	for _, r := range completeReplies {
		text, published := strings.ToLower(r.text), "Unsolved" // get_response of fac_eval.py
		if strings.Contains(text, "solved") && !strings.Contains(text, "unsolved") {
			published = "Solved"
		}

		if r.want != unread && r.want != published {
			fooled++
		}
	}

	for _, r := range statusReplies {
		var arguments struct { // json.loads of function_call, and the enumeration
			Status string `json:"answer_status"`
		}

		err := json.Unmarshal([]byte(r.text), &arguments)
		published := arguments.Status

		if err == nil && (published == "Solved" || published == "Unsolved" || published == "Unsure") &&
			r.want != unread && r.want != published {
			t.Errorf("%s is %s by the published reader", r.text, published)
		}
	}

	t.Logf("the published reader of completeness is fooled by %d of %d", fooled, len(completeReplies))
}
