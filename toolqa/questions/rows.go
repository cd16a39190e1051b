package questions

import "slices"

// distinctTexts returns the texts that are not empty, each once, in order.
func distinctTexts(texts []string) []string {
	return slices.DeleteFunc(eachOnce(texts), func(t string) bool { return t == "" })
}

// eachOnce returns the distinct texts in order.
func eachOnce(texts []string) []string {
	var list []string
	for _, t := range texts {
		if !slices.Contains(list, t) {
			list = append(list, t)
		}
	}

	return list
}
