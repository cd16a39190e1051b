package export

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/trajectories/atif"
)

// The formats of the Agent Trajectory Interchange Format: ATIF has one document per line, ATIFFiles
// one per file, in the folders that Harbor makes.
const (
	ATIF      Format = "atif"
	ATIFFiles Format = "atif-files"
)

const atifFolder = "toolevo_atif" // to Harbor, a job

func init() {
	register(form{
		format:    ATIF,
		documents: documents{entry: atif.LinesFile, write: (*documentWriter).atifLines},
	})
	register(form{
		format: ATIFFiles,
		documents: documents{
			entry: atifFolder + "/", write: (*documentWriter).atifFiles,
			open: "OpenTelemetry spans: harbor traces export --path %s --format otel --output spans.jsonl",
		},
	})
}

func (w *documentWriter) atifLines(work string) error {
	return disk.WriteFile(filepath.Join(work, atif.LinesFile), func(out io.Writer) error {
		enc := disk.NewLineEncoder(out)
		return w.documents(func(d *atif.Document) error { return enc.Encode(d) })
	})
}

func (w *documentWriter) atifFiles(work string) error {
	return w.documents(func(d *atif.Document) error {
		name := filepath.Join(work, filepath.FromSlash(trialFile(d)))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return writeJSON(name, d)
	})
}

// trialFile returns the path of a document's file in its export, which to Harbor is a trial, in a
// folder named after the document's ID.
func trialFile(d *atif.Document) string {
	plain := strings.Map(func(r rune) rune {
		if r < '0' && r != '-' && r != '.' || r > 'z' || strings.ContainsRune(`:;<=>?@[\]^`+"`", r) {
			return '_'
		}
		return r
	}, strings.TrimPrefix(d.TrajectoryID, d.Extra.Ours.RunID+"/"))

	// IDs may differ only in characters that no file name has, or after the hundredth.
	mark := envs.SHA256(d.TrajectoryID)[:8]
	return path.Join(atifFolder, fmt.Sprintf("%.100s-%s", plain, mark), "agent", atif.TrialFile)
}
