package viewer

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"math"
	"strings"
	"unicode/utf8"

	"toolevo/envs/display"
	"toolevo/mcts"
)

//go:embed pages
var pageFiles embed.FS

//go:embed assets/style.css assets/keys.js assets/htmx.min.js
var assetFiles embed.FS

// asset is the text of an embedded file.
func asset(name string) string {
	text, err := fs.ReadFile(assetFiles, "assets/"+name)
	if err != nil {
		panic(err) // it is embedded
	}

	return string(text)
}

// renderer writes pages.
type renderer struct {
	templates *template.Template
}

// newRenderer returns a renderer of pages that a server answers with, or with inFile of those in one file.
func newRenderer(inFile bool) *renderer {
	r := &renderer{}
	root := "/"

	if inFile {
		root = "#"
	}

	r.templates = template.Must(template.New("").Funcs(template.FuncMap{
		"body":    r.body,
		"file":    func() bool { return inFile },
		"href":    func(p fmt.Stringer) template.URL { return template.URL(root + p.String()) }, // escaped by String
		"last":    func(i int, way []place) bool { return i == len(way)-1 },
		"depth":   func(b mcts.Branch) int { return utf8.RuneCountInString(b.Lead) / 2 },
		"percent": func(q float64) int { return int(math.Round(100 * min(math.Abs(q), 1))) },
		"clean":   display.Visible,
		"words":   questionLine.words,
		"beside":  func(*page) template.URL { return "" }, // only a file has pages for it
	}).ParseFS(pageFiles, "pages/layout.html", "pages/runs.html", "pages/lists.html", "pages/attempt.html"))

	return r
}

// body is the page's own part.
func (r *renderer) body(p *page) (template.HTML, error) {
	var b strings.Builder
	err := r.templates.ExecuteTemplate(&b, p.Template, p)

	return template.HTML(b.String()), err // made by a template
}

// write writes a page.
func (r *renderer) write(w io.Writer, p *page) error {
	return r.templates.ExecuteTemplate(w, "page", p)
}

// words are the filters that take a question, each between bars.
func (l questionLine) words() string {
	var b strings.Builder

	for _, name := range choices() {
		if (filter{Show: name}).takes(l.facts) {
			b.WriteString("|" + name)
		}
	}

	return b.String() + "|"
}

// Style is the style sheet of the pages, for others that show turns as they do.
func Style() string { return asset("style.css") }
