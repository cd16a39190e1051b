package export

// datasetEntry is an entry of dataset_info.json.
type datasetEntry struct {
	FileName   string            `json:"file_name"`
	Formatting string            `json:"formatting"`
	Ranking    bool              `json:"ranking,omitempty"`
	Columns    map[string]string `json:"columns"`

	// Tags are given all or not at all: giving any resets all the others to nothing.
	Tags map[string]string `json:"tags,omitempty"`
}

// FitsLlamaFactory reports whether LLaMA-Factory can train the export. It cannot if messages have
// tool calls as members: its formatting sharegpt trains them without the calls, and its formatting
// openai without the text beside a call, whose arguments it encodes a second time. Nor does it read
// trees.
func (m *Manifest) FitsLlamaFactory() bool {
	return m.Trainer == LlamaFactory && !m.ToolCalls && m.Format.Reader() == ""
}

// datasetInfo returns the contents of dataset_info.json. It names files, never the folder, of which
// LLaMA-Factory would take every entry. An export that it cannot train is not in it.
func (m *Manifest) datasetInfo() map[string]datasetEntry {
	info := map[string]datasetEntry{}

	for _, s := range m.Sets {
		info[s.Name] = instructionInfo(s.Name)
	}

	f := m.Format
	if !m.FitsLlamaFactory() || !f.IsTrained() {
		return info
	}

	l := m.layout()
	entry := datasetEntry{
		Formatting: "sharegpt", Ranking: f.IsPairs(), Tags: l.tags, Columns: map[string]string{},
	}

	// LLaMA-Factory maps the names of its own columns to those of the files. They differ in one.
	for _, c := range l.columns {
		role := c.Name
		if role == "conversations" {
			role = "messages"
		}

		entry.Columns[role] = c.Name
	}

	// Both files hold the same samples, so whoever trains chooses one of the two names.
	for _, d := range m.datasets() {
		entry.FileName = d.parquet()
		info[d.name] = entry
		entry.FileName = d.jsonl()
		info[d.jsonlDataset()] = entry
	}

	return info
}
