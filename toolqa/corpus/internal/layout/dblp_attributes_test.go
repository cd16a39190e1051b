package layout

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The fast reader of attributes reads what the writer wrote as package json does.
func TestUsualAttributes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String()
		p := Paper{
			Title: text.Draw(t, "title"), Venue: text.Draw(t, "venue"), DocType: text.Draw(t, "type"),
			PageStart: text.Draw(t, "start"), PageEnd: text.Draw(t, "end"),
			Year: rapid.IntRange(0, 3000).Draw(t, "year"), NCitation: rapid.IntRange(0, 1<<30).Draw(t, "n"),
			Keywords: rapid.SliceOfN(text, 0, 3).Draw(t, "keywords"),
		}

		makers := make([]DBLPMaker, rapid.IntRange(0, 3).Draw(t, "authors"))
		for i := range makers {
			makers[i] = DBLPMaker{text.Draw(t, "id"), text.Draw(t, "name"), text.Draw(t, "org")}
		}

		raw := AppendAttributes(nil, p, makers)

		fast, ok := parseUsual(raw)
		if !ok {
			t.Fatalf("%s is not usual", raw)
		}

		var slow Attributes
		if err := json.Unmarshal(raw, &slow); err != nil {
			t.Fatal(err)
		}

		if len(slow.Keywords) == 0 {
			slow.Keywords = nil
		}

		if len(slow.Authors) == 0 {
			slow.Authors = nil
		}

		if diff := cmp.Diff(slow, fast); diff != "" {
			t.Errorf("(-json +fast):\n%s", diff)
		}
	})
}

func TestUnusualAttributes(t *testing.T) {
	for _, c := range []struct {
		text string
		want Attributes
	}{
		{`{}`, Attributes{}},
		{`{"venue": "CHI", "year": null, "page_start": 7, "page_end": null}`, Attributes{Venue: "CHI", PageStart: "7"}},
		{`{"venue": {"id": "x"}, "n_citation": 3.0, "keywords": ["a", 1]}`,
			Attributes{NCitation: 3, Keywords: []LooseText{"a", "1"}}},
		{`{"authors": [{"name": "A"}], "venue": null}`, Attributes{Authors: []attributedAuthor{{Name: "A"}}}},
	} {
		got, err := ParseAttributes([]byte(c.text))
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", c.text, err, diff)
		}
	}

	for _, text := range []string{``, `[]`, `{"authors": 3}`, `{"year": 1e9}`, `{"n_citation": -1e300}`,
		`{"title": "x"`} {
		if got, err := ParseAttributes([]byte(text)); err == nil {
			t.Errorf("%s: %+v; expected an error", text, got)
		}
	}
}

func FuzzUsualAttributes(f *testing.F) {
	f.Add(AppendAttributes(nil, Paper{Title: "a\"\\ü", Keywords: []string{"x", "y"}}, []DBLPMaker{{"1", "b", "c"}}))
	f.Add([]byte(`{"title": "\ud800", "authors": [`))
	f.Fuzz(func(t *testing.T, text []byte) {
		fast, ok := parseUsual(text)
		if !ok {
			return
		}

		var slow Attributes
		if err := json.Unmarshal(text, &slow); err != nil {
			return // a raw control character, say: no text of a corpus
		}

		if fast.Year != slow.Year || fast.NCitation != slow.NCitation || fast.PageEnd != slow.PageEnd &&
			validText(text) || len(fast.Authors) != len(slow.Authors) {
			t.Errorf("%q: fast %+v, json %+v", text, fast, slow)
		}
	})
}

func validText(text []byte) bool { return strings.ToValidUTF8(string(text), "") == string(text) }

func TestNumbersOfLists(t *testing.T) {
	for _, c := range []struct {
		text string
		want []int64
		ok   bool
	}{
		{"[]", nil, true}, {"[0]", []int64{0}, true}, {"[1,-22,333]", []int64{1, -22, 333}, true},
		{"", nil, false}, {"[", nil, false}, {"[1", nil, false}, {"[1,]", nil, false}, {"[,1]", nil, false},
		{"[a]", nil, false},
		{"[-]", nil, false}, {"[1 ,2]", nil, false}, {"[99999999999999999999999]", nil, false},
	} {
		var got []int64

		err := ScanNumbers([]byte(c.text), func(n int64) { got = append(got, n) })
		if (err == nil) != c.ok || c.ok && !cmp.Equal(got, c.want) {
			t.Errorf("%q: %v, %v; expected %v, ok %v", c.text, got, err, c.want, c.ok)
		}
	}
}
