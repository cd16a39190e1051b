package pytool

import "slices"

// Describe returns a sentence for the description of the tool that names the modules that can be
// imported: "Only the modules of Python's standard library and numpy can be imported."
func Describe(modules []string) string {
	list := "Python's standard library"

	names := slices.Sorted(slices.Values(modules))
	for i, name := range names {
		if i == len(names)-1 {
			list += " and " + name
		} else {
			list += ", " + name
		}
	}

	return "Only the modules of " + list + " can be imported."
}
