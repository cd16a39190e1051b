package importer

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
	"toolevo/toolqa/corpus/internal/layout/layouttest"
)

// readCSV returns the records of a text, with the lines on which they begin, up to the first error.
func readCSV(r io.Reader) (records [][]string, lines []int, err error) {
	c := newCSVReader(r)
	for {
		fields, line, err := c.read()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return records, lines, err
		}

		record := make([]string, len(fields))
		for i, f := range fields {
			record[i] = string(f)
		}

		records, lines = append(records, record), append(lines, line)
	}
}

// What the records are is what pandas makes of the text.
func TestCSVReader(t *testing.T) {
	for name, tt := range map[string]struct {
		text  string
		want  [][]string
		lines []int
	}{
		"empty":             {"", nil, nil},
		"no last end":       {"a,b\nc,d", [][]string{{"a", "b"}, {"c", "d"}}, []int{1, 2}},
		"three line ends":   {"a\r\nb\rc\nd", [][]string{{"a"}, {"b"}, {"c"}, {"d"}}, []int{1, 2, 3, 4}},
		"blank lines":       {"\n\r\n \t\na\n\n\rb\n \n", [][]string{{"a"}, {"b"}}, []int{4, 7}},
		"empty cells":       {",\n,,\n\"\"\n", [][]string{{"", ""}, {"", "", ""}, {""}}, []int{1, 2, 3}},
		"spaces":            {" a , b \n", [][]string{{" a ", " b "}}, []int{1}},
		"quotes":            {"\"a,\"\"b\"\"\",\"c\"\n", [][]string{{`a,"b"`, "c"}}, []int{1}},
		"line in a cell":    {"\"a\r\nb\rc\nd\",e\nf\n", [][]string{{"a\r\nb\rc\nd", "e"}, {"f"}}, []int{1, 5}},
		"stray quote":       {"a\"b\",12\" \nc\n", [][]string{{`a"b"`, `12" `}, {"c"}}, []int{1, 2}},
		"text after quotes": {"\"a\"b\"c,d\n", [][]string{{`ab"c`, "d"}}, []int{1}},
		"quote at the end":  {"a,\"b\"", [][]string{{"a", "b"}}, []int{1}},
		"space, then quote": {"a, \"b,c\"\n", [][]string{{"a", ` "b`, `c"`}}, []int{1}},
		"return at the end": {"a\r", [][]string{{"a"}}, []int{1}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.text), iotest.OneByteReader(strings.NewReader(tt.text)),
				iotest.DataErrReader(strings.NewReader(tt.text))} {
				got, lines, err := readCSV(r)
				if err != nil {
					t.Fatal(err)
				}

				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}

				if diff := cmp.Diff(tt.lines, lines); diff != "" {
					t.Errorf("lines (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestCSVReaderFails(t *testing.T) {
	long := strings.Repeat("x\n", maxRecord)
	for name, tt := range map[string]struct{ text, want string }{
		"open quote":         {"a\nb,\"c\nd\n", "line 2: a quote"},
		"open at the end":    {"a\n\"", "line 2: a quote"},
		"second open quote":  {"\"a\nb\",\"c\nd\n", "line 2: a quote"},
		"open, and long":     {"a\n\"b" + long, "line 2: a quote"},
		"a long record":      {"a\n" + strings.Repeat("x", 3*maxRecord), "line 2: a record of more than"},
		"a line of spaces":   {"a\n" + strings.Repeat(" ", 3*maxRecord), "line 2: more than"},
		"many cells":         {"a\n" + strings.Repeat("x,", maxRecord) + "\r" + long, "line 2: a record of more than"},
		"many quoted cells":  {"a\n" + strings.Repeat(`"",`, maxRecord), "line 2: a record of more than"},
		"broken input":       {"", "timeout"},
		"broken input later": {"a\nb", "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			var r io.Reader = strings.NewReader(tt.text)
			if tt.want == "timeout" {
				r = io.MultiReader(r, iotest.ErrReader(iotest.ErrTimeout))
			}

			if _, _, err := readCSV(r); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// TestCSVReaderRewinds shows that an open quote costs one line, wherever the buffer ends.
func TestCSVReaderRewinds(t *testing.T) {
	for _, lines := range []int{3, maxRecord / 4, maxRecord} {
		text := "a\n\"b\n" + strings.Repeat("c,d\n", lines)
		c := newCSVReader(strings.NewReader(text))
		good, bad := 0, 0

		for {
			_, line, err := c.read()
			if errors.Is(err, io.EOF) {
				break
			}

			if err != nil {
				if bad++; line != 2 {
					t.Fatalf("line %d: %v", line, err)
				}

				c.rewind()

				continue
			}

			good++
			if want := good + bad; line != want {
				t.Fatalf("record %d begins on line %d, want %d", good, line, want)
			}
		}

		if good != lines+1 || bad != 1 {
			t.Errorf("%d good records and %d bad ones of %d lines", good, bad, lines)
		}
	}
}

// What encoding/csv writes reads back; and a hash of it is the hash of what encodeCSV encodes.
func TestCSVRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfN(rapid.SliceOfN(rapid.StringMatching(`[a,"\n\r\t é\\.]{0,5}`), 2, 4), 1, 20).Draw(t,
			"records")
		var written, encoded bytes.Buffer

		w := csv.NewWriter(&written)
		if err := w.WriteAll(records); err != nil {
			t.Fatal(err)
		}

		for _, record := range records {
			for i, field := range record {
				if i > 0 {
					encoded.WriteByte(',')
				}

				encoded.WriteString(layout.EncodeCSV(field))
			}

			encoded.WriteByte('\n')
		}

		if encoded.String() != written.String() {
			t.Fatalf("encodeCSV makes %q of %q; encoding/csv %q", &encoded, records, &written)
		}

		got, _, err := readCSV(&written)
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(records, got); diff != "" {
			t.Fatalf("(-written +read):\n%s", diff)
		}
	})
}

func FuzzCSV(f *testing.F) {
	f.Add(coffeeHeader + "2000-01-03,122.25,124.0,116.1,116.5,6640,USD\n")
	f.Add("\xef\xbb\xbf" + coffeeHeader + "2000-01-03,\"122.25\",,NA,\"1\n\",1.0,USD\r\n\"\n")
	f.Add("Date,Open\n\"")

	schema, err := layout.SchemaOf(toolqa.Coffee)
	if err != nil {
		f.Fatal(err)
	}

	f.Fuzz(func(t *testing.T, content string) {
		src := &source{
			dataset: toolqa.Coffee,
			paths:   []string{"in.csv"},
			opts:    Options{AllowShort: true, SkipBad: 3},
		}

		rows, err := newCSVRows(schema, src, iotest.HalfReader(strings.NewReader(content)))
		if err != nil {
			return
		}

		for n := 0; ; n++ {
			row, err := rows.next()
			if err != nil {
				break
			}

			if n > strings.Count(content, "\n")+strings.Count(content, "\r") {
				t.Fatalf("row %d of %q", n, content)
			}

			for i, c := range row { // what was read can be read again
				if again, err := layout.ParseCell(schema.Columns[i], c.Text); err != nil || again != c {
					t.Fatalf("column %d: %+v reads back as %+v, %v", i, c, again, err)
				}
			}
		}

		if src.skipped > 3 || len(src.firstBad) != src.skipped {
			t.Fatalf("%d rows left out, %d told", src.skipped, len(src.firstBad))
		}
	})
}

func FuzzJSONL(f *testing.F) {
	const line = `{"business_id":"a","name":"n","address":"","city":"X","state":"PA","postal_code":"1","latitude":1,"longitude":2e3,"stars":4.0,"review_count":7,"is_open":1,"attributes":{"a":["b",null,true]},"categories":null,"hours":null}`
	f.Add(line)
	f.Add("{}\n" + line[:50] + "\n\n" + line + "\r\n" + line)

	schema, err := layout.SchemaOf(toolqa.Yelp)
	if err != nil {
		f.Fatal(err)
	}

	f.Fuzz(func(t *testing.T, content string) {
		src := &source{
			dataset: toolqa.Yelp,
			paths:   []string{"in.json"},
			opts:    Options{AllowShort: true, SkipBad: 3},
		}

		rows := newJSONRows(schema, src, bufio.NewReaderSize(strings.NewReader(content), 16))
		for n := 0; ; n++ {
			row, err := rows.next()
			if err != nil {
				break
			}

			if n > strings.Count(content, "\n") {
				t.Fatalf("row %d of %q", n, content)
			}

			for i, c := range row {
				if err := says(schema.Columns[i], c); err != nil {
					t.Fatalf("column %s: %+v: %v", schema.Columns[i].Name, c, err)
				}
			}
		}

		if src.skipped > 3 || len(src.firstBad) != src.skipped {
			t.Fatalf("%d rows left out, %d told", src.skipped, len(src.firstBad))
		}
	})
}

// says returns an error when the value of a cell is not the one that its text stands for.
func says(col layout.Column, c layout.Cell) error {
	number, integer, err := layouttest.Typed(col.Kind, c.Text)
	switch v := c.Value.(type) {
	case nil:
		if !col.Optional || c.Text != layout.MissingCell(col, true).Text {
			return errors.New("a missing value")
		}
		return nil
	case string:
		if v != c.Text {
			return errors.New("two texts")
		}
	case float64:
		if v != number {
			return fmt.Errorf("the text is %v", number)
		}
	case int64:
		if v != integer {
			return fmt.Errorf("the text is %v", integer)
		}
	}

	return err
}
