package wire_test

import (
	"testing"
	"unicode/utf8"

	"toolevo/envs/wire"
)

var published = wire.AnswerForm{State: "State", Message: "Message"}

func TestWrap(t *testing.T) {
	t.Parallel()

	for _, test := range []struct {
		succeeded  bool
		text, want string
	}{
		{true, "Loaded.", `{"State": "Success", "Message": "Loaded."}`},
		{false, "", `{"State": "Failed", "Message": ""}`},
		{true, "é \"x\"\n", `{"State": "Success", "Message": "é \"x\"\n"}`},
	} {
		if got := published.Wrap(test.succeeded, test.text); got != test.want {
			t.Errorf("Wrap(%v, %q) = %s, want %s", test.succeeded, test.text, got, test.want)
		}
	}

	labels := wire.AnswerForm{State: "Status", Message: "Text", Labels: true}
	if got := labels.Wrap(false, "one\ntwo"); got != "Status: Failed\nText: one\ntwo" {
		t.Errorf("with labels: %q", got)
	}
}

func TestReadLeavesOtherTextAlone(t *testing.T) {
	t.Parallel()

	for _, text := range []string{
		"", "{", "Loaded.", `{"Success": "Message"}`, `{"State": "Success"}`, `{"State": "Success", "Message": 1}`,
		`{"State": "Success", "Message": "x", "More": "y"}`, `{"State": "Success", "Message": "x"} and more`,
		`{"State": "Done", "Message": "x"}`, `{"Origin": "JFK", "Dest": "LAX"}`, `{"Message": "x", "State": "Success"}`,
		`{"State": "Success", "Message": "x`, "Status: Done\nText: x", "Status: Success", "Status: Success\nx",
		"The status: Success\nText: x",
	} {
		if got := wire.ReadAnswer(text); got != text {
			t.Errorf("Read(%s) = %s", text, got)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()

	if err := published.Validate(); err != nil {
		t.Error(err)
	}

	for _, f := range []wire.AnswerForm{{}, {State: "State"}, {Message: "Message"}, {State: "x", Message: "x"},
		{State: "a b", Message: "x", Labels: true}, {State: "x", Message: "ä", Labels: true},
	} {
		if f.Validate() == nil {
			t.Errorf("%+v is valid", f)
		}
	}
}

func FuzzReadUndoesWrap(f *testing.F) {
	f.Add("State", "Message", false, true, "We have successfully loaded the flights database.")
	f.Add(`"`, "\\", false, false, `{"State": "Failed", "Message": "x"}`)
	f.Add("Status", "Text", true, false, "Status: Success\nText: x")
	f.Add("\n", "é", false, true, "a\tb\u2028c\x00")

	f.Fuzz(func(t *testing.T, state, message string, labels, succeeded bool, text string) {
		format := wire.AnswerForm{State: state, Message: message, Labels: labels}
		if format.Validate() != nil || !utf8.ValidString(state+" "+message+" "+text) {
			return
		}

		if got := wire.ReadAnswer(format.Wrap(succeeded, text)); got != text {
			t.Errorf("Read(Wrap(%q)) = %q", text, got)
		}
	})
}
