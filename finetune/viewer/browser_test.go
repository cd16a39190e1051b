package viewer_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/finetune/internal/browser"
	"toolevo/finetune/viewer"
	"toolevo/mcts"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// From all runs to a node and back by keys alone, on a wide and a narrow page: no page is wider
// than the window.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	s, _ := example(t)
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)

	for _, width := range []int64{1280, 390} {
		fits := func(page string) {
			t.Helper()

			b.Fits(t, page)
			b.Shoot(t, fmt.Sprintf("%s-%d", page, width))
		}

		b.Open(t, width, server.URL+"/")
		fits("runs")
		b.Press(t, "j", browser.Enter)
		b.Until(t, `location.pathname == "/first"`)
		fits("run")
		b.Search(t, "many")
		b.Press(t, browser.Enter)
		b.Until(t, `location.search.includes("q=many")`)
		b.Press(t, "j", browser.Enter)
		b.Until(t, `location.pathname.endsWith("/easy%2Fone%201")`)
		fits("question")
		b.Press(t, "j", browser.Enter)
		b.Until(t, `location.pathname.endsWith("/0")`)
		fits("tree")
		b.Press(t, "k", "h", "l", browser.Enter) // above the chosen node, its parent, that one's first child
		b.Until(t, `document.querySelector(".side").textContent.includes("node 3")`)

		if path := browser.Value[string](t, b, `location.pathname`); !strings.HasSuffix(path, "/0/3") {
			t.Errorf("the address of the node is %s", path)
		}

		fits("node")
		b.Click(t, "details summary[hx-get]")
		b.Until(t, `document.querySelector(".side").textContent.includes("the prompt of easy/one 1 after 3 turns")`)
		b.Press(t, "u")
		b.Until(t, `location.pathname.endsWith("/0")`)
		b.Press(t, "u")
		b.Until(t, `location.pathname.endsWith("/easy%2Fone%201")`)
		b.Press(t, "n")
		b.Until(t, `location.pathname.endsWith("/two")`)
		b.Press(t, "p")
		b.Until(t, `location.pathname.endsWith("/easy%2Fone%201")`)
	}
}

// Attempts that are marked stand side by side.
func TestMarkedSideBySide(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	s, _ := example(t)
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)

	b.Open(t, 1280, server.URL+"/measured%20%282%29/two")
	b.Press(t, "j", "x", "j", "x")
	b.Click(t, "form button")
	b.Until(t, `document.querySelectorAll(".sides .turn").length == 2`)
	b.Shoot(t, "compare")
}

// A page of a run that grows shows what was added, and keeps the focus.
func TestGrowingPage(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	_, collected := example(t)

	dir := growing(t)
	questions := []trajectories.Question{collected.attempts["easy/one 1"][0].Meta.Question}
	empty := &source{attempts: map[string][]viewer.Attempt{}}
	s := viewer.New([]*viewer.Run{{Name: "run", Dir: dir, Questions: questions, Source: empty}}, nil)

	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)

	b.Open(t, 1280, server.URL+"/run")
	b.Press(t, "j")

	if !browser.Value[bool](t, b, `document.querySelector(".state").textContent == "growing"`) {
		t.Fatal("the run does not grow")
	}

	empty.add(questions[0], "p_s_in", recovered())
	b.Until(t, `document.querySelector(".tall tbody .n").textContent == "1"`)
	b.Until(t, `document.activeElement.getAttribute("href") == "/run/easy%2Fone%201"`)
}

// growing is the directory of a run that this process works on until the test ends.
func growing(t *testing.T) string {
	t.Helper()

	dir := t.TempDir()

	r, err := store.StartRun(t.Context(), dir, store.Manifest{ID: "1", Kind: "collect"}, "")
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { r.Close() })
	return dir
}

// A tree of 3,000 nodes is on the screen within a second.
func TestLargeTree(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	s, collected := example(t)
	q := collected.attempts["easy/one 1"][0].Meta.Question
	collected.add(q, "p_s_in", large(3000))

	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)

	b.Open(t, 1280, server.URL+"/first/easy%2Fone%201/1")
	b.Until(t, `performance.getEntriesByName("first-contentful-paint").length > 0`)

	if n := browser.Value[int](t, b, `document.querySelectorAll(".tree a").length`); n != 2999 {
		t.Errorf("the tree has %d nodes", n)
	}

	paint := browser.Value[float64](t, b, `performance.getEntriesByName("first-contentful-paint")[0].startTime`)
	t.Logf("first paint after %.0f ms", paint)
	b.Shoot(t, "large")

	browser.Value[any](t, b, `document.querySelector('.tree a[href$="/2990"]').click()`)
	b.Until(t, `location.pathname.endsWith("/2990")`)
	b.Until(t, `document.querySelector(".side").textContent.includes("node 2990")`)
}

// large is a tree of n nodes, three children each, down to depth 12.
func large(n int) *mcts.TreeRecord {
	nodes := []mcts.Record{{Expanded: true}}
	depth := []int{0}

	for parent := 0; len(nodes) < n; parent++ {
		if depth[parent] == 12 {
			continue
		}

		for range 3 {
			if len(nodes) < n {
				nodes, depth = append(nodes, node(parent, "FilterDB", envs.OK)), append(depth, depth[parent]+1)
			}
		}
	}

	return treeOf(nodes...)
}

// A file opens from disk, turns to a node by its address and filters by itself.
func TestFileInABrowser(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	s, _ := example(t)

	b.Open(t, 1280, "file://"+written(t, s))
	b.Press(t, "j", browser.Enter)
	b.Until(t, `location.hash == "#first" && !document.querySelector('section[data-page="first"]').hidden`)
	b.Search(t, "much")
	b.Until(t, `[...document.querySelectorAll("tbody a")].filter(a => a.offsetParent).length == 1`)
	b.Press(t, browser.Escape)
	browser.Value[string](t, b, `location.hash = "#first/easy%2Fone%201/0/6"`)
	b.Until(t, `[...document.querySelectorAll(".turn")].filter(a => a.offsetParent).length == 2`)
	b.Shoot(t, "file")
}

// many is a run of n questions, of which the last is the only one with a second attempt.
func many(t *testing.T, n int) *viewer.Site {
	t.Helper()

	s := &source{attempts: map[string][]viewer.Attempt{}}
	var questions []trajectories.Question

	for i := range n {
		q := trajectories.Question{ID: fmt.Sprintf("q %04d", i), Text: fmt.Sprintf("How many is %d?", i), Gold: "7"}
		if i == 1 {
			q.Text = "How many are these?\n" + strings.Repeat("And these? ", 100)
		}

		questions = append(questions, q)
		s.add(q, "p_s_in", recovered())
	}

	s.add(questions[n-1], "p_s_in", recovered())
	return viewer.New([]*viewer.Run{
		{Name: "many", Dir: manifest(t, "collect", true), Questions: questions, Source: s},
	}, nil)
}

// A list in pages is sorted and turned by links, its head stays in sight, and u leads back to the
// row left.
func TestLongListInABrowser(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	server := httptest.NewServer(many(t, 620).Handler())
	t.Cleanup(server.Close)

	for _, width := range []int64{1920, 390} {
		b.Open(t, width, server.URL+"/many")
		b.Fits(t, "the list")
		b.Shoot(t, fmt.Sprintf("list-%d", width))
		b.Press(t, "n", "j", "j")
		b.Until(t, `location.search == "?page=2"`)
		b.Press(t, "j", "j", browser.Enter)
		b.Until(t, `location.pathname.startsWith("/many/q%2001")`)
		row := browser.Value[string](t, b, `location.pathname`)
		b.Press(t, "u")
		b.Until(t, `location.search == "?page=2" && document.activeElement.getAttribute("href") == "`+row+`"`)

		browser.Value[any](t, b, `document.querySelector(".tall").scrollTo(0, 2000)`)

		head := browser.Value[float64](t, b, `document.querySelector(".tall thead").getBoundingClientRect().top -
			document.querySelector(".tall").getBoundingClientRect().top`)
		if head < 0 || head > 2 {
			t.Errorf("the head of the list stands %v pixels from its place", head)
		}

		b.Click(t, ".tall thead th:nth-child(2) a")
		b.Until(t, `document.querySelector(".tall tbody a").textContent == "q 0619"`)
		b.Fits(t, "the sorted list")
	}
}

// A file of many questions holds them packed: the list turns and filters, and a question opens at a
// node.
func TestPackedFileInABrowser(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	path := written(t, many(t, 620))

	b.Open(t, 1280, "file://"+path+"#many?page=3")
	b.Until(t, `[...document.querySelectorAll("tbody a")].find(a => a.offsetParent)?.textContent == "q 0200"`)
	b.Search(t, "is 61")
	b.Until(t, `[...document.querySelectorAll("tbody a[data-key]")].filter(a => a.offsetParent).length == 11`)
	b.Press(t, browser.Escape, "j", "j", browser.Enter)
	b.Until(t, `[...document.querySelectorAll("h1 a")].find(a => a.offsetParent)?.textContent == "q 0610"`)
	b.Press(t, "j", browser.Enter)
	b.Until(t, `[...document.querySelectorAll(".turn")].filter(a => a.offsetParent).length == 4`)
	b.Shoot(t, "packed")
	browser.Value[string](t, b, `location.hash = "#many/q%200000/0/6"`)
	b.Until(t, `[...document.querySelectorAll(".turn")].filter(a => a.offsetParent).length == 2`)
}
