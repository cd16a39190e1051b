package stategen

import (
	"toolevo/envs/pytext"
)

// Value holds what JSON can say, as [envs.Arg] does: nil, bool, [envs.Number], string, []any, or [envs.Args]. Objects
// keep the order of their members.
type Value struct{ Any any }

// MarshalJSON implements [json.Marshaler].
func (v Value) MarshalJSON() ([]byte, error) { return pytext.AppendJSON(nil, v.Any), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (v *Value) UnmarshalJSON(text []byte) (err error) {
	v.Any, err = pytext.DecodeStrict(string(text))
	return err
}
