package console

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
)

// Log says where a run logs, and from which level on.
type Log struct{ File, Level string }

// LogLevels returns the levels of a [Log], beginning with the one that says most.
func LogLevels() []string { return []string{"debug", "info", "warn", "error"} }

// Check refuses an unknown level.
func (l *Log) Check() error {
	if !slices.Contains(LogLevels(), l.Level) {
		return Usage("‹log-level› %s: want %s", l.Level, strings.Join(LogLevels(), ", "))
	}
	return nil
}

// Open opens the log. Without a file, problems with servers go to the screen, where the progress
// shows how the run is doing.
func (l *Log) Open(screen io.Writer) (run, servers *slog.Logger, closing io.Closer,
	err error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.Level)); err != nil {
		return nil, nil, nil, err
	}

	logger := func(w io.Writer) *slog.Logger {
		return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
	}

	if l.File == "" {
		return slog.New(slog.DiscardHandler), logger(screen), nil, nil
	}

	// It names questions and servers: like a run, it is for its owner only.
	file, err := os.OpenFile(l.File, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("‹log-file›: %w", err)
	}

	both := logger(file)
	return both, both, file, nil
}
