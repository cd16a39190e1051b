package questions

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/toolqa/corpus"
)

// step is one call of a plan, as data. Its texts may name slots and the values read from earlier
// results, as {name}. In SQL and Python a value that is not a number is quoted, as {name|sql} and
// {name|py}.
type step struct {
	thought string
	tool    string
	args    []arg
	read    reader // what the result must be, and which values later steps take from it
}

type arg struct{ name, text string }

// reader reads the result of a call and adds the values in it to those known.
type reader func(result string, known *slotValues) error

// plan returns the solution of the question in the prompt version (p_c).
func (m match) plan() envs.Plan {
	return func(results []string) (string, envs.Call, error) {
		// Each call starts over from all results: a plan has no state, so branches can share it.
		known := m.slots.derived()

		steps := m.template.plan(known)
		for i, result := range results {
			if i >= len(steps) {
				return "", envs.Call{}, fmt.Errorf("questions: plan %s: %d results for %d calls", m.template.Name,
					len(results), len(steps))
			}

			if err := steps[i].read(result, &known); err != nil {
				return "", envs.Call{}, fmt.Errorf("questions: plan %s: result %d, of %s: %w", m.template.Name, i+1,
					steps[i].tool, err)
			}

			// What is in a result may change the steps that follow.
			steps = m.template.plan(known)
		}

		if len(results) >= len(steps) {
			return "", envs.Call{}, fmt.Errorf("questions: plan %s: %d results for %d calls", m.template.Name,
				len(results), len(steps))
		}

		thought, call, err := steps[len(results)].call(known)
		if err != nil {
			return "", envs.Call{}, fmt.Errorf("questions: plan %s: call %d: %w", m.template.Name, len(results)+1, err)
		}
		return thought, call, nil
	}
}

// derived returns the slots with what plans know of them besides: the parts of a flight, as
// "carrier" and "number", the date of an appointment as "date_in_words", times on 24 hours as
// "start24" and "end24", and whether a condition of FilterDB would misread one of the values, as
// "unfilterable".
func (s slotValues) derived() slotValues {
	known := make(slotValues, len(s), len(s)+4)
	copy(known, s)

	if flight, ok := s.lookup("flight"); ok { // a carrier's code has two characters
		known = append(known, slotValue{"carrier", flight[:2]}, slotValue{"number", flight[2:]})
	}

	if date := s.get("date"); strings.Contains(date, "/") {
		known = append(known, slotValue{"date_in_words", dateInWords(date)})
	}

	for _, name := range []string{"start", "end"} {
		if clock, ok := s.lookup(name); ok && isClock(clock) {
			known = append(known, slotValue{name + "24", corpus.ClockText(clock)})
		}
	}

	if slices.ContainsFunc(s, func(s slotValue) bool { return !conditionHolds(s.value) }) {
		known = append(known, slotValue{"unfilterable", "yes"})
	}
	return known
}

// conditionHolds reports whether a condition of FilterDB can compare a cell with a text.
func conditionHolds(text string) bool {
	return !strings.Contains(text, ", ") && !strings.ContainsAny(text, "<>=\r\n") && pytext.Strip(text) == text
}

// call fills the step's texts.
func (s step) call(known slotValues) (string, envs.Call, error) {
	thought, err := expand(s.thought, known)
	if err != nil {
		return "", envs.Call{}, err
	}

	call := envs.Call{Tool: s.tool, Name: s.tool, Args: make(envs.Args, len(s.args))}
	for i, a := range s.args {
		text, err := expand(a.text, known)
		if err != nil {
			return "", envs.Call{}, err
		}

		call.Args[i] = envs.Arg{Name: a.name, Value: text}
	}
	return thought, call, nil
}

// sqlQuotes escapes a text that is put between quotes in MySQL.
var sqlQuotes = strings.NewReplacer("'", "''", `\`, `\\`)

// expand replaces each {name} by its value, and {name|py} and {name|sql} by the value as a literal
// of those languages.
func expand(text string, known slotValues) (string, error) {
	var b strings.Builder

	for {
		before, tail, ok := strings.Cut(text, "{")
		b.WriteString(before)

		if !ok {
			return b.String(), nil
		}

		// Without an end all the rest is the name, which nobody knows.
		name, after, _ := strings.Cut(tail, "}")
		name, language, _ := strings.Cut(name, "|")

		value, ok := known.lookup(name)
		if !ok {
			return "", fmt.Errorf("nothing called %q is known", name)
		}

		switch language {
		case "":
		case "py":
			value = pytext.Repr(value)
		case "sql":
			value = "'" + sqlQuotes.Replace(value) + "'"
		default:
			return "", fmt.Errorf("{%s|%s}: no such language", name, language)
		}

		// The value is not expanded in turn: it may have braces.
		b.WriteString(value)
		text = after
	}
}

// unexpected says what a result should have been.
func unexpected(result, want string) error {
	const limit = 80
	if len(result) > limit {
		result = strings.ToValidUTF8(result[:limit], "") + "..."
	}
	return fmt.Errorf("%q is not %s", result, want)
}

func startsWith(prefix string) reader {
	return func(result string, _ *slotValues) error {
		if !strings.HasPrefix(result, prefix) {
			return unexpected(result, fmt.Sprintf("%q", prefix))
		}
		return nil
	}
}

// cells reads a JSON object that has a text for each field, which fits.
func cells(fields []field) reader {
	return func(result string, known *slotValues) error {
		v, _ := pytext.Decode(result)

		row, ok := v.(envs.Args)
		if !ok {
			return unexpected(result, "one row of cells")
		}

		for _, f := range fields {
			text, ok := row.Text(f.name)
			if !ok || !kinds[f.kind](text) {
				return unexpected(result, "one row with a "+f.kind+" as "+f.name)
			}

			*known = append(*known, slotValue{f.name, text})
		}
		return nil
	}
}

// field is a column of a result, and the kind of its cells.
type field struct{ name, kind string }

// rows reads the result of a query, one line "column: value, column: value" for each row, and adds
// the value of every field of every row, in order. Fields of different rows have different names in
// the plan: row i, column j is the field lines[i][j], whose column is its name without the digits
// at its end.
func rows(lines ...[]field) reader {
	return func(result string, known *slotValues) error {
		rest := strings.TrimSpace(result)

		for i, line := range lines {
			var text string
			text, rest, _ = strings.Cut(rest, "\n")

			for j, f := range line {
				// A text with commas of its own cannot be read here: textCell and printedText do
				// that.
				var cell string
				cell, text, _ = strings.Cut(text, ", ")

				// Close1 and Close2 are the column Close of two rows.
				value, ok := strings.CutPrefix(cell, strings.TrimRight(f.name, "0123456789")+": ")
				if !ok || !kinds[f.kind](value) {
					return unexpected(result, fmt.Sprintf("a result with a %s as column %d (%s) of row %d", f.kind,
						j+1, f.name, i+1))
				}

				*known = append(*known, slotValue{f.name, value})
			}

			if text != "" {
				return unexpected(result, fmt.Sprintf("a result of %d columns", len(line)))
			}
		}

		if rest != "" {
			return unexpected(result, fmt.Sprintf("a result of %d rows", len(lines)))
		}
		return nil
	}
}

// printedNumbers reads numbers that a program printed on one line.
func printedNumbers(fields []field) reader {
	return func(result string, known *slotValues) error {
		numbers := strings.Fields(result)
		if len(numbers) != len(fields) || slices.ContainsFunc(numbers, func(n string) bool { return !isNumber(n) }) {
			return unexpected(result, fmt.Sprintf("%d numbers", len(fields)))
		}

		for i, f := range fields {
			*known = append(*known, slotValue{f.name, numbers[i]})
		}
		return nil
	}
}

// printed reads a number and the unit behind it.
func printed(unit string) reader {
	return func(result string, known *slotValues) error {
		text := strings.TrimSpace(result)
		if n, ok := strings.CutSuffix(text, unit); !ok || !isNumber(n) {
			return unexpected(result, fmt.Sprintf("a number and %q", unit))
		}

		*known = append(*known, slotValue{"answer", text})
		return nil
	}
}

// isNumber reports whether s is a finite decimal number: a literal of SQL and Python alike.
func isNumber(s string) bool {
	if s == "" || strings.Trim(s, "+-.eE0123456789") != "" {
		return false
	}

	f, err := strconv.ParseFloat(s, 64)
	return err == nil && !math.IsInf(f, 0)
}
