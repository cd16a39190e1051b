package bench

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"

	"toolevo/envs"
	"toolevo/envs/dynamic"
	"toolevo/envs/names"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

// Deployed is the functions of a version, as a server exposes them: without tasks, prompts and
// rewards. Calls are checked and answered like those of an agent. It is safe for concurrent use.
type Deployed struct {
	suite     *opened
	version   string
	wraps     bool // the version gives answers another form
	apis      *virtual.APIs
	functions []Function
	named     map[string]*deployedFunction      // by deployed and by published names of functions
	byAPI     map[toolbench.Key][]toolbench.Key // published names, by normalised ones
	readsOnly map[string]bool                   // by published names of functions
}

// deployedFunction is a function whose environment is made when it is first called.
type deployedFunction struct {
	open     func() (*dynamic.Environment[struct{}], error)
	apis     []toolbench.Key // several, if an argument tells them apart
	spelling spelling
}

// Deploy deploys a version of the functions of a suite that this benchmark opened: those that a
// task offers, or all if it is "". A real backend is asked before the suite's simulator, unless it
// is nil.
func Deploy(s suite.Suite, version, task string, backend *virtual.Backend) (*Deployed, error) {
	o, ok := s.(*opened)
	if !ok {
		return nil, fmt.Errorf("no suite of %s: its functions cannot be served", section)
	}

	file, err := o.choice.Versions.Spec(version)
	if err != nil {
		return nil, err
	}

	offered, err := o.offered(task)
	if err != nil {
		return nil, err
	}

	d := &Deployed{
		suite: o, version: version, wraps: file.Response != nil, apis: o.apis.Before(backend),
		named: map[string]*deployedFunction{}, byAPI: map[toolbench.Key][]toolbench.Key{},
		readsOnly: map[string]bool{},
	}

	// Whoever reads the published documents may call a function by those names, too.
	for _, k := range offered {
		d.add(k)
	}

	return d, d.expose(file)
}

// expose adds the functions of a version under its own names.
func (d *Deployed) expose(file *toolapi.Spec) error {
	// A version may give one function the published name of another.
	published := maps.Clone(d.named)
	own := map[string]*deployedFunction{}

	for _, a := range d.suite.documented(file) {
		f, ok := published[a.ToolName()]
		// The version also documents system tools, and functions that the task does not offer.
		if !ok {
			continue
		}

		if first, shared := own[a.Name]; shared {
			// An argument tells them apart, so they are deployed together.
			first.apis = append(first.apis, f.apis...)
			first.spelling.published = union(first.spelling.published, f.spelling.published)
			f = first
		} else {
			d.functions = append(d.functions, Function{
				a.Name, a.Description, a.Parameters.Schema(), d.readsOnly[a.ToolName()],
			})
		}

		own[a.Name] = f
		f.spelling.deployed = union(f.spelling.deployed, toolapi.ParameterNames(a.Parameters.All))
	}

	maps.Copy(d.named, own)
	return d.showShared(published)
}

// union returns names and those of others that are not among them.
func union(names, others []string) []string {
	for _, name := range others {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}

	return names
}

// showShared describes those functions that stand for several APIs as one.
func (d *Deployed) showShared(published map[string]*deployedFunction) error {
	for i, f := range d.functions {
		if len(d.named[f.Name].apis) == 1 {
			continue
		}

		v, err := d.suite.choice.Versions.Version(d.version)
		if err != nil {
			return err
		}

		all := slices.DeleteFunc(slices.Clone(v.Named(f.Name)), func(a *toolapi.API) bool {
			return published[a.Tool] == nil
		})
		for _, a := range all {
			f.ReadsOnly = f.ReadsOnly && d.readsOnly[a.Tool]
		}

		shown := toolapi.Shown(all)[0]
		f.Description, f.Schema = shown.Description, shown.Schema()
		d.functions[i] = f
	}

	return nil
}

// offered returns the APIs that a task offers, or all.
func (o *opened) offered(task string) ([]toolbench.Key, error) {
	if task != "" {
		q, ok := o.queries[task]
		if !ok {
			return nil, names.Unknown("task", task, taskIDs(o.tasks))
		}
		return q.APIs, nil
	}

	all := make([]toolbench.Key, len(o.collection.Documents))
	for i, d := range o.collection.Documents {
		all[i] = d.Key
	}
	return all, nil
}

func taskIDs(tasks []envs.Task) []string {
	ids := make([]string, len(tasks))
	for i, t := range tasks {
		ids[i] = t.ID
	}
	return ids
}

// add adds the function of an API under its published names.
func (d *Deployed) add(k toolbench.Key) {
	f := &deployedFunction{apis: []toolbench.Key{k}}
	f.open = sync.OnceValues(func() (*dynamic.Environment[struct{}], error) {
		return d.suite.deploy(d.version, f.apis, noTasks{}, func(doc *toolbench.Document) function {
			return function{document: doc, simulator: d.apis.Under(d.version)}
		}, -1)
	})

	doc, _ := d.suite.collection.Document(k)                      // a collection has those of its queries
	for _, p := range slices.Concat(doc.Required, doc.Optional) { // some documents list one twice
		if !slices.Contains(f.spelling.published, p.Name) {
			f.spelling.published = append(f.spelling.published, p.Name)
		}
	}

	normal := virtual.Normalised(k)
	d.byAPI[normal] = append(d.byAPI[normal], k)
	d.named[d.suite.functions[k]] = f

	document, _ := d.suite.collection.Document(k) // a collection has those of its queries
	d.readsOnly[d.suite.functions[k]] = document.Method == http.MethodGet
}

// Function is a function as it is deployed.
type Function struct {
	Name        string
	Description string
	Schema      envs.Args // the JSON Schema of its arguments
	ReadsOnly   bool      // by the method in its document
}

// Functions returns the functions in the order of the documents.
func (d *Deployed) Functions() []Function { return slices.Clone(d.functions) }

// Find returns the name of the function by which an API is called: its own, if the version has a
// function of that name, or else that of the published API of that name, whatever a version has
// made of it.
func (d *Deployed) Find(api toolbench.Key) (name string, ok bool) {
	if _, ok := d.named[api.API]; ok {
		return api.API, true
	}

	found := d.byAPI[virtual.Normalised(api)]
	if len(found) > 1 { // normalising makes them equal, so the exact spelling decides
		found = slices.DeleteFunc(slices.Clone(found), func(k toolbench.Key) bool {
			return k.Tool != api.Tool || k.API != api.API
		})
	}

	if len(found) != 1 {
		return "", false
	}
	return d.suite.functions[found[0]], true
}

// Tally returns what happened to the calls that fitted a version of the suite.
func (d *Deployed) Tally() virtual.Tally { return d.apis.Tally() }

// Answer is the answer to a call.
type Answer struct {
	Text      string       // an object of error and response
	Outcome   envs.Outcome // not OK if the call did not fit the version, or the API failed
	Respelled int          // arguments named as StableToolBench's client does
}

// Call calls a function by its name, that of the version or a published one. Arguments may be named
// as StableToolBench's client does, is_id for id, if it is clear which parameter that is. An error
// is a failure on this side.
func (d *Deployed) Call(ctx context.Context, name string, args envs.Args) (Answer, error) {
	f, ok := d.named[name]
	if !ok {
		return refused(envs.InvalidAction, fmt.Sprintf("there is no function %.100q", name)), nil
	}

	args, respelled, err := f.spelling.read(args)
	if err != nil {
		return refused(envs.InvocationError, err.Error()), nil
	}

	a, err := d.answer(ctx, f, envs.Call{Name: name, Args: args})
	a.Respelled = respelled
	return a, err
}

// answer answers a call with its parameters' own names.
func (d *Deployed) answer(ctx context.Context, f *deployedFunction, c envs.Call) (Answer, error) {
	env, err := f.open()
	if err != nil {
		return Answer{}, envs.Fail(envs.StageEnvironment, "deploy "+c.Name, err)
	}

	turn, err := env.Call(ctx, c)
	if err != nil {
		return Answer{}, err
	}

	if turn.Outcome != envs.OK && turn.Outcome != envs.ToolError {
		return refused(turn.Outcome, turn.Observation), nil
	}

	if d.wraps {
		return Answer{
			Text: toolbench.Answer{Response: turn.Observation}.Text(), Outcome: turn.Outcome,
		}, nil
	}

	return Answer{Text: turn.Observation, Outcome: turn.Outcome}, nil
}

func refused(outcome envs.Outcome, why string) Answer {
	return Answer{Text: toolbench.Answer{Error: why, Response: ""}.Text(), Outcome: outcome}
}

// noTasks is the grader of an environment without tasks.
type noTasks struct{}

// Known implements [dynamic.Grader].
func (noTasks) Known(envs.Task) bool { return false }

// Grade implements [dynamic.Grader].
func (noTasks) Grade(_ context.Context, _ struct{}, done envs.History, _ string) (envs.Grade, error) {
	return envs.Grade{}, fmt.Errorf("unknown task %q", done.Task().ID)
}
