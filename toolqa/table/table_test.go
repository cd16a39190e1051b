package table

import (
	"context"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"toolevo/toolqa/corpus/synth"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

const rows = `Date,Open,High,Low,Close,Volume,Currency
2000-01-03,122.25,124.0,116.1,116.5,6640,USD
2000-01-04,116.25,120.5,115.75,116.25,5492,USD
2000-01-05,115.0,121.0,115.0,118.6,6165,USD
2000-01-06,119.0,121.4,116.5,116.85,5094,EUR
2000-01-07,99.5,121.4,98.5,99.5,10,USD
`

// small returns the table of rows.
func small() *corpus.Table { return parsed(toolqa.Coffee, rows) }

// parsed returns the table of a CSV text.
func parsed(ds toolqa.Dataset, text string) *corpus.Table {
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		panic(err)
	}
	return corpus.NewTable(ds, lines[0], lines[1:])
}

// full returns a coffee table of about the published size.
func full() *corpus.Table {
	rng := rand.New(rand.NewPCG(1, 2))
	price := func() string { return pytext.FormatFloat(float64(rng.IntN(1000)+900) / 10) }

	cells := make([][]string, 5_741)
	for i := range cells {
		day := time.Date(2000, 1, 3+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		cells[i] = []string{day, price(), price(), price(), price(), strconv.Itoa(rng.IntN(40_000)), "USD"}
	}

	return corpus.NewTable(toolqa.Coffee, small().Columns(), cells)
}

// column returns a column that is there.
func column(t *corpus.Table, name string) *corpus.Vector {
	v, err := t.Column(name)
	if err != nil || v == nil {
		panic(fmt.Sprintf("column %s: %v, %v", name, v, err))
	}
	return v
}

type tool interface {
	Call(context.Context, toolqa.Session, envs.Args) (toolqa.Session, envs.Result, error)
}

func call(t testing.TB, tool tool, s toolqa.Session, name string, value any) (toolqa.Session, envs.Result) {
	t.Helper()

	next, r, err := tool.Call(t.Context(), s, envs.Args{{Name: name, Value: value}})
	if err != nil {
		t.Fatal(err)
	}
	return next, r
}

func size(s toolqa.Session) int {
	if s.Table == nil {
		return -1
	}
	return s.Table.Len()
}

func TestLoadDB(t *testing.T) {
	load := newLoadDB(small())

	const ok = "We have successfully loaded the coffee database, including the following columns: Date, Open, " +
		"High, Low, Close, Volume, Currency."
	for _, tt := range []struct {
		name any
		want envs.Result
		size int
	}{
		{"coffee", envs.Result{Observation: ok}, 5},
		{"CofFee", envs.Result{Observation: ok}, 5},
		{" coffee", envs.Result{Observation: notInList, Outcome: envs.ToolError}, -1},
		{"tea", envs.Result{Observation: notInList, Outcome: envs.ToolError}, -1},
		{"flights", envs.Result{Observation: notInList, Outcome: envs.ToolError}, -1},
		{"", envs.Result{Observation: notInList, Outcome: envs.ToolError}, -1},
		{nil, envs.Result{Observation: notInList, Outcome: envs.InvocationError}, -1},
		{envs.Number("3"), envs.Result{Observation: notInList, Outcome: envs.InvocationError}, -1},
		{[]any{"coffee"}, envs.Result{Observation: notInList, Outcome: envs.InvocationError}, -1},
	} {
		s, got := call(t, load, toolqa.Session{}, "DBName", tt.name)
		if diff := cmp.Diff(tt.want, got); diff != "" || size(s) != tt.size {
			t.Errorf("LoadDB[%v]: %d rows, want %d (-want +got):\n%s", tt.name, size(s), tt.size, diff)
		}
	}
}

func TestFilterDB(t *testing.T) {
	load := newLoadDB(small())
	const (
		filtering = "There is something wrong with the arguments you send for filtering. Please modify it."
		ok        = "We have successfully filtered the data (%d rows)."
	)
	incorrect := func(piece string) string {
		return "The filtering query " + piece + " is incorrect. Please modify the condition."
	}

	failed := func(piece string) string {
		return "we have failed when conducting the " + piece + " command. Please make changes."
	}
	for _, tt := range []struct {
		condition     any
		observation   string // "" for success
		rows, partial int    // rows selected afterwards, by default and as published
	}{
		{"Date=2000-01-04", "", 1, 1},
		{"Date = 2000-01-04", "", 1, 1},
		{" Date\t=\n2000-01-04 ", "", 1, 1},
		{"Date>=2000-01-04", "", 4, 4},
		{"Date>2000-01-04", "", 3, 3},
		{"Date<=2000-01-04", "", 2, 2},
		{"Date<2000-01-04", "", 1, 1},
		{"Date>=2000-01-04, Date<=2000-01-06", "", 3, 3},
		{"Date>=2000-01-04, Currency=USD, High=121.4", "", 1, 1},
		{"Date>=1999, Date<9", "", 5, 5},
		{"Open>2", "", 1, 1},       // strings: only "99.5" is greater than "2"
		{"Open<116.25x", "", 2, 2}, // "115.0", "116.25"
		{"Volume>=6000", "", 2, 2}, // strings: "6640", "6165"
		{"High=121.40", incorrect("High=121.40"), 5, 5},
		{"Date=2001-01-01", incorrect("Date=2001-01-01"), 5, 5},
		{"Date>=2000-01-04, Date=2001-01-01", incorrect("Date=2001-01-01"), 5, 5},
		{"Date='2000-01-04'", incorrect("Date='2000-01-04'"), 5, 5},
		{"Date==2000-01-04", incorrect("Date==2000-01-04"), 5, 5},
		{"Date", incorrect("Date"), 5, 5},
		{"", incorrect(""), 5, 5},
		{"Date>=2000-01-04, ", incorrect(""), 5, 4},
		{"Date>=2000-01-04, High", incorrect("High"), 5, 4},
		{"Date>=2000-01-04,High=121.0", "", 3, 3}, // one piece, whose value is "2000-01-04,High=121.0"
		{"date=2000-01-04", failed("date=2000-01-04"), 5, 5},
		{"Date>=2000-01-04, Cost=1", failed("Cost=1"), 5, 4},
		{"Date>=2000-01-04,  Cost =1", failed(" Cost =1"), 5, 4},
		{"=", failed("="), 5, 5},
		{nil, filtering, 5, 5},
		{[]any{"Date=2000-01-04"}, filtering, 5, 5},
		{true, filtering, 5, 5},
	} {
		loaded, _ := call(t, load, toolqa.Session{}, "DBName", "coffee")

		for _, partial := range []bool{false, true} {
			want, outcome, observation := tt.rows, envs.ToolError, tt.observation
			if partial {
				want = tt.partial
			}

			if _, isText := tt.condition.(string); !isText {
				outcome = envs.InvocationError
			}

			if observation == "" {
				outcome, observation = envs.OK, strings.ReplaceAll(ok, "%d", string(rune('0'+want)))
			}

			s, got := call(t, &FilterDB{Partial: partial, Split: partial}, loaded, "condition", tt.condition)
			if diff := cmp.Diff(envs.Result{Observation: observation, Outcome: outcome}, got); diff != "" ||
				size(s) != want {
				t.Errorf("FilterDB[%v] partial %v: %d rows, want %d (-want +got):\n%s", tt.condition, partial, size(s),
					want, diff)
			}

			if size(loaded) != 5 {
				t.Fatalf("FilterDB[%v] changed the session it was given", tt.condition)
			}
		}
	}
}

func TestGetValue(t *testing.T) {
	load := newLoadDB(small())
	for _, tt := range []struct {
		condition string
		columns   any
		want      string
		outcome   envs.Outcome
	}{
		{"Date=2000-01-03", "High", `{"High": "124.0"}`, envs.OK},
		{"Date=2000-01-03", " Volume , High,Volume", `{"Volume": "6640", "High": "124.0"}`, envs.OK},
		// Python's white space
		{"\x1cDate =\u30002000-01-03\x1f", "High\x1d,\u2003Low", `{"High": "124.0", "Low": "116.1"}`, envs.OK},
		{"Date<=2000-01-05, High<=121.0", "Date, High",
			`{"Date": ["2000-01-04", "2000-01-05"], "High": ["120.5", "121.0"]}`, envs.OK},
		{"", "Currency", `{"Currency": ["USD", "USD", "USD", "EUR", "USD"]}`, envs.OK},
		{"", "currency", noValue, envs.ToolError},
		{"", "Date, ", noValue, envs.ToolError},
		{"", "", noValue, envs.ToolError},
		{"", nil, noValue, envs.InvocationError},
		{"", envs.Args{}, noValue, envs.InvocationError},
	} {
		s, _ := call(t, load, toolqa.Session{}, "DBName", "coffee")
		if tt.condition != "" {
			s, _ = call(t, &FilterDB{}, s, "condition", tt.condition)
		}

		_, got := call(t, GetValue{}, s, "column_name", tt.columns)
		if diff := cmp.Diff(envs.Result{Observation: tt.want, Outcome: tt.outcome}, got); diff != "" {
			t.Errorf("GetValue[%v] after %q (-want +got):\n%s", tt.columns, tt.condition, diff)
		}
	}
}

func TestNothingLoaded(t *testing.T) {
	for _, value := range []any{"Date=2000-01-03", "Date", envs.Number("5"), nil} { // whatever is asked
		for name, tool := range map[string]func() (toolqa.Session, envs.Result){
			"FilterDB": func() (toolqa.Session, envs.Result) {
				return call(t, &FilterDB{}, toolqa.Session{}, "condition", value)
			},
			"GetValue": func() (toolqa.Session, envs.Result) {
				return call(t, GetValue{}, toolqa.Session{}, "column_name", value)
			},
		} {
			want := "Please first load the relevant database using `LoadDB` before proceeding with `" + name + "`."
			if s, r := tool(); r.Observation != want || r.Outcome != envs.ToolError || s.Table != nil {
				t.Errorf("%v: got %+v, want %q", value, r, want)
			}
		}
	}
}

func TestLoadDBDropsFilters(t *testing.T) {
	load := newLoadDB(small())
	s, _ := call(t, load, toolqa.Session{}, "DBName", "coffee")
	s, _ = call(t, &FilterDB{}, s, "condition", "Date=2000-01-03")

	failed, _ := call(t, load, s, "DBName", "tea")
	if size(failed) != 1 {
		t.Errorf("a failing LoadDB left %d rows, want 1", size(failed))
	}

	if s, _ = call(t, load, s, "DBName", "coffee"); size(s) != 5 {
		t.Errorf("LoadDB left %d rows, want 5", size(s))
	}
}

type foreign struct{}

func (foreign) Dataset() toolqa.Dataset { return "tea" }
func (foreign) Len() int                { return 1 }

func TestForeignView(t *testing.T) {
	s := toolqa.Session{Table: foreign{}}
	for _, tool := range []tool{&FilterDB{}, GetValue{}} {
		_, _, err := tool.Call(t.Context(), s,
			envs.Args{{Name: "condition", Value: "a=b"}, {Name: "column_name", Value: "a"}})
		if stage, ok := envs.FailedStage(err); !ok || stage != envs.StageTool {
			t.Errorf("%T: error %v, want a failure of the tool", tool, err)
		}
	}
}

// TestBranchingCopiesNoTable bounds what one more state costs, however many rows its table has.
func TestBranchingCopiesNoTable(t *testing.T) {
	c := full()

	s, _ := call(t, newLoadDB(c), toolqa.Session{}, "DBName", "coffee")
	for _, tt := range []struct {
		condition string
		bytes     int // of the view that stays
	}{
		{"Date>=2010-01-01, Date<=2012-12-31", (c.Rows() + 63) / 64 * 8}, // one bit a row
		{"Date>=2009-12-01, Date=2010-01-04", 4},                         // one row number
		{"Date=2010-01-04", 0},                                           // the column's own
	} {
		next, r := call(t, &FilterDB{}, s, "condition", tt.condition)
		if r.Outcome != envs.OK {
			t.Fatalf("%s: %s", tt.condition, r.Observation)
		}

		if got := next.Table.(*tableView).kept.size(); got > tt.bytes {
			t.Errorf("FilterDB[%s] holds %d bytes, want at most %d", tt.condition, got, tt.bytes)
		}

		args := envs.Args{{Name: "condition", Value: tt.condition}}

		allocs := testing.AllocsPerRun(20, func() {
			if _, _, err := (&FilterDB{}).Call(t.Context(), s, args); err != nil {
				t.Fatal(err)
			}
		})
		if allocs > 20 {
			t.Errorf("FilterDB[%s] allocates %v times, want a number that does not grow with the table", tt.condition,
				allocs)
		}
	}

	load, args := newLoadDB(c), envs.Args{{Name: "DBName", Value: "coffee"}}

	if allocs := testing.AllocsPerRun(20, func() {
		if _, _, err := load.Call(t.Context(), s, args); err != nil {
			t.Fatal(err)
		}
	}); allocs > 1 {
		t.Errorf("LoadDB allocates %v times", allocs)
	}
}

func FuzzFilterDB(f *testing.F) {
	for _, seed := range []string{"Date>=2000-01-04, Date<=2000-01-06", "=", ">=<", ", , ", "Date=\xff",
		"Date>\x00, Open<é", "Currency=a, b, =c, Open>1"} {
		f.Add(seed)
	}

	load := newLoadDB(small())

	f.Fuzz(func(t *testing.T, condition string) {
		checkPieces(t, small(), condition)
		s, _ := call(t, load, toolqa.Session{}, "DBName", "coffee")

		next, r := call(t, &FilterDB{}, s, "condition", condition)
		if r.Outcome != envs.OK && next != s || next.Table.Len() < 1 || next.Table.Len() > 5 {
			t.Errorf("FilterDB[%q] = %+v with %d rows", condition, r, next.Table.Len())
		}
	})
}

// The tools work on a corpus file, whose columns are read at first use; a dataset that is not there
// is not in the list.
func TestCorpusFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := synth.Build(t.Context(), dir, toolqa.Coffee, synth.Options{Seed: 1, Rows: 100}); err != nil {
		t.Fatal(err)
	}

	c, err := corpus.Open(t.Context(), dir, toolqa.Coffee)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	load := NewLoadDB(c, &corpus.Corpus{}) // one without a table, like that of dblp

	s, r := call(t, load, toolqa.Session{}, "DBName", "coffee")
	if r.Outcome != envs.OK || size(s) != 100 {
		t.Fatalf("%+v with %d rows", r, size(s))
	}

	s, r = call(t, &FilterDB{}, s, "condition", "Date=2000-01-03")
	if _, got := call(t, GetValue{}, s, "column_name",
		"Date, Currency"); got.Observation != `{"Date": "2000-01-03", "Currency": "USD"}` {
		t.Errorf("%+v, then %+v", r, got)
	}

	if _, r := call(t, load, s, "DBName", "dblp"); r.Observation != notInList {
		t.Errorf("dblp: %+v", r)
	}
}
