package suitetest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"

	"toolevo/envs"
	"toolevo/envs/dynamic"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
)

// Shop is a toy benchmark: it asks what goods cost. Its prices need no data folder. The version
// that prompts show is "old"; "new" has renamed the one tool and its parameter.
type Shop struct{}

// versions are the API versions of the shop.
var versions = fstest.MapFS{
	"old.yaml": {Data: []byte(`
version: old
base: true
about: what prompts show
messages:
  deprecated: "Error: {{.Old.Signature}} is deprecated. Use {{.Signature}}, param example: {{.Example}} instead."
  invalid: There is no such tool, or it takes other parameters.
apis:
  - {name: Price, parameters: [item], description: which returns the price of one piece.}
  - {name: Finish, parameters: [answer], description: which ends the task with the answer.}
  - {name: UpdateTool, parameters: [newtool_desc], description: which adds a tool to this list.}
`)},
	"new.yaml": {Data: []byte(`
version: new
about: what is deployed
deprecates: [old]
apis:
  - name: Quote
    tool: Price
    parameters: [article]
    adapters: [{rename: {article: item}}]
    errors: {arguments: Quote takes one article.}
    notice: {example: '{"article": "pear"}'}
  - {name: Finish, parameters: [answer], errors: {arguments: Finish takes one answer.}}
  - {name: UpdateTool, parameters: [newtool_desc], errors: {arguments: UpdateTool takes one description.}}
`)},
}

// prices are by dataset and item.
var prices = map[string]map[string]int{
	"fruit": {"apple": 2, "melon": 7, "pear": 3},
	"tools": {"hammer": 19, "saw": 23},
}

// Name implements [suite.Benchmark].
func (Shop) Name() string { return "shop" }

// Versions implements [suite.Benchmark].
func (Shop) Versions(_ string, own ...toolapi.File) (*toolapi.Catalog, error) {
	return toolapi.Load(versions, own...)
}

// Tools implements [suite.Benchmark].
func (Shop) Tools(v *toolapi.Version, _ []string) []*toolapi.API { return v.APIs }

// Plans implements [suite.WordPlanner].
func (Shop) Plans() func(question string) (envs.Plan, bool) { return plan }

// plan returns the solution of a question.
func plan(question string) (envs.Plan, bool) {
	var n int
	var item string
	if _, err := fmt.Sscanf(question, "What do %d pieces of %s cost?", &n, &item); err != nil {
		return nil, false
	}

	return func(results []string) (string, envs.Call, error) {
		if len(results) == 0 {
			return "I look up the price.", call("Price", "item", item), nil
		}

		price, err := strconv.Atoi(results[len(results)-1])
		return "Now I can answer.", call(envs.FinishTool, "answer", strconv.Itoa(n*price)), err
	}, true
}

func call(tool, parameter, value string) envs.Call {
	return envs.Call{Tool: tool, Name: tool, Args: envs.Args{{Name: parameter, Value: value}}}
}

// Open implements [suite.Benchmark].
func (Shop) Open(_ context.Context, c suite.Choice) (suite.Suite, error) {
	s := &shop{choice: c, gold: map[string]string{}}
	if c.Versions == nil {
		var err error
		if s.choice.Versions, err = toolapi.Load(versions); err != nil {
			return nil, err
		}
	}

	for _, dataset := range []string{"fruit", "tools"} {
		if c.Datasets != nil && !slices.Contains(c.Datasets, dataset) {
			continue
		}

		s.datasets = append(s.datasets, dataset)

		for _, n := range []int{3, 12} {
			for item, price := range prices[dataset] {
				s.add(dataset, item, n, price)
			}
		}
	}

	slices.SortFunc(s.tasks, func(a, b envs.Task) int { return strings.Compare(a.ID, b.ID) })
	return s, nil
}

// shop is the benchmark over a choice of datasets. It implements [suite.Suite] and
// [suite.Answerer].
type shop struct {
	choice   suite.Choice
	datasets []string
	tasks    []envs.Task
	gold     map[string]string
}

func (s *shop) add(dataset, item string, n, price int) {
	id := fmt.Sprintf("%s-%s-%s-%02d", dataset, s.choice.Split, item, n)
	s.tasks = append(s.tasks, envs.Task{
		ID: id, Question: s.choice.Ask(id, fmt.Sprintf("What do %d pieces of %s cost?", n, item)),
		Labels: map[string]string{envs.LabelDataset: dataset, "pieces": strconv.Itoa(n)},
	})
	s.gold[id] = strconv.Itoa(n * price)
}

// Tasks implements [suite.Suite].
func (s *shop) Tasks() []envs.Task { return slices.Clone(s.tasks) }

// Datasets implements [suite.Suite].
func (s *shop) Datasets() []string { return s.datasets }

// Plan implements [suite.Planner].
func (s *shop) Plan(question string) (envs.Plan, bool) { return plan(question) }

// Lineage implements [suite.Suite].
func (s *shop) Lineage() map[string]string { return map[string]string{"prices": fmt.Sprint(prices)} }

// Answer implements [suite.Answerer].
func (s *shop) Answer(task string) string { return s.gold[task] }

// Close implements [suite.Suite].
func (s *shop) Close() error { return nil }

// Environment implements [suite.Suite].
func (s *shop) Environment(version string, _ envs.Memory) (envs.Environment, error) {
	prompt, err := s.choice.Versions.Version(s.choice.Prompt)
	if err != nil {
		return nil, err
	}

	deployed, err := s.choice.Versions.Version(version)
	if err != nil {
		return nil, err
	}

	price := func(_ context.Context, none struct{}, args envs.Args) (struct{}, envs.Result, error) {
		item, _ := args.Text("item")
		// The one tool knows all goods, whatever datasets were chosen.
		for _, goods := range prices {
			if cost, ok := goods[item]; ok {
				return none, envs.Result{Observation: strconv.Itoa(cost)}, nil
			}
		}

		return none, envs.Result{
			Observation: "There is no such item.", Outcome: envs.ToolError,
		}, nil
	}

	// No call is a load, and a limit without load tools is an error.
	settings := s.choice.Environment
	settings.MaxLoads = 0
	return dynamic.New(dynamic.Config[struct{}]{
		Prompt: prompt, Deployed: deployed, Grader: s,
		Tools:   map[string]dynamic.Tool[struct{}]{"Price": dynamic.ToolFunc[struct{}](price)},
		Same:    func(_, _ struct{}) bool { return true },
		Options: dynamic.Options{Settings: settings},
	})
}

// Known implements [dynamic.Grader].
func (s *shop) Known(t envs.Task) bool { return s.gold[t.ID] != "" }

// Grade implements [dynamic.Grader].
func (s *shop) Grade(_ context.Context, _ struct{}, done envs.History, answer string) (envs.Grade, error) {
	right := answer == s.gold[done.Task().ID]
	return envs.Grade{Answer: answer, Official: right, Strict: right}, nil
}
