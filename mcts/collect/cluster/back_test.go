package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"toolevo/mcts"
	"toolevo/mcts/collect/cluster"
	"toolevo/mcts/store"
)

// startServer starts a NATS server on the streams in a folder.
func startServer(t *testing.T, address, dir string) *server.Server {
	t.Helper()
	return startGuarded(t, address, dir, "")
}

// startGuarded starts one that lets in who knows a token; without one it lets in everybody.
func startGuarded(t *testing.T, address, dir, token string) *server.Server {
	t.Helper()

	host, port, _ := net.SplitHostPort(address)
	number, _ := strconv.Atoi(port)

	s, err := server.NewServer(&server.Options{
		Host: host, Port: number, JetStream: true, StoreDir: dir, NoSigs: true,
		Authorization: token,
	})
	if err != nil {
		t.Fatal(err)
	}

	s.Start()

	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server is not ready")
	}
	return s
}

// A server that comes back without the latest messages, whose numbers it gives to others, costs
// what it lost: the run goes on from what it has, although the model answers otherwise when it is
// asked again.
func TestServerThatLostMessages(t *testing.T) {
	t.Parallel()

	r := newRun(t)
	r.patience = brief

	dir, copied := filepath.Join(r.dir, "streams"), filepath.Join(r.dir, "copy")
	nats := startServer(t, "127.0.0.1:-1", dir)
	address := nats.Addr().String()

	place, err := cluster.PlaceAt("run", "nats://"+address)
	if err != nil {
		t.Fatal(err)
	}

	r.place = place
	c := r.coordinate()

	var made, answers atomic.Int64
	var torn int64 // answers that were given when the unit ended first

	m := r.join("worker", 1, time.Millisecond, &made)
	defer m.Close()

	has := func(n int) func() bool {
		return func() bool {
			rows, err := r.store.RowsOf(t.Context(), "unit-0", 0, 1)
			return err == nil && len(rows) >= n
		}
	}

	m.grows = func(ctx context.Context, a *cluster.Assignment) ([]byte, error) {
		for i := len(a.Earlier); i < calls; i++ {
			row := callOf("unit-0", i)
			row.Value = string(store.PackProposals([]mcts.Proposal{{Text: fmt.Sprint("answer ", answers.Add(1))}}))
			a.Add(row)

			if err := a.Flush(ctx); err != nil {
				return nil, err
			}

			switch answers.Load() {
			case 1:
				waitFor(t, has(1))

				if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
					t.Error(err)
				}
			case 3:
				waitFor(t, has(3))
				nats.Shutdown()
				nats.WaitForShutdown()

				if err := errors.Join(os.RemoveAll(dir), os.Rename(copied, dir)); err != nil {
					t.Error(err)
				}

				nats = startServer(t, address, dir)
			}
		}

		if torn == 0 {
			torn = answers.Load()
		}
		return []byte("done unit-0"), nil
	}

	go func() { _ = m.serve(t.Context()) }()

	if err := r.do(t.Context(), c, 1); err != nil {
		t.Error(err)
	}

	r.check(1)

	rows, err := r.store.RowsOf(t.Context(), "unit-0", 0, 1)
	if want := store.PackProposals([]mcts.Proposal{{Text: "answer 3"}}); err != nil || rows[2].Value != string(want) {
		t.Errorf("%v: the third answer is %q", err, rows[2].Value)
	}

	// What was answered after another third answer has no place beside this one.
	for i, row := range rows {
		for n := int64(4); n <= torn; n++ {
			if row.Value == string(store.PackProposals([]mcts.Proposal{{Text: fmt.Sprint("answer ", n)}})) {
				t.Errorf("call %d has answer %d, which was given after what the run has not", i, n)
			}
		}
	}

	if err := c.Close(t.Context(), true); err != nil {
		t.Error(err)
	}

	nats.Shutdown()
	nats.WaitForShutdown()
}

// A worker whose server is another run's by now, which refuses it, goes home at once, and asks its
// model nothing more: nobody could be handed the answers.
func TestAnotherRunAtTheAddress(t *testing.T) {
	t.Parallel()

	r := newRun(t)
	nats := startServer(t, "127.0.0.1:-1", filepath.Join(r.dir, "streams"))
	address := nats.Addr().String()

	place, err := cluster.PlaceAt("run", "nats://"+address)
	if err != nil {
		t.Fatal(err)
	}

	r.place = place
	c := r.coordinate()

	var made atomic.Int64

	m := r.join("worker", 1, time.Millisecond, &made)
	defer m.Close()

	m.grows = func(ctx context.Context, a *cluster.Assignment) ([]byte, error) {
		nats.Shutdown()
		nats.WaitForShutdown()
		nats = startGuarded(t, address, filepath.Join(r.dir, "others"), "of another run")

		<-ctx.Done()
		return nil, context.Cause(ctx)
	}

	ctx, end := context.WithCancel(t.Context())
	defer end()

	done := make(chan error, 1)
	go func() { done <- r.do(ctx, c, 1) }()

	if err := m.serve(t.Context()); !errors.Is(err, cluster.ErrToken) {
		t.Errorf("the worker ends with %v", err)
	}

	end()

	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}

	_ = c.Close(t.Context(), false) // its server is another one's

	nats.Shutdown()
	nats.WaitForShutdown()
}
