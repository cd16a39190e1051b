package trajectories

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"toolevo/envs/action"
	"toolevo/envs/durable"
	"toolevo/trajectories/internal/pq"
)

// ExportOptions say what goes into an export.
type ExportOptions struct {
	Selection Selection

	// System returns the system text of samples whose model was shown an API version: guidelines and tools,
	// and of what made the trajectory what its programs could import. It is called once for each version and
	// makers. Text with a control token is refused.
	System func(promptAPI string, makers []Maker) (string, error)

	// Codec is what the actions are written in; nil is ReAct. The model's turns of function calls are messages of that
	// role.
	Codec action.Codec

	// MixEngines lets rows of different makers stand in one export. What a program shows depends on what runs it, so a
	// mixed export is refused otherwise.
	MixEngines bool

	Tokenizer *Tokenizer // counts tokens; nil counts characters only
	Template  string     // the chat template to count under, one of [Templates]; needed with a Tokenizer
	Cutoff    int        // samples of more tokens are dropped, never cut; 0 keeps them; needs a Tokenizer
	Software  string     // the version of toolevo, for the manifest
}

// ExportLlamaFactory writes rows, which come in canonical order, to a folder that LLaMA-Factory reads as its
// dataset_dir, and returns the manifest. Rows whose sample the linter faults are dropped and counted before the
// selection, so they take no other row's place. No rows left is an export of none, not an error.
//
// The folder is made, or may hold an earlier export, which is replaced; any other content is refused. The manifest is
// removed first and written last, so a folder with a manifest is whole.
func ExportLlamaFactory(ctx context.Context, dir string, rows iter.Seq2[Row, error], opt ExportOptions) (*Manifest,
	error) {
	linter, err := NewLinter(opt.Tokenizer, opt.Template, opt.Cutoff)
	if err != nil {
		return nil, err
	}

	e := &exporter{opt: opt, linter: linter, systems: map[shown]string{}}

	e.manifest = Manifest{
		Version: ManifestVersion, Format: "llamafactory", Software: opt.Software, Runs: []ManifestRun{},
		Selection: opt.Selection.withDefaults(), Lint: LintReport{ByRule: map[Rule]int{}},
	}
	if opt.Tokenizer != nil {
		e.manifest.Lengths = Lengths{Cutoff: opt.Cutoff, Template: opt.Template, TokenizerSHA256: opt.Tokenizer.sha256}
	}

	if err := e.export(ctx, dir, rows); err != nil {
		return nil, fmt.Errorf("trajectories: export to %s: %w", dir, err)
	}

	return &e.manifest, nil
}

type exporter struct {
	opt      ExportOptions
	linter   *Linter
	systems  map[shown]string
	manifest Manifest
	first    *Row // whose makers all others have, unless they may be mixed
}

// shown is what a system text depends on.
type shown struct {
	promptAPI, makers string
}

// MixedError means that rows of different makers were to stand in one export.
type MixedError struct{ First, Other Row }

// Error names both.
func (e *MixedError) Error() string {
	const none = "none on record"

	return fmt.Sprintf("trajectories of different makers: run %s has %s, run %s has %s",
		e.First.RunID, cmp.Or(inWords(e.First.Makers), none), e.Other.RunID, cmp.Or(inWords(e.Other.Makers), none))
}

// mixed makes sure that a row has the makers of those before it. The limits may differ.
func (e *exporter) mixed(row *Row) error {
	if e.opt.MixEngines {
		return nil
	}

	if e.first == nil {
		e.first = row
	}

	if inWords(e.first.Makers) != inWords(row.Makers) {
		return &MixedError{*e.first, *row}
	}

	return nil
}

func (e *exporter) export(ctx context.Context, dir string, rows iter.Seq2[Row, error]) error {
	if err := prepareFolder(dir); err != nil {
		return err
	}

	work, release, err := claimFolder(dir)
	if err != nil {
		return err
	}

	if err = e.writeAll(ctx, work, rows); err == nil {
		err = e.install(work, dir)
	}

	return errors.Join(err, release())
}

// prepareFolder makes the folder, or makes sure that all it holds is an earlier export.
func prepareFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}

	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look into the folder: %w", err)
	}

	for _, entry := range entries {
		if !isExportFile(entry.Name()) || entry.IsDir() {
			return fmt.Errorf("the folder holds %s, which is not part of an export: choose another folder",
				entry.Name())
		}
	}

	return nil
}

func isExportFile(name string) bool {
	return slices.Contains(append(sealedFiles(), ManifestFile), name)
}

// sealedFiles are the files whose checksums stand in the manifest.
func sealedFiles() []string { return []string{DatasetInfoFile, ParquetFile, JSONLFile, LineageFile} }

// writeAll writes every file into the folder work.
func (e *exporter) writeAll(ctx context.Context, work string, rows iter.Seq2[Row, error]) error {
	selected := e.opt.Selection.Select(e.checked(ctx, rows), &e.manifest.Selected)
	if err := e.writeData(work, selected); err != nil {
		return err
	}

	e.manifest.Rows = e.manifest.Selected.Kept
	e.manifest.Questions = e.manifest.Selected.QuestionsKept

	if err := writeJSON(filepath.Join(work, DatasetInfoFile), datasetInfo()); err != nil {
		return err
	}

	for _, name := range sealedFiles() {
		sum, err := sumFile(work, name)
		if err != nil {
			return err
		}

		e.manifest.Files = append(e.manifest.Files, sum)
	}

	seal, err := e.manifest.seal()
	if err != nil {
		return err
	}

	e.manifest.Seal = seal

	return writeJSON(filepath.Join(work, ManifestFile), &e.manifest)
}

// checked drops the rows whose sample the linter faults.
func (e *exporter) checked(ctx context.Context, rows iter.Seq2[Row, error]) iter.Seq2[Row, error] {
	report := &e.manifest.Lint

	return func(yield func(Row, error) bool) {
		for row, err := range rows {
			var sample Sample

			if err = errors.Join(err, ctx.Err()); err == nil {
				err = e.mixed(&row)
			}

			if err == nil {
				sample, _, err = e.sample(&row)
			}

			if err != nil {
				yield(Row{}, err)
				return
			}

			report.Checked++
			if found := e.linter.LintRow(&row, &sample); len(found) > 0 {
				report.Dropped++
				report.ByRule[found[0].Rule]++
				continue
			}

			if !yield(row, nil) {
				return
			}
		}
	}
}

// sample makes the sample of a row; broken counts the messages that were sanitised.
func (e *exporter) sample(row *Row) (s Sample, broken int, err error) {
	key := shown{row.PromptAPI, inWords(row.Makers)}

	system, ok := e.systems[key]
	if !ok {
		if system, err = e.opt.System(row.PromptAPI, row.Makers); err != nil {
			return s, 0, fmt.Errorf("system text for prompt version %s: %w", row.PromptAPI, err)
		}

		if found := e.linter.lintText(-1, system, false); len(found) > 0 {
			return s, 0, fmt.Errorf("system text for prompt version %s: %s", row.PromptAPI, found[0])
		}

		e.systems[key] = system
	}

	s, broken = NewSample(system, row, e.opt.Codec, e.linter.Sanitizer())

	return s, broken, nil
}

// writeData writes the selected rows to the Parquet, JSONL and lineage files, side by side.
func (e *exporter) writeData(work string, rows iter.Seq2[Row, error]) error {
	return durable.WriteFile(filepath.Join(work, ParquetFile), func(pw io.Writer) error {
		return durable.WriteFile(filepath.Join(work, JSONLFile), func(jw io.Writer) error {
			return durable.WriteFile(filepath.Join(work, LineageFile), func(lw io.Writer) error {
				parquet, err := pq.NewWriter(pw, sampleColumns, nil)
				if err != nil {
					return err
				}

				samples, lineage := lineEncoder(jw), lineEncoder(lw)

				for row, err := range rows {
					if err == nil {
						err = e.writeRow(&row, parquet, samples, lineage)
					}

					if err != nil {
						return errors.Join(err, parquet.Close())
					}
				}

				return parquet.Close()
			})
		})
	})
}

func (e *exporter) writeRow(row *Row, parquet *pq.Writer[Sample], samples, lineage *json.Encoder) error {
	sample, broken, err := e.sample(row)
	if err != nil {
		return err
	}

	m := &e.manifest
	m.Lint.Sanitized += broken
	m.addRun(row)

	chars, tokens := e.linter.Length(&sample)
	m.Lengths.TotalChars += chars
	m.Lengths.MaxChars = max(m.Lengths.MaxChars, chars)
	m.Lengths.TotalTokens += tokens
	m.Lengths.MaxTokens = max(m.Lengths.MaxTokens, tokens)

	if err := parquet.Write(&sample); err != nil {
		return err
	}

	if err := samples.Encode(&sample); err != nil {
		return fmt.Errorf("encode sample of %s: %w", row.name(), err)
	}

	if err := lineage.Encode(lineageOf(row, chars, tokens)); err != nil {
		return fmt.Errorf("encode lineage of %s: %w", row.name(), err)
	}

	return nil
}

// install moves the files into place, the manifest last.
func (e *exporter) install(work, dir string) error {
	if err := os.Remove(filepath.Join(dir, ManifestFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the earlier manifest: %w", err)
	}

	for _, name := range append(sealedFiles(), ManifestFile) {
		if err := durable.Rename(filepath.Join(work, name), filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("move %s into place: %w", name, err)
		}
	}

	return nil
}

// lineEncoder writes one JSON value a line, with <, > and & as they are.
func lineEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

func writeJSON(path string, v any) error {
	return durable.WriteFile(path, func(w io.Writer) error {
		enc := lineEncoder(w)
		enc.SetIndent("", "  ")

		if err := enc.Encode(v); err != nil {
			return fmt.Errorf("encode %s: %w", path, err)
		}

		return nil
	})
}

func sumFile(dir, name string) (FileSum, error) {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return FileSum{}, fmt.Errorf("sum %s: %w", name, err)
	}

	h := sha256.New()

	n, err := io.Copy(h, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return FileSum{}, fmt.Errorf("sum %s: %w", name, err)
	}

	return FileSum{Name: name, Bytes: n, SHA256: hex.EncodeToString(h.Sum(nil))}, nil
}
