package measure

import "toolevo/envs/stategen"

// Flow is what a program does, in order.
type Flow []Step

// Step is a call, an assignment, or a branch.
type Step struct {
	Tool   string   `json:"tool,omitempty"`   // what is called, "" if nothing is
	Assign string   `json:"assign,omitempty"` // the variable for the result, or ""
	Uses   []string `json:"uses,omitempty"`   // the variables in its arguments or in what is assigned
	Keeps  bool     `json:"keeps,omitempty"`  // it assigns to a part: the rest of the variable stays

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
			flow = append(flow, Step{Assign: s.Edit.Var, Uses: s.Edit.To.Variables(), Keeps: true})
		case s.Each != nil:
			flow = append(flow, Step{Assign: s.Each.Item, Uses: s.Each.In.Variables()}, call(&s.Each.Do))
		}
	}

	return flow
}

func call(c *stategen.Call) Step {
	step := Step{Tool: c.Tool, Assign: c.Assign}
	for _, a := range c.Args {
		step.Uses = append(step.Uses, a.Expr.Variables()...)
	}
	return step
}
