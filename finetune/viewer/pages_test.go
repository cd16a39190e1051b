package viewer_test

import (
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/finetune/rundir"
	"toolevo/finetune/viewer"
	"toolevo/mcts"
	"toolevo/mcts/account"
	"toolevo/trajectories"
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

	if n := strings.Count(body, ` differs"`); n != 1+1 { // each answers wrongly where the first one is right
		t.Errorf("want 2 turns that differ, got %d", n)
	}

	if n := strings.Count(body, `class="gap"`); n != 2+3 {
		t.Errorf("want 5 gaps, got %d", n)
	}
}

// One turn more on one side shades that turn and no other.
func TestSidesAreAlignedByTheirCalls(t *testing.T) {
	t.Parallel()

	s, collected := example(t)
	tools := func(names ...string) *mcts.TreeRecord {
		nodes := []mcts.Record{{Expanded: true}}
		for i, name := range names {
			nodes = append(nodes, node(i, name, envs.OK))
		}
		return treeOf(nodes...)
	}
	q := collected.attempts["easy/one 1"][0].Meta.Question
	collected.add(q, "p_s_in", tools("LoadDB", "FilterDB", "GetValue", "Finish"))
	collected.add(q, "p_s_in", tools("LoadDB", "UpdateTool", "FilterDB", "GetValue", "Finish"))

	of := []string{"first/easy%2Fone%201/1/4", "first/easy%2Fone%201/2/5"}
	_, body := get(t, s.Handler(), "/-/compare?"+url.Values{"of": of}.Encode())

	if !strings.Contains(body, "4 of 5 rows are alike") || strings.Count(body, ` differs"`) != 1 ||
		strings.Count(body, `class="gap"`) != 1 {
		t.Errorf("%d turns differ, and %d have none beside them", strings.Count(body, ` differs"`),
			strings.Count(body, `class="gap"`))
	}
}

// Lists are sorted and turned by links alone, and questions that are found in turns say where.
func TestListPages(t *testing.T) {
	t.Parallel()

	h := many(t, 250).Handler()
	first := regexp.MustCompile(`data-key>(q \d+)<`)

	for query, want := range map[string]string{
		"":                       "q 0000",
		"page=3":                 "q 0200",
		"page=99":                "q 0200", // there are three
		"page=x":                 "q 0000",
		"sort=trees":             "q 0249", // of two attempts
		"sort=-trees&page=3":     "q 0200",
		"sort=no+such":           "q 0000",
		"q=is+24&page=1":         "q 0024",
		"q=is+24&sort=trees":     "q 0249",
		"q=seen+by+Op&turns=1":   "q 0000",
		"q=HOW+MANY+ARE&sort=id": "q 0001",
	} {
		_, body := get(t, h, "/many?"+query)
		if m := first.FindStringSubmatch(body); m == nil || m[1] != want {
			t.Errorf("?%s: %v is the first, want %s", query, m, want)
		}
	}

	_, body := get(t, h, "/many?page=2&sort=calls")
	for _, want := range []string{
		`href="/many?page=3&amp;sort=calls" rel="next"`, `href="/many?sort=calls" rel="prev"`, "page 2 of 3",
		`aria-sort="descending"><a href="/many?sort=-calls"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}

	_, body = get(t, h, "/many?q=seen+by+Op&turns=1")
	if !strings.Contains(body, `<a href="/many/q%200000/0/2">0, node 2</a>`) ||
		!strings.Contains(body, "<mark>seen by Op</mark>") {
		t.Error("the list does not say where the text was found")
	}
}

// A question in several lines, or a long one, is one line until somebody asks for the rest.
func TestLongQuestion(t *testing.T) {
	t.Parallel()

	h := many(t, 3).Handler()
	for _, path := range []string{"/many", "/many/q%200001", "/many/q%200001/0"} {
		_, body := get(t, h, path)
		if !strings.Contains(body, `<details class="asked"><summary>How many are these? And these?`) {
			t.Errorf("%s shows the question whole", path)
		}

		if path == "/many" && strings.Count(body, `class="asked"><summary>`) != 1 {
			t.Error("a short question is folded")
		}
	}
}

// The panel of a run shows its cost and results: of the seven turns three were ok, and
// each other outcome occurred once.
func TestPanel(t *testing.T) {
	t.Parallel()

	_, collected := example(t)
	asked := []trajectories.Question{collected.attempts["easy/one 1"][0].Meta.Question, {ID: "two", Text: "How much?"}}
	dir := manifest(t, "collect", true)
	s := viewer.New([]*viewer.Run{{Name: "first", Dir: dir, Questions: asked, Source: collected}}, nil)
	passes := `[{"started":"2026-11-28T22:00:00Z","ended":"2026-11-29T00:00:00Z","calls":3600,"prompt_tokens":9000,` +
		`"cached_tokens":0,"completion_tokens":7200}]`

	if err := os.WriteFile(filepath.Join(dir, account.File), []byte(passes), 0o644); err != nil {
		t.Fatal(err)
	}

	_, body := get(t, s.Handler(), "/first")
	for _, want := range []string{
		"3600 calls", ">2h<", ">1800<", "<td class=\"n\">1<td class=\"n\">14.3 %", "malformed",
		"questions 1 to 2, 1 of them tried: 100 % with an accepted answer, 8.0 model calls each", "Settings",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the panel lacks %s", want)
		}
	}
}

// An evaluation's share is of its episodes: each question of it was answered by somebody, and yet
// three of four answers are wrong.
func TestPanelOfEvaluation(t *testing.T) {
	t.Parallel()

	played := &source{attempts: map[string][]viewer.Attempt{}}
	var asked []trajectories.Question

	for i := range 10 {
		q := trajectories.Question{ID: strconv.Itoa(i), Text: "How many?", Gold: "7"}
		asked = append(asked, q)
		played.add(q, "p_s_in", recovered())

		for _, api := range []string{"p_c", "p_s_ood", "made"} {
			played.add(q, api, treeOf(mcts.Record{Expanded: true}, node(0, "Finish", envs.Incorrect)))
		}
	}
	run := &viewer.Run{Name: "played", Dir: manifest(t, "eval", true), Questions: asked, Source: played}
	_, body := get(t, viewer.New([]*viewer.Run{run}, nil).Handler(), "/played")

	for _, want := range []string{
		"questions 1 to 5, 20 episodes: 25 % with a correct answer", "questions 6 to 10, 20 episodes: 25 %",
		"25 % of those of the first 5 questions",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the panel lacks %s", want)
		}
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
		code, body := get(t, h, path)
		if code != http.StatusNotFound || !strings.Contains(body, "All runs") || strings.Contains(body, "file does") {
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

// The page of a run that workers do shows who they are and what they have.
func TestWorkersOnThePage(t *testing.T) {
	t.Parallel()

	_, collected := example(t)
	dir := growing(t)

	finish := rundir.Note(dir, func() rundir.Progress {
		there := []rundir.Worker{{Name: "box-<1>", Units: 3, Done: 4, PerHour: 48, Longest: 90}}
		return rundir.Progress{Workers: &rundir.Workers{Begun: 7, Ended: 4, Again: 1, Refused: 2, There: there}}
	})
	if err := finish(); err != nil {
		t.Fatal(err)
	}

	s := viewer.New([]*viewer.Run{{Name: "run", Dir: dir, Source: collected}}, nil)

	_, body := get(t, s.Handler(), "/run")
	for _, want := range []string{
		"7 units begun, 4 ended, 1 begun again, 2 calls made twice",
		`box-&lt;1&gt;<td class="n">3<td class="n">90s<td class="n">4<td class="n">48<`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
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
