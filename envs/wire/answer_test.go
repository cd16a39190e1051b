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

	for style, want := range map[string]string{
		"labels": "Status: Failed\nText: one\n\"two", "brackets": "[Failed] one\n\"two",
		"tags":   "<Status>Failed</Status>\n<Text>one\n\"two</Text>",
		"pairs":  "Status = Failed | Text = one\n\"two",
		"fields": `Status=Failed Text="one\n\"two"`,
	} {
		form := wire.AnswerForm{State: "Status", Message: "Text", Style: style}
		if got := form.Wrap(false, "one\n\"two"); got != want || wire.ReadAnswer(got) != "one\n\"two" {
			t.Errorf("%s: %q is read as %q", style, got, wire.ReadAnswer(got))
		}
	}
}

func TestReadLeavesOtherTextAlone(t *testing.T) {
	t.Parallel()

	for _, text := range []string{
		"", "{", "Loaded.", `{"Success": "Message"}`, `{"State": "Success"}`, `{"State": "Success", "Message": 1}`,
		`{"State": "Success", "Message": "x", "More": "y"}`, `{"State": "Success", "Message": "x"} and more`,
		`{"State": "Done", "Message": "x"}`, `{"Origin": "JFK", "Dest": "LAX"}`, `{"Message": "x", "State": "Success"}`,
		`{"State": "Success", "Message": "x`, "Status: Done\nText: x", "Status: Success", "Status: Success\nx",
		"The status: Success\nText: x", "[Done] x", "<a>Success</a>x", "Status = Success",
		"Status=Success Text=x", `Status=Success Text="x`, "Status=Success Text=1",
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
		{State: "a b", Message: "x", Style: "labels"}, {State: "x", Message: "ä", Style: "tags"},
		{State: "State", Message: "Message", Style: "xml"},
	} {
		if f.Validate() == nil {
			t.Errorf("%+v is valid", f)
		}
	}
}

func FuzzReadUndoesWrap(f *testing.F) {
	f.Add("State", "Message", "", true, "We have successfully loaded the flights database.")
	f.Add(`"`, "\\", "", false, `{"State": "Failed", "Message": "x"}`)
	f.Add("Status", "Text", "labels", false, "Status: Success\nText: x")
	f.Add("Status", "Text", "tags", true, "</Text>\n<Text>")
	f.Add("Status", "Text", "brackets", true, "")
	f.Add("Status", "Text", "pairs", false, " | Text = x\n")
	f.Add("Status", "Text", "fields", true, `{"Text": "a\\n"}`)
	f.Add("\n", "é", "", true, "a\tb\u2028c\x00")

	f.Fuzz(func(t *testing.T, state, message, style string, succeeded bool, text string) {
		format := wire.AnswerForm{State: state, Message: message, Style: style}
		if format.Validate() != nil || !utf8.ValidString(state+" "+message+" "+text) {
			return
		}

		if got := wire.ReadAnswer(format.Wrap(succeeded, text)); got != text {
			t.Errorf("Read(Wrap(%q)) = %q", text, got)
		}
	})
}
