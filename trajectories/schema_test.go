package trajectories

import (
	"fmt"
	"strings"

	"toolevo/envs"
	"toolevo/trajectories/internal/pq"
)

// Schema returns SCHEMA.md: a description of every column of a file of trajectories and of one of
// episodes, in Markdown.
func Schema() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Columns of trajectories.parquet

Generated from the tables in columns.yaml: do not edit; `+"`go test ./trajectories -run TestSchema -update`"+` writes it.

Schema version %d, in the column `+"`schema_version`"+` and in the footer under `+"`%s`"+`.

One row is one trajectory that ended with the right answer. Rows are ordered by dataset, difficulty, split,
question_index, question_id, question, its other labels by their names, run_hash, tree, node. Parquet, texts in zstd and the rest in Snappy, data
pages of version 1, row groups of at most 1,000 rows. "optional" columns are null where there is nothing; no other column is null.

`, SchemaVersion, schemaKey)
	writeColumns(&b, rowColumns())
	fmt.Fprintf(&b, `
# Columns of episodes.parquet, keys of episodes.jsonl

Schema version %d, in the same places.

One row is one episode of an evaluation: a greedy run of a policy on a question under an API version. Rows are in the
order of the report: dataset and difficulty, policy, API version, question. Of the JSONL file each line is a row, with
null where a column is null. The other words are those above.

`, EpisodeVersion)
	writeColumns(&b, episodeColumns())
	b.WriteString("\nOutcomes:")

	for i, o := range envs.Outcomes() {
		if i > 0 {
			b.WriteByte(',')
		}

		fmt.Fprintf(&b, " `%s`", o)
	}

	b.WriteString(".\n")
	return b.String()
}

// writeColumns writes a table of columns, and one for each list among them.
func writeColumns(b *strings.Builder, columns []pq.Column) {
	writeTable(b, columns)

	for _, c := range columns {
		if c.Fields != nil {
			fmt.Fprintf(b, "\n## One element of `%s`\n\n", c.Name)
			writeTable(b, c.Fields)
		}
	}
}

func writeTable(b *strings.Builder, columns []pq.Column) {
	b.WriteString("| Column | Type | Meaning |\n|---|---|---|\n")

	for _, c := range columns {
		typ := c.Kind.String()
		if c.Optional {
			typ += ", optional"
		}

		fmt.Fprintf(b, "| `%s` | %s | %s |\n", c.Name, typ, c.Doc)
	}
}
