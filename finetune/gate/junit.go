package gate

import (
	"encoding/xml"
	"io"
	"strings"

	"toolevo/envs/display"
)

// junitSuites is the document that CI systems read, as the schema of Jenkins has it.
type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string     `xml:"name,attr"`
	Class   string     `xml:"classname,attr"`
	Failure *junitNote `xml:"failure"`
	Error   *junitNote `xml:"error"`
	Skipped *junitNote `xml:"skipped"`
}

type junitNote struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",cdata"`
}

// WriteJUnit writes the report as JUnit XML: a case for the verdict, one for each changed tool that
// no task used, and one for each task, in the class of the changed tools that it used.
func (r *Report) WriteJUnit(w io.Writer) error {
	s := junitSuite{Name: display.Line("toolevo gate: "+r.Current+" → "+r.Next, 0)}
	s.add(r.verdictCase())

	for _, c := range r.Changes {
		if c.Unused {
			s.add(c.unusedCase())
		}
	}

	for i := range r.Tasks {
		s.add(r.taskCase(&r.Tasks[i]))
	}

	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}

	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")

	if err := enc.Encode(junitSuites{Suites: []junitSuite{s}}); err != nil {
		return err
	}

	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(c junitCase) {
	s.Tests++

	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}

	s.Cases = append(s.Cases, c)
}

// verdictCase fails where the release may not go out, even if no task was lost.
func (r *Report) verdictCase() junitCase {
	c := junitCase{Name: "verdict", Class: "gate"}
	n := note(string(r.Verdict), r.Because)

	switch {
	case r.Verdict == Unmeasured:
		c.Error = n
	case !r.Passed:
		c.Failure = n
	case r.Verdict == Undecided:
		c.Skipped = n
	}

	return c
}

func (c *Cost) unusedCase() junitCase {
	n := note("unused", "no task used this tool, which changed: "+c.Change.String())
	test := junitCase{Name: "used: " + display.Line(c.Tool, 0), Class: "gate"}

	if c.Allowed {
		test.Skipped = n
	} else {
		test.Failure = n
	}

	return test
}

func (r *Report) taskCase(t *Result) junitCase {
	c := junitCase{Name: display.Line(t.ID, 0), Class: display.Line(strings.Join(t.Tools, ", "), 0)}
	if c.Class == "" {
		c.Class = "no changed tool"
	}

	switch t.State {
	case Lost:
		c.Failure = note(string(Lost), r.changesOf(t))
		c.Failure.Text = r.story(t)
	case Failed:
		c.Error = note(string(Failed), t.Failure)
	case Equal:
		c.Skipped = note(string(Equal), "equal by construction")
	}

	return c
}

// note returns a remark of one visible line: XML has no characters for what is not visible.
func note(kind, message string) *junitNote {
	return &junitNote{Message: display.Line(message, 0), Type: kind}
}

// changesOf returns the changes of the tools that a task used.
func (r *Report) changesOf(t *Result) string {
	var all []string

	for _, c := range r.Changes {
		for _, tool := range t.Tools {
			if c.Tool == tool {
				all = append(all, c.Tool+": "+c.Change.String())
			}
		}
	}

	if all == nil {
		return "no tool that it used changed"
	}
	return strings.Join(all, "; ")
}

// widthOfAnswer is how many columns of a call or an answer are shown.
const widthOfAnswer = 500

// story says how a task went under both versions.
func (r *Report) story(t *Result) string {
	var b strings.Builder

	line := func(text string) { b.WriteString("\n" + display.Line(text, widthOfAnswer)) }
	line("right under " + r.Current + ": " + t.Current.String())
	line("right under " + r.Next + ": " + t.Next.String())

	for _, call := range t.Calls {
		line("called: " + call)
	}

	for _, answer := range t.Answers {
		line("answered: " + answer)
	}
	return b.String() + "\n"
}
