package layout

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// What the writer wrote is what package json reads.
func TestAttributes(t *testing.T) {
	type venue struct{ Raw string }

	type attributes struct {
		Title     string
		Authors   []DBLPMaker
		Year      int
		Venue     venue
		NCitation int `json:"n_citation"`
		Keywords  []string
		DocType   string `json:"doc_type"`
		PageStart string `json:"page_start"`
		PageEnd   string `json:"page_end"`
	}

	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String()
		p := Paper{
			Title: text.Draw(t, "title"), Venue: text.Draw(t, "venue"), DocType: text.Draw(t, "type"),
			PageStart: text.Draw(t, "start"), PageEnd: text.Draw(t, "end"),
			Year: rapid.IntRange(0, 3000).Draw(t, "year"), NCitation: rapid.IntRange(0, 1<<30).Draw(t, "n"),
			Keywords: append([]string{}, rapid.SliceOfN(text, 0, 3).Draw(t, "keywords")...),
		}

		makers := make([]DBLPMaker, rapid.IntRange(0, 3).Draw(t, "authors"))
		for i := range makers {
			makers[i] = DBLPMaker{text.Draw(t, "id"), text.Draw(t, "name"), text.Draw(t, "org")}
		}

		var got attributes
		if err := json.Unmarshal(AppendAttributes(nil, p, makers), &got); err != nil {
			t.Fatal(err)
		}

		want := attributes{
			p.Title, makers, p.Year, venue{p.Venue}, p.NCitation, p.Keywords, p.DocType, p.PageStart, p.PageEnd,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-written +read):\n%s", diff)
		}
	})
}
