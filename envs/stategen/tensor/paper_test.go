package tensor_test

import (
	"encoding/base64"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/tensor"
)

// Elements of every dtype, little-endian as NumPy writes them: 1 and -2, but for those that have no
// sign.
func TestDecode(t *testing.T) {
	for code, tt := range map[string]struct {
		dtype, bytes string
		want         []float32
	}{
		"<f4": {"float32", "\x00\x00\x80\x3f\x00\x00\x00\xc0", []float32{1, -2}},
		"<f8": {"float64", "\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x00\xc0", []float32{1, -2}},
		"<f2": {"float16", "\x00\x3c\x00\xc0", []float32{1, -2}},
		"<i8": {"int64", "\x01\x00\x00\x00\x00\x00\x00\x00\xfe\xff\xff\xff\xff\xff\xff\xff", []float32{1, -2}},
		"<i2": {"int16", "\x01\x00\xfe\xff", []float32{1, -2}},
		"|u1": {"uint8", "\x01\xfe", []float32{1, 254}},
	} {
		got, err := tensor.Decode(envs.Object("shape", []any{envs.Number("1"), envs.Number("2")}, "dtype", code,
			"data_b64", base64.StdEncoding.EncodeToString([]byte(tt.bytes))))
		if err != nil {
			t.Errorf("%s: %v", code, err)
			continue
		}

		if got.DType() != tt.dtype || !cmp.Equal(got.Data, tt.want) || !cmp.Equal(got.Shape, []int{1, 2}) {
			t.Errorf("%s: %s %v of shape %v", code, got.DType(), got.Data, got.Shape)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	whole := envs.Object("shape", []any{envs.Number("2")}, "dtype", "<f4", "data_b64", "AACAPwAAAMA=")
	if _, err := tensor.Decode(whole); err != nil {
		t.Fatal(err)
	}

	for name, v := range map[string]any{"shape": []any{envs.Number("3")}, "dtype": ">f4", "data_b64": "AACA!"} {
		changed := envs.Args{}
		for _, m := range whole {
			if m.Name == name {
				m.Value = v
			}

			changed = append(changed, m)
		}

		if got, err := tensor.Decode(changed); err == nil {
			t.Errorf("%s %v: %v", name, v, got)
		}
	}
}

func TestParse(t *testing.T) {
	got, err := tensor.Parse([]byte("[\n [[1, -2.5],[3e0,4]], [[5,6],[7,8]] ]"))
	if err != nil {
		t.Fatal(err)
	}

	want := &tensor.Tensor{Shape: []int{2, 2, 2}, Data: []float32{1, -2.5, 3, 4, 5, 6, 7, 8}}
	if !cmp.Equal(want.Shape, got.Shape) || !cmp.Equal(want.Data, got.Data) {
		t.Errorf("got %v", got)
	}

	for _, text := range []string{"[[1,2],[3]]", "[1,[2]]", "[[1],2]", `["a"]`, "5", "[null]", "[[[1]],[2]]"} {
		if got, err := tensor.Parse([]byte(text)); err == nil {
			t.Errorf("%s is %v", text, got)
		}
	}
}

// What comes of a tensor is called as it is.
func TestDTypeStays(t *testing.T) {
	d := tensor.Paper{}
	x := envs.Object("shape", []any{envs.Number("1"), envs.Number("2")}, "dtype", "<i2", "data_b64", "AQD+/w==")

	s, err := d.Begin(&stategen.Program{
		Init:   []stategen.Variable{{Name: "x", Role: stategen.Loaded}},
		Server: stategen.Value{Any: envs.Object("x", x)},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}

	_, value, err := d.Call(s, "transpose", envs.Object(
		"input", "x", "dim0", envs.Number("0"), "dim1", envs.Number("1")))
	if err != nil {
		t.Fatal(err)
	}

	if dtype, _ := value.(envs.Args).Text("dtype"); dtype != "int16" {
		t.Errorf("the dtype is %q", dtype)
	}
}
