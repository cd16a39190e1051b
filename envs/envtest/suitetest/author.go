package suitetest

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// Author stands for an able reader who knows some texts and nothing else, and has to write the
// calls of a reference solution. It tests whether prompts say everything that this takes. What is
// missing is reported in words, sorted, one thing at a time.
type Author struct {
	// Tools is what is said about each tool that may be called, by its name; see [Listed] and
	// [Author.Learn].
	Tools map[string]string
	// Read is everything else: the question, observations, and what can be computed from them.
	Read []string
	// Known are words of the languages of texts, such as SQL and Python, in lower case.
	Known map[string]bool
}

// toolStart matches the beginning of a tool in the tool list of a prompt.
var toolStart = regexp.MustCompile(`(?m)^\(\d+\) ([^\[\n]+)\[`)

// Listed returns what the tool list of a prompt says about each tool, including its signature and
// its parameters.
func Listed(prompt string) map[string]string {
	tools := map[string]string{}
	prompt, _, _ = strings.Cut(prompt, "\n\nFollow these guidelines:")

	at := toolStart.FindAllStringSubmatchIndex(prompt, -1)
	for i, m := range at {
		end := len(prompt)
		if i+1 < len(at) {
			end = at[i+1][0]
		}

		tools[prompt[m[2]:m[3]]] = prompt[m[2]:end]
	}
	return tools
}

// Learn takes a deprecation notice: the new name now means what the old one did. It reports whether
// the observation is the notice of that deprecation.
func (a *Author) Learn(d toolapi.Deprecation, observation string) bool {
	if observation != d.Notice() && observation != d.PublishedNotice() {
		return false
	}

	a.Tools[d.New.Name] = observation + "\n" + a.Tools[d.Old.Name]
	return true
}

// Choose lets the author choose the numbers that a version ignores: any will do, even those of the
// reference.
func (a *Author) Choose(s *toolapi.Spec) {
	for _, api := range s.APIs {
		for _, adapter := range api.Adapters {
			if document, ok := a.Tools[api.Name]; ok && adapter.Ignored != nil {
				a.Tools[api.Name] = fmt.Sprintf("%s\n%v", document, adapter.Ignored.Value)
			}
		}
	}
}

// Call returns what the author cannot know about a call: a tool that is not listed, a parameter or
// a member of an object that the tool's document does not name, a value that is neither there nor
// in what was read, and that a parameter may be left out.
func (a *Author) Call(c envs.Call) (missing []string) {
	document, ok := a.Tools[c.Name]
	if !ok {
		return []string{"the tool " + c.Name}
	}

	for _, arg := range c.Args {
		if !namesParameter(document, c.Name, arg.Name) {
			missing = append(missing, fmt.Sprintf("%s: the parameter %s", c.Name, arg.Name))
		}

		for _, what := range a.value(document, arg.Value) {
			missing = append(missing, fmt.Sprintf("%s: %s: %s", c.Name, arg.Name, what))
		}
	}

	for _, name := range leftOut(document, c) {
		missing = append(missing, fmt.Sprintf("%s: that %s may be left out", c.Name, name))
	}
	return sorted(missing)
}

// leftOut returns the parameters that a call lacks although its tool is listed with them, and not
// as optional.
func leftOut(document string, c envs.Call) []string {
	rest, listed := strings.CutPrefix(document, c.Name+"[")
	if !listed { // a notice has examples
		return nil
	}
	return slices.DeleteFunc(strings.Split(signature(rest), ", "), func(name string) bool {
		given := slices.ContainsFunc(c.Args.Names(), func(of string) bool {
			return of == name || strings.TrimRight(of, "0123456789") == name
		})
		return name == "" || given ||
			regexp.MustCompile(`(?m)^ +`+regexp.QuoteMeta(name)+` \([^\n]*\boptional\b`).MatchString(document)
	})
}

// namesParameter reports whether a tool's document names a parameter: in the signature, in an
// example, or with another number.
func namesParameter(document, tool, parameter string) bool {
	if numbered := strings.TrimRight(parameter, "0123456789"); numbered != parameter {
		if strings.Contains(document, fmt.Sprintf("%[1]s1, %[1]s2, … in its place", numbered)) {
			return true
		}

		document = regexp.MustCompile(regexp.QuoteMeta(numbered)+`\d+\b`).ReplaceAllString(document, parameter)
	}

	for rest := document; ; {
		var ok bool
		if _, rest, ok = strings.Cut(rest, tool+"["); !ok {
			return strings.Contains(document, strconv.Quote(parameter)+":")
		}

		if slices.Contains(strings.Split(signature(rest), ", "), parameter) {
			return true
		}
	}
}

// signature returns a text up to the bracket that ends it: a name may have brackets of its own, as
// in "query[]".
func signature(text string) string {
	open := 1
	end := strings.IndexFunc(text, func(r rune) bool {
		open += map[rune]int{'[': 1, ']': -1}[r]
		return open == 0
	})

	return text[:max(0, end)]
}

// value returns what the author cannot know about a value.
func (a *Author) value(document string, v any) (missing []string) {
	switch v := v.(type) {
	case nil:
		if !a.hasRead(document, "null") {
			missing = []string{"null"}
		}
	case string:
		if !a.knowsText(document, v) {
			missing = []string{strconv.Quote(v)}
		}
	case envs.Number:
		if !a.knowsNumber(document, string(v)) {
			missing = []string{string(v)}
		}
	case []any:
		for _, item := range v {
			missing = append(missing, a.value(document, item)...)
		}
	case envs.Args:
		for _, m := range v {
			if !a.hasRead(document, m.Name) {
				missing = append(missing, "the member "+m.Name)
			}

			missing = append(missing, a.value(document, m.Value)...)
		}
	}
	return missing // true and false follow from the type
}

// hasRead reports whether the author has read a text, whole.
func (a *Author) hasRead(document, text string) bool {
	return hasText(document, text) || slices.ContainsFunc(a.Read, func(read string) bool { return hasText(read, text) })
}

// knowsText reports whether the author has read a text, or can make it like an example in the
// tool's document: with another known word in place of one of the example's, or with known parts in
// all its brackets.
func (a *Author) knowsText(document, text string) bool {
	if a.hasRead(document, text) || a.Known[strings.ToLower(text)] {
		return true
	}

	// Whoever has read a form with slots can fill them with what else is known.
	if parts := braces.FindAllStringSubmatch(text, -1); parts != nil { // expressions
		isUnknown := func(part []string) bool { return len(a.code(document, part[1])) > 0 }
		return a.knowsForm(document, text, braces) && !slices.ContainsFunc(parts, isUnknown)
	}

	if parts := brackets.FindAllStringSubmatch(text, -1); parts != nil { // texts
		isUnknown := func(part []string) bool { return !a.knowsQuoted(document, part[1]) }
		return a.knowsForm(document, text, brackets) && !slices.ContainsFunc(parts, isUnknown)
	}

	// An example with one other word in this place shows how the text is made.
	for _, at := range word.FindAllStringIndex(text, -1) {
		before, own, after := text[:at[0]], text[at[0]:at[1]], text[at[1]:]
		if before+after == "" || !a.hasRead(document, own) {
			continue
		}

		form := `(?:^|\W)` + regexp.QuoteMeta(before) + `\w+` + regexp.QuoteMeta(after) + `(?:\W|$)`
		if regexp.MustCompile(form).MatchString(document) {
			return true
		}
	}

	return false
}

// knowsForm reports whether the author has read a text, except what is in its slots.
func (a *Author) knowsForm(document, text string, slot *regexp.Regexp) bool {
	form := func(text string) string { return slot.ReplaceAllString(text, "[]") }
	return word.MatchString(form(text)) &&
		slices.ContainsFunc(append([]string{document}, a.Read...), func(read string) bool {
			return hasText(form(read), form(text))
		})
}

// knowsNumber reports whether the author has read a number, however it is written.
func (a *Author) knowsNumber(document, text string) bool {
	if a.hasRead(document, text) {
		return true
	}

	want, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(append([]string{document}, a.Read...), func(read string) bool {
		return slices.ContainsFunc(number.FindAllString(read, -1), func(said string) bool {
			got, err := strconv.ParseFloat(said, 64)
			return err == nil && got == want
		})
	})
}

var (
	brackets = regexp.MustCompile(`\[([^\[\]]*)\]`)
	braces   = regexp.MustCompile(`\{([^{}]*)\}`)

	word   = regexp.MustCompile(`\w+`)
	number = regexp.MustCompile(`-?\b\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\b`)
	// token is a text in quotes, a word or a number of a program.
	token = regexp.MustCompile(`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\d+\.\d+|\w+`)
)

// Code returns what the author cannot know about a program or query in an argument of a tool: the
// words, numbers and quoted texts that were neither read nor known. own are the names that the
// program itself gives.
func (a *Author) Code(tool, program string, own ...string) (missing []string) {
	knower := *a
	knower.Known = map[string]bool{}
	maps.Copy(knower.Known, a.Known)

	for _, name := range own {
		knower.Known[strings.ToLower(name)] = true
	}

	for _, what := range knower.code(a.Tools[tool], program) {
		missing = append(missing, cmp.Or(tool, "program")+": "+what)
	}
	return sorted(missing)
}

func (a *Author) code(document, program string) (missing []string) {
	for _, t := range token.FindAllString(program, -1) {
		isText := t[0] == '"' || t[0] == '\''
		text := strings.Trim(t, t[:1])

		switch {
		case !isText && (a.Known[strings.ToLower(t)] || a.hasRead(document, t) || a.knowsNumber(document, t)):
		case isText && a.knowsQuoted(document, text):
		default:
			missing = append(missing, t)
		}
	}

	return missing
}

// knowsQuoted reports whether the author knows a quoted text or, if it may be a query, a format or
// a time, all its parts.
func (a *Author) knowsQuoted(document, text string) bool {
	inParts := strings.Contains(text, " ") || strings.ContainsAny(text, "%:") && !letters.MatchString(text)
	return a.knowsText(document, text) || inParts && len(a.code(document, text)) == 0
}

// letters matches two or more letters, which words have and formats do not.
var letters = regexp.MustCompile(`\pL{2}`)

// hasText reports whether read contains a text as it is, or as JSON writes it, and not as a part of
// words.
func hasText(read, text string) bool {
	if text == "" {
		return true
	}

	quoted := strconv.Quote(text)
	return contains(read, text) || contains(read, quoted[1:len(quoted)-1])
}

func contains(read, text string) bool {
	isWord := func(s string, at int) bool { return at >= 0 && at < len(s) && pytext.IsWord(rune(s[at])) }
	first, last := isWord(text, 0), isWord(text, len(text)-1)

	for from := 0; ; {
		i := strings.Index(read[from:], text)
		if i < 0 {
			return false
		}

		i += from
		if (!first || !isWord(read, i-1)) && (!last || !isWord(read, i+len(text))) {
			return true
		}

		from = i + 1
	}
}

func sorted(missing []string) []string {
	slices.Sort(missing)
	return slices.Compact(missing)
}
