package atif

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/envs/disk"
)

// The names of files with documents.
const (
	LinesFile = "toolevo_atif.jsonl" // of an export: one document per line
	TrialFile = "trajectory.json"    // in the folder "agent" of a trial, as Harbor has it
	agentDir  = "agent"
)

// lineSuffix ends the names of files with one document per line.
const lineSuffix = ".jsonl"

// versions are the versions of the format that can be read. Each has the fields of those before it.
var versions = []string{
	"ATIF-v1.0", "ATIF-v1.1", "ATIF-v1.2", "ATIF-v1.3", "ATIF-v1.4", "ATIF-v1.5", "ATIF-v1.6", "ATIF-v1.7", version,
}

// NoDocumentError says why a text is not a document in the format.
type NoDocumentError struct {
	Name string // the file, and the line where it has several
	Err  error
}

// Error names the text.
func (e *NoDocumentError) Error() string { return e.Name + " is no ATIF document: " + e.Err.Error() }

// Unwrap returns why.
func (e *NoDocumentError) Unwrap() error { return e.Err }

// Named is a document and where it was read.
type Named struct {
	Name string // the file, and the line where it has several
	Document
}

// Files returns the files with documents in a folder, sorted by name, or the file itself. Finding
// none is an error.
func Files(path string) (files []string, err error) {
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && (IsTrial(name) || entry.Name() == LinesFile || name == path) {
			files = append(files, name)
		}
		return err
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("atif: no documents in %s: neither %s nor a folder %s with %s", path, LinesFile, agentDir,
			TrialFile)
	}

	return files, err
}

// IsTrial reports whether a file has the name and folder of a trial's document.
func IsTrial(file string) bool {
	return filepath.Base(file) == TrialFile && filepath.Base(filepath.Dir(file)) == agentDir
}

// OtherTrials refuses the folders that lie beside the trials that [Files] found at a path, but have
// no document: their agents write none, or their trials ended before that.
func OtherTrials(path string, files []string) (refused []*Refusal, err error) {
	var jobs []string

	for _, file := range files {
		trial := filepath.Dir(filepath.Dir(file))
		// A user who named one trial, or something inside it, did not ask for its neighbours.
		if within := strings.HasPrefix(filepath.Clean(path)+"/", trial+"/"); IsTrial(file) && !within {
			jobs = append(jobs, filepath.Dir(trial))
		}
	}

	slices.Sort(jobs)

	for _, job := range slices.Compact(jobs) {
		entries, err := os.ReadDir(job)
		if err != nil {
			return nil, fmt.Errorf("atif: %w", err)
		}

		for _, e := range entries {
			dir := filepath.Join(job, e.Name())
			inside := func(trial string) bool { return strings.HasPrefix(trial, dir+string(filepath.Separator)) }

			// Tools keep hidden folders beside trials, which are no trials themselves.
			if !e.IsDir() || strings.HasPrefix(e.Name(), ".") || slices.ContainsFunc(files, inside) {
				continue
			}

			refused = append(refused, &Refusal{Document: dir, Why: "it has no " + filepath.Join(agentDir, TrialFile)})
		}
	}
	return refused, nil
}

// Read streams the documents of a file. A text that is not one gives a [NoDocumentError]; see
// [Document.Validate].
func Read(file string) iter.Seq2[Named, error] {
	return func(yield func(Named, error) bool) {
		if !strings.HasSuffix(file, lineSuffix) {
			text, err := disk.ReadJSON(file)
			// A file that cannot be opened may well hold a document.
			if path := (*fs.PathError)(nil); err != nil && !errors.As(err, &path) {
				err = &NoDocumentError{file, err}
			}

			if err != nil {
				yield(Named{}, err)
				return
			}

			yield(parse(file, text))
			return
		}

		n := 0

		// Empty lines count: errors name lines as editors number them.
		for line, err := range disk.Lines(file) {
			if n++; err == nil && len(bytes.TrimSpace(line)) == 0 {
				continue
			}

			var d Named
			if err == nil {
				d, err = parse(fmt.Sprintf("%s, line %d", file, n), line)
			}

			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

func parse(name string, text []byte) (Named, error) {
	d := Named{Name: name}

	err := disk.DecodeLine(text, &d.Document)
	if err == nil {
		err = d.Validate()
	}

	if err != nil {
		return d, &NoDocumentError{name, err}
	}
	return d, nil
}

// Validate returns the first of the format's rules that a document breaks, of those that reading
// depends on, or nil.
func (d *Document) Validate() error {
	switch {
	case !slices.Contains(versions, d.SchemaVersion):
		return fmt.Errorf("schema_version %q: want one of %s", d.SchemaVersion, strings.Join(versions, ", "))
	case d.Agent.Name == "" || d.Agent.Version == "":
		return errors.New("agent has no name or no version")
	case len(d.Steps) == 0:
		return errors.New("no steps")
	}

	for i := range d.Steps {
		if err := d.Steps[i].validate(i + 1); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}

	return nil
}

func (s *Step) validate(id int) error {
	ofAgent := s.Source == AgentSource

	switch {
	case s.StepID != id:
		return fmt.Errorf("step_id %d: want 1, 2, 3 and so on", s.StepID)
	case !ofAgent && s.Source != SystemSource && s.Source != UserSource:
		return fmt.Errorf("source %q: want %s, %s or %s", s.Source, SystemSource, UserSource, AgentSource)
	case !ofAgent && (s.ReasoningContent != "" || s.ToolCalls != nil):
		return fmt.Errorf("reasoning or calls of the %s", s.Source)
	}

	// A result that names no call has the ID "", which the format allows.
	calls := map[string]bool{"": true}

	for _, c := range s.ToolCalls {
		if c.ToolCallID == "" || c.FunctionName == "" {
			return errors.New("a call without ID or name")
		}

		calls[c.ToolCallID] = true
	}

	if s.Observation == nil {
		return nil
	}

	// Results are matched to calls by ID: one of an unknown call would be lost.
	for _, r := range s.Observation.Results {
		if !calls[r.SourceCallID] {
			return fmt.Errorf("source_call_id %q is no call of the step", r.SourceCallID)
		}
	}

	return nil
}
