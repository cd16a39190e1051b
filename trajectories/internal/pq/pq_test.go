package pq

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
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
	Numbers     []int
	Figures     []float64
}

type bit struct{ B bool }

type table struct {
	Name  string
	Maybe string
	U     uint64
	Items []item
	Whole part
}

var tables = func() map[string][]Column {
	return Tables([]byte(`
item:
  - {name: text}
  - {name: maybe, optional: true, repeats: true}
  - {name: n}
  - {name: f}
  - {name: b}
  - {name: parts, of: part, omitted: true}
  - {name: whole, of: part}
part:
  - {name: maybe, optional: true, omitted: true}
  - {name: text}
  - {name: bits, of: bit, omitted: true}
  - {name: numbers, omitted: true}
  - {name: figures, omitted: true}
bit: [{name: b}]
table:
  - {name: name}
  - {name: maybe, optional: true}
  - {name: u, big: true}
  - {name: items, of: item}
  - {name: whole, of: part}
`))
}()

var tableColumns = Bind[table](tables, tables["table"])

func write[T any](t interface{ Fatal(...any) }, path string, columns []Column, rows []T) {
	var b bytes.Buffer

	w, err := NewWriter[T](&b, columns, map[string]string{"b": "2", "a": "1"})
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

func read[T any](path string, columns []Column) (rows []T, err error) {
	for v, err := range Read[T](path, columns) {
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
		return part{rapid.String().Draw(t, "text"), rapid.String().Draw(t, "maybe"), orNil(bits),
			orNil(rapid.SliceOfN(rapid.Int(), 0, 3).Draw(t, "numbers")),
			orNil(rapid.SliceOfN(rapid.Float64(), 0, 3).Draw(t, "figures"))}
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

		got, err := read[table](path, tableColumns)
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

// A row as JSON has the columns as keys, in their order, and null where the file has one; a column
// of a struct within another is the same column.
func TestJSON(t *testing.T) {
	type holder struct{ table }

	within := Bind[holder](tables, tables["table"])

	row := table{Name: "<ü>", U: 1<<64 - 1, Items: []item{
		{Text: "a\n", Maybe: "b", N: -1, F: 0.5, B: true, Parts: []part{{
			Maybe: "c", Bits: []bit{{true}}, Numbers: []int{1, -2}, Figures: []float64{0.5},
		}}}, {},
	}}

	want := `{"name":"<ü>","maybe":null,"u":"18446744073709551615","items":[` +
		`{"text":"a\n","maybe":"b","n":-1,"f":0.5,"b":true,"parts":[{"maybe":"c","text":"","bits":[{"b":true}],"numbers":[1,-2],"figures":[0.5]}],` +
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

	got, err := read[holder](path, within)
	if err != nil || len(got) != 1 || !cmp.Equal(row, got[0].table) {
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

	if got := md.GetCreatedBy(); got != createdBy {
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

			dictionary := chunk.HasDictionaryPage()

			want := "SNAPPY"
			list, _ := strings.CutSuffix(chunk.PathInSchema().String(), ".list.element")
			numbers := strings.HasSuffix(list, "numbers") || strings.HasSuffix(list, "figures")

			if chunk.Type() == parquet.Types.ByteArray && !dictionary || numbers {
				want = "ZSTD"
			}

			if got := chunk.Compression().String(); got != want {
				t.Errorf("column %s: compression %s, want %s", chunk.PathInSchema(), got, want)
			}

			if set, _ := chunk.StatsSet(); set {
				t.Errorf("column %s has statistics", chunk.PathInSchema())
			}

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

	if got, err := read[table](path, tableColumns); err != nil || len(got) != 40 || got[39].Name != big {
		t.Errorf("read %d rows, %v", len(got), err)
	}
}

func TestReadRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	write(t, path, tableColumns, []table{{Name: "x", Items: []item{{Text: "y"}}}})
	items := func(column string) []Column {
		all := Tables([]byte("t: [{name: items, of: item}]\nitem: [" + column + "]"))
		return Bind[table](all, all["t"])
	}
	cases := []struct {
		name    string
		columns []Column
		want    string
	}{
		{"missing", Bind[table](nil, []Column{{Name: "other", Field: "Name"}}), "column other is missing"},
		{"null", Bind[table](nil, []Column{{Name: "maybe"}}), "column maybe is null"},
		{"null inside", items("{name: maybe}"), "column items.list.element.maybe is null"},
		{
			"missing inside", items("{name: other, field: Maybe}"),
			"column items.list.element.other is missing",
		},
		{"another type", Bind[table](nil, []Column{{Name: "u", Field: "Name"}}), "another type"},
		{
			"flat for nested", Bind[table](nil, []Column{{Name: "items", Field: "Name"}}),
			"column items is missing",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := read[table](path, c.columns)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}

	got, err := read[table](path, items("{name: text}"))
	if err != nil || len(got) != 1 || got[0].Items[0].Text != "y" {
		t.Errorf("some columns alone: %v, %v", got, err)
	}
}

// A table that does not fit its struct is found when the program starts to use it.
func TestBindRefuses(t *testing.T) {
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "no field for the column other") {
			t.Errorf("it says %s", text)
		}
	}()

	Bind[table](nil, []Column{{Name: "other"}})
}
