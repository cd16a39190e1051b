package confine

import "golang.org/x/sys/unix"

const (
	auditArch  = unix.AUDIT_ARCH_AARCH64
	openLegacy = 0
)

// The calls that newer machines do not have, by the lists they belong to.
var (
	changingLegacy  = []uint32{unix.SYS_RENAMEAT}
	computingLegacy = []uint32{unix.SYS_GETRLIMIT}

	deniedLegacy, leadingLegacy []uint32
)
