package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"toolevo/finetune/rundir"
	"toolevo/mcts/policy/simserver"
)

// rooted runs commands of the system that only root may give, and skips the test where that does
// not work.
func rooted(t *testing.T, commands ...string) {
	t.Helper()

	for _, command := range commands {
		words := strings.Fields(command)
		if text, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Skipf("this machine does not let a test make networks or file systems: %s: %v: %s", command, err, text)
		}
	}
}

// A worker in a network of its own is cut off for longer than the coordinator waits, and comes
// back. Its connection has TLS, as the address is no loopback.
func TestPartition(t *testing.T) {
	t.Parallel()
	random := campaignRandom(t)
	data, dir := manyQuestions(t), t.TempDir()
	id := os.Getpid()%1000 + 1000
	space, here, there := fmt.Sprint("tevo", id), fmt.Sprint("tevoa", id), fmt.Sprint("tevob", id)
	network := fmt.Sprintf("10.213.%d.", random.IntN(250))

	t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", space).Run() })
	rooted(t, "ip netns add "+space,
		"ip link add "+here+" type veth peer name "+there+" netns "+space,
		"ip addr add "+network+"1/24 dev "+here, "ip link set "+here+" up",
		"ip -n "+space+" addr add "+network+"2/24 dev "+there, "ip -n "+space+" link set "+there+" up",
		"ip -n "+space+" link set lo up")

	server := serve(t, simserver.Options{
		Slots: 8, Latency: simserver.Latency{PerCompletion: 50 * time.Millisecond},
	})
	args := []string{
		"collect", "--data", data, "--policy", "openai:sim", "--dataset", "coffee", "--limit", "20", "--trees", "2",
		"--set", "search.simulations=4", "--set", "server.window=32768", "--run-id", "one", "--engine", "unsafe",
		"--progress", "none",
	}
	alone := filepath.Join(dir, "alone")
	undisturbed(t, append(slices.Clip(args), "--server", server.URL(), "--out", alone)...)

	f := newFleet(t, dir, 1, "--listen", network+"1:0")
	f.args = append(slices.Clip(args), "--out", f.run, "--worker-patience", "2s")
	f.work = []string{"--data", data, "--server", server.URL(), "--parallel", "2", "--progress", "none"}
	f.coordinate()

	if !strings.HasPrefix(f.place, "tls://") {
		t.Errorf("other machines can listen, and the place is %s", f.place)
	}

	// The far machine has a server of its own.
	inside := func(args ...string) *process {
		cmd := program(t, args...)
		cmd.Args = append([]string{"ip", "netns", "exec", space, cmd.Path}, cmd.Args[1:]...)
		cmd.Path = "/usr/sbin/ip"
		return launch(t, cmd)
	}
	far := inside("bench", "serve", "--listen", "127.0.0.1:8000", "--data", data, "--slots", "8", "--latency", "50ms")
	far.sees("127.0.0.1:8000")

	remote := inside("work", "--join", f.place, "--data", data, "--server", "http://127.0.0.1:8000/v1", "--parallel",
		"4", "--progress", "none")
	remote.sees("Connected")

	if !f.coordinator.until(t, f.run, 100) {
		t.Fatalf("the run ended early\n%s%s", f.coordinator.err, remote.err)
	}

	rooted(t, "ip link set "+here+" down")
	f.join(0) // goes on with what the far one has

	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()

	for begunAgain := false; !begunAgain; {
		select {
		case <-tick.C:
			n, _ := rundir.ReadNote(f.run) // an error: it is being written
			begunAgain = n != nil && n.Workers != nil && n.Workers.Again > 0
		case <-f.coordinator.ended:
			t.Fatalf("the run ended with all that the lost worker had\n%s", f.coordinator.err)
		}
	}

	rooted(t, "ip link set "+here+" up")

	if code := f.coordinator.wait(); code != exitDone {
		t.Fatalf("the coordinator ends with exit %d\n%s", code, f.coordinator.err)
	}

	if !bytes.Equal(read(t, filepath.Join(alone, rowsFile)), read(t, filepath.Join(f.run, rowsFile))) {
		t.Error("the trajectories differ from those of one machine")
	}

	says(t, "the coordinator", f.coordinator.err.String(), "were begun again")
	_ = syscall.Kill(-far.Process.Pid, syscall.SIGKILL)
}

// A coordinator whose disk is full ends with exit 3, and goes on when there is room.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	data, dir := manyQuestions(t), t.TempDir()
	disk := filepath.Join(dir, "disk")

	if err := os.Mkdir(disk, 0o755); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = exec.Command("umount", "-l", disk).Run() })
	rooted(t, "mount -t tmpfs -o size=70m tmpfs "+disk)

	args := []string{
		"collect", "--data", data, "--dataset", "coffee", "--limit", "60", "--trees", "2", "--run-id", "one",
		"--engine", "unsafe", "--progress", "none",
	}
	alone := filepath.Join(dir, "alone")
	undisturbed(t, append(slices.Clip(args), "--out", alone)...)

	f := newFleet(t, disk, 1)
	f.args = append(slices.Clip(args), "--out", f.run)
	f.work = []string{"--data", data, "--progress", "none"}
	f.coordinate()

	// What is left is less than the run takes.
	rooted(t, "fallocate -l 69m "+filepath.Join(disk, "other"))
	f.join(0)

	if code := f.coordinator.wait(); code != exitGaveUp {
		t.Fatalf("with a full disk: exit %d\n%s", code, f.coordinator.err)
	}

	says(t, "a full disk", f.coordinator.err.String(), "--resume")

	if err := os.Remove(filepath.Join(disk, "other")); err != nil {
		t.Fatal(err)
	}

	f.coordinate()
	f.disband()

	if !bytes.Equal(read(t, filepath.Join(alone, rowsFile)), read(t, filepath.Join(f.run, rowsFile))) {
		t.Error("the trajectories differ from those of one machine")
	}
}
