package forget

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
)

// maxReceipt is the maximum size of a receipt.
const maxReceipt = 256 << 20

// Verify reads the memory, both its rows and the raw files of its database, and
// other files such as backups, and reports where it finds data listed in a receipt.
func Verify(ctx context.Context, sess *memory.Session, receipt string, more []string) (api.ForgetVerify, error) {
	var r api.ForgetReceipt
	text, err := fsys.ReadRegular(sess.Place.Absolute(receipt), maxReceipt)
	if err != nil {
		return api.ForgetVerify{}, fsys.Explain(err, "read the receipt")
	}
	if err := json.Unmarshal(text, &r); err != nil || r.Format != 1 || r.Salt == "" {
		return api.ForgetVerify{}, kb.Errorf(kb.Invalid, "%s is not a receipt of a removal", receipt)
	}
	out, err := verify(ctx, sess, r)
	if err != nil {
		return out, err
	}
	m, texts, err := marksOf(r)
	if err != nil {
		return out, err
	}
	for _, name := range more {
		if err := lookIn(ctx, m, texts, sess.Place.Absolute(name), &out); err != nil {
			return out, err
		}
	}
	return out, nil
}

// marksOf returns the marks of a receipt and the hashes of whole texts.
func marksOf(r api.ForgetReceipt) (*marks, map[string]bool, error) {
	salt, err := hex.DecodeString(r.Salt)
	if err != nil {
		return nil, nil, kb.Errorf(kb.Invalid, "the receipt has no key")
	}
	m := newMarks(salt)
	for _, mark := range r.Marks {
		if err := m.read(mark); err != nil {
			return nil, nil, err
		}
	}
	texts := map[string]bool{}
	for _, t := range r.Texts {
		texts[t] = true
	}
	return m, texts, nil
}

// lookIn searches a file for marks, and for a removed text that is the whole file.
func lookIn(ctx context.Context, m *marks, texts map[string]bool, name string, out *api.ForgetVerify) error {
	in, err := m.findIn(ctx, name)
	if err != nil {
		return err
	}
	switch {
	case in.at >= 0:
		out.Found = append(out.Found, fmt.Sprintf("%s at byte %d", name, in.at))
	case texts[m.sum("text", in.sum[:])]:
		out.Found = append(out.Found, name+", the whole file")
	case in.format != "":
		out.Unreadable = append(out.Unreadable, fmt.Sprintf("%s (%s)", name, in.format))
		return nil
	}
	out.Checked = append(out.Checked, name)
	return nil
}

// isText returns the mark of a whole text if a value is its hash, "" if not.
// Versions keep the hash of their removed text.
func isText(m *marks, texts map[string]bool, table string, value []byte) string {
	if len(value) != len(kb.Hash{}) || table == "versions" || table == "forgotten_versions" {
		return ""
	}
	if sum := m.sum("text", value); texts[sum] {
		return sum
	}
	return ""
}

func verify(ctx context.Context, sess *memory.Session, r api.ForgetReceipt) (api.ForgetVerify, error) {
	out := api.ForgetVerify{At: r.At, Checked: []string{}, Marks: len(r.Marks), Found: []string{}}
	m, texts, err := marksOf(r)
	if err != nil {
		return out, err
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		return tx.Traces().Values(ctx, func(table string, value []byte) error {
			where := "table " + table
			found := isText(m, texts, table, value) != ""
			m.find(value, func(int, []byte) bool { found = true; return false })
			if found && !slices.Contains(out.Found, where) {
				out.Found = append(out.Found, where)
			}
			return nil
		})
	})
	if err != nil {
		return out, err
	}
	info, err := sess.DB.Info(ctx)
	if err != nil {
		return out, err
	}
	out.Checked = append(out.Checked, "every row of "+info.Path)
	if db, ok := sess.DB.(store.Scrubber); ok {
		err = lookInDatabase(ctx, m, db, &out)
	}
	return out, err
}

// lookInDatabase searches the files of the database for marks.
func lookInDatabase(ctx context.Context, m *marks, db store.Scrubber, out *api.ForgetVerify) error {
	for _, name := range db.Files() {
		if fsys.Exists(name) {
			if err := lookIn(ctx, m, nil, name, out); err != nil {
				return err
			}
		}
	}
	return nil
}
