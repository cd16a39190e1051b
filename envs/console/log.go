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

// LogLevels are the levels of a [Log], the one that tells most first.
func LogLevels() []string { return []string{"debug", "info", "warn", "error"} }

// Check refuses an unknown level.
func (l *Log) Check() error {
	if !slices.Contains(LogLevels(), l.Level) {
		return Usage("‹log-level› %s: want %s", l.Level, strings.Join(LogLevels(), ", "))
	}
	return nil
}

// Open opens the log. What goes wrong with servers stands on the screen where there is no file; how
// the run goes, the progress tells there.
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

	// It names questions and servers: like a run, it is for its owner alone.
	file, err := os.OpenFile(l.File, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("‹log-file›: %w", err)
	}

	both := logger(file)
	return both, both, file, nil
}
