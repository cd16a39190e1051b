package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolevo/mcts"
	"toolevo/mcts/collect/cluster"
	"toolevo/mcts/store"
)

// BenchmarkWorkers is one coordinator with many workers, each with a connection of its own and
// eight units at a time, of ten calls that take 20 ms each and have two kilobytes. It reports what
// the coordinator carries a second, of units, calls, messages and bytes of its log.
func BenchmarkWorkers(b *testing.B) {
	for _, workers := range []int{1, 8, 64, 256} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			for b.Loop() {
				fleetOf(b, workers, max(200, 16*workers))
			}
		})
	}
}

func fleetOf(b *testing.B, workers, units int) {
	b.Helper()

	dir := b.TempDir()

	s, err := store.Open(b.Context(), filepath.Join(dir, "run.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()

	c, err := cluster.Start(b.Context(), cluster.Options{
		Run: "run", Store: s, Listen: "127.0.0.1:0", Dir: filepath.Join(dir, "nats"), Token: "token",
		Patience: time.Minute,
		Welcome:  func(context.Context, []byte) ([]byte, error) { return nil, nil },
		Ask:      func(context.Context, []byte) ([]byte, error) { return nil, nil },
	})
	if err != nil {
		b.Fatal(err)
	}

	place := cluster.PlaceOf("run", c.Address(), "token", "")
	text := string(make([]byte, 2<<10))
	var served sync.WaitGroup

	for i := range workers {
		w, err := cluster.Connect(cluster.WorkerOptions{Place: place, Name: fmt.Sprint(i)})
		if err != nil {
			b.Fatal(err)
		}
		defer w.Close()

		served.Go(func() {
			err := w.Serve(b.Context(), cluster.Work{
				Patience: time.Minute,
				Room:     slots(8),
				Do: func(ctx context.Context, a *cluster.Assignment) ([]byte, error) {
					for i := range 10 {
						if err := mcts.Wait(ctx, 20*time.Millisecond); err != nil {
							return nil, err
						}

						value := store.PackProposals([]mcts.Proposal{{Text: text}})
						a.Add(store.Row{
							Question: string(a.Work), Path: fmt.Sprint("0.", i), N: 1, Value: string(value),
						})
					}
					return []byte("{}"), nil
				},
			})
			if !errors.Is(err, cluster.ErrOver) {
				b.Error(err)
			}
		})
	}

	began := time.Now()
	var failed atomic.Int64
	var waiting sync.WaitGroup

	for i := range units {
		waiting.Go(func() {
			id := fmt.Sprint("unit-", i)
			if _, err := c.Do(b.Context(), cluster.Unit{ID: id, Work: []byte(id)}); err != nil {
				failed.Add(1)
			}
		})
	}

	waiting.Wait()

	took := time.Since(began).Seconds()
	n := c.Counts()

	if err := c.Close(b.Context(), true); err != nil || failed.Load() > 0 || n.Ended != units {
		b.Fatalf("%v, %d units failed, %+v", err, failed.Load(), n)
	}
	served.Wait()

	b.ReportMetric(float64(units)/took, "units/s")
	b.ReportMetric(float64(10*units)/took, "calls/s")
	b.ReportMetric(float64(n.Messages)/took, "messages/s")
	b.ReportMetric(float64(n.Bytes)/took/1e6, "MB/s")
	b.ReportMetric(float64(n.Taken)/took, "writes/s")
}
