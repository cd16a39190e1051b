package importer

import (
	"context"
	"fmt"
	"path/filepath"

	"toolevo/envs"
	"toolevo/toolqa/corpus/internal/layout"
)

// agendaTexts is the published file with the passages of the agenda: a JSON object a line, whose
// "event" is the passage.
const agendaTexts = "agenda_descriptions_merged.jsonl"

// agendaFiles finds the file of the table and, if it exists, that of the passages. Besides the
// usual places they may be in the folders of the published repository: raw_data/agenda and
// external_corpus/agenda.
func agendaFiles(schema layout.Schema, from string) ([]string, error) {
	table, err := findBeside(schema.Dataset, from, schema.File)
	if err != nil {
		return nil, err
	}

	folder := from
	if table == from {
		folder = filepath.Dir(from)
	}

	texts, err := findBeside(schema.Dataset, folder, agendaTexts)
	if err != nil {
		return []string{table}, nil // importAgenda reports it
	}
	return []string{table, texts}, nil
}

// importAgenda copies the passages.
func importAgenda(src *source) (layout.Part, error) {
	if len(src.paths) == 1 {
		if src.opts.AllowShort {
			src.short = true
			return nil, nil
		}
		return nil, fmt.Errorf("corpus: import %s: no %s beside %s: it holds the passages that RetrieveAgenda "+
			"searches (allow-short imports the table alone, and then RetrieveAgenda finds nothing)",
			src.dataset, agendaTexts, src.paths[0])
	}
	return func(_ context.Context, put func(table string, values ...any) error) error {
		id := 0
		return src.objects(src.schema.Rows, func(line int, object envs.Args) error {
			text, ok := object.Text("event")
			if !ok {
				return badLine(`no text as "event"`)
			}
			id++

			return put(layout.Documents, id, fmt.Sprintf("%s:%d", agendaTexts, line), text)
		}, src.paths[1])
	}, nil
}
