package layout

import (
	"testing"
)

func TestClock(t *testing.T) {
	for in, want := range map[string]string{
		"9:00 AM": "09:00:00", "12:05 am": "00:05:00", "12 PM": "12:00:00", "2 pM": "14:00:00", "02:3 AM": "02:03:00",
		"11:59 PM": "23:59:00",
		"13:00 PM": "13:00 PM", "0:00 AM": "0:00 AM", "9:60 AM": "9:60 AM", "9:00": "9:00", "9:00AM": "9:00AM", "": "",
		"noon":     "noon",
		"9:00 AM ": "9:00 AM ", "9: AM": "9: AM", "9:000 AM": "9:000 AM", ":30 AM": ":30 AM", "+9:00 AM": "+9:00 AM",
	} {
		if got := ClockText(in); got != want {
			t.Errorf("clock(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestParseCell(t *testing.T) {
	for _, tt := range []struct {
		kind Kind
		raw  string
		want Cell // the zero value for an error
	}{
		{Real, "2020", Cell{Value: 2020.0, Text: "2020.0"}},
		{Real, "-73.97237", Cell{Value: -73.97237, Text: "-73.97237"}},
		{Real, "1e16", Cell{Value: 1e16, Text: "1e+16"}},
		{Real, "", Cell{Text: "nan"}},
		{Real, "<NA>", Cell{Text: "nan"}},
		{Real, "1_0", Cell{}},
		{Integer, "80014485718", Cell{Value: int64(80014485718), Text: "80014485718"}},
		{Integer, "0.0", Cell{Value: int64(0), Text: "0.0"}},
		{Integer, "1.", Cell{}},
		{Integer, "99999999999999999999", Cell{}},
		{Bool, "TRUE", Cell{Value: int64(1), Text: "True"}},
		{Bool, "False", Cell{Value: int64(0), Text: "False"}},
		{Bool, "null", Cell{Text: "nan"}},
		{Bool, "1", Cell{}},
		{Text, "$1,083 ", Cell{Value: "$1,083 ", Text: "$1,083 "}},
		{Text, "N/A", Cell{Text: "nan"}},
		{Text, "na", Cell{Value: "na", Text: "na"}},
		{Clock, "9:00 PM", Cell{Value: "21:00:00", Text: "21:00:00", Stored: "9:00 PM"}},
		{Object, "{}", Cell{Value: "{}", Text: "{}"}},
	} {
		got, err := ParseCell(Column{Kind: tt.kind, Optional: true}, tt.raw)
		if got != tt.want || (err == nil) != (tt.want != Cell{}) {
			t.Errorf("parseCell(%v, %q) = %+v, %v, want %+v", tt.kind, tt.raw, got, err, tt.want)
		}
	}
}
