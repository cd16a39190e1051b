package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	stategensuite "toolevo/cmd/internal/suites/stategen"
)

// The session service under a version: a client of that version adds a session and finds it, one of
// p_c is told what to use instead, and Ctrl-C ends it with a report.
func TestServeSessions(t *testing.T) {
	t.Parallel()

	for version, status := range map[string]int{"p_c": http.StatusOK, "p_s_in": http.StatusGone} {
		s := startServing(t, nil, "serve", "sessions", "--api", version, "--json")

		reply, err := http.Post(s.url+"/api/sessions/lab/group", "application/json", strings.NewReader(`{"title": "A"}`))
		if err != nil {
			t.Fatal(err)
		}

		text, err := io.ReadAll(reply.Body)
		_ = reply.Body.Close()

		if err != nil || reply.StatusCode != status {
			t.Errorf("%s: %s %s (%v), want %d", version, reply.Status, text, err, status)
		}

		out, said := s.interrupt()

		var report stategensuite.ServedSessions
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			t.Fatalf("%v: %s\n%s", err, out, said)
		}

		if report.Version != version || report.Address != s.url || report.Calls["add_session"] != len(report.Calls) {
			t.Errorf("%s: it reports %+v", version, report)
		}
	}

	fails(t, exitUsage, []string{"2 versions", "want one"}, "serve", "sessions", "--api", "p_c,p_s_in")
	fails(t, exitUsage, []string{"unexpected argument"}, "serve", "sessions", "extra")
}
