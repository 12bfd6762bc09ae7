package secrets

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

func TestRefusalNamesKindAndLineOnly(t *testing.T) {
	t.Parallel()
	g := newGenerator(11)
	var text strings.Builder
	var values []string
	for _, p := range g.positives() {
		text.WriteString(p.text + "\n\n\n")
		values = append(values, p.value)
	}
	found := scan(text.String())
	err := Refusal("the text", found)
	var e *kb.Error
	if !errors.As(err, &e) || e.Code != kb.Secret {
		t.Fatalf("error %v, want one with code %s", err, kb.Secret)
	}
	said := fmt.Sprintf("%v %+v %s %v %+v", err, err, e.Facts, e.Details, found)
	for _, v := range values {
		if strings.Contains(said, v) {
			t.Errorf("the refusal shows %q", v)
		}
	}
	if want := fmt.Sprintf(", %d more; nothing was written", len(found)-maxInMessage); !strings.HasSuffix(e.Message, want) {
		t.Errorf("message %q, want it to end %q", e.Message, want)
	}
	list, ok := e.Details["findings"].([]map[string]any)
	if !ok || len(list) != maxInDetails || e.Details["total"] != len(found) {
		t.Errorf("details hold %d of %v findings", len(list), e.Details["total"])
	}
}

func TestRefusalSaysWhatToDo(t *testing.T) {
	t.Parallel()
	err := Refusal("the text", []Finding{{Rule: "jwt", Kind: "JSON Web Token", Line: 3}, {Rule: "jwt", Kind: "JSON Web Token", Line: 9}})
	e := kb.AsError(err)
	if want := "the text holds 2 secrets: JSON Web Token on line 3, JSON Web Token on line 9; nothing was written"; e.Message != want {
		t.Errorf("message %q, want %q", e.Message, want)
	}
	if want := (kb.Facts{"rules": []string{"jwt"}, "mark": "cairn:allow"}); e.Reason != kb.SecretFound || !reflect.DeepEqual(e.Facts, want) {
		t.Errorf("%s: %v, want %v", e.Reason, e.Facts, want)
	}
	if err := Refusal("the text", nil); err != nil {
		t.Errorf("refused without findings: %v", err)
	}
	if e := kb.AsError(Refusal("the text", []Finding{{Rule: "jwt"}, {Rule: tooMany.ID}})); e.Reason != kb.SecretsTooMany || e.Facts != nil {
		t.Errorf("%s: %v: it offers to allow what cannot be allowed", e.Reason, e.Facts)
	}
}
