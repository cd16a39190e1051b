package viewer

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"strings"

	"toolevo/envs/display"
)

//go:embed pages
var pageFiles embed.FS

//go:embed assets/style.css assets/keys.js assets/htmx.min.js
var assetFiles embed.FS

// asset returns the text of an embedded file.
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
	inFile    bool
	root      string // of addresses
}

// newRenderer returns a renderer of the pages of a server or, with inFile, of those in one file.
func newRenderer(inFile bool) *renderer {
	r := &renderer{inFile: inFile, root: "/"}
	if inFile {
		r.root = "#"
	}

	r.templates = template.Must(template.New("").Funcs(template.FuncMap{
		"body": r.body,
		"file": func() bool { return inFile },
		// String escapes it.
		"href":  func(p fmt.Stringer) template.URL { return template.URL(r.root + p.String()) },
		"back":  r.back,
		"last":  func(i int, way []crumb) bool { return i == len(way)-1 },
		"line":  r.line,
		"turn":  r.turn,
		"brief": brief,
		"clean": display.Visible,
		"words": questionLine.words,
	}).ParseFS(pageFiles,
		"pages/layout.html", "pages/runs.html", "pages/lists.html", "pages/attempt.html"))

	return r
}

// back returns the address of a page on the way to another one, and of that one's row in it. In a
// file rows have no addresses.
func (r *renderer) back(c crumb) template.URL {
	if c.Row == "" || r.inFile {
		return template.URL(r.root + c.Address)
	}
	return template.URL(r.root + c.Address + "#" + c.Row)
}

// body returns the page's own part.
func (r *renderer) body(p *page) (template.HTML, error) {
	var b strings.Builder
	b.Grow(usualBody)
	err := r.templates.ExecuteTemplate(&b, p.Template, p)
	return template.HTML(b.String()), err // made by a template
}

// usualBody is as long as the body of a page with one tree, in bytes.
const usualBody = 16 << 10

// write writes a page.
func (r *renderer) write(w io.Writer, p *page) error {
	return r.templates.ExecuteTemplate(w, "page", p)
}

// briefLength is how many columns of a question are shown until it is opened.
const briefLength = 100

// brief returns a question in one line, "" if that is all of it.
func brief(question string) string {
	line := display.Line(question, briefLength)
	if line != display.Line(question, 0) || strings.Contains(question, "\n") {
		return line
	}
	return ""
}

// words returns the filters that take a question, each between bars.
func (l questionLine) words() string {
	var b strings.Builder

	for _, name := range choices() {
		if (filter{Show: name}).matches(l.facts) {
			b.WriteString("|" + name)
		}
	}

	return b.String() + "|"
}

// Style returns the style sheet of the pages, for others that show turns in the same way.
func Style() string { return asset("style.css") }
