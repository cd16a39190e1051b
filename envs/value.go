package envs

// Map returns a value with every part replaced, the whole before its parts. The parts of what
// replace calls final are left as they are.
func Map(v any, replace func(part any) (by any, final bool)) any {
	v, final := replace(v)
	if final {
		return v
	}

	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = Map(item, replace)
		}
		return list
	case Args:
		object := make(Args, len(v))
		for i, m := range v {
			object[i] = Arg{Name: m.Name, Value: Map(m.Value, replace)}
		}
		return object
	}
	return v
}

// Listed returns texts as a JSON list.
func Listed(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}
