package dynamic

import (
	"strings"
	"testing"

	"toolevo/envs/toolapi"
)

// A setting that makes no sense is named, and its error says which words do.
func TestValidate(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		reward, feedback, setting, want string
	}{
		{"official", "deprecation", "", ""},
		{"strict", "invocation", "", ""},
		{"strict", "generic", "", ""},
		{"strict", "none", "", ""},
		{"lenient", "none", "reward", "official, strict"},
		{"strict", "all", "feedback", "deprecation, invocation, generic, none"},
		{"strict", "", "feedback", "deprecation, invocation, generic, none"},
	} {
		s := Settings{Reward: tt.reward, Feedback: toolapi.Feedback(tt.feedback), Finish: FinishByCall}

		setting, err := s.Validate()
		if tt.want == "" {
			if err != nil {
				t.Errorf("%+v: %s: %v", tt, setting, err)
			}

			continue
		}

		if err == nil || setting != tt.setting || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %s: %v", tt, setting, err)
		}
	}
}
