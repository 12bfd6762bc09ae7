package write

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

// A journal record is whatever a crash or another version left: it is read
// whole or refused as damaged, and what is read is written the same.
func FuzzDecodeRecord(f *testing.F) {
	for _, s := range []string{
		"", "null", "{}", `{"version":1}`, `{"version":2,"ops":[]}`, `[1]`, "{\"version\":1,\"ops\":[{\"path\":\"\xff\",\"new\":\"\"}]}",
		`{"version":1,"time":"2026-01-02T03:04:05Z","actor":{"kind":"agent","name":"a"},"operation":"put","message":"m","undoes":3,"ops":[{"space":1,"path":"a.md","old":null,"new":"YQ=="}]}`,
		`{"version":1,"operation":"mv","ops":[{"space":1,"path":"b.md","from":"a.md","old":"","new":"YQ=="}]}`,
		`{"version":1,"ops":[{"path":"a.md","old":"YQ==","new":null}]}`,
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
