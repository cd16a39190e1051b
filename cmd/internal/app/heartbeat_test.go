package app

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"toolevo/envs/console"
	"toolevo/mcts/account"
	"toolevo/mcts/policy/server"
)

// Every minute of a run the log has how it does: what is done, how much is left, and what it took.
func TestHeartbeat(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer

		began := time.Now()
		minutes := func() int64 { return int64(time.Since(began) / time.Minute) }

		served := server.Snapshot{}
		served.InFlight, served.Load.Waiting, served.Transient, served.BadRequests = 60, 3, 4, 1

		stop := (&pulse{
			slog.New(slog.NewTextHandler(&log, nil)),
			func() console.Status { // ten units of work a minute, of 100
				n := 10 * minutes()
				work := console.Work{Done: n, Left: 100 - n}
				return console.Status{Done: n, Total: 100, Work: work, Text: "50% solved"}
			},
			func() account.Total {
				return account.Total{Usage: account.Usage{Calls: minutes(), PromptTokens: 500, Cost: 0.25}}
			},
			func() map[string]server.Snapshot { return map[string]server.Snapshot{"openai:m": served} },
		}).beat()

		<-time.After(2*time.Minute + 30*time.Second)
		stop()

		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		if len(lines) != 2 {
			t.Fatalf("%d records in two minutes and a half:\n%s", len(lines), &log)
		}

		// 20 of 100 in two minutes: 80 take eight more.
		for _, want := range []string{
			"level=INFO", `msg="the run goes on"`, "done=20", "of=100", "left=8m0s", `progress="50% solved"`,
			"in_flight=60", "waiting=3", "faults=5", "calls=2", "prompt_tokens=500", "cost=0.25",
		} {
			if !strings.Contains(lines[1], want) {
				t.Errorf("no %s in %s", want, lines[1])
			}
		}
	})
}
