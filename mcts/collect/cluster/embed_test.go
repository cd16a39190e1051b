package cluster

import (
	"errors"
	"io/fs"
	"log/slog"
	"syscall"
	"testing"

	"toolevo/envs"
)

// A server whose disk is full or broken ends the run, which can go on later; any other failure may
// pass.
func TestServerWithoutRoom(t *testing.T) {
	var failed error

	log := serverLog{slog.New(slog.DiscardHandler), func(err error) { failed = err }}

	log.Errorf("stream %s: %v", "log", &fs.PathError{Op: "write", Path: "2.blk", Err: syscall.EIO})

	if failed != nil {
		t.Errorf("it fails by %v", failed)
	}

	broken := &fs.PathError{Op: "write", Path: "2.blk", Err: syscall.EIO}
	log.Errorf("Filestore [log] Critical write error: %v", broken)

	if !errors.Is(failed, syscall.EIO) {
		t.Errorf("after a write error that stays it fails by %v", failed)
	}

	log.Errorf("stream %s: %v", "log", &fs.PathError{Op: "write", Path: "2.blk", Err: syscall.ENOSPC})

	if stage, ok := envs.FailedStage(failed); !ok || stage != envs.StageStore || !errors.Is(failed, syscall.ENOSPC) {
		t.Errorf("it fails by %v", failed)
	}
}
