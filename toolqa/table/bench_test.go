package table

import (
	"testing"

	"toolevo/envs"
	"toolevo/toolqa"
)

func benchmark(b *testing.B, tool tool, s toolqa.Session, name, value string) {
	args, ctx := envs.Args{{Name: name, Value: value}}, b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if _, r, err := tool.Call(ctx, s, args); err != nil || r.Outcome != envs.OK {
			b.Fatal(r, err)
		}
	}
}

func BenchmarkTools(b *testing.B) {
	c := full(b)
	load := NewLoadDB(c)
	all, _ := call(b, load, toolqa.Session{}, "DBName", "coffee")
	const span, day = "Date>=2010-01-01, Date<=2012-12-31", "Date=2010-01-04"
	some, _ := call(b, &FilterDB{}, all, "condition", span)
	one, _ := call(b, &FilterDB{}, all, "condition", day)
	b.Run("LoadDB", func(b *testing.B) { benchmark(b, load, toolqa.Session{}, "DBName", "coffee") })
	b.Run("FilterDB/day", func(b *testing.B) { benchmark(b, &FilterDB{}, all, "condition", day) })
	b.Run("FilterDB/range", func(b *testing.B) { benchmark(b, &FilterDB{}, all, "condition", span) })
	b.Run("GetValue/day", func(b *testing.B) { benchmark(b, GetValue{}, one, "column_name", "Open, High, Low, Close") })
	b.Run("GetValue/range", func(b *testing.B) { benchmark(b, GetValue{}, some, "column_name", "Close") })
	b.Run("GetValue/all", func(b *testing.B) { benchmark(b, GetValue{}, all, "column_name", "Close") })
}
