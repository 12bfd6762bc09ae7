package brief

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/sentence"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/store"
)

// How many pages, folders and tags are named.
const (
	maxProject = 10
	// Decisions and tasks of a list, and the runes of a task.
	maxDecisions, maxTasks, maxPrimeTask = 5, 5, 120
	maxLinked                            = 5
	maxNewest                            = 5
	maxFolders                           = 12
	maxTags                              = 12

	maxTasksRead  = 200 // tasks that are read for a list, of which some are passed over
	maxRebuilt    = 20  // pages that cairn rebuilds, which are passed over
	maxReplaced   = 20  // pages that others replace, which are passed over
	maxNewestTags = 200 // limit of pages with counted tags, in spaces with very many
)

// aboutProject reports whether a space has pages of the caller's project.
func aboutProject(ctx context.Context, sess *memory.Session, in kb.Space) (some bool, err error) {
	tag := space.ProjectTag(sess.Spaces, kb.Space{})
	if tag == "" {
		return false, nil
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		_, total, err := tx.Pages().List(ctx, store.Filter{Spaces: []int64{in.Row}, Tags: []string{tag}}, store.BySlug, 1, 0)
		some = total > 0
		return err
	})
	return some, err
}

// current returns the pages of a list that no other page replaces: one that holds.
func current(ctx context.Context, sess *memory.Session, tx store.Tx, spaces []kb.Space, pages []kb.Page) ([]kb.Page, error) {
	next, err := retrieve.Successors(ctx, sess, tx, spaces, pages)
	return slices.DeleteFunc(pages, func(p kb.Page) bool {
		by := next[p.Row]
		return by.Row != 0 && kb.Holds(by.Status)
	}), err
}

// primeProject names the pages that were remembered in the caller's project, the
// newest first, whichever of the spaces that questions are about they are in. It
// returns their refs.
func primeProject(ctx context.Context, sess *memory.Session, tx store.Tx, seen []string, turned ageing.Turned, t *primeText) ([]string, error) {
	tag := space.ProjectTag(sess.Spaces, kb.Space{})
	if tag == "" {
		return nil, nil
	}
	spaces, err := sess.Spaces.AskedTx(ctx, tx)
	if err != nil {
		return nil, err
	}
	f := store.Filter{Spaces: space.Rows(spaces), Tags: []string{tag}, Statuses: kb.Holding()}
	pages, total, err := tx.Pages().List(ctx, f, store.ByUpdated, maxProject+maxReplaced+len(turned)+len(seen), 0)
	if err != nil {
		return nil, err
	}
	held := len(pages)
	pages = slices.DeleteFunc(pages, func(p kb.Page) bool { return !kb.Holds(turned.Status(p.Row, p.Status)) })
	pages, err = current(ctx, sess, tx, spaces, pages)
	total -= held - len(pages)
	pages = slices.DeleteFunc(pages, func(p kb.Page) bool { return slices.Contains(seen, p.Ref()) })
	if pages = pages[:min(maxProject, len(pages))]; err != nil || len(pages) == 0 {
		return nil, err
	}
	return nameOf(ctx, sess, tx, fmt.Sprintf("Remembered in this project (tag %s, %s):", tag, api.Plural(total, "page")), pages, t)
}

// primeDecisions names the newest decisions that hold: those of the caller's project, or of
// the whole space where it has none. It returns their refs.
func primeDecisions(ctx context.Context, sess *memory.Session, tx store.Tx, in kb.Space, pol *policy.Policy, injected []kb.Page, turned ageing.Turned, t *primeText) ([]string, error) {
	of := []store.Filter{{}}
	if tag := space.ProjectTag(sess.Spaces, kb.Space{}); tag != "" {
		of = []store.Filter{{Tags: []string{tag}}, {}}
	}
	for _, f := range of {
		f.Spaces, f.Types, f.Statuses = []int64{in.Row}, []string{"decision"}, kb.Holding()
		pages, _, err := tx.Pages().List(ctx, f, store.ByUpdated, maxDecisions+maxReplaced+len(injected)+len(turned), 0)
		if err != nil {
			return nil, err
		}
		if pages, err = current(ctx, sess, tx, []kb.Space{in}, pages); err != nil {
			return nil, err
		}
		pages = slices.DeleteFunc(pages, func(p kb.Page) bool {
			given := slices.ContainsFunc(injected, func(i kb.Page) bool { return i.Row == p.Row })
			return given || pol.Rebuilds(p.Path) || !kb.Holds(turned.Status(p.Row, p.Status))
		})
		if len(pages) > 0 {
			return nameOf(ctx, sess, tx, "Decisions:", pages[:min(len(pages), maxDecisions)], t)
		}
	}
	return nil, nil
}

// primeTasks lists tasks of pages that hold: those due by today, and the open ones of the
// caller's project.
func primeTasks(ctx context.Context, sess *memory.Session, tx store.Tx, in kb.Space, pol *policy.Policy, turned ageing.Turned, t *primeText) error {
	open := false
	seen := map[string]bool{}
	list := func(head string, f store.ItemFilter) error {
		f.Kind, f.Done, f.Pages.Spaces, f.Pages.Statuses = kb.TaskItem, &open, []int64{in.Row}, kb.Holding()
		items, _, err := tx.Items().List(ctx, f, maxTasksRead, 0)
		if err != nil {
			return err
		}
		var lines []string
		for _, it := range items {
			line := "> " + sentence.Shorten(masked(oneLine(it.Text)), maxPrimeTask)
			if it.Due != "" {
				line += ", due " + it.Due
			}
			line += fmt.Sprintf(" (%s:%d)", primeName(it.Page.Ref()), it.Line)
			if len(lines) < maxTasks && !seen[line] && !pol.Rebuilds(it.Page.Path) && kb.Holds(turned.Status(it.Page.Row, it.Page.Status)) {
				seen[line] = true
				lines = append(lines, line)
			}
		}
		if len(lines) > 0 && t.add(head) {
			t.lines(lines)
		}
		return nil
	}
	tomorrow := sess.Now().AddDate(0, 0, 1).Format(time.DateOnly)
	if err := list("Tasks due:", store.ItemFilter{DueEnd: tomorrow}); err != nil {
		return err
	}
	tag := space.ProjectTag(sess.Spaces, kb.Space{})
	if tag == "" {
		return nil
	}
	return list("Open tasks of this project:", store.ItemFilter{Pages: store.Filter{Tags: []string{tag}}})
}

// primeOthers names the pages of the space that most others link to, and the
// newest, but those of seen, those that cairn rebuilds and those that others replace.
func primeOthers(ctx context.Context, sess *memory.Session, tx store.Tx, in kb.Space, pol *policy.Policy, seen []string, turned ageing.Turned, t *primeText) error {
	unseen := func(pages []kb.Page, limit int) ([]kb.Page, error) {
		pages, err := current(ctx, sess, tx, []kb.Space{in}, pages)
		pages = slices.DeleteFunc(pages, func(p kb.Page) bool {
			return slices.Contains(seen, p.Ref()) || pol.Rebuilds(p.Path) || !kb.Holds(turned.Status(p.Row, p.Status))
		})
		return pages[:min(limit, len(pages))], err
	}
	var pages []kb.Page
	for most := maxLinked + len(seen); ; most += maxRebuilt {
		linked, err := tx.Links().MostLinked(ctx, []int64{in.Row}, most)
		if err != nil {
			return err
		}
		rows := make([]int64, len(linked))
		for i, l := range linked {
			rows[i] = l.Page
		}
		if pages, err = tx.Pages().Get(ctx, rows); err != nil {
			return err
		}
		// Few pages are passed over, if any, and each that is counted costs time.
		if pages, err = unseen(pages, maxLinked); err != nil {
			return err
		}
		if len(pages) == maxLinked || len(linked) < most || most > maxLinked+len(seen) {
			break
		}
	}
	named, err := nameOf(ctx, sess, tx, "Most linked:", pages, t)
	if err != nil {
		return err
	}
	seen = append(seen, named...)
	for most := maxNewest + len(seen) + maxRebuilt; ; most *= 4 {
		rows, err := newest(ctx, tx, in, turned, most)
		if err != nil {
			return err
		}
		if pages, err = tx.Pages().Get(ctx, rows); err != nil {
			return err
		}
		slices.SortStableFunc(pages, byUpdated)
		if pages, err = unseen(pages, maxNewest); err != nil {
			return err
		}
		if len(pages) == maxNewest || len(rows) < most || most > scanLimit {
			break
		}
	}
	_, err = nameOf(ctx, sess, tx, "Newest:", pages, t)
	return err
}

// nameOf writes a line for each page, as far as the budget goes: its ref, its title
// and how it begins. It returns the refs that it wrote.
func nameOf(ctx context.Context, sess *memory.Session, tx store.Tx, head string, pages []kb.Page, t *primeText) ([]string, error) {
	if len(pages) == 0 || !t.add(head) {
		return nil, nil
	}
	var refs []string
	for _, p := range pages {
		text, err := truth(ctx, sess, tx, p)
		if err != nil {
			return refs, err
		}
		if !t.add(pageLine(p.Ref(), p.Title, retrieve.Begins(p, text))) {
			break
		}
		refs = append(refs, p.Ref())
	}
	return refs, nil
}

// pageLine names a page and says how it begins, once where the title is the start of
// that.
func pageLine(ref, title, says string) string {
	title, says = masked(title), masked(says)
	if start, cut := strings.CutSuffix(title, "…"); cut && strings.HasPrefix(sentence.Plain(says), start) {
		title, says = says, ""
	} else {
		title = sentence.Shorten(title, maxPrimeName)
	}
	line := fmt.Sprintf("> %s: %s", primeName(ref), title)
	if says != "" && says != title {
		line += " - " + says
	}
	return line
}

// masked is a line of text from documents without credentials.
func masked(text string) string { return oneLine(string(secrets.Hide([]byte(text)))) }

// folders says which folders and tags a space has, the largest first. Of one with more than
// maxChecked pages it names the tags of the newest ones.
func folders(ctx context.Context, tx store.Tx, in kb.Space, pages int) ([]string, error) {
	root, err := tx.Directories().Below(ctx, in.Row, "")
	if err != nil {
		return nil, err
	}
	counts := make([]store.Count, 0, len(root.Directories))
	for _, d := range root.Directories {
		counts = append(counts, store.Count{Value: d.Name + "/", N: d.Pages})
	}
	slices.SortFunc(counts, byCount)
	var out []string
	if line := counted("Folders", counts, maxFolders, true); line != "" {
		out = append(out, line)
	}
	head, exact := "Tags", pages <= maxChecked
	var tags []store.Count
	if exact {
		tags, err = tx.Pages().Tags(ctx, store.Filter{Spaces: []int64{in.Row}})
	} else {
		head = "Tags of the newest pages"
		tags, err = newestTags(ctx, tx, in)
	}
	if line := counted(head, tags, maxTags, exact); line != "" {
		out = append(out, line)
	}
	return out, err
}

func byCount(a, b store.Count) int { return cmp.Or(b.N-a.N, cmp.Compare(a.Value, b.Value)) }

// counted is a line of values, with how many pages have each if that is known, "" for none.
func counted(head string, counts []store.Count, most int, exact bool) string {
	var names []string
	for _, c := range counts[:min(most, len(counts))] {
		name := primeName(c.Value)
		if exact {
			name += fmt.Sprintf(" (%d)", c.N)
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("> %s: %s", head, strings.Join(names, ", "))
}

// newestTags counts the tags of the pages that changed last.
func newestTags(ctx context.Context, tx store.Tx, in kb.Space) ([]store.Count, error) {
	rows, err := tx.Lives().Newest(ctx, in.Row, kb.Active, maxNewestTags)
	if err != nil {
		return nil, err
	}
	pages, err := tx.Pages().Get(ctx, rows)
	n := map[string]int{}
	for _, p := range pages {
		for _, tag := range p.Tags {
			n[tag]++
		}
	}
	out := make([]store.Count, 0, len(n))
	for tag, n := range n {
		out = append(out, store.Count{Value: tag, N: n})
	}
	slices.SortFunc(out, byCount)
	return out, err
}
