package serving

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolevo/mcts/policy/server"
)

// newFollower returns the follower of a toy's policy, by a list in a file.
func newFollower(t *testing.T, path string, log *bytes.Buffer) *follower {
	t.Helper()

	m := toyModels(t)
	m.Servers.Addresses, m.Servers.Log = "file:"+path, slog.New(slog.NewTextHandler(log, nil))

	o, err := m.Options("toy", "m")
	if err != nil {
		t.Fatal(err)
	}

	p, err := server.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })

	f, err := m.follower(p, toy, "m")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A server that answers, and is of no use, is looked at ever less often, and complained of once.
func TestFollowLeavesAlone(t *testing.T) {
	looks := 0
	useless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			http.NotFound(w, r)
			return
		}

		looks++
		_, _ = io.WriteString(w, `["m"]`)
	}))
	defer useless.Close()

	path := filepath.Join(t.TempDir(), "servers.txt")
	if err := os.WriteFile(path, []byte(serveToy(t)+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}

	var log bytes.Buffer
	f := newFollower(t, path, &log)

	list, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(list, useless.URL...), 0o644)
	}

	if err != nil {
		t.Fatal(err)
	}

	var looked []int
	for range 15 {
		f.update(t.Context())
		looked = append(looked, looks)
	}

	if want := []int{1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4}; !slices.Equal(looked, want) {
		t.Errorf("it was looked at %v times, want %v", looked, want)
	}

	if n := strings.Count(log.String(), "not followed in full"); n != 1 {
		t.Errorf("%d complaints: %s", n, &log)
	}
}

// A policy asks those that the list names, as it changes; who cannot be used does not join, and is
// taken once it can; a list that cannot be read, or is empty, changes nothing. Each complaint is
// logged once.
func TestFollow(t *testing.T) {
	a, b, c := serveToy(t), serveToy(t), serveToy(t)
	path := filepath.Join(t.TempDir(), "servers.txt")
	write := func(servers ...string) {
		if err := os.WriteFile(path, []byte(strings.Join(servers, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(a)

	var log bytes.Buffer
	f := newFollower(t, path, &log)
	p := f.policy

	const nowhere = "http://127.0.0.1:1"

	for _, step := range []struct {
		listed, want []string
		logged       string // what is said for the first time
	}{
		{[]string{a, b}, []string{a, b}, "joined"},
		{[]string{a, b}, []string{a, b}, ""},
		{[]string{b, c}, []string{b, c}, "off the list"},
		{nil, []string{b, c}, "lists no server"},
		{nil, []string{b, c}, ""},
		{[]string{"<html>", "Error: no scheduler"}, []string{b, c}, "does not begin with http://"},
		{[]string{c, nowhere}, []string{c}, "start the server"},
		{[]string{c, nowhere}, []string{c}, ""},
		{[]string{c, c + "/"}, []string{c}, ""}, // one server, however it is written
		{[]string{c, "gpu:x"}, []string{c}, "does not begin with http://"},
		{[]string{c, "gpu:x"}, []string{c}, ""},
		{[]string{nowhere}, []string{c}, "is the last one, and cannot leave"},
		{[]string{a}, []string{a}, "off the list"},
	} {
		write(step.listed...)
		log.Reset()
		f.update(t.Context())

		got := p.Addresses()
		slices.Sort(got)
		slices.Sort(step.want)

		if !slices.Equal(got, step.want) {
			t.Errorf("%q are listed, and %q are asked, want %q", step.listed, got, step.want)
		}

		if step.logged == "" && log.Len() > 0 || !strings.Contains(log.String(), step.logged) {
			t.Errorf("%q are listed: %q is logged, want %q", step.listed, &log, step.logged)
		}
	}

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	f.update(t.Context())

	if got := p.Addresses(); !slices.Equal(got, []string{a}) || !strings.Contains(log.String(), "no such file") {
		t.Errorf("without a list %q are asked, and %q is logged", got, &log)
	}
}
