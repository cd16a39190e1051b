package bench

import (
	"fmt"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
)

// labelProgram is the ID of a generated task, which all its cases share.
const labelProgram = "program"

// The difficulties.
const (
	branching = "branching"
	linear    = "linear"
)

func difficulties() []string { return []string{branching, linear} }

// taskOf returns the task of a case. ask rephrases an instruction.
func taskOf(t *stategen.Task, number int, ask func(id, text string) string) envs.Task {
	c := t.Cases[number]
	task := envs.Task{ID: t.ID + "/" + c.Path, Labels: labels(t)}

	instruction := strings.TrimSpace(t.Instruction.Variables + "\n\n" + t.Instruction.Text)
	task.Question = ask(task.ID, instruction) + "\n\n" + valuesOf(&t.Program, c)
	return task
}

// labels returns the labels of a generated task's tasks.
func labels(t *stategen.Task) map[string]string {
	difficulty := linear
	if t.Program.Branch != nil {
		difficulty = branching
	}
	return map[string]string{
		envs.LabelDataset: t.Program.Domain, envs.LabelDifficulty: difficulty, labelProgram: t.ID,
	}
}

// tasksOf returns the tasks of a generated task: one for each case, or one for all.
func (o *opened) tasksOf(t *stategen.Task) ([]envs.Task, error) {
	if o.inCode() {
		task, err := o.allCases(t)
		return []envs.Task{task}, err
	}

	tasks := make([]envs.Task, len(t.Cases))
	for i := range t.Cases {
		tasks[i] = taskOf(t, i, o.choice.Ask)
	}
	return tasks, nil
}

// valuesOf tells the values of a case, and how to answer.
func valuesOf(p *stategen.Program, c stategen.Case) string {
	var b strings.Builder

	if len(p.Init) > 0 {
		b.WriteString("The values are:\n")

		values := p.Values(c)
		for _, v := range p.Init {
			fmt.Fprintf(&b, "%s = %s\n", v.Name, pytext.AppendJSON(nil, values[v.Name]))
		}

		b.WriteByte('\n')
	}

	b.WriteString("Give RESULT as the answer, written as JSON. What a tool has returned may be given whole, or by " +
		"its handle where it has one.")
	return b.String()
}
