package operation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// Data of other programs is kept beside a page and read again; an agent gets no
// more of it than its budget.
func TestRaw(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	must := func(name, input string) string {
		t.Helper()
		var out strings.Builder
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(b.must(name, input)); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	must("write", `{"ref":"ada","text":"Ada."}`)
	must("raw_store", `{"ref":"ada","source":"crm","data":{"big":12345678901234567890,"url":"a<b&c"},"expected_version":1}`)
	out := must("raw", `{"ref":"ada"}`)
	for _, want := range []string{`"source":"crm"`, `"bytes":`, `"version":2`} {
		if !strings.Contains(out, want) {
			t.Errorf("the list has no %s: %s", want, out)
		}
	}
	if strings.Contains(out, "big") {
		t.Errorf("the list has the data: %s", out)
	}
	if out := must("raw", `{"ref":"ada","source":"crm"}`); !strings.Contains(out, `"bytes":42,`) {
		t.Errorf("the data is %s", out)
	}
	must("raw_store", `{"ref":"ada","source":"long","data":"`+strings.Repeat("x", 20_000)+`"}`)
	if out := must("raw", `{"ref":"ada","source":"long","budget":100}`); len(out) > 1000 || !strings.Contains(out, `"begins":"\"xxx`) {
		t.Errorf("%d bytes: %.300s", len(out), out)
	}
	_, err := b.call("raw_store", `{"ref":"ada","source":"crm","data":1}`)
	if kb.CodeOf(err) != kb.Conflict || kb.AsError(err).Reason != kb.SourceStored {
		t.Errorf("stored again: %v", err)
	}
	must("raw_store", `{"ref":"ada","source":"crm","data":[],"overwrite":true}`)
	if out := must("raw", `{"ref":"ada","source":"crm"}`); !strings.Contains(out, `"bytes":2,`) {
		t.Errorf("the empty list became %s", out)
	}
}

// Data is kept as it is written: the order of its keys, keys that are there twice, its
// blanks, numbers and escapes.
func TestRawStoreKeepsTheBytes(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("write", `{"ref":"ada","text":"Ada."}`)
	a := apptest.OK(b.memory.Session(t.Context(), false))(t)
	for name, data := range map[string]string{
		"order": `{"z":1,"a":2}`, "twice": `{"a":1,"a":2}`, "blanks": "{ \"a\" : [1,\n  2] }", "html": `"a<b&c"`, "escapes": `"\u003c\u00e9é"`,
		"numbers": `[1.0,1e2,12345678901234567890]`, "text": `"[1, 2]"`,
	} {
		b.must("raw_store", `{"ref":"ada", "data":`+data+`, "source":"`+name+`"}`)
		got := apptest.OK(read.ReadSources(t.Context(), a, read.SourcesRequest{Ref: "ada", Source: name}))(t)
		if string(got.Items[0].Data) != data {
			t.Errorf("%s: %s became %s", name, data, got.Items[0].Data)
		}
	}
}
