package scripted_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/dynamic"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
	"toolevo/mcts"
	"toolevo/mcts/policy/scripted"
)

// orders are tools that can be split, merged and removed.
const orders = `
version: base
base: true
messages:
  deprecated: "Error: {{.Old.Signature}} is deprecated. Use {{.Signature}}, param example: {{.Example}} instead."
  invalid: "No."
apis:
  - name: list_orders
    description: which lists the orders of a customer, of those of a status where one is given.
    answer: '[{"id": 1, "status": "open", "total": 5}]'
    parameters:
      - {name: customer, type: string}
      - {name: status, type: string, enum: [open, paid], required: false}
    notice: {example: '{"customer": "Ann", "status": "paid"}'}
  - name: get_order
    description: which returns an order.
    answer: '{"id": 1, "status": "open", "total": 5}'
    parameters: [{name: customer, type: string}, {name: id, type: integer}]
    notice: {example: '{"customer": "Ann", "id": 1}'}
  - name: count_orders
    description: which counts the orders of a customer.
    parameters: [{name: customer, type: string}]
    notice: {example: '{"customer": "Ann"}'}
  - {name: Finish, parameters: [answer], description: which ends the task.}
  - {name: UpdateTool, parameters: [newtool_desc], description: which learns.}
`

var task = envs.Task{ID: "1", Question: "What does Bo's open order cost, and how many has he?"}

// solution asks for all orders, those that are open, and one: in that order, and back.
func solution(results []string) (string, envs.Call, error) {
	call := func(tool string, args envs.Args) (string, envs.Call, error) {
		return "", envs.Call{Tool: tool, Args: args}, nil
	}

	switch len(results) {
	case 0, 4:
		return call("list_orders", envs.Object("customer", "Bo"))
	case 1:
		return call("list_orders", envs.Object("customer", "Bo", "status", "open"))
	case 2, 5:
		item, err := pytext.Decode(results[1])
		if err != nil {
			return "", envs.Call{}, err
		}

		id, _ := item.([]any)[0].(envs.Args).Get("id")
		return call("get_order", envs.Object("customer", "Bo", "id", id))
	case 3:
		return call("count_orders", envs.Object("customer", "Bo"))
	}

	one, _ := pytext.Decode(results[5])
	total, _ := one.(envs.Args).Get("total")
	return "", envs.Finish(fmt.Sprint(total, " ", results[3])), nil
}

// shop answers as the tools of orders, and grades.
type shop struct{}

var stock = []any{
	envs.Object("id", envs.Number("7"), "status", "paid", "total", envs.Number("70")),
	envs.Object("id", envs.Number("8"), "status", "open", "total", envs.Number("80")),
}

func (shop) list(args envs.Args) any {
	status, ok := args.Text("status")
	return slices.DeleteFunc(slices.Clone(stock), func(v any) bool {
		is, _ := v.(envs.Args).Text("status")
		return ok && is != status
	})
}

func (shop) get(args envs.Args) any {
	id, _ := args.Get("id")
	if i := slices.IndexFunc(stock, func(v any) bool { is, _ := v.(envs.Args).Get("id"); return is == id }); i >= 0 {
		return stock[i]
	}
	return nil
}

func (shop) Known(envs.Task) bool { return true }

func (shop) Grade(_ context.Context, _ struct{}, _ envs.History, answer string) (envs.Grade, error) {
	return envs.Grade{Official: answer == "80 2", Strict: answer == "80 2"}, nil
}

func tool(answer func(envs.Args) any) dynamic.Tool[struct{}] {
	call := func(_ context.Context, s struct{}, args envs.Args) (struct{}, envs.Result, error) {
		return s, envs.Result{Observation: pytext.JSON(answer(args))}, nil
	}
	return dynamic.ToolFunc[struct{}](call)
}

// played returns the turns of a policy under a version.
func played(t *testing.T, c *toolapi.Catalog, version, name string) []envs.Turn {
	t.Helper()

	shown, deployed, err := c.Pair("base", version)
	if err != nil {
		t.Fatal(err)
	}

	env, err := dynamic.New(dynamic.Config[struct{}]{
		Prompt: shown, Deployed: deployed, Grader: shop{},
		Tools: map[string]dynamic.Tool[struct{}]{
			"list_orders": tool(shop{}.list), "get_order": tool(shop{}.get),
			"count_orders": tool(func(envs.Args) any { return envs.Number("2") }),
		},
		Options: dynamic.Options{Settings: dynamic.Settings{
			Codec: "react", Feedback: toolapi.FeedbackDeprecation, Reward: "official", Hint: dynamic.HintAnswer,
			UpdateTool: true,
		}},
	})
	if err != nil {
		t.Fatal(err)
	}

	profile, err := scripted.ParseProfile(name)
	if err != nil {
		t.Fatal(err)
	}

	policy := scripted.New(profile, func(string) (envs.Plan, bool) { return solution, true }).In(env)

	state, err := env.Reset(t.Context(), task)
	for err == nil && state.Status() == envs.Running && state.History().Len() < 30 {
		var proposals []mcts.Proposal

		proposals, err = policy.Propose(t.Context(), mcts.Request{History: state.History(), N: 1, Greedy: true})
		if err != nil {
			break
		}

		var next envs.Transition

		next, err = env.Step(t.Context(), state, envs.Action(proposals[0].Text))
		state = next.State
	}

	if err != nil {
		t.Fatal(err)
	}
	return state.History().Turns()
}

// loaded are the base and a version that was made from it, and the text of its file.
func loaded(t *testing.T, made *toolapi.Spec) (*toolapi.Catalog, []byte) {
	t.Helper()

	for _, a := range made.APIs {
		args, _, _ := pytext.DecodeObject(a.Notice.Example)
		if names := slices.Sorted(slices.Values(args.Names())); len(slices.Compact(names)) != len(args) {
			t.Errorf("the example of %s says something twice: %s", a.Name, a.Notice.Example)
		}
	}

	text, err := made.Encode()
	if err != nil {
		t.Fatal(err)
	}

	c, err := toolapi.Load(fstest.MapFS{}, toolapi.File{Path: "base.yaml", Text: orders},
		toolapi.File{Path: "made.yaml", Text: string(text)})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}

	return c, text
}

// Changes of the list of tools and silent ones go together, in whatever order they are made: who is
// told what is deployed, and who heeds notes, solves what was solved.
func TestToolSetsUnderSilentDrift(t *testing.T) {
	t.Parallel()

	before, err := toolapi.Load(fstest.MapFS{}, toolapi.File{Path: "base.yaml", Text: orders})
	if err != nil {
		t.Fatal(err)
	}

	for _, one := range drift.Factors() {
		for _, other := range drift.Factors() {
			if one.Group == "all" || other.Group == "all" || one.Group == other.Group {
				continue
			}

			operators, err := drift.ParseOperators([]string{one.Name, other.Name})
			if err != nil {
				t.Fatal(err)
			}

			for i := range 4 {
				m, err := drift.NewMaker(before, "base", nil, uint64(i))
				if err != nil {
					t.Fatal(err)
				}

				made, changes := m.Applied("made", operators, i)
				c, text := loaded(t, made)

				for _, policy := range []string{"careful", "oracle"} {
					turns := played(t, c, made.Version, policy)
					if turns[len(turns)-1].Outcome == envs.Correct {
						continue
					}

					t.Errorf("%s, %s: %s fails: %v\n%s", one.Name, other.Name, policy, changes, text)

					for _, turn := range turns {
						t.Logf("%s\n%s", turn.Action, turn.Observation)
					}
				}
			}
		}
	}
}

// Where tools are split, merged or removed, who trusts the prompt fails, and who reads notices or
// is told what is deployed does not; what is added, or said with fewer words, harms nobody.
func TestToolSets(t *testing.T) {
	t.Parallel()

	base := toolapi.File{Path: "base.yaml", Text: orders}

	before, err := toolapi.Load(fstest.MapFS{}, base)
	if err != nil {
		t.Fatal(err)
	}

	for names, harms := range map[[2]string]bool{
		{"split-tool"}: true, {"merge-tools"}: true, {"remove-tool"}: true, {"add-tool"}: false,
		{"shorten-description"}: false, {"rename-parameter", "split-tool"}: true, {"rename-api", "merge-tools"}: true,
		{"split-tool", "merge-tools"}: true, {"remove-tool", "merge-tools"}: true,
	} {
		for i := range 8 {
			m, err := drift.NewMaker(before, "base", nil, uint64(i))
			if err != nil {
				t.Fatal(err)
			}

			isNone := func(name string) bool { return name == "" }

			operators, err := drift.ParseOperators(slices.DeleteFunc(names[:], isNone))
			if err != nil {
				t.Fatal(err)
			}

			made, changes := m.Applied("made", operators, i)
			if len(changes) == 0 {
				t.Fatalf("%v changes nothing", names)
			}

			c, text := loaded(t, made)

			for _, policy := range []string{"stale", "reader", "oracle"} {
				turns := played(t, c, made.Version, policy)
				right := turns[len(turns)-1].Outcome == envs.Correct

				if right == (policy == "stale" && harms) {
					t.Errorf("%v: %s, right is %v:\n%s", names, policy, right, text)

					for _, turn := range turns {
						t.Logf("%s\n%s", turn.Action, turn.Observation)
					}
				}
			}
		}
	}
}
