package doc_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
)

func TestOnlyAdds(t *testing.T) {
	t.Parallel()
	contested := doc.SetProperty{Key: "status", Value: "contested"}
	for name, tt := range map[string]struct {
		edits          []doc.Edit
		adds, contests bool
	}{
		"text":                {[]doc.Edit{doc.Append{Text: "More."}, doc.AddRelation{Type: "a", Target: "b"}}, true, false},
		"contested":           {[]doc.Edit{contested, doc.AddRelation{Type: "contradicts", Target: "b"}}, false, true},
		"contested, and more": {[]doc.Edit{contested, doc.SetTitle{Title: "Other"}}, false, false},
		"settled":             {[]doc.Edit{doc.SetProperty{Key: "status", Value: "current"}}, false, false},
		"another key":         {[]doc.Edit{doc.SetProperty{Key: "summary", Value: "contested"}}, false, false},
		"replaced":            {[]doc.Edit{doc.Replace{Old: "a", New: "b"}}, false, false},
	} {
		if adds, contests := doc.OnlyAdds(tt.edits); adds != tt.adds || contests != tt.contests {
			t.Errorf("%s: adds %v, contests %v", name, adds, contests)
		}
	}
}
