package variability

import (
	"image/color"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"toolevo/envs/drift"
)

// Figure shows the original beside the factors of one kind: bars of the official accuracy with its interval, by
// policy, a panel for each difficulty.
type Figure struct {
	Name  string // of its files: figure-names, figure-parameters or figure-response
	Title string

	apis []string // the original first
	rows []Row
}

// The titles of the figures, by what the names of their factors begin with.
var titles = map[string]string{
	"names":      "Names of APIs change",
	"parameters": "Names of parameters change",
	"response":   "The form of answers changes",
}

// Figures returns the paper's figures 4 to 6, as far as rows have their factors.
func Figures(rows []Row, original string) []Figure {
	var figures []Figure

	measured := distinct(rows, func(r Row) string { return r.API })

	for _, factor := range drift.FactorNames() {
		if !slices.Contains(measured, factor) {
			continue
		}

		kind, _, _ := strings.Cut(factor, "-")
		name := "figure-" + kind

		i := slices.IndexFunc(figures, func(f Figure) bool { return f.Name == name })
		if i < 0 {
			i = len(figures)
			figures = append(figures, Figure{Name: name, Title: titles[kind], apis: []string{original}, rows: rows})
		}

		figures[i].apis = append(figures[i].apis, factor)
	}

	return figures
}

// WriteSVG draws the figure as SVG.
func (f Figure) WriteSVG(w io.Writer) error {
	return f.write(w, vgsvg.New(f.size()))
}

// WritePNG draws the figure as PNG, of 200 pixels an inch.
func (f Figure) WritePNG(w io.Writer) error {
	return f.write(w, vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(f.size()), vgimg.UseDPI(200))})
}

func (f Figure) write(w io.Writer, canvas interface {
	vg.CanvasSizer
	io.WriterTo
}) error {
	if err := f.draw(draw.New(canvas)); err != nil {
		return err
	}

	_, err := canvas.WriteTo(w)

	return err
}

// Lengths in a figure.
const (
	placeWidth  = 1.1 * vg.Inch // of a policy in a panel
	panelExtra  = 0.9 * vg.Inch // of a panel, beside its policies
	legendWidth = 2.0 * vg.Inch
	plotHeight  = 2.45 * vg.Inch
	titleHeight = 0.5 * vg.Inch
	lineHeight  = 0.15 * vg.Inch // of the names of policies
)

// size is as wide as the policies need, and as high as their names.
func (f Figure) size() (width, height vg.Length) {
	policies, difficulties := f.policies(), f.difficulties()
	panel := panelExtra + vg.Length(len(policies))*placeWidth

	lines := 1
	for _, policy := range policies {
		lines = max(lines, 1+strings.Count(inLines(policy), "\n"))
	}

	return vg.Length(len(difficulties))*panel + legendWidth, titleHeight + plotHeight + vg.Length(lines)*lineHeight
}

func (f Figure) policies() []string { return distinct(f.rows, func(r Row) string { return r.Policy }) }

// difficulties are those of the panels: each by itself where there are several.
func (f Figure) difficulties() []string {
	all := distinct(f.rows, func(r Row) string { return r.Difficulty })

	return all[:max(1, len(all)-1)]
}

// draw draws the title, the panels, and the legend at their right.
func (f Figure) draw(c draw.Canvas) error {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())

	heading := plot.New().Title.TextStyle
	heading.Font = sans(13)
	heading.XAlign, heading.YAlign = draw.XLeft, draw.YTop
	c.FillText(heading, vg.Point{X: c.Min.X + 0.15*vg.Inch, Y: c.Max.Y - 0.1*vg.Inch}, f.Title)

	panels := make([]*plot.Plot, len(f.difficulties()))

	for i, difficulty := range f.difficulties() {
		var err error
		if panels[i], err = f.panel(difficulty); err != nil {
			return err
		}
	}

	panels[0].Y.Label.Text, panels[0].Y.Label.TextStyle.Font = "official accuracy, %", sans(10)

	area := draw.Crop(c, 0.1*vg.Inch, -legendWidth, 0.1*vg.Inch, -titleHeight)
	tiles := draw.Tiles{Rows: 1, Cols: len(panels), PadX: 0.15 * vg.Inch}

	for i, tile := range plot.Align([][]*plot.Plot{panels}, tiles, area)[0] {
		panels[i].Draw(tile)
	}

	legend := f.legend()
	legend.Draw(draw.Crop(c, c.Max.X-c.Min.X-legendWidth+0.1*vg.Inch, 0, 0, -titleHeight))

	return nil
}

// legend names the versions.
func (f Figure) legend() plot.Legend {
	legend := plot.NewLegend()
	legend.TextStyle.Font = sans(10)
	legend.Top, legend.Left = true, true
	legend.Padding, legend.ThumbnailWidth = 4, 12

	for k, api := range f.apis {
		if k == 0 {
			api += ", the original"
		}

		legend.Add(api, &plotter.Polygon{Color: colours[k]})
	}

	return legend
}
