package code

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

// Render writes a program as Python that calls the deployed APIs. Its variables and the libraries
// exist before it begins. Python that others wrote is kept if no API of the domain has changed;
// otherwise it is what that program does. The error says which call the version cannot express.
func (s *Surface) Render(p *stategen.Program) (string, error) {
	if p.Python != "" && s.unchanged() {
		return p.Python, nil
	}

	// StateEval's speeches are objects with attributes. Those that calls return are added later.
	r := renderer{surface: s, style: s.style()}
	if f, isFunctions := r.style.(functions); isFunctions && s.Published {
		f.objects = map[string]bool{}
		for _, v := range p.Init {
			f.objects[v.Name] = v.Role == stategen.Loaded
		}

		r.style = f
	}

	r.stmts(p.Main)

	switch b := p.Branch; {
	case b != nil:
		r.line("if " + r.test(b.Test) + ":")
		r.path(b.If)
		r.line("else:")
		r.path(b.Else)
	case p.Result != nil:
		r.line("RESULT = " + r.expr(*p.Result))
	}

	if r.err != nil {
		return "", fmt.Errorf("code: render a program for %s: %w", s.Deployed.Name, r.err)
	}

	// re is not among the loaded libraries.
	text := r.text.String()
	if strings.Contains(text, "re.split(") {
		text = "import re\n\n" + text
	}

	return text, nil
}

// givesObject reports whether a tool returns an object of the service, which has a handle.
func (s *Surface) givesObject(tool string) bool {
	return slices.ContainsFunc(s.Domain.APIs(), func(a toolapi.APISpec) bool {
		return a.Name == tool && strings.HasPrefix(a.Answer, `{"speech"`)
	})
}

// Signatures writes how each of the domain's APIs is called, in the order of its tools, with the
// parameters' names in place of arguments.
func (s *Surface) Signatures() []string {
	var lines []string

	for _, api := range s.apis() {
		args := make([]argument, len(api.Parameters))
		for i, p := range api.Parameters {
			args[i] = argument{name: p.Name, text: p.Name}
		}

		call := s.style().changed
		if s.Base.Has(api) {
			call = s.style().call
		}

		lines = append(lines, call(api.Name, args))
	}
	return lines
}

// renderer writes a program. It keeps the first error.
type renderer struct {
	surface *Surface
	style   style
	text    strings.Builder
	depth   int
	err     error
}

func (r *renderer) line(text string) {
	r.text.WriteString(strings.Repeat("    ", r.depth) + text + "\n")
}

func (r *renderer) path(p stategen.Path) {
	r.depth++
	defer func() { r.depth-- }()

	r.stmts(p.Stmts)
	r.line("RESULT = " + r.expr(p.Result))
}

func (r *renderer) stmts(all []stategen.Stmt) {
	for _, s := range all {
		switch {
		case s.Call != nil:
			r.writeCall(*s.Call)
		case s.Edit != nil:
			r.line(r.target(*s.Edit) + " = " + r.expr(s.Edit.To))
		case s.Each != nil:
			r.line("for " + s.Each.Item + " in " + r.expr(s.Each.In) + ":")
			r.depth++
			r.line("if " + r.test(s.Each.Where) + ":")
			r.depth++
			r.writeCall(s.Each.Do)
			r.depth -= 2
		}
	}
}

// writeCall writes a call and the assignment of its result. Requests are checked first: a program
// that continued after a refused one would fail somewhere else.
func (r *renderer) writeCall(c stategen.Call) {
	text := r.call(c)

	if _, isRequest := r.style.(requests); isRequest {
		name := cmp.Or(c.Assign, "answer")
		r.line(name + " = " + strings.TrimSuffix(text, ".json()"))
		r.line(name + ".raise_for_status()")

		if c.Assign != "" {
			r.line(name + " = " + name + ".json()")
		}
		return
	}

	if c.Assign != "" {
		text = c.Assign + " = " + text

		// The other branch may give the name another value.
		if f, isFunctions := r.style.(functions); isFunctions && f.objects != nil {
			f.objects[c.Assign] = r.surface.givesObject(c.Tool)
		}
	}

	r.line(text)
}

// target returns what an edit assigns to: members by their keys, in any style.
func (r *renderer) target(e stategen.Edit) string {
	text := e.Var
	for _, key := range e.Path {
		text = index(text, key)
	}
	return text
}

func (r *renderer) call(c stategen.Call) string {
	all := r.surface.Deployed.Exposing(c.Tool)
	if len(all) == 0 {
		r.fail(fmt.Errorf("it has no tool %q", c.Tool))
		return ""
	}

	if len(all) == 1 && r.surface.Base.Has(all[0]) {
		args := make([]argument, len(c.Args))

		for i, a := range c.Args {
			// A constant in a URL is escaped now; an expression can only be inserted there.
			args[i] = argument{name: a.Name, text: r.expr(a.Expr)}
			if a.Expr.Value != nil {
				args[i].constant = a.Expr.Value.Any
			}
		}

		return r.style.call(c.Tool, args)
	}

	var (
		args []argument
		err  error
		api  *toolapi.API
	)

	// Each of several APIs takes some of the tool's calls.
	for _, api = range all {
		if args, err = r.lift(api, c); err == nil {
			break
		}
	}

	if err != nil {
		r.fail(fmt.Errorf("%s: %w", c.Tool, err))
	}
	return r.style.changed(api.Name, args)
}

func (r *renderer) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *renderer) test(t stategen.Test) string {
	left, right := r.expr(t.Left), r.expr(t.Right)
	if t.Any == nil {
		return left + " == " + right
	}

	part := "item"

	for i, key := range t.Any {
		if i == len(t.Any)-1 && !isIndex(key) {
			part += ".get(" + quote(key) + ")" // an element may lack it
		} else {
			part = r.style.part(part, key)
		}
	}

	return "any(" + part + " == " + right + " for item in " + left + ")"
}

func (r *renderer) expr(e stategen.Expr) string {
	switch {
	case e.Value != nil:
		return literal(e.Value.Any)
	// A shape is a tuple, and in Python no tuple equals a list.
	case e.Var != "":
		text := r.parts(e)
		if strings.HasSuffix(text, ".shape") {
			text = "list(" + text + ")"
		}
		return text
	case e.Object != nil:
		members := make([]argument, len(e.Object))
		for i, m := range e.Object {
			members[i] = argument{name: m.Name, text: r.expr(m.Expr)}
		}
		return dict(members)
	}

	texts := make([]string, len(e.List))

	for i, item := range e.List {
		texts[i] = r.expr(item)
		// len takes a tuple as well.
		if e.Func == stategen.Length && item.Var != "" {
			texts[i] = r.parts(item)
		}
	}

	switch e.Func {
	case stategen.Length:
		return "len(" + strings.Join(texts, ", ") + ")"
	case stategen.Sentences:
		return `len([s for s in re.split("[.!?]", ` + strings.Join(texts, ", ") + ") if s.strip()])"
	}

	return listOf(texts)
}

// parts writes a variable, or a part of one.
func (r *renderer) parts(e stategen.Expr) string {
	text := e.Var
	for _, key := range e.Path {
		text = r.style.part(text, key)
	}
	return text
}

// literal writes a value.
func literal(v any) string {
	text, _ := standIns{}.text(v) // without stand-ins there is no error
	return text
}

// listOf writes a list of some texts.
func listOf(texts []string) string { return "[" + strings.Join(texts, ", ") + "]" }

// dict writes an object of some members.
func dict(members []argument) string {
	texts := make([]string, len(members))
	for i, m := range members {
		texts[i] = quote(m.name) + ": " + m.text
	}
	return "{" + strings.Join(texts, ", ") + "}"
}
