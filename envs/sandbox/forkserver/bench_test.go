package forkserver

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolevo/envs/sandbox"
)

var benchmarks = []struct{ name, code string }{
	{"print", "print(1)"},
	{"numpy", "import numpy as np\nprint(np.mean([1.5, 2.5, 3.5]))"},
	{"stdlib", "import datetime, json, math, re, statistics\nprint(statistics.mean([1, 2, 3]))"},
	{"exception", "x = {}\nx['k']"},
}

// benchmarked are the engines to measure: all on the distribution's interpreter.
var benchmarked = []struct {
	name string
	open func(b *testing.B) sandbox.Engine
}{
	{"forkserver", func(b *testing.B) sandbox.Engine { return start(b, Options{Servers: 2}) }},
	{"bwrap", func(b *testing.B) sandbox.Engine { return start(b, Options{Servers: 2, Bwrap: bubblewrap(b)}) }},
	{"unsafe", func(b *testing.B) sandbox.Engine { return start(b, Options{Servers: 2, Unsafe: true}) }},
}

// BenchmarkCall measures one call after another.
func BenchmarkCall(b *testing.B) {
	for _, p := range benchmarks {
		for _, engine := range benchmarked {
			b.Run(p.name+"/"+engine.name, func(b *testing.B) {
				e := engine.open(b)

				took := make([]time.Duration, 0, b.N)
				for b.Loop() {
					began := time.Now()

					if _, err := e.Run(b.Context(), sandbox.Program{Code: p.code}, sandbox.Limits{}); err != nil {
						b.Fatal(err)
					}

					took = append(took, time.Since(began))
				}

				slices.Sort(took)
				b.ReportMetric(milliseconds(took[len(took)/2]), "median-ms")
				b.ReportMetric(milliseconds(took[len(took)*95/100]), "p95-ms")
			})
		}
	}
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

// BenchmarkThroughput measures numpy calls of as many callers as there are processors.
func BenchmarkThroughput(b *testing.B) {
	for _, engine := range benchmarked {
		b.Run(engine.name, func(b *testing.B) {
			e := engine.open(b)
			var calls atomic.Int64
			var wg sync.WaitGroup
			began := time.Now()

			for range runtime.NumCPU() {
				wg.Go(func() {
					for calls.Add(1) <= int64(b.N) {
						if _, err := e.Run(context.Background(), sandbox.Program{Code: benchmarks[1].code},
							sandbox.Limits{}); err != nil {
							b.Error(err)
						}
					}
				})
			}

			wg.Wait()
			b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "calls/s")
		})
	}
}

// BenchmarkStart measures the start of an engine of two servers, each warmed by a call.
func BenchmarkStart(b *testing.B) {
	in := find(b, debian)
	for b.Loop() {
		e, err := New(b.Context(), Options{Python: in, Servers: 2})
		if err != nil {
			b.Skip(err)
		}

		b.StopTimer()
		e.Close()
		b.StartTimer()
	}
}
