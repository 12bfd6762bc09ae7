package rank

import "testing"

func TestMatch(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fit  Fit
		want Match
	}{
		"nothing to go by":              {Fit{}, ""},
		"a name":                        {Fit{Named: true}, Strong},
		"a name, whatever else":         {Fit{Named: true, Words: true, Meaning: true}, Strong},
		"all words":                     {Fit{Words: true, Coverage: 1, WordsAhead: 0.5}, Strong},
		"all words, as many pages have": {Fit{Words: true, Coverage: 1}, Strong},
		"half of the words":             {Fit{Words: true, Coverage: 0.5, WordsAhead: 0.1}, Weak},
		"half of the words on one page": {Fit{Words: true, Coverage: 0.5, WordsAhead: 0.4}, Strong},
		"a fifth of the words":          {Fit{Words: true, Coverage: 0.2, WordsAhead: 0.1}, None},
		"no words":                      {Fit{Words: true}, None},
		"all words and near":            {Fit{Words: true, Coverage: 1, WordsAhead: 0.2, Meaning: true, Similarity: 0.7}, Strong},
		"few words and near":            {Fit{Words: true, Coverage: 0.3, WordsAhead: 0.1, Meaning: true, Similarity: 0.8}, Weak},
		"few words and far":             {Fit{Words: true, Coverage: 0.3, WordsAhead: 0.1, Meaning: true, Similarity: 0.6}, None},
		"all words, few pages embedded": {Fit{Words: true, Coverage: 1, Meaning: true, Partly: true, Similarity: 0.4}, Strong},
		"meaning alone, near and ahead": {Fit{Meaning: true, Similarity: 0.75, NearAhead: 0.1}, Strong},
		"meaning alone, as near as any": {Fit{Meaning: true, Similarity: 0.75}, Weak},
		"meaning alone, far":            {Fit{Meaning: true, Similarity: 0.55, NearAhead: 0.05}, None},
		"no words, near and ahead":      {Fit{Words: true, Meaning: true, Similarity: 0.73, NearAhead: 0.2}, Weak},
		"nothing found, of words":       {Fit{Words: true, Meaning: true}, None},
		"a known page, by words, with nothing that is asked": {Fit{Words: true, Coverage: 0.9, WordsAhead: 0.8, Subject: true, Read: true}, Weak},
		"a known page, by words, with half of it":            {Fit{Words: true, Coverage: 0.4, Subject: true, Read: true, Statement: 0.5}, Strong},
		"the words of the one who is named":                  {Fit{Words: true, Coverage: 1, WordsAhead: 0.5, Turns: true, TurnsAhead: 0.1}, Strong},
		"the words of another":                               {Fit{Words: true, Coverage: 1, WordsAhead: 0.5, Turns: true, TurnsAhead: -0.1}, Weak},
		"the words of another by far":                        {Fit{Words: true, Coverage: 1, WordsAhead: 0.5, Turns: true, TurnsAhead: -2}, Weak},
		"a page's name, the words of another":                {Fit{Named: true, Turns: true, TurnsAhead: -2}, Strong},
		"no words, whoever speaks":                           {Fit{Words: true, Turns: true, TurnsAhead: 1}, None},
	} {
		if got := tt.fit.Match(); got != tt.want {
			t.Errorf("%s: %q with %.2f, want %q", name, got, tt.fit.Confidence(), tt.want)
		}
		if c := tt.fit.Confidence(); c < 0 || c > 1 {
			t.Errorf("%s: confidence %v", name, c)
		}
	}
}

// Each piece of evidence more is more confidence.
func TestConfidenceGrows(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string][]Fit{
		"words":   {{Words: true}, {Words: true, Coverage: 0.4}, {Words: true, Coverage: 0.4, WordsAhead: 0.2}, {Words: true, Coverage: 1, WordsAhead: 0.2}},
		"meaning": {{Meaning: true, Similarity: 0.5}, {Meaning: true, Similarity: 0.7}, {Meaning: true, Similarity: 0.7, NearAhead: 0.1}},
		"words and meaning": {
			{Words: true, Meaning: true, Similarity: 0.5}, {Words: true, Coverage: 0.5, Meaning: true, Similarity: 0.5},
			{Words: true, Coverage: 0.5, WordsAhead: 0.3, Meaning: true, Similarity: 0.5}, {Words: true, Coverage: 0.5, WordsAhead: 0.3, Meaning: true, Similarity: 0.8},
		},
	} {
		for i := 1; i < len(steps); i++ {
			if steps[i].Confidence() <= steps[i-1].Confidence() {
				t.Errorf("%s: %+v is no better than %+v", name, steps[i], steps[i-1])
			}
		}
	}
}
