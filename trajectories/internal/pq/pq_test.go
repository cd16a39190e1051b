package pq

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

type item struct {
	Text, Maybe string
	N           int
	F           float64
	B           bool
	Parts       []part
	Whole       part
}

type part struct {
	Text, Maybe string
	Bits        []bit
}

type bit struct{ B bool }

type table struct {
	Name  string
	Maybe string
	U     uint64
	Items []item
	Whole part
}

var itemColumns = []Column[item]{
	Text("text", "", func(i *item) *string { return &i.Text }),
	OptionalText("maybe", "", func(i *item) *string { return &i.Maybe }).Repeating(),
	Int("n", "", func(i *item) *int { return &i.N }),
	Float("f", "", func(i *item) *float64 { return &i.F }),
	Bool("b", "", func(i *item) *bool { return &i.B }),
	List("parts", "", func(i *item) *[]part { return &i.Parts }, partColumns).Omitted(),
	Struct("whole", "", func(i *item) *part { return &i.Whole }, partColumns),
}

var partColumns = []Column[part]{
	OptionalText("maybe", "", func(p *part) *string { return &p.Maybe }).Omitted(),
	Text("text", "", func(p *part) *string { return &p.Text }),
	List("bits", "", func(p *part) *[]bit { return &p.Bits },
		[]Column[bit]{Bool("b", "", func(b *bit) *bool { return &b.B })}).Omitted(),
}

var tableColumns = []Column[table]{
	Text("name", "", func(t *table) *string { return &t.Name }),
	OptionalText("maybe", "", func(t *table) *string { return &t.Maybe }),
	Uint("u", "", func(t *table) *uint64 { return &t.U }),
	List("items", "", func(t *table) *[]item { return &t.Items }, itemColumns),
	Struct("whole", "", func(t *table) *part { return &t.Whole }, partColumns),
}

func write[T any](t interface{ Fatal(...any) }, path string, cols []Column[T], rows []T) {
	var b bytes.Buffer

	w, err := NewWriter(&b, cols, map[string]string{"b": "2", "a": "1"})
	if err != nil {
		t.Fatal(err)
	}

	for i := range rows {
		if err := w.Write(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}

	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read[T any](path string, cols []Column[T]) (rows []T, err error) {
	for v, err := range Read(path, cols) {
		if err != nil {
			return rows, err
		}

		rows = append(rows, v)
	}

	return rows, nil
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	aPart := rapid.Custom(func(t *rapid.T) part {
		bits := make([]bit, rapid.IntRange(0, 2).Draw(t, "bits"))
		for i := range bits {
			bits[i].B = rapid.Bool().Draw(t, "bit")
		}

		return part{rapid.String().Draw(t, "text"), rapid.String().Draw(t, "maybe"), orNil(bits)}
	})
	anItem := rapid.Custom(func(t *rapid.T) item {
		return item{rapid.String().Draw(t, "text"), rapid.String().Draw(t, "maybe"), rapid.Int().Draw(t, "n"),
			rapid.Float64().Draw(t, "f"), rapid.Bool().Draw(t, "b"),
			orNil(rapid.SliceOfN(aPart, 0, 2).Draw(t, "parts")), aPart.Draw(t, "whole")}
	})
	aRow := rapid.Custom(func(t *rapid.T) table {
		return table{rapid.String().Draw(t, "name"), rapid.String().Draw(t, "maybe"), rapid.Uint64().Draw(t, "u"),
			orNil(rapid.SliceOfN(anItem, 0, 4).Draw(t, "items")), aPart.Draw(t, "whole")}
	})
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(aRow, 1, 130).Draw(t, "rows")
		write(t, path, tableColumns, want)

		got, err := read(path, tableColumns)
		if err != nil {
			t.Fatal(err)
		}

		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("-want +got:\n%s", d)
		}
	})
}

// orNil returns nil for an empty slice, as which it reads back.
func orNil[T any](all []T) []T {
	if len(all) == 0 {
		return nil
	}

	return all
}

// A row as JSON has the columns as keys, in their order, and null where the file has one; a column of
// a struct within another is the same column.
func TestJSON(t *testing.T) {
	type holder struct{ inner table }

	var within []Column[holder]
	for _, c := range tableColumns {
		within = append(within, Within(c, func(h *holder) *table { return &h.inner }))
	}

	row := table{Name: "<ü>", U: 1<<64 - 1, Items: []item{
		{Text: "a\n", Maybe: "b", N: -1, F: 0.5, B: true, Parts: []part{{Maybe: "c", Bits: []bit{{true}}}}}, {},
	}}

	want := `{"name":"<ü>","maybe":null,"u":18446744073709551615,"items":[` +
		`{"text":"a\n","maybe":"b","n":-1,"f":0.5,"b":true,"parts":[{"maybe":"c","text":"","bits":[{"b":true}]}],` +
		`"whole":{"text":""}},{"text":"","maybe":null,"n":0,"f":0,"b":false,"whole":{"text":""}}],"whole":{"text":""}}`

	alone, err := AppendJSON(nil, &row, tableColumns)
	if string(alone) != want || err != nil {
		t.Errorf("%s, %v", alone, err)
	}

	held, err := AppendJSON(nil, &holder{row}, within)
	if string(held) != want || err != nil {
		t.Errorf("within another: %s, %v", held, err)
	}

	path := filepath.Join(t.TempDir(), "t.parquet")
	write(t, path, within, []holder{{row}})

	got, err := read(path, within)
	if err != nil || len(got) != 1 || !cmp.Equal(row, got[0].inner) {
		t.Errorf("read as %+v, %v", got, err)
	}
}

// What strict readers and the trainers need of a file, and what bounds memory.
func TestFileProperties(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")

	rows := make([]table, 2500)
	for i := range rows {
		rows[i] = table{Name: "x", Items: []item{{Text: "y"}, {}}}
	}

	write(t, path, tableColumns, rows)

	f, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	md := f.MetaData()
	if got := md.Schema.Root().RepetitionType(); got != parquet.Repetitions.Required {
		t.Errorf("the root is %s", got)
	}

	if got := md.GetCreatedBy(); got != CreatedBy {
		t.Errorf("created by %q", got)
	}

	if d := cmp.Diff([]string{"a", "b"}, md.KeyValueMetadata().Keys()); d != "" {
		t.Errorf("metadata, -want +got:\n%s", d)
	}

	for g := range f.NumRowGroups() {
		group := md.RowGroup(g)
		if n := group.NumRows(); n == 0 || n > groupRows {
			t.Errorf("row group %d has %d rows", g, n)
		}

		for c := range group.NumColumns() {
			chunk, err := group.ColumnChunk(c)
			if err != nil {
				t.Fatal(err)
			}

			if got := chunk.Compression().String(); got != "ZSTD" {
				t.Errorf("column %s: compression %s", chunk.PathInSchema(), got)
			}

			if set, _ := chunk.StatsSet(); set {
				t.Errorf("column %s has statistics", chunk.PathInSchema())
			}

			dictionary := chunk.HasDictionaryPage()
			if want := chunk.PathInSchema().String() == "items.list.element.maybe"; dictionary != want {
				t.Errorf("column %s: dictionary %v", chunk.PathInSchema(), dictionary)
			}
		}
	}
}

// Row groups are cut by size as well as by rows.
func TestRowGroupsAreCutBySize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	big := strings.Repeat("0123456789abcdef", 1<<16) // 1 MiB

	rows := make([]table, 40)
	for i := range rows {
		rows[i].Name = big
	}

	write(t, path, tableColumns, rows)

	f, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	if f.NumRowGroups() != 2 {
		t.Errorf("%d row groups for 40 MiB, want 2", f.NumRowGroups())
	}

	if got, err := read(path, tableColumns); err != nil || len(got) != 40 || got[39].Name != big {
		t.Errorf("read %d rows, %v", len(got), err)
	}
}

func TestReadRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	write(t, path, tableColumns, []table{{Name: "x", Items: []item{{Text: "y"}}}})
	name, items := tableColumns[0], tableColumns[3]
	list := func(elem ...Column[item]) Column[table] {
		return List("items", "", func(t *table) *[]item { return &t.Items }, elem)
	}

	cases := []struct {
		name string
		cols []Column[table]
		want string
	}{
		{"missing", []Column[table]{name, Text("other", "", func(t *table) *string { return &t.Name })},
			"column other is missing"},
		{"null", []Column[table]{Text("maybe", "", func(t *table) *string { return &t.Maybe })},
			"column maybe is null"},
		{"null inside", []Column[table]{list(Text("maybe", "", func(i *item) *string { return &i.Maybe }))},
			"column items.list.element.maybe is null"},
		{"missing inside", []Column[table]{list(Text("other", "", func(i *item) *string { return &i.Maybe }))},
			"column items.list.element.other is missing"},
		{"another type", []Column[table]{Text("u", "", func(t *table) *string { return &t.Name })}, "another type"},
		{"flat for nested", []Column[table]{Text("items", "", func(t *table) *string { return &t.Name })},
			"column items is missing"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := read(path, c.cols)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}

	if got, err := read(path, []Column[table]{items}); err != nil || len(got) != 1 || got[0].Items[0].Text != "y" {
		t.Errorf("some columns alone: %v, %v", got, err)
	}
}
