package table

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/toolqa"
)

// TestAgainstModel compares chains of filters on the whole corpus, and what GetValue prints of
// them, with a filter written out over plain strings.
func TestAgainstModel(t *testing.T) {
	c := full()
	load := newLoadDB(c)
	columns := c.Columns()
	operator := rapid.SampledFrom(operators[:])

	rapid.Check(t, func(t *rapid.T) {
		s, _, err := load.Call(context.Background(), toolqa.Session{}, envs.Args{{Name: "DBName", Value: "coffee"}})
		if err != nil {
			t.Fatal(err)
		}

		var selected []int
		for row := range c.Rows() {
			selected = append(selected, row)
		}

		for range rapid.IntRange(1, 4).Draw(t, "filters") {
			name := rapid.SampledFrom(columns).Draw(t, "column")
			op := operator.Draw(t, "operator")
			value := column(c, name).Text(rapid.IntRange(0, c.Rows()-1).Draw(t, "row"))
			var kept []int

			for _, row := range selected {
				if holds(column(c, name).Text(row), op, value) {
					kept = append(kept, row)
				}
			}
			var r envs.Result

			s, r, err = (&FilterDB{}).Call(context.Background(), s,
				envs.Args{{Name: "condition", Value: name + op + value}})
			if err != nil || (r.Outcome == envs.OK) != (len(kept) > 0) {
				t.Fatalf("%s%s%s: %+v, %v; the model keeps %d rows", name, op, value, r, err, len(kept))
			}

			if len(kept) > 0 {
				selected = kept
			}

			if s.Table.Len() != len(selected) {
				t.Fatalf("%s%s%s: %d rows; the model keeps %d", name, op, value, s.Table.Len(), len(selected))
			}
		}

		dates := make([]string, len(selected))
		for i, row := range selected {
			dates[i] = column(c, "Date").Text(row)
		}

		_, r, err := GetValue{}.Call(context.Background(), s, envs.Args{{Name: "column_name", Value: "Date"}})
		if err != nil {
			t.Fatal(err)
		}

		if len(dates) == 1 {
			if want := `{"Date": "` + dates[0] + `"}`; r.Observation != want {
				t.Fatalf("GetValue = %s, want %s", r.Observation, want)
			}
			return
		}

		var got struct{ Date []string }
		if err := json.Unmarshal([]byte(r.Observation), &got); err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(dates, got.Date); diff != "" {
			t.Fatalf("GetValue (-model +got):\n%s", diff)
		}
	})
}

func holds(cell, op, value string) bool {
	switch op {
	case ">=":
		return cell >= value
	case "<=":
		return cell <= value
	case ">":
		return cell > value
	case "<":
		return cell < value
	default:
		return cell == value
	}
}
