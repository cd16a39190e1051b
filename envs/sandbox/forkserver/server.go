package forkserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/python"
	"toolevo/envs/sandbox/worker"
)

const (
	startTime  = time.Minute // in which a server must be ready, even on a slow disk
	graceTime  = time.Second // on top of its real time, for a call to be answered
	mostHeader = 64 << 10    // bytes
)

// errBroken means that a call failed and its server cannot be used any more.
var errBroken = errors.New("forkserver: the server broke")

// server is a running server. One goroutine at a time may use it; Kill may be called by any.
type server struct {
	*worker.Child
	calls int
	next  <-chan *server // its successor, while that is started; or nil
}

// End ends the server and its successor.
func (s *server) End() string {
	if s.next != nil {
		if next, ok := <-s.next; ok {
			next.End()
		}
	}

	return s.Child.End()
}

// request is what a server reads of a call. The program follows in a frame of its own, which the
// server passes on unread: what it reads is in the memory of all later children.
type request struct {
	CPU    int     `json:"cpu"`    // seconds
	Memory int64   `json:"memory"` // bytes
	Wall   float64 `json:"wall"`   // seconds
	Output int     `json:"output"` // bytes
}

// answer is what a server says about a call.
type answer struct {
	Status uint32  `json:"status"` // wait status
	Why    string  `json:"why"`    // the limit for which the server killed it: "wall", "output", or none
	Began  bool    `json:"began"`  // the program began; before that, output says what went wrong
	Fenced bool    `json:"fenced"` // a filter kept it from sending signals but SIGABRT
	CPU    float64 `json:"cpu"`    // seconds of processor time
	output []byte
}

// prepare sends a new server its program and its setup, waits until it is ready, and warms it up:
// the first call takes much longer.
func (s *server) prepare(ctx context.Context, setup []byte) error {
	start := func() error { return s.Send([]byte(python.ForkServer())) }
	if err := s.During(ctx, worker.Limits{Time: startTime}, start); err != nil {
		return err
	}

	if _, _, err := s.Call(ctx, setup, worker.Limits{Time: startTime, Answer: mostHeader}); err != nil {
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

// warm is a program that every interpreter can run, and warmed is what it shows.
var (
	warm   = sandbox.Program{Code: "print(sum(range(10)))"}
	warmed = sandbox.Reply{Output: "45\n"}
)

// call runs a program. If its error wraps [errBroken], the server must be killed.
func (s *server) call(ctx context.Context, p sandbox.Program, l sandbox.Limits) (answer, error) {
	job := python.NewJob(p, l)

	limits, err := json.Marshal(request{job.CPU, job.Memory, l.Wall.Seconds(), l.Output})
	if err != nil {
		return answer{}, fmt.Errorf("forkserver: encode the limits of a program: %w", err)
	}

	// The program is a frame of its own, which the server passes on unread.
	program, err := json.Marshal(job)
	if err != nil {
		return answer{}, fmt.Errorf("forkserver: encode a program: %w", err)
	}

	var a answer
	// The server enforces the limits. This one is for a server that hangs.
	err = s.During(ctx, worker.Limits{Time: l.Wall + graceTime}, func() error {
		if err := errors.Join(s.Send(limits), s.Send(program)); err != nil {
			return err
		}

		header, err := s.Receive(mostHeader)
		if err != nil {
			return err
		}

		if err := json.Unmarshal(header, &a); err != nil {
			return err
		}

		a.output, err = s.Receive(l.Output)
		return err
	})
	if err != nil {
		// After an error, the next answer might be the one to this call.
		return a, fmt.Errorf("%w: %w", errBroken, err)
	}

	return a, nil
}
