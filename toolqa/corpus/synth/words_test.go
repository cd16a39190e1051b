package synth

import (
	"reflect"
	"strings"
	"testing"
)

// Every file of words can be read, and fills every field.
func TestWords(t *testing.T) {
	for file, words := range map[string]any{
		"agenda.yaml":  agendaWords(),
		"airbnb.yaml":  airbnbWords(),
		"dblp.yaml":    readDBLPLists(),
		"flights.yaml": flightsWords(),
		"scirex.yaml":  readScirexLists(),
		"yelp.yaml":    readYelpWords(),
	} {
		v := reflect.ValueOf(words).Elem()
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Errorf("%s: %s is empty", file, strings.ToLower(v.Type().Field(i).Name))
			}
		}
	}

	files, err := wordFiles.ReadDir("words")
	if err != nil || len(files) != 6 {
		t.Errorf("%d files, %v: want those above", len(files), err)
	}
}

func TestWordsOfABadFilePanic(t *testing.T) {
	defer func() {
		if err, _ := recover().(string); !strings.HasPrefix(err, "datafile: words/agenda.yaml: ") {
			t.Errorf("a panic with %q", err)
		}
	}()

	wordsIn[struct{ Night int }]("agenda.yaml")()
}
