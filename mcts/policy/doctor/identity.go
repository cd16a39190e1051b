package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"toolevo/envs/display"
	"toolevo/mcts/policy/server"
)

// greetings is how many cheap requests are timed.
const greetings = 3

// reach finds out whether the server answers, and takes the key.
func (p *examination) reach(ctx context.Context) (Check, error) {
	best := time.Duration(0)

	for range greetings {
		limited, cancel := context.WithTimeout(ctx, min(reachTime, p.effort.timeout))
		began := time.Now()
		_, err := p.b.List(limited)
		took := time.Since(began)

		cancel()

		// a server may not list its models
		if err != nil && !server.Answered(err, http.StatusNotFound) {
			return p.unreachable(err), errStop
		}

		if best == 0 || took < best {
			best = took
		}
	}
	return passed("%s answers in %s", p.report.Server, duration(best)), nil
}

// unreachable is the finding of a server that cannot be used at all.
func (p *examination) unreachable(err error) Check {
	seen := errorText(err)

	switch {
	case server.Answered(err, http.StatusUnauthorized, http.StatusForbidden):
		return p.finding("key", seen, p.o.Kind.KeyVariable)
	case errors.Is(err, context.DeadlineExceeded):
		seen = fmt.Sprintf("no answer within %v", reachTime)
	}

	return p.finding("unreachable", seen, p.report.Server, p.o.Kind.AddressExample, p.o.Kind.AddressVariable)
}

// askVersion asks what the server is.
func (p *examination) askVersion(ctx context.Context) (Check, error) {
	version, err := p.b.Version(ctx)
	if err != nil {
		return Check{}, err
	}

	p.version = version
	if version == "" {
		return passed("the server does not tell; it is not %s", p.o.Kind.Title), nil
	}

	if flaw := p.o.Kind.VersionFlaw; flaw != nil {
		if name := flaw(version, p.o.Sampling); name != "" {
			return p.finding(name, version), nil
		}
	}

	return passed("%s %s", p.o.Kind.Title, version), nil
}

// listed is how many of a server's models are named.
const listed = 8

// askModel finds out whether the server has the model.
func (p *examination) askModel(ctx context.Context) (Check, error) {
	// Described only if it is listed: about another model the server would only answer 404.
	all, err := p.b.List(ctx)
	if d, describes := p.b.(server.Describer); err == nil && all.Listed && describes {
		err = d.Describe(ctx, &all)
	}

	if server.Answered(err, http.StatusNotFound) && len(all.Names) == 0 {
		return passed("the server does not list its models; a completion will show"), nil
	}

	switch {
	case err != nil:
		return Check{}, err
	// A server that may have the model under another name is let through: a completion will show.
	case !all.Listed && !(all.MayServe && len(all.Names) > 0):
		return p.finding("model-missing", p.o.Model, firstNames(all.Names)), errStop
	case all.Misplaced != "":
		return p.finding(all.Misplaced, p.o.Model, strings.TrimSuffix(p.report.Server, "/v1")), errStop
	}

	p.stated, p.weights = all.Window, weights{all.Parameters, all.Bits}

	switch {
	case all.Remote != "":
		return passed("%s, which runs at %s", p.o.Model, all.Remote), nil
	case all.Trained > 0 && all.Trained < all.Window:
		return p.finding("model-window", p.o.Model, number(all.Trained), number(all.Window), all.Trained), nil
	}

	return passed("%s, %s", p.o.Model, oneOf(len(all.Names))), nil
}

func oneOf(n int) string {
	if n == 1 {
		return "the only one"
	}
	return fmt.Sprintf("one of %d", n)
}

// firstNames lists the first of a server's models.
func firstNames(names []string) string {
	have := "none"

	if len(names) > 0 {
		first := slices.Clone(names[:min(listed, len(names))])
		for i := range first {
			first[i] = display.Line(first[i], 80)
		}

		have = strings.Join(first, ", ")
	}

	if more := len(names) - listed; more > 0 {
		have += fmt.Sprintf(" and %s more", number(more))
	}
	return have
}

// otherModels reports replies that came from another model.
func (p *examination) otherModels(context.Context) (c Check, err error) {
	if p.strange != nil {
		c = p.finding("model-changes", errorText(p.strange))
	}
	return c, nil
}

// complete sends the first completion, with every field that a run sends. Some servers load the
// model for it.
func (p *examination) complete(ctx context.Context) (Check, error) {
	s := p.o.Sampling
	s.MaxTokens = min(s.MaxTokens, p.effort.tokens)

	asked := ask{prompt: p.o.Short, n: 1, seed: 1, sampling: s}

	r, err := p.draw(ctx, asked)
	if err != nil {
		return p.incomplete(ctx, r, err), errStop
	}

	p.reloads = 0 // the first load is no fault

	loading := ""
	if r.load() >= time.Second {
		loading = fmt.Sprintf(", %s of them to load the model", duration(r.load()))
	}

	// Loading does not count: it says nothing about how long further probes take.
	seen := fmt.Sprintf("%d tokens in %s%s", r.Choices[0].Tokens, duration(r.took), loading)
	if p.o.Quick || r.took-r.load() < slowProbe {
		return passed("%s", seen), nil
	}

	// The first request may have waited for what servers do once: compile, warm up, load.
	again, err := p.draw(ctx, asked)
	if err != nil || again.took < slowProbe {
		return passed("%s", seen), err
	}

	return passed("%s, and again in %s: the server is slow, so the rest is examined as with --quick",
		seen, duration(again.took)), p.switchToQuick()
}

// incomplete is the finding of a server that fails at its first completion.
func (p *examination) incomplete(ctx context.Context, r reply, err error) Check {
	finding, seen := "completion", errorText(err)

	fault := server.FaultOf(err)
	if fault != nil {
		switch {
		case errors.Is(fault, server.ErrNoEnd):
			finding = "completion-no-end"
		case server.IsOtherModel(err):
			finding = "completion-other-model"
		case errors.Is(fault, server.ErrExtensions):
			finding = "completion-extensions"
		case strings.Contains(seen, "logprobs"), strings.Contains(seen, "log-probabilit"):
			finding = "completion-logprobs"
		case fault.Status == http.StatusNotFound:
			finding = "completion-address"
		case fault.Status == 0:
			finding = "completion-loading"
		}
	}

	c := p.finding(finding, seen, r.Model, p.o.Kind.AddressExample)
	// Where the sampling is what is wrong, another form helps only because it is tried without.
	if (fault == nil || fault.Status/100 != 2) && !errors.Is(err, server.ErrExtensions) &&
		p.answersChats(ctx) {
		c.Do = "--set server.form=chat, to which it answers"
		c.Set = map[string]string{"server.form": "chat"}
	}

	return c
}

// answersChats reports whether a server that does not complete texts answers messages.
func (p *examination) answersChats(ctx context.Context) bool {
	o := p.o
	if o.Kind.NoMessages != "" || o.Chat {
		return false
	}

	// As those of open: a client without a timeout waits for minutes.
	o.Chat, o.Timeout, o.DialTimeout = true, p.effort.timeout, reachTime

	b, err := o.Kind.Open(o.Endpoint, o.Manner)
	if err != nil {
		return false
	}
	defer b.Close()

	chat := server.Greeting(true, neutral(1))
	chat.Dialect = o.Dialect
	_, err = b.Complete(ctx, chat)
	return err == nil
}

// parameters reports what the server takes of a run's requests.
func (p *examination) parameters(context.Context) (Check, error) {
	d := p.o.Dialect
	if d.String() == "" {
		return passed("it takes all that a run sends"), nil
	}

	c := passed("a run sends it less: %s", d.String())
	if d.Omits("seed") && p.o.Sampling.Temperature > 0 {
		c = p.finding("parameters-seed", d.String())
	}

	left := d.LeaveOut
	if d.MostSamples > 0 {
		left = append(slices.Clone(left), "n")
	}

	if len(left) > 0 {
		c.Set = map[string]string{"server.leave_out": strings.Join(left, ",")}
	}
	return c, nil
}

// duration is a duration in two or three digits.
func duration(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= 10*time.Millisecond:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}

	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}

// number writes a whole number with commas between the thousands.
func number(n int) string { return message.NewPrinter(language.English).Sprint(n) }
