package measure

import "toolevo/envs/stategen"

// Flow is what a program does, in order.
type Flow []Step

// Step is a call, an assignment, or a branch.
type Step struct {
	Tool   string   `json:"tool,omitempty"`   // what is called; "" is no call
	Assign string   `json:"assign,omitempty"` // the variable that takes the result; "" is none
	Uses   []string `json:"uses,omitempty"`   // the variables in its arguments, or in what is assigned
	Keeps  bool     `json:"keeps,omitempty"`  // an assignment to a part: the rest of the variable stays

	Branches []Flow `json:"branches,omitempty"` // of which one is taken; the step is nothing else
}

// Of returns the flow of a program.
func Of(p *stategen.Program) Flow {
	flow := steps(p.Main)

	if p.Branch != nil {
		flow = append(flow, Step{Branches: []Flow{steps(p.Branch.If.Stmts), steps(p.Branch.Else.Stmts)}})
	}

	return flow
}

func steps(stmts []stategen.Stmt) Flow {
	var flow Flow

	for _, s := range stmts {
		switch {
		case s.Call != nil:
			flow = append(flow, call(s.Call))
		case s.Edit != nil:
			flow = append(flow, Step{Assign: s.Edit.Var, Uses: variables(nil, s.Edit.To), Keeps: true})
		case s.Each != nil:
			flow = append(flow, Step{Assign: s.Each.Item, Uses: variables(nil, s.Each.In)}, call(&s.Each.Do))
		}
	}

	return flow
}

func call(c *stategen.Call) Step {
	step := Step{Tool: c.Tool, Assign: c.Assign}
	for _, a := range c.Args {
		step.Uses = variables(step.Uses, a.Expr)
	}

	return step
}

// variables appends the variables in an expression.
func variables(names []string, e stategen.Expr) []string {
	if e.Var != "" {
		names = append(names, e.Var)
	}

	for _, part := range e.List {
		names = variables(names, part)
	}

	for _, member := range e.Object {
		names = variables(names, member.Expr)
	}

	return names
}
