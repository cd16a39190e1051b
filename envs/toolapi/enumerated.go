package toolapi

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"toolevo/envs"
)

// Enumerated is a list of a tool with types that is sent item by item: Item1, Item2, … up to Most.
// Unlike the items of a [Numbered], they are ordinary parameters, each with its schema.
type Enumerated struct {
	Item string `yaml:"item"`
	To   string `yaml:"to"`
	Most int    `yaml:"most"`           // a longer list cannot be sent
	Text bool   `yaml:"text,omitempty"` // the tool takes one text with the items, and not a list of them
}

func (e Enumerated) check() error {
	if e.Item == "" || e.To == "" || e.Most < 1 {
		return errors.New("enumerated needs an item, a parameter of the tool and at least one item")
	}
	return nil
}

// Names returns the names of the items.
func (e Enumerated) Names() []string {
	names := make([]string, e.Most)
	for i := range names {
		names[i] = e.Item + strconv.Itoa(i+1)
	}
	return names
}

// Lower puts the items together. Without items the list is empty, and a text is left out.
func (e Enumerated) Lower(args envs.Args) (envs.Args, *ArgError) {
	var (
		names   = e.Names()
		items   = []any{}
		missed  string // the first item that is not there
		lowered = args.Without(names...)
	)

	for _, name := range names {
		// A gap among the items is a mistake: which item was meant is not clear.
		v, given := args.Get(name)

		switch {
		case given && missed != "":
			return nil, missing(missed)
		case given:
			items = append(items, v)
		case missed == "":
			missed = name
		}
	}

	if !e.Text {
		return lowered.With(e.To, items), nil
	}

	// An empty text would be a list with one empty item.
	if len(items) == 0 {
		return lowered, nil
	}

	texts := make([]string, len(items))

	for i, item := range items {
		text, ok := item.(string)
		if !ok {
			return nil, &ArgError{Value: true, parameter: names[i], problem: "is not a text"}
		}

		texts[i] = text
	}
	return lowered.With(e.To, strings.Join(texts, listSeparator)), nil
}

// Lift takes the list apart.
func (e Enumerated) Lift(args envs.Args) (envs.Args, error) {
	v, given := args.Get(e.To)
	if !given && e.Text { // it is optional
		return args, nil
	}

	items, ok := v.([]any)
	if e.Text {
		var text string
		text, ok = v.(string)

		for _, item := range strings.Split(text, listSeparator) {
			items = append(items, item)
		}
	}

	if !ok || len(items) > e.Most {
		return nil, fmt.Errorf("%s is not a list of at most %d items", e.To, e.Most)
	}

	lifted := args.Without(e.To)
	for i, name := range e.Names()[:len(items)] {
		lifted = lifted.With(name, items[i])
	}
	return lifted, nil
}
