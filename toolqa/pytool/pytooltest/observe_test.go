package pytooltest

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"toolevo/envs"
	"toolevo/envs/sandbox"
	"toolevo/toolqa"
	"toolevo/toolqa/pytool"
)

// observe runs the cases on an engine, several at once, and returns what is shown of them, in their
// order. It stops at the first error.
func observe(ctx context.Context, e sandbox.Engine, cases []Case, published bool) ([]Shown, error) {
	in := pytool.New(e, pytool.Options{PublishedCapture: published})
	all := make([]Shown, len(cases))

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)

	next := make(chan int)

	var workers sync.WaitGroup
	for range runtime.NumCPU() {
		workers.Go(func() {
			for i := range next {
				r, err := call(ctx, in, cases[i].Code)
				if err != nil {
					stop(fmt.Errorf("%s: %w", cases[i].Name, err))
					continue
				}

				all[i] = Shown{Failed: r.Outcome != envs.OK, Text: r.Observation}
			}
		})
	}

	for i := range cases {
		next <- i
	}

	close(next)
	workers.Wait()
	return all, context.Cause(ctx)
}

// call runs one program by the tool.
func call(ctx context.Context, in *pytool.Interpreter, code any) (envs.Result, error) {
	_, r, err := in.Call(ctx, toolqa.Session{}, envs.Args{{Name: "Python", Value: code}})
	return r, err
}
