package kb

import "testing"

func TestQuestionHash(t *testing.T) {
	t.Parallel()
	const asked = "Who wrote the parser?"
	for _, same := range []string{
		"who wrote the parser", " Who  wrote\n the parser ?! ", "WHO WROTE THE PARSER...", "Ｗｈｏ wrote the parser？", "Who wrote the parser?",
	} {
		if QuestionHash(same) != QuestionHash(asked) {
			t.Errorf("%q is another question than %q", same, asked)
		}
	}
	seen := map[Hash]string{}
	for _, other := range []string{asked, "Who wrote the parsers?", "What is C?", "What is C#?", "What is C++?", "", "?", "!"} {
		if twin, ok := seen[QuestionHash(other)]; ok {
			t.Errorf("%q is the same question as %q", other, twin)
		}
		seen[QuestionHash(other)] = other
	}
	// Stored ones must be known again by later versions.
	const want = "6d9039242adf53accc787c969f52c4ca31d1b7c8dbed595213fa2f1fd7fec386"
	if got := QuestionHash(asked).String(); got != want {
		t.Errorf("the hash of %q is %s, and was %s", asked, got, want)
	}
}
