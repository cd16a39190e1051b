package tabulate

import (
	"fmt"
	"html"
	"io"
	"strings"

	"toolevo/envs/display"
)

// WriteSVG draws the figure as SVG.
func (f Figure) WriteSVG(w io.Writer) error { return f.draw(false).writeSVG(w, "") }

// onDark sets the colours of lines and letters on a dark page.
const onDark = `<style>@media (prefers-color-scheme: dark) { text, [fill="#000000"] { fill: #e3e5e8 } ` +
	`[fill="#e1e1e1"] { fill: #363a42 } }</style>` + "\n"

// WritePanel draws a panel of the figure as a part of a page, light or dark, which has the title
// and the legend.
func (f Figure) WritePanel(w io.Writer, p Panel) error {
	f.Panels = []Panel{p}
	return f.draw(true).writeSVG(w, onDark)
}

// writeSVG writes what was drawn, with a style sheet.
func (c *canvas) writeSVG(w io.Writer, style string) error {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.1fpt" height="%.1fpt" `+
		`viewBox="0 0 %[1]g %[2]g" font-family="Liberation Sans, Arial, Helvetica, sans-serif">`+"\n",
		c.width, c.height)
	b.WriteString(style)

	// Areas come first: what is later is drawn above, and texts must stay readable.
	for _, a := range c.areas {
		fmt.Fprintf(&b, `<polygon fill="#%02x%02x%02x" `, a.colour.R, a.colour.G, a.colour.B)

		if a.colour.A < 0xff {
			fmt.Fprintf(&b, `fill-opacity="%.2f" `, float64(a.colour.A)/0xff)
		}

		b.WriteString(`points="`)

		for _, p := range a.corners {
			fmt.Fprintf(&b, "%.2f,%.2f ", p.x, p.y)
		}

		b.WriteString("\"/>\n")
	}

	for _, l := range c.labels {
		turned := ""
		if l.vertical {
			turned = fmt.Sprintf(` transform="rotate(-90 %.2f %.2f)"`, l.at.x, l.at.y)
		}

		// Names come from users and models: escaped as markup, and with invisible characters made
		// visible.
		fmt.Fprintf(&b, `<text x="%.2f" y="%.2f" font-size="%g" text-anchor="%s"%s>%s</text>`+"\n",
			l.at.x, l.at.y, l.size,
			map[anchor]string{start: "start", middle: "middle", end: "end"}[l.anchor], turned,
			html.EscapeString(display.Visible(l.text)))
	}

	b.WriteString("</svg>\n")

	_, err := io.WriteString(w, b.String())
	return err
}
