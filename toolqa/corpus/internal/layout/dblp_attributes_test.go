package layout

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// What the writer wrote is read back.
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

		got, gotMakers, err := ParseAttributes(AppendAttributes(nil, p, makers))
		if err != nil {
			t.Fatal(err)
		}

		got.Title = p.Title // is not read
		if diff := cmp.Diff(p, got, cmpopts.EquateEmpty()) + cmp.Diff(makers, gotMakers); diff != "" {
			t.Errorf("(-written +read):\n%s", diff)
		}
	})
}

func TestUnusualAttributes(t *testing.T) {
	for _, c := range []struct {
		text   string
		want   Paper
		makers []DBLPMaker
	}{
		{`{}`, Paper{}, nil},
		{`{"venue": "CHI", "year": null, "page_start": 7, "page_end": null}`, Paper{Venue: "CHI", PageStart: "7"}, nil},
		{`{"venue": {"id": "x"}, "n_citation": 3.0, "keywords": ["a", 1]}`,
			Paper{NCitation: 3, Keywords: []string{"a", "1"}}, nil},
		{`{"authors": [{"name": "A"}], "venue": null}`, Paper{}, []DBLPMaker{{Name: "A"}}},
	} {
		got, makers, err := ParseAttributes([]byte(c.text))
		if diff := cmp.Diff(c.want, got) + cmp.Diff(c.makers, makers); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", c.text, err, diff)
		}
	}

	for _, text := range []string{``, `[]`, `{"authors": 3}`, `{"keywords": "a"}`, `{"year": 1e9}`, `{"n_citation": -1e300}`,
		`{"title": "x"`} {
		if got, _, err := ParseAttributes([]byte(text)); err == nil {
			t.Errorf("%s: %+v; expected an error", text, got)
		}
	}
}

// Whatever the text, reading it does not panic, and it reads the same as package json.
func FuzzAttributes(f *testing.F) {
	f.Add(AppendAttributes(nil, Paper{Title: "a\"\\ü", Keywords: []string{"x", "y"}}, []DBLPMaker{{"1", "b", "c"}}))
	f.Add([]byte(`{"title": "\ud800", "authors": [`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, makers, err := ParseAttributes(text)

		var slow struct {
			Authors []any
			Year    float64
		}
		if json.Unmarshal(text, &slow) != nil || err != nil || bytes.Count(text, []byte("uthors")) > 1 {
			return
		}

		if !bytes.Contains(bytes.ToLower(text), []byte("year")) && p.Year != 0 || len(makers) != len(slow.Authors) {
			t.Errorf("%q: %+v %+v, json %+v", text, p, makers, slow)
		}
	})
}

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
