package wasi

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"toolevo/envs/sandbox/python"
	"toolevo/envs/sandbox/worker"
)

//go:embed describe.py
var describe string

//go:embed adapt.py
var adapt string

// marker is the argument by which Main knows what this process is to be.
const marker = "__wasi"

// config says what a process of [Main] is to do.
type config struct {
	Module string `json:"module"` // the path
	Sum    string `json:"sum"`    // the SHA-256 that the module must have
	Cache  string `json:"cache"`  // the folder of compiled code

	// Describe asks for a description, on standard output as JSON; the cache is filled on the way. Otherwise
	// the process is a machine.
	Describe bool     `json:"describe"`
	Wanted   []string `json:"wanted"` // names of modules the description should be about

	Calls int      `json:"calls"` // programs after which the machine is used up
	Path  []string `json:"path"`  // as described
	Site  []string `json:"site"`
	Names []string `json:"names"` // modules of Site that programs may import
}

// description is what describe.py prints.
type description struct {
	Version        [3]int            `json:"version"`
	Implementation string            `json:"implementation"`
	Path           []string          `json:"path"`
	Site           []string          `json:"site"`
	Modules        []string          `json:"modules"`
	Broken         map[string]string `json:"broken"`
}

// Main makes this process a machine if it was started as one, and does not return then. main and TestMain
// call it first.
func Main() {
	if len(os.Args) != 3 || os.Args[1] != marker {
		return
	}

	if err := work(context.Background(), os.Args[2]); err != nil {
		fmt.Fprintf(os.Stderr, "wasi: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
		os.Exit(1)
	}

	os.Exit(0)
}

func work(ctx context.Context, text string) error {
	runtime.GOMAXPROCS(2) // one for Python, one for the runtime

	var c config
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return fmt.Errorf("read what to do: %w", err)
	}

	module, sum, err := readModule(c.Module)
	if err != nil {
		return err
	}

	if sum != c.Sum {
		return fmt.Errorf("%s has changed: its SHA-256 is %s, and was %s", c.Module, sum, c.Sum)
	}

	if c.Describe {
		return c.describe(ctx, module)
	}

	text, err = c.program()
	if err != nil {
		return err
	}

	m := &machine{in: bufio.NewReader(os.Stdin), out: os.Stdout}

	return m.run(ctx, module, c.Cache, text, c.Calls)
}

// program is what a machine's Python executes: it makes itself ready, and then reads a request.
func (c config) program() (string, error) {
	setup, err := json.Marshal([]any{c.Path, c.Site, c.Names})
	if err != nil {
		return "", fmt.Errorf("encode the setup: %w", err)
	}
	// A file name of its own keeps our lines out of the tracebacks of programs.
	text, err := json.Marshal(python.Driver() + "\n" + adapt + "\nserve(*" + string(setup) + ")\n")
	if err != nil {
		return "", fmt.Errorf("encode the driver: %w", err)
	}

	return "exec(compile(" + string(text) + ", '<driver>', 'exec'))", nil
}

// describe asks Python what must be known of it.
func (c config) describe(ctx context.Context, module []byte) error {
	exported, _, err := exportGlobals(module)
	if err != nil {
		return err
	}

	r, compiled, err := compile(ctx, exported, c.Cache)
	if err != nil {
		return err
	}

	if err := runnable(compiled); err != nil {
		return fmt.Errorf("%s %w: %s", c.Module, err, obtain)
	}

	if _, err := wasi_snapshot_preview1.Instantiate(ctx, r); err != nil {
		return fmt.Errorf("offer WASI: %w", err)
	}

	wanted, err := json.Marshal(c.Wanted)
	if err != nil {
		return fmt.Errorf("encode the names of modules: %w", err)
	}
	var said, complaint bytes.Buffer
	how := instance("wanted = " + string(wanted) + "\n" + describe).WithStdout(&said).WithStderr(&complaint)

	_, err = r.InstantiateModule(ctx, compiled, how)
	if said.Len() == 0 {
		return fmt.Errorf("%s does not start as Python does: %w: %s: %s", c.Module, cmp.Or(err, errReturned),
			worker.LastLine(complaint.Bytes()), obtain)
	}

	_, err = said.WriteTo(os.Stdout)

	return err
}
