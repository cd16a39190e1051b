package viewer_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// The list of runs is sorted and filtered by its address, without scripts, and the addresses keep
// both.
func TestListOfRuns(t *testing.T) {
	t.Parallel()

	s, _ := example(t)
	h := s.Handler()
	rows := regexp.MustCompile(`<tr><td class="id`)

	for path, want := range map[string]int{
		"/": 2, "/?sort=run": 2, "/?q=kind%3Deval": 1, "/?q=first": 1, "/?q=none": 0,
	} {
		code, body := get(t, h, path)
		if n := len(rows.FindAllString(body, -1)); code != http.StatusOK || n != want {
			t.Errorf("%s: %d, %d runs, want %d", path, code, n, want)
		}
	}

	_, body := get(t, h, "/?sort=run&q=kind%3Deval")
	for _, want := range []string{`value="kind=eval"`, `value="run"`, `href="/?q=kind%3deval&amp;sort=cost"`, "1 of 2"} {
		if !strings.Contains(strings.ToLower(body), strings.ToLower(want)) {
			t.Errorf("the page lacks %s:\n%s", want, body)
		}
	}

	if code, body := get(t, h, "/?sort=colour"); code != http.StatusNotFound || !strings.Contains(body, "colour") {
		t.Errorf("%d: %s", code, body)
	}
}
