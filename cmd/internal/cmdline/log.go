package cmdline

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

// LogFlags say where a run logs, and how much.
type LogFlags struct{ File, Level string }

// AddLogFlags adds --log-file and --log-level.
func AddLogFlags(cmd *cobra.Command) *LogFlags {
	l := &LogFlags{}
	cmd.Flags().StringVar(&l.File, "log-file", "",
		"append the log to `FILE`: how the run went, and what its "+
			"servers did wrong (default: only the servers, on stderr)")
	cmd.Flags().StringVar(&l.Level, "log-level", "info",
		"log from this `LEVEL` on: debug (each tree of a "+
			"collection), info, warn or error")
	Complete(cmd, "log-level", Offered(logLevels))

	return l
}

// Check refuses a level that there is not.
func (l *LogFlags) Check() error {
	if !slices.Contains(logLevels, l.Level) {
		return console.Usage("--log-level %s: want %s", l.Level, strings.Join(logLevels, ", "))
	}

	return nil
}

// Open opens the log. What goes wrong with servers stands on the screen where there is no file; how
// the run goes, the progress tells there.
func (l *LogFlags) Open(screen io.Writer) (run, servers *slog.Logger, closing io.Closer,
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
		return nil, nil, nil, fmt.Errorf("--log-file: %w", err)
	}

	both := logger(file)

	return both, both, file, nil
}
