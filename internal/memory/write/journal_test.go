package write

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// A journal record is whatever a crash or another version left: it is read
// whole or refused as damaged, and what is read is written the same.
func FuzzDecodeRecord(f *testing.F) {
	for _, s := range []string{
		"", "null", "{}", `{"version":1}`, `{"version":2,"ops":[]}`, `[1]`, "{\"version\":1,\"ops\":[{\"path\":\"\xff\",\"new\":\"\"}]}",
		`{"version":1,"time":"2026-01-02T03:04:05Z","actor":{"kind":"agent","name":"a"},"operation":"put","message":"m","undoes":3,"ops":[{"space":1,"path":"a.md","old":null,"new":"YQ=="}]}`,
		`{"version":1,"operation":"mv","ops":[{"space":1,"path":"b.md","from":"a.md","old":"","new":"YQ=="}]}`,
		`{"version":1,"ops":[{"path":"a.md","old":"YQ==","new":null}]}`,
		`{"version":4,"ops":[{"path":"a.md","old":null,"new":null,"pack":{"old":1,"new":2,"prefix":1}}],"packed":["KLUv/QQACQAAYQ==","AA=="]}`,
		`{"version":4,"ops":[{"path":"a.md","pack":{"old":3}}],"packed":[""]}`,
		`{"version":1,"ops":[{"path":"a.md"}]}`, `{"version":1,"ops":[{"from":"a.md","path":"b.md","old":"YQ=="}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decodeRecord(b)
		if err != nil {
			if kb.CodeOf(err) != kb.Damaged {
				t.Errorf("%v", err)
			}
			return
		}
		first, err := r.encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := decodeRecord(first)
		if err != nil {
			t.Fatalf("%v: %s", err, first)
		}
		second, err := again.encode()
		if err != nil || !bytes.Equal(first, second) || !reflect.DeepEqual(r.Ops, again.Ops) {
			t.Errorf("%s became %s: %v", first, second, err)
		}
	})
}

// The bytes of large operations are packed, in a record that older versions refuse as that
// of another one.
func TestRecordsOfLargePages(t *testing.T) {
	t.Parallel()
	text := bytes.Repeat([]byte("Words of a page.\n"), packAt/10)
	edited := slices.Concat(text[:packAt], []byte("more"), text[packAt:])
	random := make([]byte, packAt)
	for i := range random {
		random[i] = byte(rand.Uint32())
	}
	for name, o := range map[string]op{
		"new":          {Path: "a.md", New: text},
		"gone":         {Path: "a.md", Old: text},
		"edited":       {Path: "a.md", Old: text, New: edited},
		"cut":          {Path: "a.md", Old: edited, New: text},
		"moved":        {Path: "b.md", From: "a.md", Old: text, New: text},
		"emptied":      {Path: "a.md", Old: text, New: []byte{}},
		"filled":       {Path: "a.md", Old: []byte{}, New: random},
		"other":        {Path: "a.md", Old: text, New: random},
		"repeated":     {Path: "a.md", Old: text, New: slices.Concat(text, text)},
		"small before": {Path: "a.md", Old: []byte("Words of"), New: text},
	} {
		r := &record{Version: recordSidecars, Ops: []op{{Path: "small.md", New: []byte("small")}, o}}
		b, err := r.encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeRecord(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := CheckRecord(b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(got.Ops, r.Ops) || got.Version != recordPacked {
			t.Errorf("%s: version %d, other operations", name, got.Version)
		}
		if most := len(random) * 3 / 2; len(b) > most {
			t.Errorf("%s: %d bytes", name, len(b))
		}
		for _, damaged := range [][]byte{
			bytes.Replace(b, []byte(`"packed":["`), []byte(`"packed":["AAAA`), 1),
			bytes.Replace(b, []byte(`"packed":[`), []byte(`"unpacked":[`), 1),
		} {
			if _, err := decodeRecord(damaged); kb.CodeOf(err) != kb.Damaged {
				t.Errorf("%s, damaged: %v", name, err)
			}
			if err := CheckRecord(damaged); kb.CodeOf(err) != kb.Damaged {
				t.Errorf("%s, damaged: %v", name, err)
			}
		}
	}
}

// A record of pages that are larger together than what one may be is read again.
func TestRecordOfManyLargePages(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "four texts of 64 MiB")
	text := bytes.Repeat([]byte("0123456789abcdef"), MaxDocument/16)
	r := &record{Version: recordSidecars, Operation: "put"}
	for i := range 4 {
		r.Ops = append(r.Ops, op{Space: 1, Path: fmt.Sprintf("p%d.md", i), Old: text[i:], New: text})
	}
	b, err := r.encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := decodeRecord(b)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range again.Ops {
		if !bytes.Equal(o.Old, text[i:]) || !bytes.Equal(o.New, text) {
			t.Errorf("page %d is another one", i)
		}
	}
}
