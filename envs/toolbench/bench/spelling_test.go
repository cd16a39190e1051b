package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// The names that are meant, by hand: StableToolBench's client spells stageId stageid, id is_id, 2fa
// get_2fa, and array[] array.
func TestSpelling(t *testing.T) {
	t.Parallel()

	s := spelling{
		published: []string{"id", "stageId", "array[]", "2fa", "Q", "q!", "user_id"},
		deployed:  []string{"ID", "User_Id", "Part", "part!"},
	}

	for given, want := range map[string]string{
		`{}`:                               `{} 0`,
		`{"is_id": 1}`:                     `{"id": 1} 1`, // and not the new ID
		`{"id": 1}`:                        `{"id": 1} 0`,
		`{"ID": 1}`:                        `{"ID": 1} 0`,
		`{"stageid": 1, "array": 2}`:       `{"stageId": 1, "array[]": 2} 2`,
		`{"get_2fa": 1, "unknown": 2}`:     `{"2fa": 1, "unknown": 2} 1`,
		`{"user_id": 1}`:                   `{"user_id": 1} 0`, // the old name, which may be refused
		`{"StageID": 1, "stage_id": 2}`:    `{"StageID": 1, "stage_id": 2} 0`,
		`{"q": 1}`:                         `argument error: "q" may be any of ["Q" "q!"]: give the name that is meant`,
		`{"part": 1}`:                      `argument error: "part" may be any of ["Part" "part!"]: give the name that is meant`,
		`{"Q": 1}`:                         `{"Q": 1} 0`,
		`{"is_id": 1, "id": 2}`:            `argument error: "is_id" and "id" are the same parameter: give one of them`,
		`{"stageId": 1, "stageid": 2}`:     `argument error: "stageid" and "stageId" are the same parameter: give one of them`,
		`{"stageid": {"is_id": {"q": 1}}}`: `{"stageId": {"is_id": {"q": 1}}} 1`, // members are not names of parameters
	} {
		args, _, err := pytext.DecodeObject(given)
		if err != nil {
			t.Fatal(err)
		}

		before := pytext.JSON(args)
		read, respelled, err := s.read(args)

		got := pytext.JSON(read) + " " + string(rune('0'+respelled))
		if err != nil {
			got = err.Error()
		}

		if got != want || pytext.JSON(args) != before {
			t.Errorf("%s is read as\n%s, want\n%s", given, got, want)
		}
	}
}

// A call as StableToolBench's client makes it is answered as one with the names of the document;
// where two parameters share a spelling it is refused, and nobody is asked.
func TestDeployedTakesTheClientsNames(t *testing.T) {
	t.Parallel()

	folder := t.TempDir()
	api := func(name, required, optional string) string {
		return `{"category_name": "Media", "tool_name": "Songs", "api_name": "` + name + `", "method": "GET",
			"api_description": "", "required_parameters": [` + required + `], "optional_parameters": [` + optional + `]}`
	}
	parameter := func(name string) string {
		return `{"name": "` + name + `", "type": "STRING", "description": "", "default": ""}`
	}
	query := `[{"query_id": 1, "query": "Which song is it?", "relevant APIs": [["Songs", "Find"]], "api_list": [` +
		api("Find", parameter("id"), parameter("stageId")) + "," +
		api("Both", parameter("X")+","+parameter("x!"), "") + `]}]`

	if err := os.WriteFile(filepath.Join(folder, "G1_instruction.json"), []byte(query), 0o600); err != nil {
		t.Fatal(err)
	}

	d := deploy(t, open(t, choice(t, folder)), base, "")

	named := callOf(t, d, envs.Call{Name: "find_for_songs", Args: envs.Object("id", "7", "stageId", "8")})
	spelled := callOf(t, d, envs.Call{Name: "find_for_songs", Args: envs.Object("is_id", "7", "stageid", "8")})

	if named.Outcome != envs.OK || named.Respelled != 0 || spelled.Text != named.Text || spelled.Respelled != 2 {
		t.Errorf("by the document's names %+v, by the client's %+v", named, spelled)
	}

	before := d.Tally().Scripted
	both := callOf(t, d, envs.Call{Name: "both_for_songs", Args: envs.Object("x", "7")})

	if both.Outcome != envs.InvocationError || !strings.Contains(both.Text, `\"X\" \"x!\"`) ||
		d.Tally().Scripted != before {
		t.Errorf("a name that two parameters share is answered %+v", both)
	}
}
