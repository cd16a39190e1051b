package toolbench

import (
	"encoding/json"
	"fmt"
)

// readTool adds the APIs of a tool document, TOOLS/CATEGORY/tool.json. Those that queries offer get the tool's
// description; category is the name of the folder.
func (b *builder) readTool(category string, text []byte) error {
	var raw json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return positioned(text, err, "an object")
	}

	m := membersOf(raw)
	tool, about := m.filled("tool_name"), m.textOrNull("tool_description")
	seen := map[string]bool{}

	m.each("api_list", func(raw json.RawMessage) error {
		d, err := parseToolAPI(category, tool, raw)

		switch {
		case err != nil:
			return err
		case seen[d.API]:
			return fmt.Errorf("%s stands there twice, want each once", d.API)
		}

		seen[d.API] = true
		b.describe(d, about)

		return nil
	})

	return m.err
}

// parseToolAPI reads an API of a tool document.
func parseToolAPI(category, tool string, raw json.RawMessage) (Document, error) {
	m := membersOf(raw)
	d := Document{Key: Key{Category: category, Tool: tool, API: m.filled("name")}}
	d.takeRest(m, "description", "schema")

	return d, m.err
}

// describe keeps the document of a tool's API where no query has one; what queries say of an API stands.
func (b *builder) describe(d Document, about string) {
	known := false

	for k, document := range b.documents {
		if CategoryName(k.Category) == d.Category && k.Tool == d.Tool && k.API == d.API {
			document.ToolDescription, known = about, true
			b.documents[k] = document
		}
	}

	if !known {
		d.ToolDescription = about
		b.documents[d.Key] = d
	}
}
