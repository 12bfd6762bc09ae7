package doc_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
)

func TestConflictLine(t *testing.T) {
	t.Parallel()
	const merge = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n"
	for text, want := range map[string]int{
		"":                0,
		"text\n":          0,
		merge:             1,
		"# A\n\n" + merge: 3,
		"# A\r\n<<<<<<< HEAD\r\na\r\n=======\r\nb\r\n>>>>>>> x\r\n": 2,
		"<<<<<<< a\nx\n||||||| base\ny\n=======\nz\n>>>>>>> b":      1,
		"<<<<<<<\na\n=======\nb\n>>>>>>>\n":                         1,
		"<<<<<<< Conflict 1 of 1\n%%%%%%% Changes from base to side #1\n-a\n+b\n+++++++ Contents of side #2\nc\n>>>>>>> Conflict 1 of 1 ends\n": 1,
		"<<<<<<< Conflict 1 of 1\n+++++++ Contents of side #1\na\n------- Contents of base\n+++++++ Contents of side #2\nb\n>>>>>>> ends\n":     1,
		"<<<<<<< HEAD\nno more\n":                            0,
		"<<<<<<< HEAD\n=======\n":                            0,
		">>>>>>> a\n=======\n<<<<<<< b\n":                    0,
		"Title\n=======\ntext\n":                             0,
		"    " + merge:                                       0,
		"<<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n":          0,
		"```\n" + merge + "```\n":                            0,
		"~~~~ text\n```\n" + merge + "~~~~\n":                0,
		"#+BEGIN_SRC sh\n" + merge + "#+END_SRC\n":           0,
		"```\ncode\n```\n" + merge:                           4,
		"<<<<<<< HEAD\n```\na\n=======\n```\nb\n>>>>>>> x\n": 1,
	} {
		if got := doc.ConflictLine([]byte(text)); got != want {
			t.Errorf("%q: line %d, want %d", text, got, want)
		}
	}
}
