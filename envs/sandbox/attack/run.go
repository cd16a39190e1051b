package attack

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolevo/envs/sandbox"
)

// Finding is the result of an attack.
type Finding struct {
	Attack
	Contained bool
	Seen      string // what the attack said, how it ended, or what the host noticed: one line
	Took      time.Duration
}

const (
	memory = 768 << 20 // bytes that an attack may have; numpy takes a third of them
	// overtime is how much longer than the limit of real time a program may take on a machine that
	// does other things, too: 3.4 s were seen. One that the engine cannot end runs on.
	overtime = 10 * time.Second
)

// limits returns the limits of an attack. Attacks that never end by themselves get little time, the
// others plenty.
func (a Attack) limits() sandbox.Limits {
	l := sandbox.Limits{CPU: 5 * time.Second, Wall: 20 * time.Second, Memory: memory}
	if slices.Contains(a.ends, sandbox.OutOfTime) {
		l.CPU, l.Wall = time.Second, 1500*time.Millisecond
	}
	return l
}

// The harmless programs: they show the same on every call, unless something was done to their
// interpreter.
//
//go:embed harmless.py
var harmless string

//go:embed state.py
var changeable string

// witness returns a harmless program. The thorough one shows everything that one program could
// change for the next.
func witness(thorough bool) sandbox.Program {
	if thorough {
		return sandbox.Program{Code: harmless + changeable, Seed: 1}
	}
	return sandbox.Program{Code: harmless, Seed: 1}
}

// answers are what the harmless programs showed before any attack, by whether they are thorough.
type answers map[bool]sandbox.Reply

// ask runs a harmless program.
func ask(ctx context.Context, e sandbox.Engine, thorough bool) (sandbox.Reply, error) {
	return e.Run(ctx, witness(thorough), sandbox.Limits{CPU: 5 * time.Second, Wall: 20 * time.Second})
}

// Run runs the attacks of [List] one after the other, or only those of the short form, and calls
// each, which may be nil, after every one. The short form looks less often for processes left
// behind and for changes in other programs: after the attacks that aim at them, and at the end of
// each wall's. It is an error if ctx ends or the engine does not even run harmless programs; a
// breach is a finding.
func (b *Bait) Run(ctx context.Context, e sandbox.Engine, short bool, each func(Finding)) (
	[]Finding, error) {
	before := answers{}

	// What an attack changed shows only against what programs showed before.
	for _, thorough := range []bool{false, true} {
		r, err := ask(ctx, e, thorough)
		if err == nil && r.End != sandbox.Finished {
			err = errors.New(how(r))
		}

		if err != nil {
			return nil, fmt.Errorf("attack: run a harmless program on %s: %w", e.Stamp(), err)
		}

		before[thorough] = r
	}

	// What happened before is not an attack's doing.
	b.touched(true)

	list := List()
	if short {
		list = slices.DeleteFunc(list, func(a Attack) bool { return !a.Short })
	}
	var found []Finding

	for i, a := range list {
		// A full look takes longer than most attacks, so the short form takes it once per wall.
		last := i == len(list)-1 || list[i+1].Wall != a.Wall

		f, err := b.try(ctx, e, a, before, !short || last || a.affectsOthers())
		if err != nil {
			return found, fmt.Errorf("attack %s: %w", a.Name, err)
		}

		found = append(found, f)
		if each != nil {
			each(f)
		}
	}

	return found, nil
}

// affectsOthers reports whether an attack aims at other programs, so that only running one may show
// what it did.
func (a Attack) affectsOthers() bool {
	return a.Wall == Processes || a.Wall == Signals || a.Wall == OtherCalls
}

// try runs an attack and looks at what it did. With after it also looks for processes that stayed
// behind, and whether a harmless program shows the same as before.
func (b *Bait) try(ctx context.Context, e sandbox.Engine, a Attack, before answers, after bool) (
	Finding, error) {
	f := Finding{Attack: a}
	l := a.limits()
	start := time.Now()
	r, err := e.Run(ctx, a.program(b.python(l.Memory)), l)

	f.Took = time.Since(start)
	// An attack that was interrupted proves nothing.
	if ctx.Err() != nil {
		return f, ctx.Err()
	}

	breaches := b.judge(a, r, err)
	// The engine has to end an attack even if that catches exceptions and ignores signals.
	if f.Took > l.Wall+overtime {
		breaches = append(breaches, fmt.Sprintf("it ran for %v, the limit is %v",
			f.Took.Round(time.Millisecond), l.Wall))
	}

	breaches = append(breaches, b.touched(after)...)
	if after {
		changed, err := changes(ctx, e, before, a.Wall == OtherCalls)
		if err != nil {
			return f, err
		}

		breaches = append(breaches, changed...)
	}

	f.Contained = len(breaches) == 0

	// A finding is printed, and the secret has to stay one for the next attacks.
	f.Seen = contained(r)
	if !f.Contained {
		f.Seen = strings.ReplaceAll(strings.Join(breaches, "; "), b.secret, "the secret")
	}

	f.Seen = strings.Join(strings.Fields(f.Seen), " ")
	return f, nil
}

// changes says what a harmless program now shows that it did not show before. It is an error if ctx
// ends.
func changes(ctx context.Context, e sandbox.Engine, before answers, thorough bool) ([]string, error) {
	r, err := ask(ctx, e, thorough)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return []string{"the next program failed: " + err.Error()}, nil
	case r != before[thorough]:
		return []string{"the next program showed something else: " + difference(before[thorough], r)}, nil
	}

	return nil, nil
}

// judge says what is wrong with how an attack ended, and with what it printed.
func (b *Bait) judge(a Attack, r sandbox.Reply, err error) []string {
	if err != nil {
		return []string{"the engine failed: " + err.Error()}
	}

	said := lines(r.Output, "BREACH ")
	if strings.Contains(r.Output, b.secret) && !strings.Contains(strings.Join(said, " "), b.secret) {
		said = append(said, "it got the secret")
	}

	if strings.Contains(r.Output, b.hidden) {
		said = append(said, "it listed the host's folder")
	}

	told := len(lines(r.Output, "denied ")) > 0
	switch {
	case len(said) > 0, slices.Contains(a.ends, r.End):
	case r.End == sandbox.Finished && told:
	case r.End == sandbox.Raised && missing(r.Output):
	case r.End == sandbox.Died && strings.Contains(r.Detail, "bad system call"):
	default:
		said = append(said, "it was to be refused, but "+how(r))
	}

	return said
}

// missing reports whether a program raised because the engine does not have what it needs: a
// module, or a function of one.
func missing(output string) bool {
	last := output[strings.LastIndex(strings.TrimSpace(output), "\n")+1:]
	return strings.HasPrefix(last, "ImportError: ") || strings.HasPrefix(last, "ModuleNotFoundError: ") ||
		strings.HasPrefix(last, "AttributeError: module '")
}

// lines returns the lines of a text that begin with a word, without it.
func lines(text, word string) []string {
	var found []string

	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, word); ok {
			found = append(found, strings.TrimSpace(rest))
		}
	}

	return found
}

// contained says in one line how an attack was contained: what it was first refused, or how it
// ended.
func contained(r sandbox.Reply) string {
	denied := lines(r.Output, "denied ")
	if r.End == sandbox.Finished && len(denied) > 0 {
		if n := len(denied); n > 1 {
			return fmt.Sprintf("%d refused: %s", n, denied[0])
		}
		return denied[0]
	}
	return how(r)
}

// how says how a program ended.
func how(r sandbox.Reply) string {
	text := strings.TrimSpace(r.Output)
	last := text[strings.LastIndex(text, "\n")+1:]
	last = last[:min(len(last), 200)]

	switch r.End {
	case sandbox.OutOfTime:
		return "stopped: out of time"
	case sandbox.OutOfSpace:
		return "stopped: too much output"
	case sandbox.Died:
		return "died: " + r.Detail
	case sandbox.Raised:
		return "raised " + last
	}

	return fmt.Sprintf("finished, showing %q", last)
}

// difference returns the first line that differs.
func difference(before, after sandbox.Reply) string {
	if before.End != after.End {
		return how(after)
	}

	was, is := strings.Split(before.Output, "\n"), strings.Split(after.Output, "\n")
	for i, line := range is {
		if i >= len(was) || line != was[i] {
			return fmt.Sprintf("%.80q", line)
		}
	}

	return "less"
}

// BreachError says that an engine does not hold.
type BreachError struct {
	Engine   sandbox.Stamp
	Breaches []Finding
	Of       int // how many attacks there were
}

// Error lists the breaches, a line each.
func (e *BreachError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "the engine %s does not hold: %d of %d attacks got through", e.Engine, len(e.Breaches), e.Of)

	for _, f := range e.Breaches {
		fmt.Fprintf(&text, "\n  %s (%s): %.200s", f.Name, f.Wall, f.Seen)
	}
	return text.String()
}

// Check runs the short form against an engine like the one that is about to be used. open opens it
// once the bait is laid out; it runs one program at a time, so that harmless programs run in the
// interpreter that was attacked. A breach is a [*BreachError].
func Check(ctx context.Context, open func(context.Context) (sandbox.Engine, error)) (err error) {
	b, err := Lay()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()

	e, err := open(ctx)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, e.Close()) }()

	found, err := b.Run(ctx, e, true, nil)
	if err != nil {
		return err
	}

	if breaches := Breaches(found); len(breaches) > 0 {
		return &BreachError{e.Stamp(), breaches, len(found)}
	}
	return nil
}

// Breaches returns the findings that are not contained.
func Breaches(found []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f Finding) bool { return f.Contained })
}
