package yamltext

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// numbered is a text of lines, each with its number.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", i)
	}
	return b.String()
}

// staircase is a mapping in block style in another one, and so on.
func staircase(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// laughs are lists of ten aliases of the list before them.
func laughs(n int, first, alias string) string {
	text := "l0: &l0 " + first + "\n"
	for i := range n {
		items := strings.Repeat(fmt.Sprintf(alias, i)+", ", 10)
		text += fmt.Sprintf("l%d: &l%d [%s]\n", i+1, i+1, items)
	}

	return text
}

// TestTooMuch refuses texts for which the parser takes minutes, gigabytes or the whole stack, at
// the line where they are too much.
func TestTooMuch(t *testing.T) {
	const (
		keys      = 100_000
		mostKeys  = "[115" // of one mapping: 11,5xx
		mostLines = "[231" // where an entry takes two of them
		memory    = 1 << 30
	)

	long, deep := strings.Repeat("k", 100_000), 20_000

	for name, test := range map[string]struct{ text, place string }{
		"keys":                 {numbered(300_000, "k%d: v"), mostKeys},
		"keys in a list":       {"- a: 1\n" + numbered(keys, "  k%d: v"), mostKeys},
		"keys behind comments": {numbered(keys, "# \nk%d: v"), mostLines},
		"keys with anchors":    {numbered(keys, "&a k%d: v"), mostKeys},
		"some with anchors":    {strings.Repeat(numbered(100, "&a k%d: v")+"k: v\n", 500), mostKeys},
		"written-out keys":     {numbered(keys, "? k%d\n: v"), mostLines},
		"keys that are lists":  {numbered(keys, "[k%d]: v"), mostKeys},
		"a long key":           {long + ":\n" + numbered(60_000, "- v%d"), "[26"},
		"a long key in braces": {"{" + long + ": [\n" + numbered(60_000, "v%d,"), "[26"},
		"lists in a line":      {"a: " + strings.Repeat("[", deep) + strings.Repeat("]", deep), "[1:"},
		"lists that never end": {strings.Repeat("[", deep), "[1:"},
		"mappings in a line":   {"a:\n " + strings.Repeat("{a: ", deep), "[2:"},
		"mappings of lists":    {strings.Repeat("{a: [", deep), "[1:"},
		"dashes":               {strings.Repeat("- ", deep) + "x", "[1:"},
		"steps":                {staircase(1000), "[101:"},
		"colons":               {strings.Repeat("a: ", deep), "[1:"},
		"tags":                 {"a: " + strings.Repeat("!!a ", deep), "[1:"},
		"aliases":              {laughs(9, "x", "*l%d"), "[8:"},
		"merged aliases":       {laughs(9, "{x: y}", "{<<: *l%d}"), "[7:"},
		"aliases of long keys": {laughs(5, long, "*l%d"), "[5:"},
		"values":               {"\n[" + strings.Repeat("1,", maxSigns) + "1]", "[2:"},
		"a long text":          {"a: " + strings.Repeat("words ", 3<<20), ""},
	} {
		var before, after runtime.MemStats

		runtime.ReadMemStats(&before)
		err := Decode([]byte(test.text), new(any))
		runtime.ReadMemStats(&after)

		if !errors.Is(err, ErrTooMuch) || !strings.HasPrefix(err.Error(), test.place) {
			t.Errorf("%s: %v, want that it is too much at %s", name, err, test.place)
		}

		if took := after.TotalAlloc - before.TotalAlloc; took > memory {
			t.Errorf("%s: it took %d MiB to say so", name, took>>20)
		}
	}
}

// TestErrorsAreShort has errors of texts whose lines the parser would take minutes to show.
func TestErrorsAreShort(t *testing.T) {
	t.Parallel()

	for name, text := range map[string]string{
		"questions":    strings.Repeat("? ", 20_000) + "x",
		"a value":      "a: [" + strings.Repeat("x, ", 20_000) + "}",
		"an open text": "a: \"" + strings.Repeat("x ", 20_000),
		"many lines":   "a: \"" + strings.Repeat("x\n ", 20_000) + "\"\nb: [",
		"a strict key": "a:\n" + strings.Repeat("  word\n", 20_000),
	} {
		err := Decode([]byte(text), new(struct{ B any }), yaml.Strict())
		if err == nil || len(err.Error()) > shownText || !strings.HasPrefix(err.Error(), "[") {
			t.Errorf("%s: %.300v", name, err)
		}
	}

	err := Decode([]byte("a: 1\nb: 2\n"), new(struct{ A int }), yaml.Strict())
	if err == nil || !strings.Contains(err.Error(), ">  2 | b: 2") {
		t.Errorf("a short text: %v, want its line", err)
	}
}

// TestDecode holds that what is not too much means what it means to the parser.
func TestDecode(t *testing.T) {
	t.Parallel()

	texts := []string{
		"a: 1", "---\na: 1\n", "# x\n---\na: 1\n...\n", "%YAML 1.2\n---\na: 1\n", "null", "- a\n- {b: [c, d]}",
		"base: &b {x: 1, y: 2}\nz:\n  <<: *b\n  y: 3\n", "a: &a [1, 2]\nb: [*a, *a]\n",
		"a:\n- 1\n- 2\nb:\n  - c: 1\n    d: 2\n  - - 3\n    - 4\n", "? a\n: b\n", "a: |\n  - x: {\n  [[[\n",
		numbered(10_000, "k%d: v"), "a: " + strings.Repeat("[", 90) + strings.Repeat("]", 90), staircase(90),
		strings.Repeat("a ", 1<<16), "{" + strings.ReplaceAll(numbered(20_000, "k%d: v,"), "\n", " ") + "}",
		"[" + strings.Repeat("{a: b, c: [d]}, ", 10_000) + "]", strings.Repeat("- a: 1\n  b: [2]\n", 20_000),
	}

	shipped, err := filepath.Glob("../../*/*/*.yaml")
	if err != nil || len(shipped) < 5 {
		t.Fatal(shipped, err)
	}

	for _, path := range shipped {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}

		texts = append(texts, string(text))
	}

	for _, text := range texts {
		var got, want any

		err := errors.Join(Decode([]byte(text), &got, yaml.UseOrderedMap()),
			yaml.UnmarshalWithOptions([]byte(text), &want, yaml.UseOrderedMap()))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%.80q: %.300v, want %.300v: %v", text, got, want, err)
		}
	}
}

func TestOneDocument(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]error{
		"": ErrEmpty, "# nothing\n": ErrEmpty, "---\n": ErrEmpty, "...\n": ErrEmpty,
		"a: 1\n---\nb: 2\n": ErrDocuments, "---\n---\na: 1\n": ErrDocuments, "a: 1\n...\nb: 2\n": ErrDocuments,
		strings.Repeat("---\na: 1\n", 100_000): ErrDocuments,
	} {
		if err := Decode([]byte(text), new(any)); !errors.Is(err, want) {
			t.Errorf("%.20q: %v, want %v", text, err, want)
		}
	}
}

// FuzzParse looks for texts for which the parser copies more than what was measured.
func FuzzParse(f *testing.F) {
	f.Add("a: 1\n", 10)
	f.Add("&a k: v\n", 1000)
	f.Add("- [x, {y: z}]\n", 1000)
	f.Fuzz(func(t *testing.T, line string, n int) {
		text := strings.Repeat(line, max(0, min(n, 1<<20/(len(line)+1))))

		var before, after runtime.MemStats

		runtime.ReadMemStats(&before)
		_ = Decode([]byte(text), new(any))
		runtime.ReadMemStats(&after)

		if took := after.TotalAlloc - before.TotalAlloc; took > 2<<30 {
			t.Errorf("%d MiB", took>>20)
		}
	})
}
