package cluster

import (
	"context"
	"encoding/json"
	"errors"

	"toolevo/envs"
)

// memoryQuestion is what a worker asks of a run's memory: what it has under a key, or, with a
// result, to keep that unless it has one.
type memoryQuestion struct {
	Key    string       `json:"key"`
	Result *envs.Result `json:"result,omitempty"`
}

// Recall implements envs.Memory, by the memory of the run: every tree of the run sees the same
// results of tools, wherever it grows. It waits while the coordinator is away.
func (w *Worker) Recall(ctx context.Context, key string) (envs.Result, bool, error) {
	return w.askMemory(ctx, memoryQuestion{Key: key})
}

// Remember implements envs.Memory, as Recall does.
func (w *Worker) Remember(ctx context.Context, key string, r envs.Result) error {
	_, _, err := w.askMemory(ctx, memoryQuestion{key, &r})
	return err
}

func (w *Worker) askMemory(ctx context.Context, q memoryQuestion) (envs.Result, bool, error) {
	text, err := json.Marshal(q)
	if err == nil {
		text, err = w.Ask(ctx, text)
	}

	if err != nil || len(text) == 0 {
		return envs.Result{}, false, envs.Fail(envs.StageTool, "ask the run's memory", err)
	}

	var r envs.Result
	err = json.Unmarshal(text, &r)
	return r, err == nil, envs.Fail(envs.StageTool, "ask the run's memory", err)
}

// Remembering answers what workers ask of a run's memory; it is an Options.Ask.
func Remembering(m envs.Memory) func(context.Context, []byte) ([]byte, error) {
	return func(ctx context.Context, question []byte) ([]byte, error) {
		var q memoryQuestion
		if err := json.Unmarshal(question, &q); err != nil || q.Key == "" {
			return nil, errors.New("this is no question to a run's memory")
		}

		if q.Result != nil {
			return nil, m.Remember(ctx, q.Key, *q.Result)
		}

		r, ok, err := m.Recall(ctx, q.Key)
		if err != nil || !ok {
			return nil, err
		}
		return json.Marshal(r)
	}
}
