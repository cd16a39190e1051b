package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
)

// logLevels are what --log-level takes, the one that tells most first.
var logLevels = []string{"debug", "info", "warn", "error"}

// logFlags say where a run logs, and how much.
type logFlags struct{ file, level string }

func addLogFlags(cmd *cobra.Command) *logFlags {
	l := &logFlags{}
	cmd.Flags().StringVar(&l.file, "log-file", "", "append the log to `FILE`: how the run went, and what its "+
		"servers did wrong (default: only the servers, on stderr)")
	cmd.Flags().StringVar(&l.level, "log-level", "info", "log from this `LEVEL` on: debug (each tree of a "+
		"collection), info, warn or error")
	console.Complete(cmd, "log-level", console.Offered(logLevels))

	return l
}

// check refuses a level that there is not.
func (l *logFlags) check() error {
	if !slices.Contains(logLevels, l.level) {
		return console.Usage("--log-level %s: want %s", l.level, strings.Join(logLevels, ", "))
	}

	return nil
}

// open opens the log. What goes wrong with servers stands on the screen where there is no file; how the run goes, the
// progress tells there.
func (l *logFlags) open(screen io.Writer) (run, servers *slog.Logger, closing io.Closer, err error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.level)); err != nil {
		return nil, nil, nil, err
	}

	logger := func(w io.Writer) *slog.Logger {
		return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
	}

	if l.file == "" {
		return slog.New(slog.DiscardHandler), logger(screen), nil, nil
	}

	// It names questions and servers: like a run, it is for its owner alone.
	file, err := os.OpenFile(l.file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("--log-file: %w", err)
	}

	both := logger(file)

	return both, both, file, nil
}

// openLog opens the log of the run to come, until the bench is closed.
func (f *runFlags) openLog(b *bench) (err error) {
	b.log, f.serving.Log, b.logFile, err = f.logging.open(f.settings.app.Err)
	return err
}

// logEnd logs how a run ended.
func (b *bench) logEnd(err error) {
	if err != nil {
		b.log.Error("the run stopped", "because", err)
		return
	}

	b.log.Info("the run is done")
}
