package cluster_test

import (
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"

	"toolevo/mcts/collect/cluster"
)

// An answer of which a part was lost is asked for again.
func TestTornAnswer(t *testing.T) {
	t.Parallel()

	s := startServer(t, "127.0.0.1:-1", t.TempDir())
	defer s.Shutdown()

	place, err := cluster.PlaceAt("run", s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}

	conn, err := nats.Connect(place.Server())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	// The first answers lack their beginning, or what is between their first part and their last.
	answers := [][]int{{2, 3}, {1, 3}, {3}, {1, 2, 3}}
	var asked atomic.Int64

	_, err = conn.Subscribe("toolevo."+place.Key+".tell.ask", func(question *nats.Msg) {
		for _, part := range answers[asked.Add(1)-1] {
			m := nats.NewMsg(question.Reply)
			m.Header.Set("Toolevo-Part", strconv.Itoa(part))
			m.Header.Set("Toolevo-Parts", "3")
			m.Data = []byte{"abc"[part-1]}

			if err := conn.PublishMsg(m); err != nil {
				t.Error(err)
			}
		}
	})
	if err == nil {
		err = conn.Flush()
	}

	if err != nil {
		t.Fatal(err)
	}

	worker, err := cluster.Connect(cluster.WorkerOptions{Place: place, Name: "worker"})
	if err != nil {
		t.Fatal(err)
	}
	defer worker.Close()

	answer, err := worker.Ask(t.Context(), []byte("question"))
	if string(answer) != "abc" || err != nil || asked.Load() != 4 {
		t.Errorf("the answer is %q, %v, asked for %d times", answer, err, asked.Load())
	}
}
