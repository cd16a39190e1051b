package viewer

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
	"unicode/utf8"

	"toolevo/envs/display"
)

// Trees make up nearly all of a site. What is drawn once for each node is written here and not by
// templates, which take ten times as long: a file of a large run would take minutes.

// text returns a text from outside as HTML.
func text(s string) string { return html.EscapeString(display.Visible(s)) }

// line returns a node as a line of its tree.
func (r *renderer) line(l *nodeLine) template.HTML {
	var b strings.Builder

	class := l.Kind
	if l.Cached {
		class += " cached"
	}

	if l.Selected {
		class += " chosen"
	}

	// A node that only a rollout made has no visits of its own: 0 would look like a bad one.
	visits, q := fmt.Sprint(l.Visits), `<span class="q"></span>`
	if l.Cached {
		visits = "·"
	}

	if l.Visited {
		// The bar is as long as Q is far from 0. A reward outside -1..1 would leave its column.
		way := "up"
		if l.Q < 0 {
			way = "down"
		}

		much := int(math.Round(100 * min(math.Abs(l.Q), 1)))
		q = fmt.Sprintf(`<span class="q %s" style="--much:%d%%">%+.2f</span>`, way, much, l.Q)
	}

	star, draws := "", ""
	if l.Accepted {
		star = "★"
	}

	if l.Draws > 1 {
		draws = fmt.Sprintf(" ×%d", l.Draws)
	}

	// The label comes from a model and the address from names of users: both are escaped. The rest
	// is drawn here.
	fmt.Fprintf(&b, `<li><a href="%s" data-key data-depth="%d" class="%s">`+
		`<span>%d</span><span class="n">%s</span>%s<span>%.2f</span><span class="star">%s</span>`+
		`<span><span class="lead">%s%s</span>%s%s</span></a></li>`,
		html.EscapeString(r.root+l.At.String()), utf8.RuneCountInString(l.Branch.Lead)/2, class,
		l.At.Node, visits, q, l.Prior, star,
		l.Branch.Lead, l.Branch.Twig, text(l.Label), draws)
	return template.HTML(b.String() + "\n")
}

// turn returns a card of a trajectory.
func (r *renderer) turn(c *card) template.HTML {
	var b strings.Builder

	class := "turn " + c.Kind
	if c.Differs {
		class += " differs"
	}

	name := "no call"
	if c.API != "" {
		name = text(c.API)
	}

	// A card of a file has the address of its node, and one of a page can be linked to by its node,
	// too.
	anchor, address := fmt.Sprintf("turn-%d", c.At.Node), html.EscapeString(r.root+c.At.String())
	if r.inFile {
		anchor = html.EscapeString(c.At.String())
	} else {
		address = html.EscapeString(r.root+c.Of.String()) + "#" + anchor
	}

	fmt.Fprintf(&b, `<article class="%s" id="%s" data-card="%s" data-parent="%s">`+
		`<h3><a href="%s" class="anchor" title="a link to this turn">%d</a> <span class="%s">%s</span>`,
		class, anchor, html.EscapeString(c.At.String()), html.EscapeString(c.Parent.String()),
		address, c.Number, c.Kind, name)

	tag := func(shown bool, kind, text string) {
		if shown {
			fmt.Fprintf(&b, `<span class="tag %s">%s</span>`, kind, text)
		}
	}

	// Readers look for whether the agent recovered from a notice, so the tag says it.
	kind := c.Kind
	if kind == "deprecated" {
		kind += ": not recovered"
		if c.Recovered > 0 {
			kind = fmt.Sprintf("deprecated: recovered after %d", c.Recovered)
		}
	}

	tag(c.Kind != "ok", c.Kind, kind)
	tag(c.Reflection, "reflection", "reflection")
	tag(c.Learned, "learned", "learned")
	tag(c.Limit != "", "limit", "stopped: "+text(c.Limit))

	b.WriteString(`<span class="dim">`)

	if c.Prior != 0 {
		fmt.Fprintf(&b, "P %.2f", c.Prior)
	}

	if c.Visits > 0 {
		fmt.Fprintf(&b, " N %d Q %+.2f", c.Visits, c.Value)
	}

	// The article stays open: the template adds the siblings of the turn and closes it.
	fmt.Fprintf(&b, "</span></h3>\n<pre>%s</pre>\n<pre class=\"seen\">%s</pre>\n",
		text(c.Action), text(c.Observation))
	return template.HTML(b.String())
}
