package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// resident is how many bytes of memory a process has.
func resident(b *testing.B, pid int) float64 {
	b.Helper()

	text := read(b, fmt.Sprintf("/proc/%d/status", pid))

	match := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(text)
	if match == nil {
		b.Fatalf("%s", text)
	}

	kilobytes, _ := strconv.ParseFloat(string(match[1]), 64)
	return kilobytes * 1024
}

// BenchmarkServeEnv plays against a server of environments over coffee, which is a process of its
// own; the clients are in this one. It reports the memory of 1,000 open episodes of four turns, the
// time of a reset and a step of one client, the steps in a second of 64, and the server's processor
// time for each message.
func BenchmarkServeEnv(b *testing.B) {
	dir := generatedData(b)

	for b.Loop() {
		s := startSimulatedEnv(b, dir)
		base := resident(b, s.cmd.Process.Pid)

		const sessions, turns, alone = 1000, 4, 2000

		conns := make([]*websocket.Conn, sessions)
		for i := range conns {
			conn, _, err := websocket.Dial(b.Context(), s.url+"/ws", nil)
			if err != nil {
				b.Fatal(err)
			}
			defer conn.CloseNow()

			conn.SetReadLimit(1 << 20)
			conns[i] = conn
			tell(b, conn, fmt.Sprintf(`{"type":"reset","data":{"seed":%d,"api":"p_c"}}`, i))

			for range turns {
				tell(b, conn, load)
			}
		}

		b.ReportMetric((resident(b, s.cmd.Process.Pid)-base)/1e6, "MB/1000_episodes")

		began := time.Now()
		for i := range alone {
			tell(b, conns[0], fmt.Sprintf(`{"type":"reset","data":{"seed":%d,"api":"p_c"}}`, i))
			tell(b, conns[0], load)
		}

		b.ReportMetric(time.Since(began).Seconds()*1e3/alone, "ms/reset+step")

		const each = 19 // turns that an episode has left
		began = time.Now()

		var clients sync.WaitGroup

		for _, conn := range conns[:64] {
			clients.Go(func() {
				for i := range 20 {
					tell(b, conn, fmt.Sprintf(`{"type":"reset","data":{"seed":%d,"api":"p_c"}}`, i))

					for range each {
						tell(b, conn, load)
					}
				}
			})
		}

		clients.Wait()
		b.ReportMetric(64*20*each/time.Since(began).Seconds(), "steps/s")

		messages := float64(sessions*(1+turns) + 2*alone + 64*20*(1+each))
		s.stop()

		spent := s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime() - s.start
		b.ReportMetric(spent.Seconds()*1e6/messages, "server_µs/message")
		b.ReportMetric(0, "ns/op")
	}
}

const load = `{"type":"step","data":{"tool_name":"LoadDB","arguments":{"DBName":"coffee"}}}`

// tell sends a frame and reads the answer.
func tell(b *testing.B, conn *websocket.Conn, frame string) {
	b.Helper()

	err := conn.Write(b.Context(), websocket.MessageText, []byte(frame))
	if err == nil {
		_, _, err = conn.Read(b.Context())
	}

	if err != nil {
		b.Error(err)
	}
}

// simulatedEnv is a process that runs toolevo serve env.
type simulatedEnv struct {
	*simulated
	start time.Duration // processor time that it took to start
}

func startSimulatedEnv(b *testing.B, dir string) *simulatedEnv {
	b.Helper()

	s := startProcess(b, program(b, "serve", "env", "--data", dir, "--dataset", "coffee", "--api", "p_c,p_s_in,p_s_ood",
		"--listen", "127.0.0.1:0", "--json"))
	return &simulatedEnv{s, processTime(b, s.cmd)}
}

// processTime is the processor time of a process so far.
func processTime(b *testing.B, cmd *exec.Cmd) time.Duration {
	b.Helper()

	text := string(read(b, fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid)))
	fields := strings.Fields(text[strings.LastIndexByte(text, ')'):]) // behind the program's name

	user, err := strconv.ParseInt(fields[12], 10, 64)
	if err != nil {
		b.Fatal(err)
	}

	system, err := strconv.ParseInt(fields[13], 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond // of a hundred ticks a second
}

// stop ends the server.
func (s *simulatedEnv) stop() {
	s.b.Helper()

	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		s.b.Fatal(err)
	}

	if err := s.cmd.Wait(); err != nil {
		s.b.Fatal(err)
	}
}
