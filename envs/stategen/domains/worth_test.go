package domains_test

import (
	"encoding/json"
	"slices"
	"testing"

	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
)

// Every step of a program matters: without it the program fails, or comes to something else; what
// only the condition asks for matters, too. What a program answers depends on the branch that it
// takes, and the dimensions of a tensor are not moved twice in a row.
func TestStepsMatter(t *testing.T) {
	for _, d := range domains.All() {
		t.Run(d.Name(), func(t *testing.T) {
			t.Parallel()

			tasks, _ := generate(t, d, stategen.Argmax, 5, programs())
			for _, task := range tasks {
				p := &task.Program
				if p.Branch == nil {
					matters(t, d, task.ID, p)
					continue
				}

				for _, end := range []stategen.Path{p.Branch.If, p.Branch.Else} {
					straight := *p
					straight.Main = slices.Concat(p.Main, end.Stmts)
					straight.Branch = nil
					straight.Result = &stategen.Expr{List: []stategen.Expr{end.Result, p.Branch.Test.Left}}

					matters(t, d, task.ID, &straight)
				}

				if len(task.Cases) == 2 && stategen.Equal(task.Cases[0].Result.Any, task.Cases[1].Result.Any) {
					t.Errorf("%s: both branches answer the same", task.ID)
				}
			}
		})
	}
}

// matters tries a program without a branch without each of its steps.
func matters(t *testing.T, d stategen.Domain, id string, p *stategen.Program) {
	t.Helper()

	want, err := stategen.Replay(d, p, stategen.Case{}, nil)
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}

	used := map[string]bool{}
	for _, e := range p.Exprs() {
		used[e.Var] = true
	}

	moved := map[string]bool{} // tensors whose dimensions the call before has moved

	for i, s := range p.Main {
		if c := s.Call; c != nil && (c.Tool == "permute" || c.Tool == "transpose") {
			if from := c.Args[0].Expr.Var; moved[from] {
				t.Errorf("%s: the dimensions of %s move twice", id, from)
			}

			moved[c.Assign] = true
		}

		if c := s.Call; c != nil && c.Assign != "" && used[c.Assign] {
			continue
		}

		less := *p
		less.Main = slices.Delete(slices.Clone(p.Main), i, i+1)

		if got, err := stategen.Replay(d, &less, stategen.Case{}, nil); err == nil && stategen.Passes(d, got, want) {
			text, _ := json.Marshal(p)
			t.Errorf("%s: step %d does not matter:\n%s", id, i+1, text)
		}
	}
}
