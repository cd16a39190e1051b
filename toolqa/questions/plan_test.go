package questions

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/toolqa/score"
)

// tools run a plan's calls on a coffee corpus: enough of each tool for the plans, written apart from the real ones.
type tools struct {
	t      testing.TB
	coffee *Coffee
	db     *sql.DB
	python *pythonShell
}

func newTools(t *testing.T, c *Coffee) *tools {
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // every connection would have a memory of its own
	t.Cleanup(func() { db.Close() })
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.Exec(query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	exec("ATTACH ':memory:' AS coffee")
	exec("CREATE TABLE coffee.coffee_data (Date TEXT, Open REAL, High REAL, Low REAL, Close REAL, Volume INTEGER, Currency TEXT)")
	exec("BEGIN")
	for _, d := range c.days {
		exec("INSERT INTO coffee.coffee_data VALUES (?, ?, ?, ?, ?, ?, 'USD')", d.Date, d.Open, d.High, d.Low, d.Close, d.Volume)
	}
	exec("COMMIT")
	return &tools{t: t, coffee: c, db: db, python: newPythonShell(t)}
}

// run follows a plan to its end and returns the final answer and the number of calls.
func (x *tools) run(plan envs.Plan) (answer string, calls int, err error) {
	var results []string
	var row *Day
	for {
		thought, call, err := plan(results)
		if err != nil {
			return "", 0, err
		}
		checkThought(x.t, thought)
		if call.Tool != call.Name || len(call.Args) != 1 {
			x.t.Errorf("call %+v: want the tool's own name and one argument", call)
		}
		input, _ := call.Args[0].Value.(string)
		switch call.Tool + "." + call.Args[0].Name {
		case "LoadDB.DBName":
			results = append(results, "We have successfully loaded the "+input+" database, including the following columns: Date, Open, High, Low, Close, Volume, Currency.")
		case "FilterDB.condition":
			i, ok := x.coffee.find(strings.TrimPrefix(input, "Date="))
			if !ok {
				return "", 0, fmt.Errorf("no row: %s", input)
			}
			row = &x.coffee.days[i]
			results = append(results, "We have successfully filtered the data (1 rows).")
		case "GetValue.column_name":
			results = append(results, row.cells(strings.Split(input, ", ")))
		case "SQLInterpreter.SQL":
			result, err := x.query(input)
			if err != nil {
				return "", 0, fmt.Errorf("%s: %w", input, err)
			}
			results = append(results, result)
		case "PythonInterpreter.Python":
			results = append(results, x.python.run(input))
		case "Finish.answer":
			if _, _, err := plan(append(results, "Answer is CORRECT")); err == nil {
				x.t.Error("the plan goes on after Finish")
			}
			return input, len(results) + 1, nil
		default:
			return "", 0, fmt.Errorf("call %+v is of no tool of the prompt version", call)
		}
	}
}

func checkThought(t testing.TB, thought string) {
	t.Helper()
	switch {
	case strings.ContainsAny(thought, "{}\n"), strings.Contains(thought, ":"):
		t.Errorf("thought %q would not read as one line of prose", thought)
	case len(thought) < 20 || !strings.HasSuffix(thought, "."):
		t.Errorf("thought %q is no sentence", thought)
	}
}

// cells prints columns of the day as GetValue does.
func (d *Day) cells(columns []string) string {
	texts := map[string]string{
		"Open": pytext.FormatFloat(d.Open), "High": pytext.FormatFloat(d.High), "Low": pytext.FormatFloat(d.Low), "Close": pytext.FormatFloat(d.Close),
		"Volume": strconv.FormatInt(d.Volume, 10), "Date": d.Date,
	}
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = fmt.Sprintf("%q: %q", c, texts[c])
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// query prints rows as SQLInterpreter does.
func (x *tools) query(query string) (string, error) {
	rows, err := x.db.Query(query)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var lines []string
	for rows.Next() {
		values := make([]any, len(columns))
		slots := make([]any, len(columns))
		for i := range values {
			slots[i] = &values[i]
		}
		if err := rows.Scan(slots...); err != nil {
			return "", err
		}
		cells := make([]string, len(columns))
		for i, v := range values {
			text := fmt.Sprint(v)
			switch v := v.(type) {
			case float64:
				text = pytext.FormatFloat(v)
			case nil:
				text = "None"
			}
			cells[i] = columns[i] + ": " + text
		}
		lines = append(lines, strings.Join(cells, ", "))
	}
	return strings.Join(lines, "\n"), rows.Err()
}

// pythonShell runs pieces of Python one after another, each with variables of its own.
type pythonShell struct {
	t   testing.TB
	in  io.Writer
	out *bufio.Scanner
}

const shell = `
import contextlib, io, json, sys
for line in sys.stdin:
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(json.loads(line), {})
    except Exception as e:
        print(type(e).__name__ + ': ' + str(e), file=out)
    print(json.dumps(out.getvalue().strip()), flush=True)
`

func newPythonShell(t *testing.T) *pythonShell {
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed, so plans that compute cannot run")
	}
	cmd := exec.Command(path, "-c", shell)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("python3: %v", err)
		}
	})
	return &pythonShell{t, in, bufio.NewScanner(out)}
}

func (p *pythonShell) run(code string) string {
	line, err := json.Marshal(code)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		p.t.Fatal(err)
	}
	var text string
	if !p.out.Scan() {
		p.t.Fatalf("python3 gave no answer: %v", p.out.Err())
	}
	if err := json.Unmarshal(p.out.Bytes(), &text); err != nil {
		p.t.Fatal(err)
	}
	return text
}

// TestPlansFindTheGoldAnswer runs every template's plan on many questions, among them ranges of a few days, where
// averages fall on the edge between two rounded values.
func TestPlansFindTheGoldAnswer(t *testing.T) {
	c := anyCoffee(t)
	x := newTools(t, c)
	r := rand.New(rand.NewPCG(11, 12))
	for _, tmpl := range all {
		differ := 0
		for i := range 60 {
			values, err := tmpl.draw(r, c)
			if err != nil {
				t.Fatal(err)
			}
			if i%3 == 0 && len(values) == 2 {
				first, _ := c.find(values[0])
				values[1] = c.days[min(first+1+r.IntN(20), len(c.days)-1)].Date
			}
			slots, err := tmpl.fill(values)
			if err != nil {
				t.Fatal(err)
			}
			text := Match{tmpl, slots}.Question()
			m, _ := Recognise(text)
			gold, err := Gold(m, c)
			if err != nil {
				if IsNoAnswer(err) {
					continue
				}
				t.Fatal(err)
			}
			plan, ok := Plan(text)
			if !ok {
				t.Fatalf("no plan for %q", text)
			}
			got, calls, err := x.run(plan)
			if err != nil {
				t.Errorf("%q: %v", text, err)
				continue
			}
			if !score.Strict(gold, got) || !score.Official(gold, got) {
				t.Errorf("%q: the plan finds %q, the gold answer is %q", text, got, gold)
			}
			if got != gold {
				differ++
			}
			if calls > 6 {
				t.Errorf("%q: %d calls", text, calls)
			}
		}
		if differ > 0 {
			t.Errorf("%s: %d of 60 answers are not written as the gold answer is", tmpl.Name, differ)
		}
	}
}

func TestPlanRefusesWhatItDoesNotExpect(t *testing.T) {
	const loaded, filtered = "We have successfully loaded the coffee database, including …", "We have successfully filtered the data (1 rows)."
	const failed = "There is something wrong with the SQL command you send. Please modify it."
	tests := []struct {
		name, question string
		results        []string
	}{
		{"not loaded", "What was the volume of coffee on 2000-01-03?", []string{"The database you want to query in not in the list. Please change another database for query."}},
		{"no such day", "What was the volume of coffee on 2000-01-03?", []string{loaded, "The filtering query Date=2000-01-03 is incorrect. Please modify the condition."}},
		{"more rows than one", "What was the volume of coffee on 2000-01-03?", []string{loaded, "We have successfully filtered the data (12 rows)."}},
		{"no cell", "What was the volume of coffee on 2000-01-03?", []string{loaded, filtered, "The value you are querying does not exist. Please modify it."}},
		{"another cell", "What was the volume of coffee on 2000-01-03?", []string{loaded, filtered, `{"Open": "122.25"}`}},
		{"many cells", "What was the volume of coffee on 2000-01-03?", []string{loaded, filtered, `{"Volume": ["1", "2"]}`}},
		{"no number", "What was the volume of coffee on 2000-01-03?", []string{loaded, filtered, `{"Volume": "__import__('os')"}`}},
		{"too many results", "What was the volume of coffee on 2000-01-03?", []string{loaded, filtered, `{"Volume": "6640"}`, "Answer is CORRECT"}},
		{"failed query", "What was the highest coffee price from 2000-01-03 to 2000-01-06?", []string{failed}},
		{"no rows", "What was the highest coffee price from 2000-01-03 to 2000-01-06?", []string{""}},
		{"NULL", "What was the highest coffee price from 2000-01-03 to 2000-01-06?", []string{"highest: None"}},
		{"another column", "What was the highest coffee price from 2000-01-03 to 2000-01-06?", []string{"lowest: 1.0"}},
		{"a column too many", "What was the highest coffee price from 2000-01-03 to 2000-01-06?", []string{"highest: 1.0, lowest: 1.0"}},
		{"a row too many", "What was the highest coffee price from 2000-01-03 to 2000-01-06?", []string{"highest: 1.0\nhighest: 2.0"}},
		{"a row too few", "What was the percentage change in coffee price on 2000-01-03 compared to the previous day?", []string{"Date: 2000-01-03, Close: 116.5"}},
		{"another day", "What was the percentage change in coffee price on 2000-01-08 compared to the previous day?", []string{"Date: 2000-01-06, Close: 116.5\nDate: 2000-01-05, Close: 118.6"}},
		{"failed code", "What was the average coffee price from 2000-01-03 to 2000-01-06?", []string{"average: 117.05", "NameError: name 'x' is not defined"}},
		{"no unit printed", "What was the average coffee price from 2000-01-03 to 2000-01-06?", []string{"average: 117.05", "117.0"}},
		{"no price", "Was 2000-01-05 a bearish or bullish day for coffee price?", []string{loaded, filtered, `{"Open": "115.0", "Close": "nan"}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			plan, ok := Plan(tt.question)
			if !ok {
				t.Fatal("no plan")
			}
			for n := range tt.results {
				if _, _, err := plan(tt.results[:n]); err != nil {
					t.Fatalf("after %d results: %v", n, err)
				}
			}
			if thought, call, err := plan(tt.results); err == nil {
				t.Errorf("the plan goes on: %s %+v", thought, call)
			}
		})
	}
	if _, ok := Plan("What was the opening price of tea on 2000-01-03?"); ok {
		t.Error("a plan for a question of no template")
	}
}
