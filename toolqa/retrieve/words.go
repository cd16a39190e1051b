package retrieve

import (
	_ "embed"
	"strings"

	porterstemmer "github.com/blevesearch/go-porterstemmer"
	"github.com/blevesearch/segment"
)

// stopWordList are the English words of the Snowball project that say nothing about a text, one a
// line.
//
//go:embed stopwords.txt
var stopWordList string

var stopWords = func() map[string]bool {
	stop := map[string]bool{}
	for _, word := range strings.Fields(stopWordList) {
		stop[word] = true
	}
	return stop
}()

// separators separate words beyond what Unicode says: the name SQuAD1_1 of the scirex corpus is
// SQuAD1.1 in its texts.
var separators = strings.NewReplacer("_", " ", ".", " ", "'", " ", "’", " ")

// wordsOf returns the words by which a text is found: those of the Unicode standard, in lower case,
// without stop words, reduced to their stems.
func wordsOf(text string) (words []string) {
	segments := segment.NewWordSegmenterDirect([]byte(separators.Replace(text)))
	for segments.Segment() {
		if segments.Type() == segment.None { // blanks and punctuation
			continue
		}

		word := strings.ToLower(string(segments.Bytes()))
		if !stopWords[word] {
			words = append(words, string(porterstemmer.StemWithoutLowerCasing([]rune(word))))
		}
	}

	return words
}
