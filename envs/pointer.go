package envs

import (
	"strconv"
	"strings"
)

// Pointer is a JSON pointer (RFC 6901), such as /orders/0/id: a place in a value made of [Args] and
// lists. The whole value is at "".
type Pointer string

var (
	escaped   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaped = strings.NewReplacer("~1", "/", "~0", "~")
)

// Add returns the pointer to the member of p's value with a name or number.
func (p Pointer) Add(part string) Pointer { return p + Pointer("/"+escaped.Replace(part)) }

// Parts returns the names and numbers along the path.
func (p Pointer) Parts() []string {
	if p == "" {
		return nil
	}

	all := strings.Split(string(p[1:]), "/")
	for i, part := range all {
		all[i] = unescaped.Replace(part)
	}
	return all
}

// In returns what is at p in a value, and whether there is anything.
func (p Pointer) In(value any) (any, bool) {
	for _, part := range p.Parts() {
		switch whole := value.(type) {
		case Args:
			var ok bool
			if value, ok = whole.Get(part); !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(whole) {
				return nil, false
			}

			value = whole[i]
		default:
			return nil, false
		}
	}

	return value, true
}
