package operation_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

// What link ends or removes without a type is what it adds without one, not
// every relation between the pages.
func TestLinkWithoutType(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("write", `{"ref":"a","text":"A."}`)
	b.must("write", `{"ref":"b","text":"B."}`)
	b.must("link", `{"from":"a","to":"b","type":"works_at"}`)
	for _, do := range []string{"close", "remove"} {
		_, err := b.call("link", `{"from":"a","to":"b","do":"`+do+`"}`)
		e := kb.AsError(err)
		if kb.CodeOf(err) != kb.NotFound || !strings.Contains(e.Error(), "no relates_to relation") || !strings.Contains(e.Hint, "works_at") {
			t.Errorf("%s: %v", do, err)
		}
	}
	b.must("link", `{"from":"a","to":"b"}`)
	b.must("link", `{"from":"a","to":"b","do":"remove"}`)
	if text := b.must("read", `{"ref":"a"}`); !strings.Contains(text["text"].(string), "works_at") {
		t.Errorf("the page is %v", text)
	}
	_, err := b.call("link", `{"from":"a","to":"b","type":"knows","since":"2024","until":"2020"}`)
	if kb.CodeOf(err) != kb.Invalid || kb.AsError(err).Hint == "" {
		t.Errorf("an interval backwards: %v", err)
	}
	b.must("link", `{"from":"a","to":"b","type":"knows","since":"2024-05"}`)
	if _, err = b.call("link", `{"from":"a","to":"b","type":"knows","do":"close","until":"2024-04-30"}`); kb.CodeOf(err) != kb.Invalid {
		t.Errorf("closed before the start: %v", err)
	}
	b.must("link", `{"from":"a","to":"b","type":"knows","do":"close","until":"2024"}`)
}
