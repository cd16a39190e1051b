package export

import (
	"os"
	"path/filepath"
)

// Inspect is the format of inspect_ai's logs, one for each row of an evaluation's report. Another
// package writes them.
const Inspect Format = "inspect"

const inspectFolder = "toolevo_inspect"

func init() {
	register(form{
		format: Inspect,
		documents: documents{
			entry: inspectFolder + "/", evaluation: true, write: (*documentWriter).inspectLogs,
			open: "Open them with: inspect view --log-dir %s",
		},
	})
}

func (w *documentWriter) inspectLogs(work string) (err error) {
	logs := filepath.Join(work, inspectFolder)
	if err := os.Mkdir(logs, 0o755); err != nil {
		return err
	}

	w.manifest.Rows, w.manifest.Lost, err = w.from.Logs(logs)
	return err
}
