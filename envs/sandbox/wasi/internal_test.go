package wasi

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tetratelabs/wazero"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/worker"
)

// header is how every module begins.
const header = "\x00asm\x01\x00\x00\x00"

// counter is a module with an immutable and two mutable globals, and no export but one of a function.
const counter = header +
	"\x01\x04\x01\x60\x00\x00" + // the type of a function without parameters and results
	"\x03\x02\x01\x00" + // one function
	"\x06\x11\x03\x7f\x00\x41\x05\x0b\x7f\x01\x41\x07\x0b\x7e\x01\x42\x80\x01\x0b" + // i32 5, mut i32 7, mut i64 128
	"\x07\x08\x01\x04tick\x00\x00" +
	"\x0a\x0b\x01\x09\x00\x23\x01\x41\x01\x6a\x24\x01\x0b" // global 1 = global 1 + 1

func TestExportGlobals(t *testing.T) {
	exported, names, err := exportGlobals([]byte(counter))
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff([]string{globalName(1), globalName(2)}, names); diff != "" {
		t.Error(diff)
	}

	r := wazero.NewRuntime(t.Context())
	defer r.Close(t.Context())

	m, err := r.Instantiate(t.Context(), exported)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := m.ExportedFunction("tick").Call(t.Context()); err != nil {
		t.Fatal(err)
	}

	if one, two := m.ExportedGlobal(names[0]).Get(), m.ExportedGlobal(names[1]).Get(); one != 8 || two != 128 {
		t.Errorf("the globals are %d and %d, want 8 and 128", one, two)
	}
}

func TestExportGlobalsOfDamaged(t *testing.T) {
	for n := len(header) + 1; n < len(counter); n++ {
		if _, _, err := exportGlobals([]byte(counter[:n])); err == nil && !slices.Contains([]int{14, 18, 37, 47}, n) {
			t.Errorf("the first %d bytes: no error", n) // at the others a section ends
		}
	}
}

func FuzzExportGlobals(f *testing.F) {
	f.Add([]byte(counter))
	f.Add([]byte(header + "\x02\x08\x01\x01a\x01b\x03\x7f\x01"))
	f.Fuzz(func(t *testing.T, module []byte) {
		if len(module) < len(header) {
			return
		}

		exported, names, err := exportGlobals(module)
		if err == nil && len(names) == 0 {
			if again, _, err := exportGlobals(exported); err != nil || !bytes.Equal(again, exported) {
				t.Errorf("once more: %x, %v, want %x", again, err, exported)
			}
		}
	})
}

func TestFrames(t *testing.T) {
	for _, text := range []string{"", "x", strings.Repeat("long", 1000)} {
		k, payload, err := unpack(pack(frameOutput, []byte(text)), nil)
		if k != frameOutput || string(payload) != text || err != nil {
			t.Errorf("%q %.20q %v", k, payload, err)
		}
	}

	for _, bad := range []string{"\x00\x00\x00\x00", "\xff\xff\xff\xffx", "\x00\x00\x00\x05xy", "\x00\x00"} {
		if _, _, err := unpack(worker.ReadFrame(strings.NewReader(bad), maxFrame)); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func TestMemory(t *testing.T) {
	var m memory

	m.reserve(64 << 20)
	defer m.Free()

	b := m.Reallocate(8 << 20)
	b[0], b[5<<20], b[8<<20-1] = 1, 2, 3

	m.keep()

	want := bytes.Clone(b)
	for i := 0; i < len(b); i += 1000 {
		b[i] ^= 0xff
	}

	if err := m.restore(); err != nil {
		t.Fatal(err)
	}

	if !bytes.Equal(b, want) {
		t.Error("the memory is not what it was")
	}

	m.limit = 10 << 20
	if m.Reallocate(10<<20+1) != nil || m.grown() {
		t.Error("the memory grew past its limit")
	}

	if b := m.Reallocate(10 << 20); len(b) != 10<<20 || !m.grown() {
		t.Error("the memory did not grow to its limit")
	}
}

func TestProcessorTime(t *testing.T) {
	before, err := processorTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}

	after := before
	for err == nil && after == before { // until it has had a part of the processor
		after, err = processorTime(os.Getpid())
	}

	if err != nil || after < before || after > before+time.Hour {
		t.Errorf("%v and then %v, %v", before, after, err)
	}

	if _, err := processorTime(1 << 24); err == nil {
		t.Error("a process that does not exist has a clock")
	}
}

// TestKilled kills every machine while nobody uses it.
func TestKilled(t *testing.T) {
	e, err := New(t.Context(), Options{Module: reference(t), Servers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()

	c, err := e.machines.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	c.End()
	e.machines.Give(c)

	r, err := e.Run(t.Context(), sandbox.Program{Code: "print(1)"}, sandbox.Limits{})
	if diff := cmp.Diff(sandbox.Reply{Output: "1\n"}, r); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// TestModuleChanged starts a machine whose module is no longer the one it was.
func TestModuleChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "python.wasm")
	if err := os.WriteFile(path, []byte(counter), 0o600); err != nil {
		t.Fatal(err)
	}

	text, err := json.Marshal(config{Module: path, Sum: "another", Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}

	if err := work(context.Background(), string(text)); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Error(err)
	}
}

// reference is the path of the reference module.
func reference(t *testing.T) string {
	path := os.Getenv("TOOLEVO_PYTHON_WASM")
	if path == "" {
		t.Skip("no CPython for WASI is named in TOOLEVO_PYTHON_WASM; make test-wasi fetches one and names it")
	}

	return path
}
