package wasi

import (
	"context"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// Error numbers of WASI preview 1.
const (
	errnoBadDescriptor = 8
	errnoNotSupported  = 58
)

// serveWASI gives the instance its imports. wazero's functions stay where they keep nothing between calls:
// clocks, random bytes, arguments, environment, and everything about files, of which there are none. Those
// that have to do with the three standard descriptors, or end the program, are the machine's.
func (m *machine) serveWASI(ctx context.Context, r wazero.Runtime) error {
	b := r.NewHostModuleBuilder(wasi_snapshot_preview1.ModuleName)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(b)

	for _, f := range []struct {
		name       string
		parameters int
		call       func(ctx context.Context, instance api.Module, args []uint32) uint32
	}{
		{"fd_read", 4, m.fdRead},
		{"fd_write", 4, m.fdWrite},
		{"fd_close", 1, m.fdClose},
		{"fd_renumber", 2, refuse},
		{"fd_fdstat_set_flags", 2, refuse},
	} {
		b.NewFunctionBuilder().WithGoModuleFunction(
			api.GoModuleFunc(func(ctx context.Context, instance api.Module, stack []uint64) {
				args := make([]uint32, f.parameters)
				for i := range args {
					args[i] = uint32(stack[i])
				}

				stack[0] = uint64(f.call(ctx, instance, args))
			}), words(f.parameters), words(1)).Export(f.name)
	}

	exit := api.GoModuleFunc(func(_ context.Context, instance api.Module, stack []uint64) {
		m.end(instance, ending{Status: int(uint32(stack[0]))})
	})
	b.NewFunctionBuilder().WithGoModuleFunction(exit, words(1), nil).Export("proc_exit")
	_, err := b.Instantiate(ctx)

	return err
}

// words are the types of n numbers of 32 bits.
func words(n int) []api.ValueType {
	types := make([]api.ValueType, n)
	for i := range types {
		types[i] = api.ValueTypeI32
	}

	return types
}

func refuse(_ context.Context, _ api.Module, args []uint32) uint32 {
	if args[0] > 2 {
		return errnoBadDescriptor
	}

	return errnoNotSupported
}

// fdRead reads the request, which is all there is to read. The first read is the moment every program begins with: the
// machine keeps the image there, and comes back to it by [machine.end].
func (m *machine) fdRead(ctx context.Context, instance api.Module, args []uint32) uint32 {
	if args[0] != 0 || m.closed[0] {
		return errnoBadDescriptor
	}

	if !m.started {
		m.start(ctx, instance, args)
	}

	m.deliver(instance.Memory(), args)

	return 0
}

// deliver answers a read with what is left of the request.
func (m *machine) deliver(memory api.Memory, args []uint32) {
	buffer, _ := memory.ReadUint32Le(args[1])
	size, _ := memory.ReadUint32Le(args[1] + 4)

	n := min(int(size), len(m.request))
	if args[2] == 0 || !memory.Write(buffer, m.request[:n]) {
		n = 0
	}

	m.request = m.request[n:]
	memory.WriteUint32Le(args[3], uint32(n))
}

// fdWrite hands on what the program prints, and ends it when that is too much. Standard error is for the driver's use.
func (m *machine) fdWrite(_ context.Context, instance api.Module, args []uint32) uint32 {
	if args[0] == 0 || args[0] > 2 || m.closed[args[0]] {
		return errnoBadDescriptor
	}

	memory, written := instance.Memory(), uint32(0)
	for i := range args[2] {
		buffer, _ := memory.ReadUint32Le(args[1] + 8*i)
		size, _ := memory.ReadUint32Le(args[1] + 8*i + 4)

		data, _ := memory.Read(buffer, size)
		if !m.print(args[0], data) {
			m.end(instance, ending{Full: true})
		}

		written += uint32(len(data))
	}

	memory.WriteUint32Le(args[3], written)

	return 0
}

// fdClose closes a standard descriptor for the rest of the program.
func (m *machine) fdClose(_ context.Context, _ api.Module, args []uint32) uint32 {
	if args[0] > 2 || m.closed[args[0]] {
		return errnoBadDescriptor
	}

	m.closed[args[0]] = true

	return 0
}
