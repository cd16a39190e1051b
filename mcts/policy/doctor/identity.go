package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolevo/envs/display"
	"toolevo/mcts/policy/server"
)

// greetings is how many cheap requests are timed.
const greetings = 3

// reach finds out whether the server answers, and takes the key.
func (p *examination) reach(ctx context.Context) error {
	best := time.Duration(0)

	for range greetings {
		limited, cancel := context.WithTimeout(ctx, min(ReachTime, p.o.Timeout))
		began := time.Now()
		err := p.c.greet(limited)
		took := time.Since(began)

		cancel()

		if ctx.Err() != nil {
			return ctx.Err()
		}
		var fault *server.Fault
		// a server may not list its models
		if err != nil && !(errors.As(err, &fault) && fault.Status == http.StatusNotFound) {
			p.found(unreachable(p.o.Kind, p.report.Server, err))
			return errStop
		}

		if best == 0 || took < best {
			best = took
		}
	}

	p.ok(Reachable, "%s answers in %s", p.report.Server, duration(best))

	return nil
}

// unreachable is the check of a server that cannot be used at all.
func unreachable(kind Kind, address string, err error) Check {
	c := Check{Name: Reachable, Verdict: Problem, Run: "does not start: exit code 3"}

	var fault *server.Fault
	if errors.As(err, &fault) && (fault.Status == http.StatusUnauthorized || fault.Status == http.StatusForbidden) {
		c.Seen = "it rejected the API key, or none was set: " + faultText(fault)

		c.Do = "put the server's key into the environment: export OPENAI_API_KEY=…"
		if kind == Ollama {
			c.Do = "put the server's key into the environment: export OLLAMA_API_KEY=…"
		}

		return c
	}

	switch {
	case errors.Is(err, context.DeadlineExceeded):
		c.Seen = fmt.Sprintf("no answer within %v", ReachTime)
	case fault != nil:
		c.Seen = faultText(fault)
	default:
		c.Seen = err.Error()
	}

	start := "start the server (vllm serve MODEL), or name the right one by --server URL or OPENAI_BASE_URL"
	if kind == Ollama {
		start = "start the server (ollama serve), or name the right one by --server HOST:PORT or OLLAMA_HOST"
	}

	c.Do = start + "; it was asked at " + address

	return c
}

// askVersion asks what the server is.
func (p *examination) askVersion(ctx context.Context) error {
	version, err := p.c.version(ctx)
	if err != nil {
		return p.inconclusive(ctx, Version, err)
	}

	p.version = version
	if p.o.Kind == OpenAI {
		if version == "" {
			p.ok(Version, "the server does not tell; it is not vLLM")
		} else {
			p.ok(Version, "vLLM %s", version)
		}

		return nil
	}

	c := Check{Name: Version, Verdict: OK, Seen: "Ollama " + version, Do: "install a current Ollama"}
	s := p.o.Sampling

	penalties := s.FrequencyPenalty != 0 || s.PresencePenalty != 0 || s.RepetitionPenalty != 1
	switch {
	case before(version, 0, 12, 6):
		c.Verdict = Warning
		c.Seen += ": before 0.12.6 it cannot be told to refuse what is too long"
		c.Run = "finds a prompt that was cut out by the count of its tokens, and ends that branch as for a server " +
			"that refuses it; the time to read it is lost"
	case penalties && before(version, 0, 30, 0):
		c.Verdict = Warning
		c.Seen += ": before 0.30 its own engine ignores penalties"
		c.Run = "sends its penalties; whether they have an effect depends on which engine runs the model"
		c.Do += ", or set the penalties to their neutral values"
	default:
		c.Do = ""
	}

	p.found(c)

	return nil
}

// before reports whether a version is known to be before another. One that cannot be read, or 0.0.0, which is what
// builds from source call themselves, is not.
func before(version string, than ...int) bool {
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "-")

	parts := strings.Split(version, ".")
	if len(parts) != len(than) || version == "0.0.0" {
		return false
	}

	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n > than[i] {
			return false
		}

		if n < than[i] {
			return true
		}
	}

	return false
}

// listed is how many of a server's models are named.
const listed = 8

// askModel finds out whether the server has the model.
func (p *examination) askModel(ctx context.Context) error {
	all, err := p.c.catalogue(ctx)

	var fault *server.Fault
	if errors.As(err, &fault) && fault.Status == http.StatusNotFound && len(all.names) == 0 {
		p.ok(Model, "the server does not list its models; a completion will show")
		return nil
	}

	if err != nil {
		return p.inconclusive(ctx, Model, err)
	}

	if !all.has {
		p.found(p.missing(all.names))
		return errStop
	}

	if p.o.Kind == OpenAI && all.owner == "library" {
		p.found(Check{
			Name:    Model,
			Verdict: Problem,
			Seen:    "this is Ollama, and its OpenAI protocol is not what it seems",
			Run: "would be answered by a server that puts a template round raw prompts, cuts long ones in " +
				"silence, and knows neither n nor log-probabilities",
			Do: fmt.Sprintf("use its own protocol: --policy ollama:%s --server %s", p.o.Model,
				strings.TrimSuffix(p.report.Server, "/v1")),
		})

		return errStop
	}

	p.stated = all.window
	if p.o.Kind == Ollama {
		p.stated = p.o.Window
	}

	switch {
	case all.remote != "":
		p.ok(Model, "%s, which runs at %s", p.o.Model, all.remote)
	case p.o.Kind == Ollama && all.window > 0 && all.window < p.o.Window:
		p.found(Check{
			Name:    Model,
			Verdict: Warning,
			Seen: fmt.Sprintf("%s was trained with a window of %s tokens, less than the %s asked for", p.o.Model,
				number(all.window), number(p.o.Window)),
			Run: "asks for the larger window; the server lowers it in silence",
			Do:  fmt.Sprintf("--set server.window=%d", all.window),
		})
	default:
		p.ok(Model, "%s, %s", p.o.Model, oneOf(len(all.names)))
	}

	return nil
}

func oneOf(n int) string {
	if n == 1 {
		return "the only one"
	}

	return fmt.Sprintf("one of %d", n)
}

func (p *examination) missing(names []string) Check {
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

	c := Check{
		Name:    Model,
		Verdict: Problem,
		Seen:    fmt.Sprintf("it does not have %q; it has: %s", p.o.Model, have),
		Run:     "does not start: exit code 3",
		Do:      "name one of those, or start the server with this one (vllm serve " + p.o.Model + ")",
	}
	if p.o.Kind == Ollama {
		c.Do = "name one of those, or on the server's machine: ollama pull " + p.o.Model
	}

	return c
}

// otherModels reports replies that came from another model.
func (p *examination) otherModels(context.Context) error {
	var fault *server.Fault
	if errors.As(p.strange, &fault) {
		p.found(Check{
			Name: Model, Verdict: Problem, Seen: "now and then it answers for another model: " + faultText(fault),
			Run: "sets the server aside whenever it does, and asks it again after a while",
			Do:  "look which models the gateway before the server routes to",
		})
	}

	return nil
}

// complete sends the first completion, with every field that a run sends. Ollama loads the model for it.
func (p *examination) complete(ctx context.Context) error {
	s := p.o.Sampling
	s.MaxTokens = min(s.MaxTokens, probeTokens)

	r, err := p.draw(ctx, ask{prompt: p.o.Short, n: 1, seed: 1, sampling: s})
	if ctx.Err() != nil {
		return ctx.Err()
	}

	if err != nil {
		c := Check{
			Name:    Completion,
			Verdict: Problem,
			Seen:    err.Error(),
			Run:     "stops before any tree is grown",
			Do:      "look at the server's log",
		}

		var fault *server.Fault
		if errors.As(err, &fault) {
			c.Seen = faultText(fault)
			switch {
			case errors.Is(fault, server.ErrNoEnd):
				c.Do = `name the server's own word for the end of a completion: --set server.ends=WORD, or --set 'server.ends=[""]' if it has none`
			case server.IsOtherModel(err):
				c.Do = "ask for the model by the name that it answers with, or name a server that has it"
			case strings.Contains(c.Seen, "switch the extensions off"):
				c.Do = "--set server.extensions=false, with top_k, min_p and repetition_penalty at their neutral values"
			case strings.Contains(c.Seen, "logprobs"), strings.Contains(c.Seen, "log-probabilit"):
				c.Do = "--set server.logprobs=false"
			case fault.Status == http.StatusNotFound:
				c.Do = "name the server's base URL by --server (vLLM's ends in /v1, Ollama's has no path), and " +
					"the model as the server does"
			case fault.Status == 0:
				c.Do = "a model that is still loading needs a longer --timeout; else look at the server's log"
			}
		}

		p.found(c)

		return errStop
	}

	p.reloads = 0 // the first load is nobody's fault

	loading := ""
	if r.load >= time.Second {
		loading = fmt.Sprintf(", %s of them to load the model", duration(r.load))
	}

	p.ok(Completion, "%d tokens in %s%s", r.Choices[0].Tokens, duration(r.took), loading)

	return nil
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
func number(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}

	return text
}
