package doctor_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"toolevo/mcts/policy/doctor"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/simserver"
)

// probed is what a server is asked for.
type probed struct {
	N        int    `json:"n"`
	Prompt   string `json:"prompt"`
	InFlight int    `json:"-"` // requests at this moment, this one included
}

// failing stands before a server, and fails with a status at what is to fail.
func failing(s http.Handler, status int, fails func(probed) bool) http.RoundTripper {
	var inFlight atomic.Int64
	return virtual{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))

		var asked probed
		if json.Unmarshal(body, &asked) == nil {
			asked.InFlight = int(inFlight.Add(1))
			defer inFlight.Add(-1)

			<-time.After(time.Millisecond) // so that requests meet

			if fails(asked) {
				w.WriteHeader(status)
				io.WriteString(w, `{"error":{"message":"it broke"}}`)
				return
			}
		}

		s.ServeHTTP(w, r)
	})}
}

// A probe that fails, though the server answers others, is made once more by itself, and gets a
// verdict.
func TestFailedProbes(t *testing.T) {
	t.Parallel()

	several := func(p probed) bool { return p.N > 1 }
	bold := func(p probed) bool { return strings.Contains(p.Prompt, "A tool of some name") }

	for name, test := range map[string]struct {
		status int
		fails  func(probed) bool
		want   map[doctor.Name]doctor.Verdict
		words  string
	}{
		"several samples, 400": {400, several, map[doctor.Name]doctor.Verdict{doctor.Samples: doctor.Warning},
			"HTTP 400"},
		"several samples, 500": {500, several, map[doctor.Name]doctor.Verdict{doctor.Samples: doctor.Warning},
			"each sample by itself"},
		"several samples, 422": {422, several, map[doctor.Name]doctor.Verdict{doctor.Samples: doctor.Warning},
			"HTTP 422"},
		"the run's prompts, 500": {500, bold, map[doctor.Name]doctor.Verdict{doctor.Room: doctor.Problem},
			"though a simpler one is answered"},
		"the run's prompts, 403": {403, bold, map[doctor.Name]doctor.Verdict{doctor.Room: doctor.Problem},
			"HTTP 403"},
	} {
		virtually(t, name, func(t *testing.T) {
			s := start(t, simserver.Options{MaxModelLen: 8192})
			o := options(s, openai.Kind)
			o.Transport = failing(s, test.status, test.fails)

			r := examine(t, o)
			wantOnly(t, r, test.want)

			for name, verdict := range test.want {
				c, _ := r.Check(name)
				if verdict != doctor.OK && !strings.Contains(c.Seen+c.Run+c.Do, test.words) {
					t.Errorf("it does not say %q: %+v", test.words, c)
				}
			}
		})
	}
}

// A server that fails at requests as long as there are many is told of.
func TestFailsAmongOthers(t *testing.T) {
	t.Parallel()

	virtually(t, "eight", func(t *testing.T) {
		var crowded atomic.Bool

		s := start(t, simserver.Options{MaxModelLen: 8192})
		o := options(s, openai.Kind)
		o.Transport = failing(s, 500, func(p probed) bool {
			if p.InFlight > 4 && p.Prompt == o.Short.Text {
				crowded.Store(true)
			}
			return crowded.Load() && p.Prompt == o.Short.Text && p.InFlight > 1
		})

		wantOnly(t, examine(t, o), map[doctor.Name]doctor.Verdict{doctor.Slots: doctor.Warning})
	})
}

// A server that completes no text, and answers messages, is asked in a chat.
func TestOnlyChats(t *testing.T) {
	t.Parallel()

	for _, status := range []int{404, 500, 403} {
		virtually(t, fmt.Sprint(status), func(t *testing.T) {
			s := start(t, simserver.Options{MaxModelLen: 8192})
			o := options(s, openai.Kind)
			o.Transport = failing(s, status, func(p probed) bool { return p.Prompt != "" })

			r := examine(t, o)
			wantOnly(t, r, map[doctor.Name]doctor.Verdict{doctor.Completion: doctor.Problem})

			if r.Settings()["server.form"] != "chat" {
				t.Errorf("%+v", r.Checks)
			}

			o = chatting(s)
			o.Transport = failing(s, status, func(p probed) bool { return p.Prompt != "" })
			wantOnly(t, examine(t, o), nil)
		})
	}
}
