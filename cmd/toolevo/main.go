// Command toolevo grows trial-and-error tool-use trajectories against an environment whose APIs
// have moved on, turns the successful ones into training data, and measures what a checkpoint does
// when the APIs drift.
//
//	toolevo data build|import|questions|gold   fill the data folder, and check published answers
//	toolevo play                               act in the environment yourself, turn by turn
//	toolevo collect                            grow trees over questions into a run directory
//	toolevo runs                               list runs with their state and progress
//	toolevo inspect|check                      look at a run; prove that it is what its log says
//	toolevo export                             write training data from runs
//	toolevo finetune                           train a model on an export with LLaMA-Factory, and serve it
//	toolevo eval                               accuracies of policies under several API versions
//	toolevo eval drift                         what drifting APIs and other words of questions cost
//	toolevo analyze                            what changes of names, parameters or responses cost
//	toolevo improve                            collect, train and evaluate in rounds
//	toolevo doctor                             whether a run would begin, and what servers do wrong
//	toolevo doctor sandbox                     whether model-written programs stay inside
//	toolevo bench serve                        a simulated inference server, for rehearsals and measurements
//	toolevo serve tools                        ToolBench's functions for any client, over HTTP or MCP
//	toolevo serve voice                        a mocked voice service for MCP clients
//	toolevo demo                               all of it on synthetic data
//
// This package wires the others together and reports; the logic is theirs. Results go to stdout,
// words for people to stderr. Exit codes: 0 done, 1 the result is bad, 2 wrong usage or
// configuration, 3 infrastructure gave up, 130 interrupted and resumable.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"time"

	"toolevo/envs/console"
	"toolevo/envs/sandbox/engines"
)

func main() { mainWith(0) }

// mainWith is the program. backoff is its first wait before it asks a server again; 0 is the
// default.
func mainWith(backoff time.Duration) {
	engines.Main()
	// net/http logs there what servers say out of turn; the program itself logs with slog.
	log.SetOutput(io.Discard)

	a := &app{backoff: backoff, Program: console.Program{
		In:      os.Stdin,
		Out:     os.Stdout,
		Err:     &console.Screen{W: os.Stderr},
		Environ: os.Environ(),
	}}
	os.Exit(a.run(a.interrupts(context.Background()), os.Args[1:]))
}
