package importer

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/nlpodyssey/gopickle/types"

	"toolevo/envs/pytext"
)

// The attributes of a node are small and shallow; a pickle that refers to the same object again and again can
// be neither.
const (
	maxAttributes      = 4 << 20 // bytes
	maxAttributesDepth = 20
)

// appendPickled appends a plain value as JSON, which pytext.Decode reads back. A tuple is written as a list.
func appendPickled(dst []byte, v any) ([]byte, error) {
	w := pickledWriter{limit: len(dst) + maxAttributes}
	return w.append(dst, v, 0)
}

type pickledWriter struct{ limit int }

func (w pickledWriter) append(dst []byte, v any, depth int) ([]byte, error) {
	if depth > maxAttributesDepth || len(dst) > w.limit {
		return nil, fmt.Errorf("the attributes are deeper than %d levels or longer than %d bytes: %w",
			maxAttributesDepth, maxAttributes, errNotGraph)
	}

	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case int:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case *big.Int:
		return v.Append(dst, 10), nil
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return pytext.AppendFloat(dst, v), nil
		}
	case string:
		return pytext.AppendJSON(dst, v), nil
	case *types.List:
		return w.list(dst, *v, depth)
	case *types.Tuple:
		return w.list(dst, *v, depth)
	}

	if d, ok := dictOf(v); ok {
		return w.dict(dst, d, depth)
	}

	return nil, fmt.Errorf("the attributes hold %s: %w", pythonType(v), errNotGraph)
}

func (w pickledWriter) list(dst []byte, items []any, depth int) (_ []byte, err error) {
	dst = append(dst, '[')

	for i, item := range items {
		if i > 0 {
			dst = append(dst, ", "...)
		}

		if dst, err = w.append(dst, item, depth+1); err != nil {
			return nil, err
		}
	}

	return append(dst, ']'), nil
}

func (w pickledWriter) dict(dst []byte, d types.Dict, depth int) (_ []byte, err error) {
	dst = append(dst, '{')

	for i, entry := range d {
		if i > 0 {
			dst = append(dst, ", "...)
		}

		key, ok := entry.Key.(string)
		if !ok {
			return nil, fmt.Errorf("an attribute is called %s: %w", pythonType(entry.Key), errNotGraph)
		}

		dst = append(pytext.AppendJSON(dst, key), ": "...)
		if dst, err = w.append(dst, entry.Value, depth+1); err != nil {
			return nil, err
		}
	}

	return append(dst, '}'), nil
}
