package explore

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/toolapi"
)

// writingShare is the share of programs that change something, if tools can.
const writingShare = 0.6

// Program draws a program of up to most calls. It is nil if what was tried led nowhere.
func (e *Explorer[S]) Program(ctx context.Context, most int) (*Program, error) {
	n := 1 + e.rng.IntN(most)
	writes := most > 1 && e.rng.Float64() < writingShare &&
		slices.ContainsFunc(e.tools.APIs, e.writes)

	if writes {
		// What a call has changed shows only in the answer of another one.
		n = max(n, 2)
	}

	var (
		start S
		all   []madeCall[S]
	)

	for len(all) < n-1 {
		next, err := e.step(ctx, start, all, func(a *toolapi.API) bool {
			// Half of the calls before the last change something, and one of them at least.
			return e.writes(a) == writes || writes && len(all) < n-2 && e.rng.IntN(2) == 0
		})
		if err != nil || next == nil {
			return nil, err
		}

		all = append(all, *next)
	}

	p, err := e.lastCall(ctx, all, writes)
	if err != nil || p == nil {
		return nil, err
	}

	// A call that makes no difference would be asked for in vain.
	if p, err = e.shortened(ctx, p); err != nil || p == nil {
		return nil, err
	}

	for _, s := range p.Steps {
		e.used[s.API.Tool]++
		p.Writes = p.Writes || e.writes(s.API)
	}
	return p, nil
}

func (e *Explorer[S]) writes(a *toolapi.API) bool { return !e.tools.Reads(a.Tool) }

// step makes one more call of an allowed tool. It is nil if everything that was tried was refused.
func (e *Explorer[S]) step(
	ctx context.Context, start S, before []madeCall[S], allowed func(*toolapi.API) bool,
) (*madeCall[S], error) {
	at := start
	if len(before) > 0 {
		at = before[len(before)-1].after
	}

	for range mostTries {
		a := e.pick(allowed)
		if a == nil {
			continue
		}

		if m, ok, err := e.try(ctx, at, a, before); err != nil || ok {
			return &m, err
		}
	}
	return nil, nil
}

// pick draws a tool, more likely one that was drawn less often.
func (e *Explorer[S]) pick(allowed func(*toolapi.API) bool) *toolapi.API {
	var (
		all     []*toolapi.API
		weights []float64
		total   float64
	)

	for _, a := range e.tools.APIs {
		if allowed(a) {
			weight := 1 / float64(1+e.drawn[a.Tool])
			all, weights, total = append(all, a), append(weights, weight), total+weight
		}
	}

	at := e.rng.Float64() * total
	for i, a := range all {
		if at -= weights[i]; at < 0 {
			e.drawn[a.Tool]++
			return a
		}
	}

	return nil
}

// lastCall makes the last call of a program, which reads, and chooses the question about its
// answer.
func (e *Explorer[S]) lastCall(
	ctx context.Context, before []madeCall[S], writes bool,
) (*Program, error) {
	var start S

	for range mostLastTries {
		last, err := e.step(ctx, start, before, func(a *toolapi.API) bool { return !e.writes(a) })
		if err != nil || last == nil {
			return nil, err
		}

		// What was there already is not due to the calls that change something. If no call changes
		// anything, the last one has to need what an earlier one answers.
		var was any

		if writes {
			if was, err = e.answerAtStart(ctx, last, before); err != nil {
				return nil, err
			}
		} else if len(before) > 0 && len(refsOf(last.Args)) == 0 {
			continue
		}

		// Without anything to ask for, another call or other arguments may do better.
		p, err := e.chooseQuestion(append(slices.Clone(before), *last), was)
		if err != nil || p != nil {
			return p, err
		}
	}

	return nil, nil
}

// answerAtStart returns the answer of the call in the initial state, or nil if it is refused there.
func (e *Explorer[S]) answerAtStart(
	ctx context.Context, m *madeCall[S], before []madeCall[S],
) (any, error) {
	var start S

	args, err := resolved(m.Args, answersOf(before))
	if err != nil {
		return nil, err
	}

	_, answer, err := e.tools.Call(ctx, start, m.API.Tool, args)
	if err != nil || answer.Refused {
		return nil, err
	}
	return answer.Value, nil
}

// chooseQuestion draws what is asked of the last answer: a value that has changed, and that neither
// the question names nor the call was made with. It is nil if there is no such value.
func (e *Explorer[S]) chooseQuestion(all []madeCall[S], was any) (*Program, error) {
	last := all[len(all)-1]

	args, err := resolved(last.Args, answersOf(all))
	if err != nil {
		return nil, err
	}

	// With the references resolved, what an earlier answer gave counts as named, too.
	named := namedBy(all)
	for _, l := range leavesOf(args, mostItems) {
		named = append(named, spelled(l.value))
	}

	var open []leaf

	for _, l := range leavesOf(last.answer.Value, firstItems) {
		// A value that was there from the beginning can be read without the calls before.
		before, there := l.pointer.In(was)
		if (was == nil || !there || before != l.value) && !slices.Contains(named, spelled(l.value)) {
			open = append(open, l)
		}
	}

	if len(open) == 0 {
		return nil, nil
	}

	asked := open[e.rng.IntN(len(open))]

	p := &Program{Asked: asked.pointer, Answer: asked.value}
	for _, m := range all {
		p.Steps = append(p.Steps, m.Step)
	}
	return p, nil
}

// namedBy returns the values that calls are made with and that no earlier answer has.
func namedBy[S any](all []madeCall[S]) (named []string) {
	for _, m := range all {
		for _, l := range leavesOf(m.Args, mostItems) {
			named = append(named, spelled(l.value))
		}
	}

	return named
}

// refsOf returns the references among arguments.
func refsOf(args envs.Args) (all []Ref) {
	envs.Map(args, func(part any) (any, bool) {
		ref, ok := part.(Ref)
		if ok {
			all = append(all, ref)
		}
		return part, ok
	})
	return all
}

// shortened leaves out every call that the answer to the question does not need.
func (e *Explorer[S]) shortened(ctx context.Context, p *Program) (*Program, error) {
	for i := len(p.Steps) - 2; i >= 0; i-- {
		shorter := p.without(i)
		if shorter == nil {
			continue
		}

		answers, err := e.Replay(ctx, shorter)
		if err != nil {
			return nil, err
		}

		if len(answers) < len(shorter.Steps) {
			continue
		}

		if now, ok := p.Asked.In(answers[len(answers)-1].Value); ok && now == p.Answer {
			p = shorter
		}
	}
	return p, nil
}

// without returns the program without a step, or nil if a later one refers to it.
func (p *Program) without(i int) *Program {
	shorter := &Program{Asked: p.Asked, Answer: p.Answer}

	for k, s := range p.Steps {
		if k == i {
			continue
		}

		for _, ref := range refsOf(s.Args) {
			if ref.Step == i+1 {
				return nil
			}
		}

		args, _ := envs.Map(s.Args, func(part any) (any, bool) {
			ref, ok := part.(Ref)
			if ok && ref.Step > i {
				ref.Step--
				part = ref
			}

			return part, ok
		}).(envs.Args)

		shorter.Steps = append(shorter.Steps, Step{s.API, args})
	}
	return shorter
}

// Replay makes the calls of a program from the beginning, and returns their answers up to the first
// call that is refused or refers to a missing value.
func (e *Explorer[S]) Replay(ctx context.Context, p *Program) (answers []Answer, err error) {
	var (
		at     S
		values []any
	)

	for _, s := range p.Steps {
		args, missing := resolved(s.Args, values)
		if missing != nil {
			return answers, nil
		}

		var answer Answer
		if at, answer, err = e.tools.Call(ctx, at, s.API.Tool, args); err != nil || answer.Refused {
			return answers, err
		}

		answers, values = append(answers, answer), append(values, answer.Value)
	}
	return answers, nil
}

// Resolved returns the arguments of the last step, with the values that they refer to.
func (p *Program) Resolved(answers []Answer) (envs.Args, error) {
	var values []any
	for _, a := range answers {
		values = append(values, a.Value)
	}
	return resolved(p.Steps[len(p.Steps)-1].Args, values)
}

// Left returns what is asked as the members that lead to it, such as {"status": "paid"}, or nil if
// it is in a list.
func (p *Program) Left() envs.Args {
	all := p.Asked.Parts()
	if len(all) == 0 || slices.ContainsFunc(all, isIndex) {
		return nil
	}

	value := p.Answer
	for _, name := range slices.Backward(all) {
		value = envs.Object(name, value)
	}

	left, _ := value.(envs.Args)
	return left
}

// Question puts the program into words.
func (p *Program) Question() string {
	var text strings.Builder

	for i, s := range p.Steps {
		if i > 0 {
			text.WriteByte(' ')
		}

		if len(p.Steps) > 1 {
			// The numbers are for arguments that refer to a step: "the id that step 1 gives".
			text.WriteString(strconv.Itoa(i+1) + ". ")
		}

		text.WriteString(sentence(s.API))

		if said := arguments(s.Args); said != "" {
			text.WriteString(" (" + said + ")")
		}

		text.WriteByte('.')
	}

	text.WriteString(" Answer with the " + phrase(p.Asked))

	if len(p.Steps) > 1 {
		// Earlier answers may have a value of the same name.
		text.WriteString(" in what the last step gives")
	}

	text.WriteByte('.')
	return text.String()
}
