package wasi

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"

	"toolevo/envs/sandbox/python"
	"toolevo/envs/sandbox/worker"
)

const (
	began    = "ready\n" // what the driver says when the program is about to run
	saidMost = 4 << 10   // bytes of standard error that are kept
	garbage  = 64 << 20  // bytes of Go's heap after which it is collected between two programs
	heapRoom = 256 << 20 // bytes by which Go's heap can grow while a program runs
)

// machine is the state of the process that [Main] makes.
type machine struct {
	in  *bufio.Reader
	out io.Writer

	memory  memory
	globals []string // the names of all mutable globals

	started bool                    // the image is there
	values  []uint64                // the globals in the image
	stacks  []experimental.Snapshot // copies of the stack in the image; going back uses one up
	reading []uint32                // the arguments of the read that the image waits in
	heap    uint64                  // bytes of Go's heap then

	request []byte // what the program's driver has not read yet
	closed  [3]bool
	room    int    // bytes that may still be printed
	said    []byte // standard error
}

// compile loads the module with its code from the cache, where it leaves it if it is not there yet. WebAssembly's
// extensions are those that Python's builds use. Code has no checks whether its context has ended: a machine is killed.
func compile(ctx context.Context, module []byte, cache string) (wazero.Runtime, wazero.CompiledModule, error) {
	kept, err := wazero.NewCompilationCacheWithDir(cache)
	if err != nil {
		return nil, nil, fmt.Errorf("open the cache %s: %w", cache, err)
	}

	features := api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall | experimental.CoreFeaturesExtendedConst |
		experimental.CoreFeaturesExceptionHandling
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().
		WithCompilationCache(kept).WithCoreFeatures(features).WithDebugInfoEnabled(false))

	compiled, err := r.CompileModule(ctx, module)
	if err != nil {
		return nil, nil, fmt.Errorf("compile the module: %w", err)
	}

	return r, compiled, nil
}

// instance is what Python gets: its arguments, its environment, clocks and random bytes.
func instance(text string) wazero.ModuleConfig {
	c := wazero.NewModuleConfig().WithName("").WithArgs(append([]string{"python"}, python.Executing(text)...)...).
		WithSysWalltime().WithSysNanotime().WithSysNanosleep().WithRandSource(rand.Reader)

	for _, v := range python.Environment() {
		name, value, _ := strings.Cut(v, "=")
		c = c.WithEnv(name, value)
	}

	return c
}

// run starts Python with the given text and serves calls until the input ends or the machine is used up. It
// returns only what went wrong.
func (m *machine) run(ctx context.Context, module []byte, cache, text string, calls int) error {
	exported, globals, err := exportGlobals(module)
	if err != nil {
		return err
	}

	m.globals = globals
	m.stacks = make([]experimental.Snapshot, calls)

	r, compiled, err := compile(ctx, exported, cache)
	if err != nil {
		return err
	}

	if err := m.serveWASI(ctx, r); err != nil {
		return fmt.Errorf("offer WASI: %w", err)
	}

	_, err = r.InstantiateModule(withMemory(experimental.WithSnapshotter(ctx), &m.memory), compiled, instance(text))
	if !m.started {
		return fmt.Errorf("start Python: %w: %s", cmp.Or(err, errReturned), worker.LastLine(m.said))
	}

	m.reply(ending{Trap: trap(err)})

	return nil
}

var errReturned = errors.New("it ended")

// trap names what ended an instance, as the signal that ends a native interpreter in its place where there is one:
// abort in C is the instruction unreachable.
func trap(err error) string {
	first, _, _ := strings.Cut(cmp.Or(err, errReturned).Error(), "\n")
	if _, reason, ok := strings.Cut(first, "wasm error: "); ok {
		first = reason
	}

	switch first {
	case "unreachable":
		return "signal: aborted"
	case "stack overflow", "out of bounds memory access":
		return "signal: segmentation fault"
	case "integer divide by zero", "integer overflow":
		return "signal: floating point exception"
	}

	return first
}

// start keeps the image, says that the machine is ready, and waits for the first call.
func (m *machine) start(ctx context.Context, instance api.Module, args []uint32) {
	m.started, m.reading = true, args

	snapshots := experimental.GetSnapshotter(ctx)
	for i := range m.stacks {
		m.stacks[i] = snapshots.Snapshot()
	}

	for _, name := range m.globals {
		m.values = append(m.values, instance.ExportedGlobal(name).Get())
	}

	m.memory.keep()
	// Code of WebAssembly cannot be interrupted. A collection that begins while it computes would wait for it
	// with one of the processors busy, which counts as the program's time.
	runtime.GC()

	m.heap = liveHeap()

	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(int64(m.heap) + heapRoom)

	if err := m.send(frameReady, nil); err != nil {
		m.quit()
	}

	m.next()
}

func liveHeap() uint64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

// end says how the program ended, goes back to the image and begins the next one. It does not return: the
// image goes on.
func (m *machine) end(instance api.Module, e ending) {
	if !m.started {
		panic(sys.NewExitError(uint32(e.Status)))
	}

	e.Good = len(m.stacks) > 1 && !m.memory.grown()
	m.reply(e)

	if !e.Good {
		m.quit()
	}

	if err := m.memory.restore(); err != nil {
		fmt.Fprintf(os.Stderr, "wasi: go back to the image: %v\n", err)
		os.Exit(1)
	}

	for i, name := range m.globals {
		instance.ExportedGlobal(name).(api.MutableGlobal).Set(m.values[i])
	}

	if liveHeap() > m.heap+garbage {
		runtime.GC()
	}

	m.next()
	m.deliver(instance.Memory(), m.reading)
	stack := m.stacks[len(m.stacks)-1]
	m.stacks = m.stacks[:len(m.stacks)-1]

	stack.Restore([]uint64{0})
}

func (m *machine) send(k kind, payload []byte) error {
	return worker.WriteFrame(m.out, pack(k, payload))
}

func (m *machine) reply(e ending) {
	e.Began = bytes.HasPrefix(m.said, []byte(began))
	if !e.Began {
		e.Said = worker.LastLine(m.said)
	}

	text, err := json.Marshal(e)
	if err != nil || m.send(frameEnd, text) != nil {
		m.quit()
	}
}

// next waits for a call.
func (m *machine) next() {
	k, payload, err := unpack(worker.ReadFrame(m.in, maxFrame))

	var c call
	if err != nil || k != frameCall || json.Unmarshal(payload, &c) != nil {
		m.quit()
	}

	m.request, m.room, m.closed, m.said = c.Request, c.Output, [3]bool{}, m.said[:0]
	m.memory.limit = uint64(max(0, c.Memory))
}

// print hands on what the program prints, and reports whether it may print more.
func (m *machine) print(descriptor uint32, data []byte) bool {
	if descriptor == 2 || !m.started {
		m.said = append(m.said, data[:min(len(data), saidMost-len(m.said))]...)
		return true
	}

	n := min(len(data), m.room)

	m.room -= n
	if n > 0 && m.send(frameOutput, data[:n]) != nil {
		m.quit()
	}

	return n == len(data)
}

// quit ends the machine, whose starter is gone or is about to replace it.
func (m *machine) quit() { os.Exit(0) }
