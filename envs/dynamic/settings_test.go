package dynamic

import (
	"fmt"
	"strings"
	"testing"

	"toolevo/envs/toolapi"
)

// A setting that makes no sense is named, and its error says which words do.
func TestValidate(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		reward, feedback, hint, setting, want string
	}{
		{"official", "deprecation", "answer", "", ""},
		{"strict", "invocation", "document", "", ""},
		{"strict", "generic", "none", "", ""},
		{"strict", "none", "none", "", ""},
		{"lenient", "none", "none", "reward", "official, strict"},
		{"strict", "all", "none", "feedback", "deprecation, invocation, generic, none"},
		{"strict", "", "none", "feedback", "deprecation, invocation, generic, none"},
		{"strict", "none", "", "hint", "answer, document, none"},
	} {
		s := Settings{
			Reward: tt.reward, Feedback: toolapi.Feedback(tt.feedback), Finish: FinishByCall, ToolList: ListFixed,
			Hint: tt.hint,
		}

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

// A list that changes is sent beside messages, by one codec.
func TestToolListNeedsTools(t *testing.T) {
	t.Parallel()

	for codec, want := range map[string]string{"react": "environment.codec: tools", "tools": ""} {
		s := Settings{
			Reward: rewardOfficial, Feedback: toolapi.FeedbackDeprecation, Finish: FinishByCall,
			ToolList: ListLearned, Codec: codec, Hint: HintNone,
		}

		setting, err := s.Validate()
		if got := fmt.Sprint(err); (want == "") != (err == nil) || want != "" &&
			(setting != "tool_list" || !strings.Contains(got, want)) {
			t.Errorf("%s: %s: %s", codec, setting, got)
		}
	}
}
