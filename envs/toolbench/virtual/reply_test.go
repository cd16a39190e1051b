package virtual_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

// spoilt are the known ways in which models spoil a reply that can be repaired, with what is read
// from each.
var spoilt = map[string]struct{ reply, want string }{
	"clean":               {`{"error": "", "response": "sunny"}`, `sunny`},
	"response first":      {`{"response": "sunny", "error": ""}`, `sunny`},
	"fence":               {"```json\n{\"error\": \"\", \"response\": \"sunny\"}\n```", `sunny`},
	"fence of no tongue":  {"```\n{\"error\": \"\", \"response\": \"sunny\"}\n```", `sunny`},
	"fence that is open":  {"```json\n{\"error\": \"\", \"response\": \"sunny\"}", `sunny`},
	"prose before":        {`Sure! Here is it: {"error": "", "response": "sunny"}`, `sunny`},
	"prose after":         {`{"error": "", "response": "sunny"} I hope this helps {you}.`, `sunny`},
	"prose with braces":   {`The {city} is known. {"error": "", "response": "sunny"}`, `sunny`},
	"another object":      {`{"city": "Bern"} gives {"error": "", "response": "sunny"}`, `sunny`},
	"thinking":            {"<think>{hm}</think>\n{\"error\": \"\", \"response\": \"sunny\"}", `sunny`},
	"mechanism":           {`{"mechanism_of_the_api": "a \"response\"", "error": "", "response": "sunny"}`, `sunny`},
	"mechanism, cut off":  {`{"mechanism_of_the_api": "looks", "error": "", "response": "sunny in Be`, `sunny in Be`},
	"no closing quote":    {`{"error": "", "response": "sunny}`, `sunny`},
	"no closing brace":    {`{"error": "", "response": "sunny"`, `sunny`},
	"comma too many":      {`{"error": "", "response": "sunny",}`, `sunny`},
	"comma and open":      {`{"error": "", "response": "sunny",`, `sunny`},
	"bare quotes":         {`{"error": "", "response": "a "sunny" day"}`, `a "sunny" day`},
	"bare quotes, last":   {`{"response": "a "sunny" day", "error": ""}`, `a "sunny" day`},
	"raw line feed":       {"{\"error\": \"\", \"response\": \"sun\nny\"}", "sun\nny"},
	"half an escape":      {`{"error": "", "response": "sunny\`, `sunny`},
	"python":              {`{'error': '', 'response': 'it\'s sunny'}`, `it's sunny`},
	"python's words":      {`{'error': None, 'response': {'sun': True}}`, `{"sun": true}`},
	"within a text":       {`"{\"error\": \"\", \"response\": \"sunny\"}"`, `sunny`},
	"null error":          {`{"error": null, "response": "sunny"}`, `sunny`},
	"false error":         {`{"error": false, "response": "sunny"}`, `sunny`},
	"no error":            {`{"response": "sunny"}`, `sunny`},
	"capitals":            {`{"Error": "", "Response": "sunny"}`, `sunny`},
	"object":              {`{"error": "", "response": {"sun": [1, 2.50]}}`, `{"sun": [1, 2.50]}`},
	"object without end":  {`{"error": "", "response": {"sun": [1]}`, `{"sun": [1]}`},
	"list":                {`{"error": "", "response": [1], }`, `[1]`},
	"number":              {`{"error": "", "response": 3`, `3`},
	"not UTF-8":           {"{\"error\": \"\", \"response\": \"sun\xff\"}", "sun\uFFFD"},
	"null error, cut off": {`{"error": null, "response": "sunny`, `sunny`},
	"the same twice":      {`{"error": "", "response": "sunny"} or {"response": "sunny", "error": ""}`, `sunny`},
	"members twice":       {`{"error": "", "response": "rain", "response": "sunny"}`, `sunny`},
}

func TestReadReply(t *testing.T) {
	t.Parallel()

	for name, test := range spoilt {
		a, err := virtual.ReadReply(test.reply)
		if err != nil || a.Error != "" {
			t.Errorf("%s: %v, error %q", name, err, a.Error)
			continue
		}

		got, ok := a.Response.(string)
		if !ok {
			got = string(pytext.AppendJSON(nil, a.Response))
		}

		if got != test.want {
			t.Errorf("%s: the response is %s, want %s", name, got, test.want)
		}
	}
}

func TestReadReplyWithAnError(t *testing.T) {
	t.Parallel()

	for reply, want := range map[string]string{
		`{"error": "no such city", "response": ""}`:     "no such city",
		`{"error": "no such city"}`:                     "no such city",
		`{"error": {"code": 7}, "response": ""}`:        `{"code": 7}`,
		`{"error": "no \"Bern\"", "response": "a "b" c`: `no "Bern"`,
	} {
		a, err := virtual.ReadReply(reply)
		if err != nil || a.Error != want {
			t.Errorf("%s: error %q (%v), want %q", reply, a.Error, err, want)
		}
	}
}

// What leaves a doubt is no answer.
func TestReadReplyRefuses(t *testing.T) {
	t.Parallel()

	for name, reply := range map[string]string{
		"nothing":               "",
		"prose":                 "I cannot access real APIs.",
		"another object":        `{"temperature": 21}`,
		"a list":                `[{"temperature": 21}]`,
		"empty":                 `{"error": "", "response": ""}`,
		"blank":                 `{"error": "", "response": " \n"}`,
		"empty object":          `{"error": "", "response": {}}`,
		"nothing in it":         `{"error": "", "response": null}`,
		"only no error":         `{"error": ""}`,
		"mechanism only":        `{"mechanism_of_the_api": "It looks up the city.", "err`,
		"object cut off":        `{"error": "", "response": {"days": [{"sun": tr`,
		"number cut off":        `{"error": "", "response": 3.`,
		"words without a quote": `{"error": "", "response": sunny}`,
		"cut before it":         `{"error": "", "response": `,
		"a bad escape":          `{"error": "", "response": "\q"}`,
		"no number":             `{"error": "", "response": [NaN]}`,
		"the form":              `{"error": string, "response": object}`,
		"a draft": `Draft: {"error": "", "response": "rain"}
			Better: {"error": "", "response": "sunny"}`,
		"two variants":           "```json\n{\"response\": [1]}\n```\n```json\n{\"response\": [2]}\n```",
		"an answer and an error": `{"error": "", "response": "sunny"} or {"error": "no such city", "response": ""}`,
		"braces":                 `{{{{{{{{{{{{{{{{{{{{{{{{`,
	} {
		if a, err := virtual.ReadReply(reply); !errors.Is(err, virtual.ErrReply) {
			t.Errorf("%s: got %s (%v), want no answer", name, a.Text(), err)
		}
	}
}

// What was written by a mode is read as it was, and nothing that is read is malformed.
func TestRepliesRoundTrip(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		want := toolbench.Answer{
			Error:    rapid.String().Draw(t, "error"),
			Response: envs.Args{{Name: "a", Value: rapid.String().Draw(t, "response")}},
		}
		mode := rapid.SampledFrom(virtual.Modes()).Draw(t, "mode")

		got, err := virtual.ReadReply(mode.Reply(rapid.String().Draw(t, "mechanism"), want))
		if err != nil || got.Text() != want.Text() {
			t.Fatalf("got %s (%v), want %s", got.Text(), err, want.Text())
		}
	})
}

// FuzzReadReply feeds text that nobody wrote: an answer is whole, or there is none.
func FuzzReadReply(f *testing.F) {
	for _, s := range spoilt {
		f.Add(s.reply)
	}

	f.Fuzz(func(t *testing.T, reply string) {
		a, err := virtual.ReadReply(reply)
		if err != nil {
			return
		}

		if again, err := virtual.ReadReply(a.Text()); err != nil || again.Text() != a.Text() {
			t.Errorf("%q is read as %s, which is read as %s (%v)", reply, a.Text(), again.Text(), err)
		}
	})
}
