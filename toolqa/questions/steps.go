package questions

import (
	"fmt"
	"strconv"
	"strings"
)

// toolArguments are the tools of the prompt version, each with the names of its arguments.
var toolArguments = map[string][]string{
	"LoadDB":            {"DBName"},
	"FilterDB":          {"condition"},
	"GetValue":          {"column_name"},
	"SQLInterpreter":    {"SQL"},
	"PythonInterpreter": {"Python"},
	"RetrieveAgenda":    {"keyword"},
	"RetrieveScirex":    {"keyword"},
	"LoadGraph":         {"GraphName"},
	"NodeCheck":         {"GraphName", "Node"},
	"NeighbourCheck":    {"GraphName", "Node"},
	"EdgeCheck":         {"GraphName", "Node1", "Node2"},
	"Finish":            {"answer"},
}

// compilePlan returns a function of the steps of a plan as far as they are known, or which step is
// wrong.
func compilePlan(planned []plannedStep, parts *strings.Replacer) (plan func(slotValues) []step, wrong int, err error) {
	compiled := make([]step, len(planned))

	for i := range planned {
		p := &planned[i]
		p.first = 1

		if name, first, ok := strings.Cut(p.repeat, " from "); ok {
			n, err := strconv.Atoi(first)
			if err != nil {
				return nil, i, fmt.Errorf("repeat: %w", err)
			}

			p.repeat, p.first = name, n
		}

		for j, a := range p.args {
			p.args[j] = parts.Replace(a)
		}

		// Also a step that is repeated, with # for its number: a mistake in it is found at once.
		if compiled[i], err = p.compile(); err != nil {
			return nil, i, fmt.Errorf("%s: %w", p.tool, err)
		}
	}
	return func(known slotValues) []step {
		var steps []step

		for i, p := range planned {
			// Which steps there are depends on what earlier results have said.
			switch {
			case !p.taken(known):
			case p.repeat == "":
				steps = append(steps, compiled[i])
			default:
				for k := p.first; k <= known.count(p.repeat); k++ {
					repeated, _ := p.numbered(k).compile() // cannot fail: see above
					steps = append(steps, repeated)
				}
			}
		}

		return steps
	}, 0, nil
}

// taken reports whether the step is taken: the value in when is known, or with "not " before it, is
// not.
func (p *plannedStep) taken(known slotValues) bool {
	name, isNot := strings.CutPrefix(p.when, "not ")
	return p.when == "" || (known.get(name) == "") == isNot
}

// numbered returns the k-th of the repeated steps.
func (p *plannedStep) numbered(k int) *plannedStep {
	number := func(text string) string { return strings.ReplaceAll(text, "#", strconv.Itoa(k)) }
	repeated := &plannedStep{
		thought: number(p.thought), tool: p.tool, read: number(p.read), then: number(p.then),
	}
	for _, a := range p.args {
		repeated.args = append(repeated.args, number(a))
	}
	return repeated
}

// compile makes the step.
func (p *plannedStep) compile() (step, error) {
	s := step{thought: p.thought, tool: p.tool}
	for i, name := range toolArguments[p.tool] {
		s.args = append(s.args, arg{name, p.args[i]})
	}

	var err error
	if s.read, err = p.reader(); err != nil || p.then == "" {
		return s, err
	}

	more, err := hookedReader(p.then)
	s.read = then(s.read, more)
	return s, err
}

// hookedReader returns the reader of "NAME" or "NAME ARGUMENTS".
func hookedReader(text string) (reader, error) {
	name, arguments, _ := strings.Cut(text, " ")

	hook, ok := readHooks[name]
	if !ok {
		return nil, fmt.Errorf("no reader %q, only %s", name, namesOf(readHooks))
	}

	read := hook(arguments)
	if read == nil {
		return nil, fmt.Errorf("the reader %s does not know %q", name, arguments)
	}
	return read, nil
}

// fields returns what the rows of the result give: if the step does not say so, GetValue its
// columns, and a program the answer.
func (p *plannedStep) fields() [][]field {
	switch {
	case len(p.gives) > 0:
		return p.gives
	case p.tool == "GetValue":
		return parseFields(p.args[0])
	case p.tool == "PythonInterpreter":
		return parseFields("answer")
	}

	return nil
}

// reader returns what reads the result of the step.
func (p *plannedStep) reader() (reader, error) {
	fields := p.fields()

	for _, row := range fields {
		for _, f := range row {
			if kinds[f.kind] == nil {
				return nil, fmt.Errorf("gives: no kind %q, only %s", f.kind, namesOf(kinds))
			}
		}
	}

	if p.read != "" {
		return hookedReader(p.read)
	}

	// Nothing is taken from the results of these tools, which only have to succeed.
	switch p.tool {
	case "Finish":
		return func(string, *slotValues) error { return nil }, nil
	case "LoadDB":
		return startsWith("We have successfully loaded the " + p.args[0] + " database"), nil
	case "LoadGraph":
		return startsWith("DBLP data is loaded"), nil
	case "FilterDB":
		return startsWith(filtered), nil
	}

	if len(p.gives) == 0 && p.tool == "PythonInterpreter" {
		return printed(p.unit), nil
	}

	if len(fields) == 0 {
		return nil, fmt.Errorf("want what the result gives, or a reader")
	}

	// A text by itself may hold the marks by which several values are told apart.
	row := fields[0]
	isText := len(fields) == 1 && len(row) == 1 && row[0].kind == "text"

	switch {
	case p.tool == "GetValue":
		return cells(row), nil
	case p.tool == "PythonInterpreter" && isText:
		return printedText(row[0].name), nil
	case p.tool == "PythonInterpreter":
		return printedNumbers(row), nil
	case p.tool == "SQLInterpreter" && isText:
		return textCell(row[0].name), nil
	case p.tool == "SQLInterpreter":
		return rows(fields...), nil
	}

	return nil, fmt.Errorf("nothing can be given by a result of %s without a reader", p.tool)
}

// filtered is what FilterDB says before the number of rows that are left.
const filtered = "We have successfully filtered the data ("
