package doctor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"toolevo/mcts/policy/doctor"
	"toolevo/mcts/policy/ollama"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/policy/simserver"
)

// holds holds that a report's only check is a problem of reachability, and says some words.
func holds(t *testing.T, r *doctor.Report, words ...string) {
	t.Helper()

	if len(r.Checks) != 1 || r.Verdict != doctor.Problem {
		t.Errorf("%+v", r)
	}

	c, _ := r.Check(doctor.Reachable)
	for _, w := range words {
		if !strings.Contains(c.Seen+"\n"+c.Do, w) {
			t.Errorf("it does not say %q: %+v", w, c)
		}
	}
}

// listen starts a server with a port.
func listen(t *testing.T, o simserver.Options) *simserver.Server {
	t.Helper()

	s := start(t, o)
	if err := s.Revive(); err != nil {
		t.Fatal(err)
	}
	return s
}

// networked are options that reach a server by the network.
func networked(s *simserver.Server, kind *server.Kind) doctor.Options {
	o := options(s, kind)
	o.URL, o.Transport = s.URL(), nil
	return o
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	dead := listen(t, simserver.Options{})
	dead.Kill()

	for kind, words := range map[*server.Kind][]string{
		openai.Kind: {"vllm serve", "OPENAI_BASE_URL"}, ollama.Kind: {"ollama serve", "OLLAMA_HOST"},
	} {
		holds(t, examine(t, networked(dead, kind)), append(words, "refused", dead.URL())...)
	}

	synctest.Test(t, func(t *testing.T) {
		locked := start(t, simserver.Options{APIKey: "right-key"})

		o := options(locked, openai.Kind)
		for _, wrong := range []string{"", "wrong-key"} {
			o.APIKey = wrong
			holds(t, examine(t, o), "401", "OPENAI_API_KEY")
		}

		o.APIKey = "right-key"
		wantOnly(t, examine(t, o), nil)
	})
}

// Sampling that needs fields which are not sent stops a run: the finding says how to do without.
func TestSamplingWithoutExtensions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := options(start(t, simserver.Options{}), openai.Kind)
		o.Extensions, o.Sampling.TopK = false, 20
		r := examine(t, o)

		c, _ := r.Check(doctor.Completion)
		if r.Verdict != doctor.Problem || c.Set["server.sampling.top_k"] != "0" {
			t.Errorf("%+v", r.Checks)
		}
	})
}

// A server that is none of the kind, or an address below which there is nothing, is told from a
// server that fails.
func TestWrongAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, simserver.Options{})
		for kind, path := range map[*server.Kind]string{openai.Kind: "/v2", ollama.Kind: ""} {
			o := options(s, kind)
			o.URL += path
			r := examine(t, o)

			c, ok := r.Check(doctor.Completion)
			if !ok || r.Verdict != doctor.Problem || !strings.Contains(c.Do, "--server") {
				t.Errorf("%s: %+v", kind.Name, r.Checks)
			}
		}
	})
}

// A port that takes connections and says nothing is given up on in time.
func TestSilent(t *testing.T) {
	t.Parallel()

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()

	o := networked(start(t, simserver.Options{}), openai.Kind)
	o.URL = "http://" + l.Addr().String()
	o.Timeout = 100 * time.Millisecond // the bound is the smaller one
	holds(t, examine(t, o), "no answer", "start the server")
}

// No key is in a report, whether the server repeats it or it stands in the address.
func TestKeysStayHidden(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const key = "sk-very-secret"
		parrot := virtual{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, `{"error":{"message":"the key `+key+` is not known: `+r.Header.Get("Authorization")+`"}}`)
		})}

		for _, kind := range []*server.Kind{openai.Kind, ollama.Kind} {
			o := options(start(t, simserver.Options{}), kind)
			o.APIKey, o.URL, o.Transport = key, "http://user:"+key+"@127.0.0.1", parrot
			r := examine(t, o)

			text, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}

			var b strings.Builder
			for _, c := range r.Checks {
				if err := doctor.WriteCheck(&b, c); err != nil {
					t.Fatal(err)
				}
			}

			if err := r.WriteFindings(&b, doctor.OK); err != nil {
				t.Fatal(err)
			}

			if all := string(text) + b.String(); strings.Contains(all, key) || !strings.Contains(all, "403") {
				t.Errorf("%s", all)
			}
		}
	})
}

// What goes wrong now and then is not a finding: every ninth request fails, so that of eight that
// are made at once one does, and none a second time.
func TestFaultsAreNoFindings(t *testing.T) {
	t.Parallel()

	kinds := []simserver.Fault{simserver.InternalError, simserver.Reset, simserver.Garbage}
	script := make([]simserver.Fault, 999)

	for i := 8; i < len(script); i += 9 {
		script[i] = kinds[i/9%3]
	}

	synctest.Test(t, func(t *testing.T) {
		s := start(t, simserver.Options{
			MaxModelLen: 4096,
			Faults:      simserver.Faults{Script: script},
		})
		r := examine(t, options(s, openai.Kind))
		wantOnly(t, r, nil)

		if st := s.Stats(); st.Answered >= st.Requests {
			t.Errorf("no fault: %+v", st)
		}
	})
}

// A server that goes away in the middle ends the examination, and so does its context.
func TestGoneInTheMiddle(t *testing.T) {
	t.Parallel()
	s := listen(t, simserver.Options{MaxModelLen: 4096})
	o := networked(s, openai.Kind)
	o.Found = func(c doctor.Check) {
		if c.Name == doctor.Room {
			s.Kill()
		}
	}
	r := examine(t, o)

	last := r.Checks[len(r.Checks)-1]
	if r.Verdict != doctor.Problem || last.Name != doctor.Reachable || !strings.Contains(last.Seen, "gone away") {
		t.Errorf("%+v", r.Checks)
	}

	s = listen(t, simserver.Options{MaxModelLen: 4096})
	s.Pause()

	ctx, cancel := context.WithCancel(t.Context())
	o = networked(s, openai.Kind)
	o.Found = func(c doctor.Check) {
		if c.Name == doctor.Model {
			cancel()
		}
	}

	r, err := doctor.Examine(ctx, o)
	if !errors.Is(err, context.Canceled) || r == nil || r.Verdict != doctor.OK || len(r.Checks) != 3 {
		t.Errorf("%v, %+v", err, r)
	}
}

// A server that takes a request and never answers it leaves a finding, not a wait without end. The
// default bounds every probe, too: also the one for whether it answers chats.
func TestHang(t *testing.T) {
	t.Parallel()

	for timeout, most := range map[time.Duration]time.Duration{
		200 * time.Millisecond: 2 * time.Second,
		0:                      5 * doctor.DefaultTimeout,
	} {
		virtually(t, fmt.Sprint("timeout ", timeout), func(t *testing.T) {
			s := start(t, simserver.Options{Faults: simserver.Faults{
				Rates: map[simserver.Fault]float64{simserver.Hang: 1},
			}})
			o := options(s, openai.Kind)
			o.Timeout = timeout
			r := examine(t, o)

			c, _ := r.Check(doctor.Completion)
			if c.Verdict != doctor.Problem || !strings.Contains(c.Seen+c.Do, "--timeout") ||
				r.Took > most {
				t.Errorf("%+v", r)
			}
		})
	}
}

// Ollama's OpenAI protocol is full of traps: the way out is its own.
func TestOllamaInDisguise(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, simserver.Options{Kind: simserver.Ollama})
		o := options(s, openai.Kind)
		r := examine(t, o)
		wantOnly(t, r, map[doctor.Name]doctor.Verdict{doctor.Model: doctor.Problem})

		if c, _ := r.Check(doctor.Model); !strings.Contains(c.Do, "--policy ollama:"+model+" --server "+o.URL) {
			t.Error(c.Do)
		}
	})
}

// between stands before a server; change may spoil its replies.
func between(s *simserver.Server, change func(path string, request, answer map[string]any)) virtual {
	return virtual{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}

		r.Body = io.NopCloser(bytes.NewReader(body))
		good := httptest.NewRecorder()
		s.ServeHTTP(good, r)

		text := good.Body.Bytes()
		var request, answer map[string]any

		_ = json.Unmarshal(body, &request) // a GET has none
		if json.Unmarshal(text, &answer) == nil && good.Code == http.StatusOK {
			change(r.URL.Path, request, answer)
			text, _ = json.Marshal(answer)
		}

		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(good.Code)
		w.Write(text)
	})}
}

// What a simulated server never gets wrong.
func TestOddServers(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	completions := func(change func(request, choice object)) func(path string, request, answer map[string]any) {
		return func(path string, request, answer map[string]any) {
			if path == "/v1/completions" {
				for _, c := range answer["choices"].([]any) {
					change(request, c.(object))
				}
			}
		}
	}
	native := func(path string, change func(answer object)) func(path string, request, answer map[string]any) {
		return func(at string, _, answer map[string]any) {
			if at == path {
				change(answer)
			}
		}
	}
	var drawn atomic.Int64

	for name, test := range map[string]struct {
		kind   *server.Kind
		server simserver.Options
		change func(path string, request, answer map[string]any)
		alter  func(*doctor.Options)
		want   map[doctor.Name]doctor.Verdict
		words  string
	}{
		"processed": {kind: openai.Kind, change: completions(func(request, choice object) {
			temperature, _ := request["temperature"].(float64)
			if temperature == 0 {
				return // left out, or greedy
			}

			for _, top := range choice["logprobs"].(object)["top_logprobs"].([]any) {
				for token, l := range top.(object) {
					top.(object)[token] = l.(float64) / temperature
				}
			}
		}), words: "after temperature"},
		"impossible figures": {kind: openai.Kind, change: completions(func(_, choice object) {
			choice["logprobs"].(object)["token_logprobs"].([]any)[0] = 0.5
		}), want: map[doctor.Name]doctor.Verdict{doctor.Completion: doctor.Problem}, words: "server.logprobs=false"},
		"no end": {kind: openai.Kind, change: completions(func(_, choice object) { choice["finish_reason"] = nil }),
			want: map[doctor.Name]doctor.Verdict{doctor.Completion: doctor.Problem}, words: "server.ends"},
		"an end of its own": {
			kind:   openai.Kind,
			change: completions(func(_, choice object) { choice["finish_reason"] = "done" }),
			alter:  func(o *doctor.Options) { o.Ends = []string{"done"} },
		},
		"some unscored": {kind: openai.Kind, change: completions(func(request, choice object) {
			if choice["index"] == 1.0 {
				choice["logprobs"] = nil
			}
		}), want: map[doctor.Name]doctor.Verdict{doctor.LogProbs: doctor.Warning}, words: "2 of 8 samples have none"},
		"stop text kept": {kind: openai.Kind, change: completions(func(request, choice object) {
			if stop, ok := choice["stop_reason"].(string); ok && len(request["stop"].([]any)) > 0 {
				choice["text"] = choice["text"].(string) + stop
			}
		}), want: map[doctor.Name]doctor.Verdict{doctor.Stop: doctor.Problem}, words: "left at the end"},
		"one text": {
			kind: openai.Kind,
			change: completions(func(_, choice object) {
				choice["text"] = "Thought: always the same words here"
			}),
			want:  map[doctor.Name]doctor.Verdict{doctor.Seeds: doctor.Warning, doctor.Stop: doctor.Problem},
			words: "are one text",
		},
		"no seeds": {kind: openai.Kind, change: completions(func(request, choice object) {
			if request["temperature"] == 1.0 && request["stop"] == nil {
				choice["text"] = fmt.Sprint(choice["text"], drawn.Add(1))
			}
		}), want: map[doctor.Name]doctor.Verdict{doctor.Seeds: doctor.Warning}, words: "VLLM_BATCH_INVARIANT=1"},
		"no count": {
			kind:   openai.Kind,
			change: func(_ string, _, answer map[string]any) { delete(answer, "usage") },
			want: map[doctor.Name]doctor.Verdict{doctor.Template: doctor.Unknown, doctor.PrefixCache: doctor.Unknown,
				doctor.Window: doctor.Unknown},
			words: "does not count",
		},
		"window not stated": {kind: openai.Kind, change: func(path string, _, answer map[string]any) {
			if path == "/v1/models" {
				delete(answer["data"].([]any)[0].(object), "max_model_len")
			}
		}, words: "not stated; 4,0"},
		"an eighth of what it states": {kind: openai.Kind, change: func(path string, _, answer map[string]any) {
			if path == "/v1/models" {
				answer["data"].([]any)[0].(object)["max_model_len"] = 32768
			}
		}, want: map[doctor.Name]doctor.Verdict{doctor.Window: doctor.Warning}, words: "states 32,768 tokens: 4,0"},
		"tight": {kind: openai.Kind, alter: func(o *doctor.Options) { o.Sampling.MaxTokens = 2900 },
			want: map[doctor.Name]doctor.Verdict{doctor.Room: doctor.Warning}, words: "for the turns"},
		"no room": {kind: openai.Kind, alter: func(o *doctor.Options) { o.Sampling.MaxTokens = 4000 },
			want: map[doctor.Name]doctor.Verdict{doctor.Room: doctor.Problem}, words: "server.shots=1"},
		"not asked for": {kind: openai.Kind, alter: func(o *doctor.Options) { o.LogProbs = false },
			want: map[doctor.Name]doctor.Verdict{doctor.LogProbs: doctor.Warning}, words: "1/k"},

		"old": {
			kind:   ollama.Kind,
			server: simserver.Options{Version: "0.9.6", Wrong: []simserver.Misconfiguration{simserver.NoLogProbs}},
			want:   map[doctor.Name]doctor.Verdict{doctor.Version: doctor.Warning, doctor.LogProbs: doctor.Warning},
			words:  "0.12.11",
		},
		"penalties": {
			kind:   ollama.Kind,
			server: simserver.Options{Version: "0.24.0"},
			alter:  func(o *doctor.Options) { o.Sampling.FrequencyPenalty = 1.2 },
			want:   map[doctor.Name]doctor.Verdict{doctor.Version: doctor.Warning},
			words:  "ignores penalties",
		},
		"trained shorter": {
			kind:   ollama.Kind,
			server: simserver.Options{MaxModelLen: 2048},
			want: map[doctor.Name]doctor.Verdict{doctor.Model: doctor.Warning, doctor.Window: doctor.Warning,
				doctor.Room: doctor.Warning},
			words: "--set server.window=2048",
		},
		"leaves": {kind: ollama.Kind, change: native("/api/ps", func(answer object) {
			for _, m := range answer["models"].([]any) {
				m.(object)["expires_at"] = time.Now().Add(5 * time.Minute)
			}
		}), want: map[doctor.Name]doctor.Verdict{doctor.Loaded: doctor.Warning}, words: "OLLAMA_KEEP_ALIVE=-1"},
		"reloads": {
			kind:   ollama.Kind,
			change: native("/api/generate", func(answer object) { answer["load_duration"] = 3e9 }),
			want:   map[doctor.Name]doctor.Verdict{doctor.Loaded: doctor.Warning},
			words:  "num_ctx (4096)",
		},
	} {
		virtually(t, name, func(t *testing.T) {
			if test.server.MaxModelLen == 0 {
				test.server.MaxModelLen = 4096
			}

			if test.kind == ollama.Kind {
				test.server.Kind = simserver.Ollama
			}

			s := start(t, test.server)
			o := options(s, test.kind)

			o.Window = 4096
			if test.change != nil {
				o.Transport = between(s, test.change)
			}

			if test.alter != nil {
				test.alter(&o)
			}

			r := examine(t, o)
			wantOnly(t, r, test.want)

			text, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}

			if !strings.Contains(string(text), test.words) {
				t.Errorf("it does not say %q:\n%s", test.words, text)
			}
		})
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	o := options(start(t, simserver.Options{}), openai.Kind)

	o.Model = ""
	if _, err := doctor.Examine(t.Context(), o); err == nil {
		t.Error("no model: no error")
	}
}

// A server that answers for another model is a problem, whether it always does or now and then.
func TestAnotherModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, kind := range []*server.Kind{openai.Kind, ollama.Kind} {
			for every, words := range map[int64]string{1: "server.names", 5: "now and then"} {
				s := start(t, simserver.Options{
					Kind:        map[*server.Kind]simserver.Kind{ollama.Kind: simserver.Ollama}[kind],
					MaxModelLen: 8192,
				})
				var asked atomic.Int64
				front := virtual{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					good := httptest.NewRecorder()
					s.ServeHTTP(good, r)

					body := good.Body.String()
					if r.Method == http.MethodPost && asked.Add(1)%every == 0 {
						body = strings.ReplaceAll(body, `"model":"`+model, `"model":"other`)
					}

					w.WriteHeader(good.Code)
					io.WriteString(w, body)
				})}
				o := options(s, kind)
				o.Transport = front

				r := examine(t, o)
				said := ""

				for _, c := range r.Checks {
					if c.Verdict == doctor.Problem {
						said += c.Seen + c.Do
					}
				}

				if !strings.Contains(said, words) || !strings.Contains(said, `"other`) {
					t.Errorf("%s, one in %d: %s", kind.Name, every, said)
				}
			}
		}
	})
}

// A list of very many models, with long names, is shortened.
func TestVeryManyModels(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		list := `{"data":[{"id":"` + strings.Repeat("long", 1000) + `"}` + strings.Repeat(`,{"id":"another"}`, 1000) +
			`]}`
		front := virtual{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, list) })}
		o := options(start(t, simserver.Options{}), openai.Kind)
		o.Transport = front

		c, _ := examine(t, o).Check(doctor.Model)
		if c.Verdict != doctor.Problem || len(c.Seen) > 500 || !strings.Contains(c.Seen, "993 more") {
			t.Errorf("%+v", c)
		}
	})
}
