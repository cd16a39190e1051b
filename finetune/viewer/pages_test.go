package viewer_test

import (
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/mcts"
)

// get asks a handler as a browser of this machine does.
func get(t testing.TB, h http.Handler, path string) (code int, body string) {
	t.Helper()

	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = "localhost:8765"
	h.ServeHTTP(w, r)

	text, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}

	return w.Code, string(text)
}

var addresses = regexp.MustCompile(`(?:href|src|action|hx-get)="([^"]+)"`)

// Every address on every page leads to a page, and none leads elsewhere.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	t.Parallel()

	s, _ := example(t)
	h := s.Handler()
	seen := map[string]bool{"/": true}

	for queue := []string{"/"}; len(queue) > 0; queue = queue[1:] {
		path, anchor, _ := strings.Cut(queue[0], "#")
		code, body := get(t, h, path)
		if code != http.StatusOK || anchor != "" && !strings.Contains(body, `id="`+anchor+`"`) {
			t.Errorf("%s: %d", queue[0], code)
		}

		if !strings.HasPrefix(body, "<!doctype html>") {
			continue
		}

		for _, m := range addresses.FindAllStringSubmatch(body, -1) {
			address := html.UnescapeString(m[1])

			switch {
			case address == "data:,":
			case !strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//"):
				t.Errorf("%s leads to %s", queue[0], address)
			case address == "/-/compare": // of a form, which adds what is marked
			case !seen[address]:
				seen[address] = true
				queue = append(queue, address)
			}
		}
	}

	for _, want := range []string{
		"/first/easy%2Fone%201/0/4", "/measured%20%282%29/two/1", "/-/prompt/first/easy%2Fone%201/0/4",
	} {
		if !seen[want] {
			t.Errorf("no page leads to %s, of %d", want, len(seen))
		}
	}
}

// What others wrote is text on every page, also in a file.
func TestForeignTextIsText(t *testing.T) {
	t.Parallel()

	s, _ := example(t)
	_, page := get(t, s.Handler(), "/first/easy%2Fone%201/0")

	text, err := os.ReadFile(written(t, s))
	if err != nil {
		t.Fatal(err)
	}

	for name, body := range map[string]string{"page": page, "file": string(text)} {
		if strings.Contains(body, "<script>document") || strings.Contains(body, "<img") ||
			strings.ContainsAny(body, "\x1b\u202e") {
			t.Errorf("the %s holds what a browser obeys", name)
		}

		if !strings.Contains(body, `\x1b[2J\u202e`) {
			t.Errorf("the %s does not show what was written", name)
		}
	}
}

// Every address in a file is one of its pages, or a node of one, and nothing is loaded.
func TestFileIsWhole(t *testing.T) {
	t.Parallel()

	s, _ := example(t)

	text, err := os.ReadFile(written(t, s))
	if err != nil {
		t.Fatal(err)
	}

	there := map[string]bool{}
	for _, m := range regexp.MustCompile(`data-(?:page|card)="([^"]*)"`).FindAllStringSubmatch(string(text), -1) {
		there["#"+m[1]] = true
	}

	pages, _, _ := strings.Cut(string(text), "<script>")
	links := addresses.FindAllStringSubmatch(pages, -1)
	for _, m := range links {
		if address := html.UnescapeString(m[1]); !there[address] && address != "data:," {
			t.Errorf("the file leads to %s, which it has not", address)
		}
	}

	if len(links) < 20 {
		t.Errorf("the file has only %d links", len(links))
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()

	s, _ := example(t)
	h := s.Handler()

	const one, two = ">easy/one 1<", ">two<"

	for _, test := range []struct {
		query          string
		hasOne, hasTwo bool
	}{
		{"", true, true},
		{"show=solved", true, false},
		{"show=recovered", true, false},
		{"show=met+a+deprecation", true, false},
		{"show=unresolved", false, true},
		{"show=not+tried", false, false},
		{"show=malformed", true, false},
		{"show=tool-error", false, false},
		{"q=MUCH", false, true},
		{"q=seen+by+OpenDB", false, false},
		{"q=seen+by+OpenDB&turns=1", true, false},
		{"q=how&show=solved", true, false},
	} {
		_, body := get(t, h, "/first?"+test.query)
		if strings.Contains(body, one) != test.hasOne || strings.Contains(body, two) != test.hasTwo {
			t.Errorf("?%s: lists the first: %v, the second: %v", test.query, strings.Contains(body, one),
				strings.Contains(body, two))
		}
	}
}

func TestTrajectory(t *testing.T) {
	t.Parallel()

	s, _ := example(t)
	h := s.Handler()
	_, body := get(t, h, "/first/easy%2Fone%201/0/4")

	for _, want := range []string{
		"deprecated: recovered after 1", ">reflection<", ">learned<", "answer: 7", "★", "seen by OpenDB", "3 siblings",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the trajectory does not show %q", want)
		}
	}

	if strings.Count(body, `class="turn `) != 4 {
		t.Errorf("want 4 turns, got %d", strings.Count(body, `class="turn `))
	}

	if !strings.Contains(body, `class="ok cached"`) {
		t.Error("the cached node is not marked")
	}

	_, body = get(t, h, "/-/prompt/first/easy%2Fone%201/0/4")
	if !strings.Contains(body, "the prompt of easy/one 1 after 4 turns") {
		t.Error("the prompt is not that of the node")
	}
}

// Side by side, turns stand in rows, and those that differ from the first trajectory's are marked.
func TestSideBySide(t *testing.T) {
	t.Parallel()

	s, _ := example(t)
	h := s.Handler()
	of := []string{"first/easy%2Fone%201/0/4", "first/easy%2Fone%201/0/6", "measured%20%282%29/easy%2Fone%201/0"}
	_, body := get(t, h, "/-/compare?"+url.Values{"of": of}.Encode())

	if n := strings.Count(body, `class="turn `); n != 4+2+1 {
		t.Errorf("want 7 turns, got %d", n)
	}

	if n := strings.Count(body, ` differs"`); n != 1+1 { // Finish after LoadDB, and Finish in place of it
		t.Errorf("want 2 turns that differ, got %d", n)
	}

	if n := strings.Count(body, `class="gap"`); n != 2+3 {
		t.Errorf("want 5 gaps, got %d", n)
	}
}

func TestPagesThatAreNotThere(t *testing.T) {
	t.Parallel()

	s, _ := example(t)
	h := s.Handler()

	for _, path := range []string{
		"/third", "/first/three", "/first/two/0", "/first/easy%2Fone%201/0/99", "/first/two/x", "/a/b/1/2/3",
		"/-/compare", "/-/compare?of=first/two/7", "/-/prompt/first",
	} {
		if code, body := get(t, h, path); code != http.StatusNotFound || !strings.Contains(body, "All runs") {
			t.Errorf("%s: %d", path, code)
		}
	}
}

// A page of a foreign site, whose name was made to lead here, reads nothing.
func TestForeignNamesAreRefused(t *testing.T) {
	t.Parallel()

	s, _ := example(t)
	h := s.Handler()

	for host, want := range map[string]int{
		"example.org": 403, "example.org:8765": 403, "10.0.0.1:8765": 403, "localhost.example.org": 403, "": 403,
		"localhost": 200, "127.0.0.1:8765": 200, "[::1]:8765": 200,
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = host
		h.ServeHTTP(w, r)

		if w.Code != want {
			t.Errorf("as %q: %d, want %d", host, w.Code, want)
		}
	}
}

// A run is read again where it grew.
func TestGrowth(t *testing.T) {
	t.Parallel()

	s, collected := example(t)
	h := s.Handler()

	if _, body := get(t, h, "/first?show=solved"); strings.Contains(body, ">two<") {
		t.Fatal("the second question is solved")
	}

	q := collected.attempts["easy/one 1"][0].Meta.Question
	q.ID, q.Text = "two", "How much?"
	right := node(0, "Finish", envs.Correct)
	right.Grade = envs.Grade{Answer: "8", Official: true, Strict: true}
	collected.add(q, "p_s_in", treeOf(mcts.Record{Expanded: true}, right))

	if _, body := get(t, h, "/first?show=solved"); !strings.Contains(body, ">two<") {
		t.Error("what was added is not shown")
	}
}

// BenchmarkLargeTree is the page of a tree of 3,000 nodes.
func BenchmarkLargeTree(b *testing.B) {
	s, collected := example(b)
	collected.add(collected.attempts["easy/one 1"][0].Meta.Question, "p_s_in", large(3000))
	h := s.Handler()

	for b.Loop() {
		if code, _ := get(b, h, "/first/easy%2Fone%201/1"); code != http.StatusOK {
			b.Fatal(code)
		}
	}
}
