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

// decode reads a record and its parts.
func decode(e encoded) (*record, error) {
	r, err := readRecord(e.record)
	if err != nil {
		return nil, err
	}
	each := eachPart(func(f func([]byte) error) error { return e.parts(func(_ int, p []byte) error { return f(p) }) })
	checked := r.checkPacked(each)
	if err = r.unpack(each); (err == nil) != (checked == nil) {
		return nil, fmt.Errorf("read: %v, checked: %v", err, checked)
	}
	return r, err
}

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
		r, err := decode(encoded{record: b})
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
		again, err := decode(first)
		if err != nil {
			t.Fatalf("%v: %s", err, first.record)
		}
		second, err := again.encode()
		if err != nil || !reflect.DeepEqual(first, second) || !reflect.DeepEqual(r.Ops, again.Ops) {
			t.Errorf("%s became %s: %v", first.record, second.record, err)
		}
	})
}

// The bytes of large operations are packed, those of very large ones in parts, in a record
// that older versions refuse as that of another one.
func TestRecordsOfLargePages(t *testing.T) {
	t.Parallel()
	for _, size := range []int{packAt, 2*partSize + packAt} {
		text := bytes.Repeat([]byte("Words of a page.\n"), size/10)
		edited := slices.Concat(text[:packAt], []byte("more"), text[packAt:])
		random := make([]byte, size)
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
			name = fmt.Sprintf("%s, %d bytes", name, size)
			r := &record{Version: recordSidecars, Ops: []op{{Path: "small.md", New: []byte("small")}, o}}
			e, err := r.encode()
			if err != nil {
				t.Fatal(err)
			}
			got, err := decode(e)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			most, all := len(e.record), len(e.record)
			var parts [][]byte
			if err := e.parts(func(n int, p []byte) error {
				if _, err := readRecord(p); err != nil || n != len(parts)+1 {
					t.Errorf("%s: part %d: %v", name, n, err)
				}
				parts = append(parts, p)
				most, all = max(most, len(p)), all+len(p)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.Ops, r.Ops) || got.Version < recordPacked || (got.Version == recordParts) != (len(parts) > 0) {
				t.Errorf("%s: version %d, %d parts, other operations", name, got.Version, len(parts))
			}
			if most > partSize*3/2 || all > size*3/2 {
				t.Errorf("%s: %d bytes, at most %d at a time", name, all, most)
			}
			damaged := [][][]byte{
				{bytes.Replace(e.record, []byte(`"packed":["`), []byte(`"packed":["AAAA`), 1)},
				{bytes.Replace(e.record, []byte(`"packed":[`), []byte(`"unpacked":[`), 1)},
			}
			if len(parts) > 0 {
				damaged = [][][]byte{
					append([][]byte{e.record}, parts[1:]...),
					append([][]byte{e.record, parts[0]}, parts...),
					append([][]byte{e.record, []byte("{")}, parts[1:]...),
					append([][]byte{e.record, bytes.Replace(parts[0], []byte(`"packed":["`), []byte(`"packed":["AAAA`), 1)}, parts[1:]...),
					append([][]byte{e.record, bytes.Replace(parts[0], []byte(`"of":[`), []byte(`"of":[9,`), 1)}, parts[1:]...),
				}
			}
			for i, d := range damaged {
				each := eachPart(func(f func([]byte) error) error {
					for _, p := range d[1:] {
						if err := f(p); err != nil {
							return err
						}
					}
					return nil
				})
				r, err := readRecord(d[0])
				if err != nil {
					t.Fatal(err)
				}
				if err := r.checkPacked(each); kb.CodeOf(err) != kb.Damaged {
					t.Errorf("%s, damaged %d, checked: %v", name, i, err)
				}
				if err := r.unpack(each); kb.CodeOf(err) != kb.Damaged {
					t.Errorf("%s, damaged %d: %v", name, i, err)
				}
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
	e, err := r.encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := decode(e)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range again.Ops {
		if !bytes.Equal(o.Old, text[i:]) || !bytes.Equal(o.New, text) {
			t.Errorf("page %d is another one", i)
		}
	}
}
