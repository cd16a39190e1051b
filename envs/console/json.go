package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf16"
)

// PrintJSON prints a document. Every character of it is visible: JSON has escapes for the others.
func (p *Program) PrintJSON(v any) error {
	text, err := EncodeJSON(v)
	if err == nil {
		_, err = p.Out.Write(text)
	}
	return err
}

// Show prints a document as JSON if that is wanted, or else the text about it.
func (p *Program) Show(document any, text func()) error {
	if p.JSON {
		return p.PrintJSON(document)
	}

	text()
	return nil
}

// EncodeJSON returns the text that PrintJSON prints.
func EncodeJSON(v any) ([]byte, error) {
	var text, b bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)

	if err := enc.Encode(v); err != nil {
		return nil, err
	}

	for _, r := range text.String() {
		if r == '\n' || unicode.IsGraphic(r) {
			b.WriteRune(r)
			continue
		}

		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.Bytes(), nil
}
