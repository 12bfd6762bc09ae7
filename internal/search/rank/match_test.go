package rank

import "testing"

func TestMatch(t *testing.T) {
	for name, tt := range map[string]struct {
		fit  Fit
		want Match
	}{
		"nothing to go by":              {Fit{}, ""},
		"a name":                        {Fit{Named: true}, Strong},
		"a name, whatever else":         {Fit{Named: true, Words: true, Meaning: true}, Strong},
		"all words":                     {Fit{Words: true, Coverage: 1}, Strong},
		"half of the words":             {Fit{Words: true, Coverage: 0.5}, Weak},
		"a third of the words":          {Fit{Words: true, Coverage: 0.33}, None},
		"no words":                      {Fit{Words: true}, None},
		"all words and near":            {Fit{Words: true, Coverage: 1, Meaning: true, Similarity: 0.7}, Strong},
		"all words and far":             {Fit{Words: true, Coverage: 1, Meaning: true, Similarity: 0.59}, Weak},
		"few words and near":            {Fit{Words: true, Coverage: 0.2, Meaning: true, Similarity: 0.74}, Strong},
		"few words and far":             {Fit{Words: true, Coverage: 0.35, Meaning: true, Similarity: 0.6}, None},
		"all words, few pages embedded": {Fit{Words: true, Coverage: 1, Meaning: true, Partly: true, Similarity: 0.4}, Strong},
		"meaning alone, near":           {Fit{Meaning: true, Similarity: 0.72}, Strong},
		"meaning alone, as near as any": {Fit{Meaning: true, Similarity: 0.64}, Weak},
		"meaning alone, far":            {Fit{Meaning: true, Similarity: 0.58}, None},
	} {
		if got := tt.fit.Match(); got != tt.want {
			t.Errorf("%s: %q with %.2f, want %q", name, got, tt.fit.Confidence(), tt.want)
		}
		if c := tt.fit.Confidence(); c < 0 || c > 1 {
			t.Errorf("%s: confidence %v", name, c)
		}
	}
}
