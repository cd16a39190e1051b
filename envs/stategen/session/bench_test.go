package session_test

import (
	"math/rand/v2"
	"testing"

	"toolevo/envs/stategen"
	"toolevo/envs/stategen/session"
)

// BenchmarkWalk is a program of five calls: its start, and its candidates and what becomes of one,
// call by call.
func BenchmarkWalk(b *testing.B) {
	d := session.New()
	rng := rand.New(rand.NewPCG(1, 1))

	for b.Loop() {
		walk(b, d.Init(rng), rng, stategen.DefaultCalls, 0)
	}
}

// BenchmarkCall is a call of a service with as many sessions as a program has.
func BenchmarkCall(b *testing.B) {
	d := session.New()

	s, err := d.Begin(&stategen.Program{}, nil)
	if err != nil {
		b.Fatal(err)
	}

	for _, title := range []string{"A", "B", "C", "D", "E", "F"} {
		if s, _, err = d.Call(s, session.Add, object(b, titled(title))); err != nil {
			b.Fatal(err)
		}
	}

	for _, tt := range []struct{ tool, args string }{
		{session.List, titled("A")},
		{session.Query, `{"source": "lab", "type": "group", "field": "data.title", "value": "F"}`},
		{session.Add, titled("G")},
	} {
		args := object(b, tt.args)

		b.Run(tt.tool, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := d.Call(s, tt.tool, args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
