package pytool

import "testing"

func TestWithoutAddresses(t *testing.T) {
	const a = "0x7f0000000000"
	for text, want := range map[string]string{
		"<__main__.A object at 0x7f3a9c0b5d90>": "<__main__.A object at " + a + ">",
		"<function <lambda> at 0x7f3a9c0b5d90>": "<function <lambda> at " + a + ">",
		"<function f.<locals>.g at 0x9c0b5d>":   "<function f.<locals>.g at " + a + ">",
		"<bound method A.f of <__main__.A object at 0x7f3a9c0b5d90>>": "<bound method A.f of <__main__.A object at " +
			a + ">>",
		"[<A object at 0x7f3a9c0b5d90>, <B object at 0x7f3a9c0b5da0>]\nx " +
			"<C object at 0x7f3a9c0b5d90>\n": "[<A object at " + a + ">, <B object at " + a + ">]\nx <C object at " +
			a + ">\n",
		"<frame at 0x7efcc5f04e50, file '<string>', line 3, code f>": "<frame at " +
			a + ", file '<string>', line 3, code f>",
		"<weakref at 0x7efcc5f04e50; to 'A' at 0x7efcc5f04e60>": "<weakref at " + a + "; to 'A' at " + a + ">",
		"<cell at 0x7efcc5f04e50: int object at 0x955e48>": "<cell at " +
			a + ": int object at " + a + ">",
		"the table is at 0x7f3a9c0b5d90>":       "the table is at 0x7f3a9c0b5d90>",
		"a < b\n at 0x7f3a9c0b5d90>":            "a < b\n at 0x7f3a9c0b5d90>",
		"<a> at 0x7f3a9c0b5d90 and 0x7f3a9c0b5": "<a> at 0x7f3a9c0b5d90 and 0x7f3a9c0b5",
		"<p at 0xff>":                           "<p at 0xff>",
		"<A object at 0x7f3a":                   "<A object at 0x7f3a",
		"0x7f3a9c0b5d90":                        "0x7f3a9c0b5d90",
		"":                                      "",
	} {
		if got := withoutAddresses(text, false); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}

	for _, text := range []string{"<A object at 0x7f3a", "<A object at 0x", "<A object at 0x7f3a9c0b5d90"} {
		if got, want := withoutAddresses("x\n"+text, true), "x\n<A object at "+a; got != want {
			t.Errorf("%q, cut: got %q, want %q", text, got, want)
		}
	}
}

func FuzzWithoutAddresses(f *testing.F) {
	f.Add("[<A object at 0x7f3a9c0b5d90>, 1]", true)
	f.Add("<a\n at 0x1234>", false)
	f.Fuzz(func(t *testing.T, text string, cut bool) {
		once := withoutAddresses(text, cut)
		if twice := withoutAddresses(once, cut); twice != once {
			t.Errorf("%q became %q, and that %q", text, once, twice)
		}
	})
}
