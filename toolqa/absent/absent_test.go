package absent

import (
	"context"
	"testing"

	"toolevo/envs"
	"toolevo/toolqa"
)

func TestEveryAbsentToolSaysSo(t *testing.T) {
	for name, tool := range Tools() {
		_, r, err := tool.Call(context.Background(), toolqa.Session{}, nil)
		if err != nil || r.Outcome != envs.ToolError || r.Observation == "" {
			t.Errorf("%s answers %+v, %v", name, r, err)
		}
	}
}

func TestLoadGraphNamesTheGraph(t *testing.T) {
	_, r, err := Tools()["LoadGraph"].Call(context.Background(), toolqa.Session{}, envs.Args{{Name: "GraphName", Value: "dblp"}})
	if want := "We don't have the graph data named dblp"; r.Observation != want || err != nil {
		t.Errorf("answers %q, %v; want %q", r.Observation, err, want)
	}
}
