package voice_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/voice"
	"toolevo/envs/toolapi"
)

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// walk grows a program of n calls with every choice by chance, and shows each step: the candidates,
// and the program after one of them was applied.
func walk(t testing.TB, seed uint64, n int, step func([]stategen.Candidate, stategen.Schema)) stategen.Schema {
	t.Helper()

	rng := random(seed)
	s := voice.Domain{}.Init(rng)

	for left := n; left > 0; left-- {
		all := s.Candidates(rng, stategen.Want{Left: left})
		if len(all) == 0 {
			t.Fatalf("seed %d: no candidate with %d calls left", seed, left)
		}

		s.Apply(all[rng.IntN(len(all))])

		if step != nil {
			step(all, s)
		}
	}
	return s
}

// replay runs what a schema has grown, in a service of its own.
func replay(t testing.TB, s stategen.Schema) stategen.Oracle {
	t.Helper()

	p := s.Program()

	result, ok := s.Result()
	if !ok {
		t.Fatal("the program has no result")
	}

	p.Result = &result

	o, err := stategen.Replay(voice.Domain{}, &p, stategen.Case{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Every candidate of thousands of walks runs.
func TestEveryCandidateRuns(t *testing.T) {
	applied := 0

	for seed := range uint64(400) {
		n := 1 + int(seed%9)
		s := walk(t, seed, n, nil)
		replay(t, s)

		for _, c := range s.Candidates(random(seed), stategen.Want{Left: 1}) {
			next := s.Clone()
			next.Apply(c)
			replay(t, next)

			applied++
		}
	}

	if applied < 2000 {
		t.Errorf("only %d candidates", applied)
	}
}

// A call is about something that no call has consumed, as long as there is any: a result, a text, a
// speech or a search, and not only a voice or settings.
func TestCallsUseWhatNothingHasConsumed(t *testing.T) {
	asides := []string{"voice_name", "stability", "similarity_boost", "style"}

	for seed := range uint64(300) {
		consumed := map[string]bool{}

		walk(t, seed, 9, func(_ []stategen.Candidate, s stategen.Schema) {
			p := s.Program()
			c := p.Main[len(p.Main)-1].Call
			fresh := false

			for _, a := range c.Args {
				// The voices that a search found are what it was for.
				found := len(a.Expr.Path) == 2
				aside := !found && slices.Contains(asides, a.Name)
				fresh = fresh || !aside && !consumed[a.Expr.Var]

				if !aside {
					defer func() { consumed[a.Expr.Var] = c.Tool != "speech_to_text" }()
				}
			}

			if !fresh {
				t.Errorf("seed %d: %s uses only what others have used", seed, c.Tool)
			}
		})
	}
}

// No candidate is silly: a voice for what it has spoken, the same words transcribed twice, or a
// second isolation, which the service refuses.
func TestCandidatesAreNotSilly(t *testing.T) {
	for seed := range uint64(200) {
		s := walk(t, seed, 8, nil)
		p := s.Program()

		result := stategen.Literal(nil)
		p.Result = &result

		state, err := voice.Domain{}.Begin(&p, p.Values(stategen.Case{}))
		if err != nil {
			t.Fatal(err)
		}

		heard := map[string]bool{}

		_, err = p.Run(p.Values(stategen.Case{}), func(tool string, args envs.Args) (result any, err error) {
			handle, _ := args.Text("input_speech")
			name, _ := args.Text("voice_name")
			speech, _ := voice.Domain{}.Content(state, handle).(envs.Args)

			if has, _ := speech.Text("voice_name"); tool == "speech_to_speech" && has == name {
				t.Errorf("seed %d: %s speaks again what it has spoken", seed, name)
			}

			state, result, err = voice.Domain{}.Call(state, tool, args)

			if said := text(result); tool == "speech_to_text" {
				if heard[said] {
					t.Errorf("seed %d: it is transcribed twice: %s", seed, said)
				}

				heard[said] = true
			}
			return result, err
		})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

func TestWalksAreDeterministic(t *testing.T) {
	for seed := range uint64(50) {
		first, second := walk(t, seed, 6, nil).Program(), walk(t, seed, 6, nil).Program()
		if diff := cmp.Diff(encoded(t, first), encoded(t, second)); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

func encoded(t testing.TB, v any) string {
	t.Helper()

	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Two clones grow apart, and neither changes what they grew from.
func TestClone(t *testing.T) {
	for seed := range uint64(100) {
		s := walk(t, seed, 3, nil)
		before, oracle := encoded(t, s.Program()), replay(t, s)

		for branch := range uint64(2) {
			next, rng := s.Clone(), random(seed*2+branch)
			for left := 4; left > 0; left-- {
				all := next.Candidates(rng, stategen.Want{Left: left})
				next.Apply(all[rng.IntN(len(all))])
			}

			replay(t, next)
		}

		if diff := cmp.Diff(before, encoded(t, s.Program())); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}

		if !stategen.Passes(voice.Domain{}, replay(t, s), oracle) {
			t.Fatalf("seed %d: what it answers has changed", seed)
		}
	}
}

// A transcript of what the user gave as a text is not spoken.
func TestEchoesAreNotSpoken(t *testing.T) {
	for seed := range uint64(300) {
		p := walk(t, seed, 8, nil).Program()
		typed := map[string]bool{} // variables whose words the user has as a text

		for _, v := range p.Init {
			typed[v.Name] = v.Role == stategen.User
		}

		for _, s := range p.Main {
			from := s.Call.Args[0].Expr.Var
			if strings.HasPrefix(from, "r_") && s.Call.Tool == "text_to_speech" && typed[from] {
				t.Errorf("seed %d: %s of a text that was typed: %s", seed, from, encoded(t, p.Main))
			}

			typed[s.Call.Assign] = typed[from]
		}
	}
}

// A condition compares what a call has given with what is found there.
func TestConditions(t *testing.T) {
	seen := map[string]int{}

	for seed := range uint64(300) {
		s := walk(t, seed, 2, nil)

		test, constant, ok := s.Condition(random(seed))
		if !ok {
			continue
		}

		if constant.Role != stategen.Constant || test.Right.Var != constant.Name || constant.Value.Any != nil {
			t.Fatalf("seed %d: the constant is %+v", seed, constant)
		}

		switch left := test.Left; {
		case test.Any != nil:
			seen["membership"]++
		case left.Func == stategen.Sentences:
			seen["sentences"]++
		case len(left.Path) == 2:
			seen["first found"]++
		default:
			seen[left.Path[0]]++
		}
	}

	for _, kind := range []string{"membership", "sentences", "first found", "voice_name", "duration"} {
		if seen[kind] == 0 {
			t.Errorf("no condition of the kind %s in %v", kind, seen)
		}
	}
}

// generate returns n tasks of five calls.
func generate(t testing.TB, selector stategen.Selector, seed uint64, book *stategen.Book, n int) []stategen.Task {
	t.Helper()

	var all []stategen.Task

	_, err := stategen.Generate(t.Context(), voice.Domain{}, stategen.Options{
		Calls: stategen.DefaultCalls, Selector: selector, Seed: seed, Workers: 2,
	}, book, n, func(task stategen.Task) error {
		all = append(all, task)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	return all
}

// Tasks have as many calls on each path as were wanted, no call twice, and arguments that fit the
// documents. The cases pass, flipped ones on the other branch. Every input is used once declared,
// under one name.
func TestTasks(t *testing.T) {
	var (
		book           stategen.Book
		plain, flipped int
	)

	version := documents(t)
	tasks := generate(t, stategen.Argmax, 3, &book, 1000)

	for _, task := range tasks {
		if task.Program.Branch == nil {
			plain++
		}

		for _, c := range task.Cases {
			made := map[string]bool{}

			o, err := stategen.Replay(voice.Domain{}, &task.Program, c, func(tool string, args envs.Args) {
				made[tool+text(args)] = true

				if api, _ := version.API(tool); api != nil {
					if _, wrong := api.Lower(args); wrong != nil {
						t.Errorf("%s: %s %s: %s", task.ID, tool, text(args), wrong.Text)
					}
				}
			})
			if err != nil {
				t.Fatalf("%s: %v", task.ID, err)
			}

			if len(made) != stategen.DefaultCalls {
				t.Errorf("%s: %d different calls", task.ID, len(made))
			}

			want := stategen.Oracle{Path: c.Path, Result: c.Result.Any, Effects: c.Effects.Any}
			if o.Path != c.Path || !stategen.Passes(voice.Domain{}, o, want) {
				t.Errorf("%s: the case %s does not pass", task.ID, c.Path)
			}

			if len(c.Set) > 0 {
				flipped++
			}
		}

		declaredOnceAndUsed(t, task)
	}

	// A quarter of the programs has no branch; three standard deviations of that are 41.
	if plain < 250-41 || plain > 250+41 || flipped < 700 {
		t.Errorf("of %d tasks %d have no branch and %d a second case", len(tasks), plain, flipped)
	}
}

// documents returns the tools as a version, which checks arguments by their schemas.
func documents(t testing.TB) *toolapi.Version {
	t.Helper()

	apis := (voice.Domain{}).APIs()
	for _, system := range []string{envs.FinishTool, envs.UpdateTool} {
		apis = append(apis, toolapi.APISpec{
			Name: system, Description: "is there in every version",
			Parameters: toolapi.Parameters{All: []toolapi.Parameter{{Name: "answer"}}},
		})
	}

	catalog, err := toolapi.NewCatalog(&toolapi.Spec{
		Version: "p_c", Base: true, APIs: apis, Messages: toolapi.Messages{Deprecated: "gone", Invalid: "unknown"},
	})
	if err != nil {
		t.Fatal(err)
	}

	v, err := catalog.Version("p_c")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func declaredOnceAndUsed(t *testing.T, task stategen.Task) {
	t.Helper()

	whole := encoded(t, stategen.Program{
		Main: task.Program.Main, Result: task.Program.Result, Branch: task.Program.Branch,
	})
	values := map[string]string{}

	for _, v := range task.Program.Init {
		if !strings.Contains(whole, `"`+v.Name+`"`) {
			t.Errorf("%s: nothing uses %s", task.ID, v.Name)
		}

		if v.Role == stategen.User {
			v.Type += encoded(t, v.Value)
			if other := values[v.Type]; other != "" {
				t.Errorf("%s: %s and %s are the same", task.ID, v.Name, other)
			}

			values[v.Type] = v.Name
		}
	}
}

// What a model may do wrong is caught.
func TestMutantsAreCaught(t *testing.T) {
	var book stategen.Book

	caught := map[string]int{}

	for _, task := range generate(t, stategen.K2, 5, &book, 200) {
		for _, m := range slices.Concat(stategen.Mutants(task), wrongVoices(t, task)) {
			want := stategen.Oracle{Result: m.Case.Result.Any, Effects: m.Case.Effects.Any}

			o, err := stategen.Replay(voice.Domain{}, &m.Program, m.Case, nil)
			if err == nil && stategen.Passes(voice.Domain{}, o, want) {
				t.Errorf("%s: the mutant %s passes %s", task.ID, m.Kind, m.Case.Path)
			}

			caught[m.Kind]++
		}
	}

	for _, kind := range []string{
		stategen.NoResult, stategen.EmptyResult, stategen.Dropped, stategen.Swapped, stategen.UnknownTool, wrongVoice,
	} {
		if caught[kind] == 0 {
			t.Errorf("no mutant %s", kind)
		}
	}
}

const wrongVoice = "wrong-voice"

// wrongVoices returns mutants of a case, in each of which a call takes another voice.
func wrongVoices(t testing.TB, task stategen.Task) (all []stategen.Mutant) {
	for i, s := range task.Program.Main {
		for j, a := range s.Call.Args {
			if a.Name != "voice_name" {
				continue
			}

			c := *s.Call
			c.Args = slices.Clone(c.Args)
			c.Args[j].Expr = stategen.Literal(unusedVoice(t, task.Program))

			p := task.Program
			p.Main = slices.Clone(p.Main)
			p.Main[i].Call = &c
			all = append(all, stategen.Mutant{Kind: wrongVoice, Program: p, Case: task.Cases[0]})
		}
	}

	return all
}

// unusedVoice returns a voice of the library that no call takes.
func unusedVoice(t testing.TB, p stategen.Program) string {
	t.Helper()

	var found []any

	_, err := stategen.Replay(voice.Domain{}, &p, stategen.Case{}, func(_ string, args envs.Args) {
		name, _ := args.Text("voice_name")
		found = append(found, name)
	})
	if err != nil {
		t.Fatal(err)
	}

	for _, item := range p.Server.Any.([]any) {
		if name, _ := item.(envs.Args).Text("voice_name"); !slices.Contains(found, any(name)) {
			return name
		}
	}

	t.Fatal("a program uses the whole library")
	return ""
}

// Coverage guidance finds more pairs in the first programs (companions to 4.8).
func TestGuidanceCoversMorePairs(t *testing.T) {
	pairs := func(selector stategen.Selector) (total int) {
		for seed := range uint64(10) {
			var book stategen.Book

			generate(t, selector, seed, &book, 5)
			total += len(book.Pairs())
		}
		return total
	}

	uniform := pairs(stategen.Uniform)
	for _, selector := range []stategen.Selector{stategen.Argmax, stategen.K2} {
		if guided := pairs(selector); guided <= uniform {
			t.Errorf("%s covers %d pairs in ten times five programs, uniform choice %d", selector, guided, uniform)
		}
	}
}

// Fifty thousand tasks seldom have a text of another one. Texts have two to four sentences and no
// word is left to fill in.
func TestTexts(t *testing.T) {
	seen := map[string]bool{}
	n := 0

	for seed := range uint64(2000) {
		for _, v := range walk(t, seed, 5, nil).Program().Init {
			text, ok := v.Value.Any.(string)
			if v.Type != "a text" {
				continue
			}

			if !ok || strings.ContainsAny(text, "${}") {
				t.Fatalf("a text is %v", v.Value.Any)
			}

			if c := strings.Count(text, ".") + strings.Count(text, "!") + strings.Count(text, "?"); c < 2 || c > 4 {
				t.Errorf("%d sentences: %s", c, text)
			}

			seen[text] = true
			n++
		}
	}

	if len(seen)*10 < n*9 {
		t.Errorf("only %d of %d texts differ", len(seen), n)
	}
}

func BenchmarkStep(b *testing.B) {
	b.ReportAllocs()

	var (
		rng = random(1)
		s   stategen.Schema
	)

	for i := 0; b.Loop(); i++ {
		if i%5 == 0 {
			s = voice.Domain{}.Init(rng)
		}

		all := s.Candidates(rng, stategen.Want{Left: 5 - i%5})
		s.Apply(all[rng.IntN(len(all))])
	}
}
