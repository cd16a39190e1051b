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
	LinesFile = "toolevo_atif.jsonl" // of an export: a document a line
	TrialFile = "trajectory.json"    // in the folder "agent" of a trial, as Harbor has it
	agentDir  = "agent"
)

// lineSuffix is what names of files with a document a line end with.
const lineSuffix = ".jsonl"

// versions are the versions of the format that are read. Each has the fields of those before it.
var versions = []string{
	"ATIF-v1.0", "ATIF-v1.1", "ATIF-v1.2", "ATIF-v1.3", "ATIF-v1.4", "ATIF-v1.5", "ATIF-v1.6", "ATIF-v1.7", version,
}

// NoDocumentError says why a text is not a document of the format.
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

// Files returns the files with documents in a folder, in the order of their names, or the file
// itself. None is an error.
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

// IsTrial reports whether a file is called as that of a trial.
func IsTrial(file string) bool {
	return filepath.Base(file) == TrialFile && filepath.Base(filepath.Dir(file)) == agentDir
}

// OtherTrials refuses the folders beside the trials at a path, which [Files] found, that have no
// document: those of an agent that writes none, or of a trial that ended before.
func OtherTrials(path string, files []string) (refused []*Refusal, err error) {
	var jobs []string

	for _, file := range files {
		trial := filepath.Dir(filepath.Dir(file))
		// Nobody asked for what stands beside a trial that was named itself, or by what is in it.
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

			if !e.IsDir() || strings.HasPrefix(e.Name(), ".") || slices.ContainsFunc(files, inside) {
				continue
			}

			refused = append(refused, &Refusal{Document: dir, Why: "it has no " + filepath.Join(agentDir, TrialFile)})
		}
	}
	return refused, nil
}

// Read streams the documents of a file. A text that is none is a [NoDocumentError], see
// [Document.Validate].
func Read(file string) iter.Seq2[Named, error] {
	return func(yield func(Named, error) bool) {
		if !strings.HasSuffix(file, lineSuffix) {
			text, err := disk.ReadJSON(file)
			// A file that cannot be opened says nothing of what is in it.
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

// Validate returns which of the format's rules a document breaks, of those that reading depends on;
// nil is none.
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

	// The format lets a result name no call.
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

	for _, r := range s.Observation.Results {
		if !calls[r.SourceCallID] {
			return fmt.Errorf("source_call_id %q is no call of the step", r.SourceCallID)
		}
	}

	return nil
}
