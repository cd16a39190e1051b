package tabulate

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"slices"
	"testing"
)

// example has bars with intervals in one panel and lines with a band in another.
func example() Figure {
	return Figure{
		Name: "example", Title: "Accuracy & <drift>\x1b", Axis: "official accuracy", Series: []string{"p_c", "p_s_in"},
		Panels: []Panel{
			{
				Title: "easy", Places: []string{"openai:qwen2.5-7b-instruct", "scripted"},
				Bars: []Bar{{0, 0, 0.5, 0.4, 0.6}, {0, 1, 1, 1, 1}, {1, 0, 0, 0, 0.1}, {1, 1, 0.25, 0.3, 0.4}},
			},
			{
				Title: "hard", Steps: "programs",
				Lines: []Line{
					{
						Series: 0, Shares: []float64{0.1, 0.4, 0.6},
						Low: []float64{0, 0.2, 0.5}, High: []float64{0.3, 0.6, 0.7},
					},
					{Series: 1, Shares: []float64{0.2, 0.3, 0.35, 0.4}},
				},
			},
		},
	}
}

func written(t *testing.T, write func(io.Writer) error) []byte {
	t.Helper()

	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The same figure gives the same bytes; the SVG is XML with all texts, and every number in it is
// finite.
func TestSVG(t *testing.T) {
	svg := written(t, example().WriteSVG)
	if !bytes.Equal(svg, written(t, example().WriteSVG)) || bytes.Contains(svg, []byte("NaN")) {
		t.Errorf("%s", svg)
	}

	var texts []string

	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}

		if err != nil {
			t.Fatal(err)
		}

		if text, ok := token.(xml.CharData); ok {
			texts = append(texts, string(text))
		}
	}

	for _, want := range []string{
		"Accuracy & <drift>\\x1b", "official accuracy, %", "easy", "openai:qwen2.5-", "7b-instruct", "p_s_in",
		"25", "programs", "4", "100",
	} {
		if !slices.Contains(texts, want) {
			t.Errorf("no %q among %q", want, texts)
		}
	}
}

// The PNG has 200 pixels an inch, in the colours of the series, where the bars are.
func TestPNG(t *testing.T) {
	f := example()
	data := written(t, f.WritePNG)

	if path := os.Getenv("TOOLEVO_CHART"); path != "" { // to be looked at
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}

	c := f.draw(false)
	want := image.Pt(int(math.Ceil(c.width*pixels)), int(math.Ceil(c.height*pixels)))

	if size := picture.Bounds().Size(); size != want {
		t.Errorf("%v of %v x %v points", size, c.width, c.height)
	}

	of := map[[3]uint32]int{}

	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			r, g, b, _ := picture.At(x, y).RGBA()
			of[[3]uint32{r >> 8, g >> 8, b >> 8}]++
		}
	}

	for _, colour := range seriesColours[:2] {
		if n := of[[3]uint32{uint32(colour.R), uint32(colour.G), uint32(colour.B)}]; n < 1000 {
			t.Errorf("%d pixels of %v", n, colour)
		}
	}

	if of[[3]uint32{}] < 500 {
		t.Errorf("%d black pixels: the texts are missing", of[[3]uint32{}])
	}
}

func TestStride(t *testing.T) {
	for steps, want := range map[int]int{1: 1, 10: 1, 11: 2, 20: 2, 21: 5, 50: 5, 51: 10, 1000: 100} {
		if got := stride(steps); got != want {
			t.Errorf("%d steps: %d, want %d", steps, got, want)
		}
	}
}
