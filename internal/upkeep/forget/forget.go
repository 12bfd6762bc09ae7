package forget

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// Request selects data to forget, by one of its first fields.
type Request struct {
	Refs   []string // pages, existing or deleted
	Query  string   // pages that a search finds
	Actor  kb.Actor // pages written by this actor alone; Kind or Name or both
	Match  string   // texts that match a regular expression
	Secret bool     // texts with credentials

	All     bool   // search every space; refs have their own
	DryRun  bool   // change nothing
	Receipt string // file of the receipt, absolute
}

// unfinished is the plan of a call, stored in the settings of the memory until it
// is done.
type unfinished struct {
	Erasure store.Erasure      `json:"erasure"`
	Present []string           `json:"present,omitempty"` // refs of documents to delete
	Last    map[string]int64   `json:"last,omitempty"`    // Seq of the newest version of each document, by keyOf
	Result  api.ForgetResult   `json:"result"`
	Receipt *api.ForgetReceipt `json:"receipt,omitempty"` // set once the rows are gone
}

// Pages permanently removes the selection of a request. It first completes an
// interrupted call.
func Pages(ctx context.Context, sess *memory.Session, req Request) (out api.ForgetResult, err error) {
	if err := space.PersonOnly(sess.Actor, "forget", "remove pages for good"); err != nil {
		return out, err
	}
	db, ok := sess.DB.(store.Scrubber)
	if !ok {
		return out, kb.Errorf(kb.Usage, "cairn does not remove for good from this kind of database")
	}
	if !req.DryRun && fsys.Exists(req.Receipt) {
		return out, kb.Errorf(kb.Conflict, "%s exists already", req.Receipt).WithHint("Nothing was changed. Choose another name for the receipt.")
	}
	begun, err := begunBefore(ctx, sess)
	if err != nil {
		return out, err
	}
	if begun != nil && req.DryRun {
		out := begun.Result
		out.DryRun, out.Resumed = true, true
		return out, nil
	}
	if begun != nil {
		out, err := finish(ctx, sess, db, begun, req.Receipt)
		out.Resumed = true
		return out, err
	}
	p, err := choose(ctx, sess, req)
	if err != nil {
		return out, err
	}
	if req.All && len(req.Refs) == 0 {
		if err := p.withhold(ctx, sess); err != nil {
			return out, err
		}
	}
	if err := p.dismissals(ctx, sess); err != nil {
		return out, err
	}
	linked, err := stillLinked(ctx, sess, p)
	if err != nil {
		return out, err
	}
	out = api.ForgetResult{
		DryRun: req.DryRun, Pages: p.pages, Versions: p.n, Gaps: len(p.Gaps), Items: len(p.Items),
		Messages: len(p.Messages), Dismissals: len(p.Dismissals), Left: append(p.left, linked...),
	}
	if out.Pages == nil {
		out.Pages = []api.ForgottenPage{}
	}
	if out.Beyond, err = beyond(ctx, sess, p); err != nil {
		return out, err
	}
	if len(p.present) > 0 { // refuse before recording anything
		if err := remove(ctx, sess, p.refs(), true); err != nil {
			return out, err
		}
	}
	if req.DryRun || len(p.Documents)+len(p.Versions)+len(p.Gaps)+len(p.Items)+len(p.Messages)+len(p.Dismissals) == 0 {
		return out, nil
	}
	begun = &unfinished{Erasure: p.Erasure, Present: p.refs(), Result: out, Last: p.last}
	if err := sess.DB.Update(ctx, func(tx store.Tx) error { return begun.write(ctx, tx) }); err != nil {
		return out, err
	}
	return finish(ctx, sess, db, begun, req.Receipt)
}

func remove(ctx context.Context, sess *memory.Session, refs []string, dry bool) error {
	_, err := change.Change(ctx, sess, change.ChangeRequest{
		WriteOptions: api.WriteOptions{DryRun: dry, RewriteTimeline: true}, Refs: refs, Steps: []change.Step{change.DeleteStep{}},
	})
	return err
}

// finish carries out a plan, continuing where an earlier call stopped.
func finish(ctx context.Context, sess *memory.Session, db store.Scrubber, u *unfinished, receipt string) (api.ForgetResult, error) {
	if u.Receipt == nil {
		there, err := stillThere(ctx, sess, u)
		if err == nil && len(there) > 0 {
			err = remove(ctx, sess, there, false)
		}
		if err != nil {
			return u.Result, errors.Join(err, withdraw(ctx, sess, u, len(there) == len(u.Present)))
		}
		if err := erase(ctx, sess, u); err != nil {
			return u.Result, err
		}
	}
	left, err := db.Scrub(ctx)
	if err != nil {
		return u.Result, kb.Errorf(kb.CodeOf(err), "the pages are removed, but the database still holds unused bytes of them: %w", err).
			WithHint("Repeat the command when nobody else uses the memory: it goes on from here.")
	}
	u.Result.InLog = left
	if err := leave(ctx, sess, u); err != nil {
		return u.Result, err
	}
	m, _, err := marksOf(*u.Receipt)
	if err != nil {
		return u.Result, err
	}
	var found api.ForgetVerify
	if err := lookInDatabase(ctx, m, db, &found); err != nil {
		return u.Result, err
	}
	if u.Result.Verified = found.Clean(); !u.Result.Verified {
		return u.Result, notClean(u.Result, found)
	}
	text, err := json.MarshalIndent(u.Receipt, "", "  ")
	if err != nil {
		return u.Result, err
	}
	if err := fsys.MakeDir(filepath.Dir(receipt)); err != nil {
		return u.Result, fsys.Explain(err, "write the receipt %s", receipt)
	}
	err = fsys.Within(filepath.Dir(receipt), func(dir *fsys.Dir) error {
		return fsys.WriteAtomic(ctx, dir, filepath.Base(receipt), append(text, '\n'), fsys.Absent(), fsys.WriteOptions{Perm: 0o600})
	})
	if err != nil {
		return u.Result, fsys.Explain(err, "write the receipt %s", receipt)
	}
	u.Result.Receipt = receipt
	return u.Result, sess.DB.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, history.UnfinishedRemoval, "") })
}

// notClean is the error for a memory with remaining traces.
func notClean(r api.ForgetResult, found api.ForgetVerify) error {
	e := kb.Errorf(kb.Conflict, "the pages are removed, and %s still holds a part of their text", found.Found[0]).With("found", found.Found)
	if r.InLog > 0 {
		return e.WithHint("Others are reading. End them and repeat the command: it goes on from here.")
	}
	return e.WithHint("Repeat the command: it goes on from here.")
}

// withdraw deletes the plan if none of it was carried out.
func withdraw(ctx context.Context, sess *memory.Session, u *unfinished, untouched bool) error {
	if !untouched {
		return nil
	}
	there, err := stillThere(ctx, sess, u)
	if err != nil || len(there) < len(u.Present) || len(u.Present) == 0 {
		return err
	}
	return sess.DB.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, history.UnfinishedRemoval, "") })
}

// keyOf returns the key of a document in the plan.
func keyOf(d store.DocumentKey) string { return fmt.Sprintf("%d/%s", d.Space, d.ID) }

// stillThere returns the refs of the planned documents that are not deleted yet.
// Documents written or restored since are removed from the plan: nobody asked to
// forget their new state.
func stillThere(ctx context.Context, sess *memory.Session, u *unfinished) (refs []string, err error) {
	newer := map[string]kb.Page{}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		all, err := tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		names := space.Names(all)
		for _, d := range u.Erasure.Documents {
			pages, err := tx.Pages().ByID(ctx, d.ID)
			if err != nil {
				return err
			}
			for _, p := range pages {
				if p.Space != names[d.Space] {
					continue
				}
				if last, noted := u.Last[keyOf(d)]; noted {
					v, err := tx.History().Version(ctx, d.Space, d.ID, 0)
					if err != nil && kb.CodeOf(err) != kb.NotFound {
						return err
					}
					if v.Seq > last {
						newer[keyOf(d)] = p
						continue
					}
				}
				refs = append(refs, p.Space+":"+p.Path)
			}
		}
		return nil
	})
	for _, p := range newer {
		u.without(p)
	}
	u.Erasure.Documents = slices.DeleteFunc(u.Erasure.Documents, func(d store.DocumentKey) bool { _, again := newer[keyOf(d)]; return again })
	return refs, err
}

// without removes a page from the plan that was written since.
func (u *unfinished) without(p kb.Page) {
	u.Present = slices.DeleteFunc(u.Present, func(ref string) bool { return ref == p.Space+":"+p.Path })
	u.Result.Pages = slices.DeleteFunc(u.Result.Pages, func(f api.ForgottenPage) bool {
		if f.Ref != p.Ref() {
			return false
		}
		u.Result.Versions -= f.Versions
		return true
	})
	u.Result.Left = append(u.Result.Left, fmt.Sprintf("%s: it was written or restored since; to remove it: cairn forget %s", p.Ref(), safetext.Word(p.Ref())))
}

// erase removes the rows and records the receipt, in one transaction.
func erase(ctx context.Context, sess *memory.Session, u *unfinished) error {
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return err
	}
	return sess.DB.Update(ctx, func(tx store.Tx) error {
		m := newMarks(salt)
		receipt := api.ForgetReceipt{Format: 1, At: sess.Now().UTC().Truncate(time.Second), Salt: hex.EncodeToString(salt), Documents: []string{}, Texts: []string{}}
		for _, d := range u.Erasure.Documents {
			pages, err := tx.Pages().ByID(ctx, d.ID)
			if err != nil {
				return err
			}
			for _, p := range pages {
				if s, err := space.OfPage(ctx, tx, p); err != nil || s.Row == d.Space {
					return errors.Join(err, kb.Errorf(kb.Conflict, "%s was written again meanwhile", p.Ref()).WithHint("Repeat the command."))
				}
			}
			receipt.Documents = append(receipt.Documents, m.sum("document", []byte(d.ID)))
			if err := names(ctx, tx, d, m); err != nil {
				return err
			}
		}
		done, err := tx.Traces().Erase(ctx, u.Erasure, func(b store.ErasedBytes) error {
			receipt.Texts = append(receipt.Texts, m.sum("text", b.Hash[:]))
			m.add(b.Bytes)
			m.addStored(b.Stored)
			return nil
		})
		if err != nil {
			return err
		}
		u.Result.Texts, u.Result.Gaps, u.Result.Items, u.Result.Shared = done.Texts, done.Gaps, done.Items, len(done.Kept)
		if err := errors.Join(
			history.NoteForgotten(ctx, tx, done.Writes),
			tx.Vectors().ForgetSpare(ctx),
			sess.Index.Text().Purge(ctx, tx.Lexical()),
		); err != nil {
			return err
		}
		if err := unmark(ctx, tx, m); err != nil {
			return err
		}
		receipt.Marks = m.list()
		// Text recorded from here on stays in the file until the next scrub: it
		// must not have names.
		r := u.Result
		next := unfinished{Receipt: &receipt, Result: api.ForgetResult{
			Pages: []api.ForgottenPage{}, Versions: r.Versions, Texts: r.Texts, Gaps: r.Gaps, Items: r.Items,
			Messages: r.Messages, Dismissals: r.Dismissals, Shared: r.Shared, Beyond: []api.Beyond{},
		}}
		u.Receipt = &receipt
		return next.write(ctx, tx)
	})
}

// names marks the former titles and paths of a document.
func names(ctx context.Context, tx store.Tx, d store.DocumentKey, m *marks) error {
	versions, _, err := tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{d.Space}, Page: d.ID}, 1<<30, 0)
	for _, v := range versions {
		m.add([]byte(v.Title))
		m.add([]byte(v.Path))
	}
	return err
}

// pagesTables have texts that remaining pages may share with removed ones.
var pagesTables = map[string]bool{
	"blobs": true, "documents": true, "pages": true, "versions": true, "links": true, "names": true, "spaces": true,
	"forgotten_documents": true, "forgotten_versions": true, "forgotten_spaces": true,
}

// unmark drops the marks of pieces that remaining pages contain.
func unmark(ctx context.Context, tx store.Tx, m *marks) error {
	return tx.Traces().Values(ctx, func(table string, value []byte) error {
		if pagesTables[table] {
			m.find(value, func(_ int, piece []byte) bool { m.drop(piece); return true })
		}
		return nil
	})
}

func (u *unfinished) write(ctx context.Context, tx store.Tx) error {
	text, err := json.Marshal(u)
	if err != nil {
		return err
	}
	return tx.Settings().Set(ctx, history.UnfinishedRemoval, string(text))
}

// begunBefore returns the plan of an interrupted call, nil if there is none.
func begunBefore(ctx context.Context, sess *memory.Session) (u *unfinished, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		text, err := tx.Settings().Get(ctx, history.UnfinishedRemoval)
		if err != nil || text == "" {
			return err
		}
		u = &unfinished{}
		if err := json.Unmarshal([]byte(text), u); err != nil {
			return fmt.Errorf("read the unfinished removal: %w", err)
		}
		return nil
	})
	return u, err
}
