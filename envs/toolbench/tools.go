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

	f, err := parseFields(raw)
	if err != nil {
		return err
	}

	tool, err := filledField(f, "tool_name")
	if err != nil {
		return err
	}

	about, err := textOrNull(f, "tool_description")
	if err != nil {
		return err
	}

	list, err := field[[]json.RawMessage](f, "api_list")
	if err != nil {
		return err
	}

	seen := map[string]bool{}

	for i, raw := range list {
		d, err := parseToolAPI(category, tool, raw)
		if err == nil && seen[d.API] {
			err = fmt.Errorf("%s stands there twice, want each once", d.API)
		}

		if err != nil {
			return fmt.Errorf("api_list[%d]: %w", i, err)
		}

		seen[d.API] = true
		b.describe(d, about)
	}

	return nil
}

// parseToolAPI reads an API of a tool document.
func parseToolAPI(category, tool string, raw json.RawMessage) (Document, error) {
	d := Document{Key: Key{Category: category, Tool: tool}}

	f, err := parseFields(raw)
	if err != nil {
		return d, err
	}

	if d.API, err = filledField(f, "name"); err != nil {
		return d, err
	}

	return d, d.takeRest(f, "description", "schema")
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
