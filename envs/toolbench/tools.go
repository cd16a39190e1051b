package toolbench

import (
	"encoding/json"
	"fmt"
)

// publishedTool is a tool document.
type publishedTool struct {
	Tool  string `json:"tool_name"`
	About string `json:"tool_description"`
	APIs  []struct {
		Document
		API         string          `json:"name"`
		Description string          `json:"description"`
		Template    json.RawMessage `json:"schema"`
	} `json:"api_list"`
}

// readTool adds the APIs of a tool document, TOOLS/CATEGORY/tool.json. Those that queries offer get
// the tool's description; category is the name of the folder.
func (b *builder) readTool(category string, text []byte) error {
	var t publishedTool
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}

	seen := map[string]bool{}

	for i, a := range t.APIs {
		if seen[a.API] {
			return fmt.Errorf("api_list[%d]: %s is there twice, want each once", i, a.API)
		}

		seen[a.API] = true
		a.Document.Key = Key{category, t.Tool, a.API}
		a.Document.Description, a.Document.Template = a.Description, a.Template
		b.describe(a.Document, t.About)
	}

	return nil
}

// describe keeps the document of a tool's API unless a query has one; what queries say of an API
// has precedence.
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
		_ = b.add(d, "a tool document") // it is the first
	}
}
