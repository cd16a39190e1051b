package confine

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// The offsets in struct seccomp_data of what a filter looks at; see seccomp(2). On the machines
// that have filters, the lower half of an argument comes first.
const (
	offsetCall = 0
	offsetArch = 4
	offsetArgs = 16
)

// firstX32 is above the number of any call. x32, amd64's second way of calling, begins there.
const firstX32 = 0x40000000

// Answers of a filter.
var (
	allow = bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	kill  = bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS}
)

// fail returns the answer that makes a call fail.
func fail(with unix.Errno) bpf.RetConstant {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(with)}
}

// filter is a seccomp filter in the making. Every rule is for one call, and every way through it
// ends in an answer, so the next rule still finds the call's number loaded. elastic/go-seccomp-bpf
// gives calls of another machine the default answer, which a list of denied calls would allow, and
// has no masks for arguments.
type filter struct {
	code []bpf.Instruction
	own  []int // the instructions that compare with the process's own number
}

// newFilter begins a filter for this machine. A call from code of another machine, whose numbers
// mean other calls, ends the process.
func newFilter() *filter {
	return &filter{code: []bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		kill,
		bpf.LoadAbsolute{Off: offsetCall, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: firstX32, SkipFalse: 1},
		kill,
		bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: newest, SkipFalse: 1},
		fail(unix.ENOSYS),
	}}
}

// answer gives calls an answer whatever their arguments.
func (f *filter) answer(a bpf.RetConstant, calls ...uint32) {
	for _, call := range calls {
		f.code = append(f.code, bpf.JumpIf{Cond: bpf.JumpEqual, Val: call, SkipFalse: 1}, a)
	}
}

// condition holds if half of an argument, under a mask, is one of some values.
type condition struct {
	arg   uint32 // 0 to 5
	upper bool   // the upper half: pointers have two
	mask  uint32 // 0 means all bits
	is    []uint32
	own   bool // is the process's own number, instead
}

// rule gives a call the answer yes if all conditions hold, and no otherwise.
func (f *filter) rule(call uint32, yes, no bpf.RetConstant, conditions ...condition) {
	var block []bpf.Instruction
	var last []int // comparisons that lead to no when they fail

	for _, c := range conditions {
		offset := offsetArgs + 8*c.arg
		if c.upper {
			offset += 4
		}

		block = append(block, bpf.LoadAbsolute{Off: offset, Size: 4})
		if c.mask != 0 {
			block = append(block, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: c.mask})
		}

		if c.own {
			// The number is not known yet: the process will put it into the filter here.
			f.own = append(f.own, len(f.code)+1+len(block))
			c.is = []uint32{0}
		}

		// Any value that matches leads to the next condition; only the last comparison leads to no.
		for i, value := range c.is {
			block = append(block, bpf.JumpIf{
				Cond: bpf.JumpEqual, Val: value, SkipTrue: uint8(len(c.is) - 1 - i),
			})
		}

		last = append(last, len(block)-1)
	}

	block = append(block, yes, no)
	for _, at := range last {
		jump := block[at].(bpf.JumpIf)
		jump.SkipFalse = uint8(len(block) - 1 - (at + 1))
		block[at] = jump
	}

	// Another call skips the block, and finds its number still loaded.
	isCall := bpf.JumpIf{Cond: bpf.JumpEqual, Val: call, SkipFalse: uint8(len(block))}
	f.code = append(append(f.code, isCall), block...)
}

// otherwise ends the filter with the answer to all other calls.
func (f *filter) otherwise(a bpf.RetConstant) *filter {
	f.code = append(f.code, a)
	return f
}

// assemble returns the filter as the kernel reads it.
func (f *filter) assemble() ([]unix.SockFilter, error) {
	raw, err := bpf.Assemble(f.code)
	if err != nil {
		return nil, err
	}

	program := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		program[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	return program, nil
}

// install puts a filter on this thread and on what it will execute. The process must have renounced
// new privileges before.
func install(f *filter) error {
	if err := probeSeccomp(); err != nil {
		return err
	}

	program, err := f.assemble()
	if err != nil {
		return err
	}

	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}

	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	return nil
}

// probeSeccomp says why the kernel does not offer filters.
func probeSeccomp() error {
	if auditArch == 0 {
		return errors.New("there are filters for amd64 and arm64 only")
	}

	action := uint32(unix.SECCOMP_RET_KILL_PROCESS)

	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	switch errno {
	case 0:
		return nil
	case unix.ENOSYS, unix.EINVAL, unix.EOPNOTSUPP:
		return fmt.Errorf("this kernel does not know it: %w: it takes Linux 4.14 or later with CONFIG_SECCOMP_FILTER",
			errno)
	}

	return fmt.Errorf("something around this process denies it: %w: a container's profile must allow seccomp", errno)
}
