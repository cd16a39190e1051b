package scripted

import (
	"testing"

	"toolevo/mcts"
)

// BenchmarkPropose is one model call with two samples in the tenth turn of a drifted episode.
func BenchmarkPropose(b *testing.B) {
	w, h := newWorld("p_s_in"), ask(openQuestion)

	reader := New(profile(b, "reader"), plans)
	for range 10 {
		h = w.act(h, propose(b, reader, mcts.Request{History: h, N: 1, Greedy: true})[0].Text)
	}

	for _, p := range Profiles() {
		b.Run(p.Name, func(b *testing.B) {
			s := New(p, plans)
			r := mcts.Request{History: h, N: 2}

			b.ReportAllocs()

			for b.Loop() {
				r.Seed += 2
				if _, err := s.Propose(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
