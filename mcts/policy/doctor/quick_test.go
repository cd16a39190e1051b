package doctor_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"toolevo/mcts/policy/doctor"
	"toolevo/mcts/policy/ollama"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/policy/simserver"
)

// slowly makes a server one that quick mode is for.
var slowly = simserver.Latency{PrefillPerSecond: 40, DecodePerSecond: 3}

// unprobed are the checks that quick mode leaves out.
var unprobed = []doctor.Name{doctor.Window, doctor.Greedy, doctor.Defaults, doctor.Slots, doctor.Crosstalk}

// wantQuick holds that the checks named have the verdicts named, those that quick mode leaves out
// say so, and all others are OK.
func wantQuick(t *testing.T, r *doctor.Report, want map[doctor.Name]doctor.Verdict) {
	t.Helper()

	for _, c := range r.Checks {
		verdict := doctor.OK
		if slices.Contains(unprobed, c.Name) {
			verdict = doctor.Skipped
		}

		if v, ok := want[c.Name]; ok {
			verdict = v
		}

		if c.Verdict != verdict {
			t.Errorf("%s: %s, want %s: %s", c.Name, c.Verdict, verdict, c.Seen)
		}

		if verdict == doctor.Skipped && !strings.Contains(c.Seen, "not probed in quick mode") {
			t.Errorf("%s does not say that it is not probed: %s", c.Name, c.Seen)
		}
	}

	for name := range want {
		if _, ok := r.Check(name); !ok {
			t.Errorf("no check of %s", name)
		}
	}
}

func TestQuick(t *testing.T) {
	t.Parallel()

	vllm := func(s *simserver.Server) doctor.Options { return options(s, openai.Kind) }

	for name, test := range map[string]struct {
		kind    simserver.Kind
		options func(*simserver.Server) doctor.Options
		most    int // probes
	}{
		"vllm":      {simserver.VLLM, vllm, 10},
		"vllm chat": {simserver.VLLM, chatting, 12},
		"ollama": {
			simserver.Ollama, func(s *simserver.Server) doctor.Options { return options(s, ollama.Kind) }, 20,
		},
	} {
		virtually(t, name, func(t *testing.T) {
			s := start(t, simserver.Options{Kind: test.kind, Latency: slowly})
			o := test.options(s)
			o.Quick = true
			r := examine(t, o)
			slow := start(t, simserver.Options{Kind: test.kind, Latency: slowly})

			unasked := examine(t, test.options(slow))
			if c, _ := unasked.Check(doctor.Completion); !strings.Contains(c.Seen, "--quick") {
				t.Errorf("it does not say that it goes on in quick mode: %s", c.Seen)
			}

			if unasked.Probes > r.Probes+1 || unasked.Verdict != doctor.Skipped || unasked.Took > 5*time.Minute {
				t.Errorf("unasked %d probes, %s, in %v", unasked.Probes, unasked.Verdict, unasked.Took)
			}

			wantQuick(t, unasked, nil)
			wantQuick(t, r, nil)

			var names []doctor.Name
			for _, c := range r.Checks {
				names = append(names, c.Name)
			}

			if !slices.Equal(names, every(o.Kind)) || r.Verdict != doctor.Skipped {
				t.Errorf("checks %v, %s", names, r.Verdict)
			}

			if e := r.Estimate; e == nil || e.InFlight != 1 || e.OutAlone < 2 || e.OutAlone > 3 ||
				e.InPerSecond < 20 || e.InPerSecond > 45 || e.PromptTokens < 1 {
				t.Errorf("estimate %+v", e)
			}

			if st := s.Stats(); st.Requests != r.Probes || r.Probes > test.most || r.Took > 3*time.Minute {
				t.Errorf("%d probes, %d requests in %v", r.Probes, st.Requests, r.Took)
			}
		})
	}
}

// What a few probes can tell is told as by a full examination; nothing is said of the rest.
func TestQuickMisconfigurations(t *testing.T) {
	t.Parallel()

	for _, kind := range []*server.Kind{openai.Kind, ollama.Kind} {
		found := map[simserver.Misconfiguration]map[doctor.Name]doctor.Verdict{
			simserver.NoLogProbs:   {doctor.LogProbs: doctor.Problem},
			simserver.IgnoreStop:   {doctor.Stop: doctor.Problem},
			simserver.MissingModel: {doctor.Model: doctor.Problem},
		}

		if kind == openai.Kind {
			found[simserver.IgnoreN] = map[doctor.Name]doctor.Verdict{doctor.Samples: doctor.Warning}
			found[simserver.NoPrefixCache] = map[doctor.Name]doctor.Verdict{doctor.PrefixCache: doctor.Warning}
			found[simserver.DropsObservations] = map[doctor.Name]doctor.Verdict{doctor.Template: doctor.Problem}
		} else { // by the clock, once
			found[simserver.NoPrefixCache] = map[doctor.Name]doctor.Verdict{doctor.PrefixCache: doctor.Skipped}
		}

		for _, wrong := range simserver.Misconfigurations() {
			virtually(t, kind.Name+" "+string(wrong), func(t *testing.T) {
				s := start(t, simserver.Options{
					Kind:    map[*server.Kind]simserver.Kind{ollama.Kind: simserver.Ollama}[kind],
					Latency: slowly, Wrong: []simserver.Misconfiguration{wrong},
				})

				o := options(s, kind)
				if kind == openai.Kind && wrong == simserver.DropsObservations {
					o = chatting(s)
				}

				o.Quick = true
				wantQuick(t, examine(t, o), found[wrong])
			})
		}
	}
}

// A server that reads its weights far slower than memory is read is told of, where it says how many
// there are.
func TestSlowForItsWeights(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		kind       *server.Kind
		parameters int64 // of 2 bytes each
		perSecond  float64
		slow       bool
	}{
		"1.35 GB/s":                     {ollama.Kind, 135e6, 5, true},
		"80 GB/s":                       {ollama.Kind, 8e9, 5, false},
		"1 GB/s, but 50 tokens/s":       {ollama.Kind, 10e6, 50, false},
		"it does not say how many":      {ollama.Kind, 0, 5, false},
		"its protocol has no such word": {openai.Kind, 135e6, 5, false},
	} {
		for mode, quick := range map[string]bool{"quick": true, "full": false} {
			virtually(t, name+" "+mode, func(t *testing.T) {
				o := options(start(t, simserver.Options{
					Kind:       map[*server.Kind]simserver.Kind{ollama.Kind: simserver.Ollama}[test.kind],
					Parameters: test.parameters, Latency: simserver.Latency{DecodePerSecond: test.perSecond},
				}), test.kind)
				o.Quick, o.Timeout = quick, time.Hour

				c, ok := examine(t, o).Check(doctor.Clock)
				if !ok || (c.Verdict == doctor.Warning) != test.slow || !test.slow && c.Verdict != doctor.OK {
					t.Fatalf("%+v", c)
				}

				for _, words := range []string{
					"0.135 billion parameters of 16 bits, 0.27 GB", "5.0 tokens/s read 1.", "10 GB/s or more",
					"less than 2 GB/s",
				} {
					if test.slow && !strings.Contains(c.Seen+c.Do, words) {
						t.Errorf("it does not say %q: %+v", words, c)
					}
				}
			})
		}
	}
}
