package tensor

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// Paper is the domain as StateEval has it: programs give the elements of loaded tensors, of any
// dtype, and calls may take as much work as those of the published programs.
type Paper struct{ Domain }

// Begin implements [stategen.Service]. The service starts with an object of the loaded tensors, by
// name, as [Encode] writes them; loaded variables have the values that tools return. Without that
// object they come from seeds.
func (d Paper) Begin(p *stategen.Program, values map[string]any) (stategen.State, error) {
	if p.Server.Any == nil {
		return d.Domain.Begin(p, values)
	}

	all, _ := p.Server.Any.(envs.Args)
	return begin(p, paperBounds, func(name string) (*Tensor, error) {
		return Decode(all.Object(name))
	})
}

// Call implements [stategen.Service]. Results have the dtype of the first tensor that they are
// made from.
func (d Paper) Call(from stategen.State, tool string, args envs.Args) (stategen.State, any, error) {
	to, value, err := d.Domain.Call(from, tool, args)
	if err != nil {
		return to, value, err
	}

	// All is computed in float32, so that another dtype is nothing but a name to pass on.
	s, first := to.(*state), ""

	for _, a := range args {
		list, _ := a.Value.([]any)
		for _, v := range append(slices.Clip(list), a.Value) {
			if t := s.find(stategen.Handle(v, handleMember)); t != nil && first == "" {
				first = t.DType()
			}
		}
	}

	if first == dtype {
		return to, value, nil
	}

	// Only here may a tensor change: nobody has seen the new ones yet.
	known := len(from.(*state).objects)
	for _, o := range s.objects[known:] {
		o.tensor.dtype = first
	}
	return to, envs.Map(value, func(part any) (any, bool) {
		if t := s.find(stategen.Handle(part, handleMember)); t != nil {
			return t.value(stategen.Handle(part, handleMember)), true
		}
		return part, false
	}), nil
}

// Value returns the value of a tensor with a handle, as callers see it.
func (t *Tensor) Value(handle string) envs.Args { return t.value(handle) }

// kinds are the dtypes by NumPy's codes. Their elements are little-endian.
var kinds = map[string]string{
	"<f4": "float32", "<f8": "float64", "<f2": "float16", "<i8": "int64", "<i4": "int32", "<i2": "int16", "|i1": "int8",
	"|u1": "uint8", "|b1": "bool",
}

// Encode returns a tensor as StateEval's evaluator writes it: its shape, dtype, and elements in
// base64.
func Encode(t *Tensor) envs.Args {
	data := make([]byte, 0, 4*len(t.Data))
	for _, x := range t.Data {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return envs.Object("__tensor__", true, shapeMember, numbers(t.Shape), "dtype", "<f4",
		"data_b64", base64.StdEncoding.EncodeToString(data))
}

// Decode reads what [Encode] writes, of any dtype.
func Decode(v envs.Args) (*Tensor, error) {
	code, _ := v.Text("dtype")
	text, isText := v.Text("data_b64")
	shape := (&arguments{args: v}).integers(shapeMember)

	kind, known := kinds[code]
	if !known || !isText {
		return nil, fmt.Errorf("a tensor has a shape, a dtype and data_b64; the dtype %q is not known", code)
	}

	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("data_b64: %w", err)
	}

	width, _ := strconv.Atoi(code[2:])
	if n := size(shape...); n < 0 || n > mostLoaded || n*width != len(data) || slices.Min(append(shape, 0)) < 0 {
		return nil, fmt.Errorf("%d bytes are no tensor of shape %s and dtype %s", len(data), shapeText(shape), kind)
	}

	t := &Tensor{Shape: shape, Data: make([]float32, len(data)/width), dtype: kind}
	for i := range t.Data {
		t.Data[i] = element(code, data[i*width:][:width])
	}
	return t, nil
}

// element reads one element.
func element(code string, b []byte) float32 {
	whole := uint64(0)
	for i, x := range b {
		whole |= uint64(x) << (8 * i)
	}

	switch shift := 64 - 8*len(b); {
	case code == "<f4":
		return math.Float32frombits(uint32(whole))
	case code == "<f8":
		return float32(math.Float64frombits(whole))
	case code == "<f2":
		return half(uint16(whole))
	case strings.Contains(code, "i"):
		return float32(int64(whole<<shift) >> shift)
	}

	return float32(whole)
}

// half returns the value of a 16-bit floating-point number.
func half(bits uint16) float32 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)/1024
	value := math.Ldexp(1+fraction, exponent-15)

	switch exponent {
	case 0:
		value = math.Ldexp(fraction, -14)
	case 31:
		value = math.Inf(1)
		if fraction > 0 {
			value = math.NaN()
		}
	}

	return float32(math.Copysign(value, -float64(bits>>15)+0.5))
}

// Parse reads a tensor from valid JSON: numbers in nested lists, as StateEval wrote tensors before
// it encoded them. There may be millions of them, so it makes no other values on the way.
func Parse(text []byte) (*Tensor, error) {
	t := &Tensor{}
	counts, depth, rank := []int{}, 0, 0 // of the lists that are open

	for len(text) > 0 {
		width := 1

		// The first list to end at a depth sets the size of that dimension, and the first number
		// the rank; everything after has to agree.
		switch c := text[0]; c {
		case ' ', '\t', '\r', '\n', ',':
		case '[':
			if depth++; rank > 0 && depth > rank {
				return nil, errors.New("the lists of a tensor are of several depths")
			}

			if depth > len(counts) {
				counts, t.Shape = append(counts, 0), append(t.Shape, -1)
			}

			counts[depth-1] = 0
		case ']':
			if depth--; t.Shape[depth] < 0 {
				t.Shape[depth] = counts[depth]
			}

			if counts[depth] != t.Shape[depth] {
				return nil, errors.New("the lists of a tensor are of several lengths")
			}

			if depth > 0 {
				counts[depth-1]++
			}
		default:
			if width = bytes.IndexAny(text, ",] \r\n\t"); width < 0 {
				width = len(text)
			}

			x, err := strconv.ParseFloat(string(text[:width]), 32)
			rank = max(rank, depth)
			isInnermost := depth > 0 && depth == rank && depth == len(counts)

			if err != nil || !isInnermost || len(t.Data) == mostLoaded {
				return nil, errors.New("the lists of a tensor have numbers alone, and not too many")
			}

			t.Data = append(t.Data, float32(x))
			counts[depth-1]++
		}

		text = text[width:]
	}
	return t, nil
}
