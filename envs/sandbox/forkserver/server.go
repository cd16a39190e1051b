package forkserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/python"
	"toolevo/envs/sandbox/worker"
)

const (
	startTime  = time.Minute // in which a server must be ready, on a slow disk, too
	graceTime  = time.Second // on top of its real time in which a call must be answered
	mostHeader = 64 << 10    // bytes
)

// errBroken is why a call failed whose server is of no use any more.
var errBroken = errors.New("forkserver: the server broke")

// server is a running server. One goroutine at a time may use it; kill may be called by any.
type server struct {
	cmd    *exec.Cmd
	in     *os.File // requests
	out    *os.File // answers
	stderr *worker.Tail
	dead   chan struct{} // closed when the process has ended and was waited for
}

// request is a call as a server reads it.
type request struct {
	python.Job
	Wall   float64 `json:"wall"`   // seconds
	Output int     `json:"output"` // bytes
}

// answer is what a server says of a call.
type answer struct {
	Status uint32  `json:"status"` // wait status
	Why    string  `json:"why"`    // the limit for which the server killed it: "wall", "output", or none
	Began  bool    `json:"began"`  // the program began; before that, output says what went wrong
	CPU    float64 `json:"cpu"`    // seconds of processor time
	RSS    int64   `json:"rss"`    // KiB, most resident memory
	output []byte
}

// launch starts the process of a server.
func launch(cmd *exec.Cmd) (*server, error) {
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()

	out, stdout, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	defer stdout.Close()

	s := &server{cmd: cmd, in: in, out: out, stderr: &worker.Tail{Max: 4 << 10}, dead: make(chan struct{})}

	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, s.stderr
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}

	cmd.SysProcAttr.Setpgid = !cmd.SysProcAttr.Setsid // either makes it the leader of a group
	cmd.Cancel = func() error { s.kill(); return nil }

	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		in.Close()
		out.Close()
		return nil, err
	}

	go s.wait()

	return s, nil
}

// wait waits for the process, ends what is left of its group, and closes dead.
func (s *server) wait() {
	s.cmd.Wait()
	// The group's number is still its own: the system does not give it to a new process while one of the
	// group lives, and reuses a free one last.
	syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	s.in.Close()
	s.out.Close()
	close(s.dead)
}

// kill ends the server and all of its process group.
func (s *server) kill() {
	select {
	case <-s.dead:
	default:
		syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	}
}

// prepare tells a new server its setup, waits until it is ready, and warms it: the first call takes much longer.
func (s *server) prepare(ctx context.Context, setup []byte) error {
	err := s.during(ctx, startTime, func() error {
		if err := writeFrame(s.in, setup); err != nil {
			return err
		}

		_, err := readFrame(s.out, mostHeader)

		return err
	})
	if err != nil {
		return err
	}

	l := sandbox.Limits{}.WithDefaults()

	a, err := s.call(ctx, warm, l)
	if err != nil {
		return err
	}

	r, err := a.reply(l)
	if err == nil && r != warmed {
		err = fmt.Errorf("a program that prints 45 ended with %+v", r)
	}

	return err
}

// warm is a program that every interpreter runs, and warmed is what it shows.
var (
	warm   = sandbox.Program{Code: "print(sum(range(10)))"}
	warmed = sandbox.Reply{Output: "45\n"}
)

// call runs a program. Its error wraps [errBroken]; the server must be killed then.
func (s *server) call(ctx context.Context, p sandbox.Program, l sandbox.Limits) (answer, error) {
	frame, err := json.Marshal(request{Job: python.NewJob(p, l), Wall: l.Wall.Seconds(), Output: l.Output})
	if err != nil {
		return answer{}, fmt.Errorf("forkserver: encode a program: %w", err)
	}
	var a answer
	err = s.during(ctx, l.Wall+graceTime, func() error {
		if err := writeFrame(s.in, frame); err != nil {
			return err
		}

		header, err := readFrame(s.out, mostHeader)
		if err != nil {
			return err
		}

		if err := json.Unmarshal(header, &a); err != nil {
			return err
		}

		a.output, err = readFrame(s.out, l.Output)

		return err
	})

	return a, err
}

// during does something that speaks to the server, which is killed when ctx ends before. The error tells whether the
// server is still good for something: it wraps errBroken if not.
func (s *server) during(ctx context.Context, most time.Duration, talk func() error) error {
	deadline := time.Now().Add(most)
	s.in.SetWriteDeadline(deadline) // the two fail on a pipe that is closed, as talk does then
	s.out.SetReadDeadline(deadline)
	stop := context.AfterFunc(ctx, s.kill)
	err := talk()

	if !stop() {
		return fmt.Errorf("%w: %w", errBroken, context.Cause(ctx))
	}

	if err != nil {
		return fmt.Errorf("%w: %w", errBroken, err)
	}

	return nil
}

// end kills the server, waits for it, and says how it ended.
func (s *server) end() string {
	s.kill()
	<-s.dead

	said := s.cmd.ProcessState.String()
	if line := worker.LastLine(s.stderr.Bytes()); line != "" {
		said += ": " + line
	}

	return said
}
