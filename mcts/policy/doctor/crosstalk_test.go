package doctor_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"toolevo/mcts/policy/doctor"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/simserver"
)

// repeater stands before a server, and answers prompts about a word of today as reply says, of the
// word and of those of all prompts that are asked at the moment, itself included.
func repeater(s http.Handler, reply func(word string, atOnce []string) string) http.RoundTripper {
	var mu sync.Mutex
	var asked []string
	return virtual{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, rest, found := strings.Cut(string(body), "the word of today is ")
		word, _, _ := strings.Cut(rest, ".")

		if !found {
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			s.ServeHTTP(w, r)
			return
		}

		note := func(change func()) {
			mu.Lock()
			defer mu.Unlock()
			change()
		}

		said := ""

		note(func() { asked = append(asked, word) })
		<-time.After(10 * time.Millisecond) // until all of them are there
		note(func() { said = reply(word, asked) })
		<-time.After(10 * time.Millisecond)
		note(func() { asked = slices.DeleteFunc(asked, func(other string) bool { return other == word }) })

		text, _ := json.Marshal(said)
		fmt.Fprintf(w, `{"model":"`+model+`","choices":[{"index":0,"text":%s,"finish_reason":"stop",`+
			`"logprobs":{"tokens":["x"],"token_logprobs":[-1]}}],"usage":{"prompt_tokens":30,"completion_tokens":1}}`,
			text)
	})}
}

// A server that goes on with another conversation is found out, however well everything else is,
// and a model that is too weak to repeat a word is not taken for one.
func TestCrosstalk(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		reply func(word string, atOnce []string) string
		want  doctor.Verdict
		words string
	}{
		"repeats": {func(word string, _ []string) string { return " " + word }, doctor.OK, "8 unrelated prompts"},
		"repeats in capitals, with more": {func(word string, _ []string) string {
			return "The word is: " + strings.ToUpper(word) + "!"
		}, doctor.OK, "8 unrelated prompts"},
		"goes on with another": {func(_ string, atOnce []string) string { return atOnce[0] }, doctor.Problem,
			"another prompt"},
		"mixes one of eight": {func(word string, atOnce []string) string {
			if strings.HasPrefix(word, "copper") {
				return atOnce[len(atOnce)-1] + atOnce[0]
			}
			return word
		}, doctor.Problem, "another prompt"},
		"loses words among others": {func(word string, atOnce []string) string {
			if len(atOnce) > 1 {
				return "the sea"
			}
			return word
		}, doctor.Problem, "missing in replies"},
		"too weak": {func(string, []string) string { return "the sea" }, doctor.OK, "0 of 8 words"},
		"weak": {func(word string, _ []string) string {
			if strings.HasPrefix(word, "heron") {
				return word
			}
			return "hm"
		}, doctor.OK, "1 of 8 words"},
	} {
		virtually(t, name, func(t *testing.T) {
			s := start(t, simserver.Options{MaxModelLen: 8192})
			o := options(s, openai.Kind)
			o.Transport = repeater(s, test.reply)

			r := examine(t, o)
			wantOnly(t, r, map[doctor.Name]doctor.Verdict{doctor.Crosstalk: test.want})

			if c, _ := r.Check(doctor.Crosstalk); !strings.Contains(c.Seen, test.words) {
				t.Errorf("it does not say %q: %+v", test.words, c)
			}
		})
	}
}
