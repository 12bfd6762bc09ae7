package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/anchor"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

func checkMemory(ctx context.Context, l *Look) (c api.Check, err error) {
	info, err := l.DB.Info(ctx)
	if err != nil {
		return c, err
	}
	c = api.Check{Name: "memory", State: "ok", Reason: fmt.Sprintf("%s, schema %d, %s", info.Path, info.Schema, info.Engine)}
	if db, ok := l.DB.(store.Readable); ok {
		err := db.Unwritable()
		if err == nil {
			return c, nil
		}
		why := kb.AsError(err)
		c.State, c.Reason, c.Remedy = "warning", c.Reason+"; "+why.Message, l.Hint.Of(why)
	}
	return c, nil
}

func checkDisk(l *Look, path string) (api.Check, error) {
	return l.Spaces.CheckDisk("disk of the memory", filepath.Dir(path)), nil
}

// checkOpenFiles lists the files that must not be moved while the memory is open:
// SQLite does not detect that they were moved or deleted.
func checkOpenFiles(_ *Look, path string) (api.Check, error) {
	name := filepath.Base(path)
	return api.Check{Name: "files of the memory", State: "ok", Reason: fmt.Sprintf(
		"%[1]s, %[1]s-wal, %[1]s-shm and %[1]s.locks belong together: do not move, copy or delete any of them while a cairn runs (cairn db backup copies the memory)", name)}, nil
}

// checkPermissions reports files of the memory that other users can read or write.
func checkPermissions(_ *Look, path string) (api.Check, error) {
	c := api.Check{Name: "permissions", State: "ok", Reason: "only you can read the memory"}
	loose, err := fsys.LooseBeside(path)
	if err != nil {
		return c, fsys.Explain(err, "check the files next to %s", path)
	}
	if len(loose) == 0 {
		return c, nil
	}
	c.State, c.Reason = "warning", fmt.Sprintf("others can read or write %s of the memory", api.Plural(len(loose), "file"))
	c.Remedy = "set their modes to 0600, of directories to 0700"
	c.Fix, c.Mend = "take the permissions of others away from them", tighten(loose)
	for _, l := range loose[:min(len(loose), maxItems)] {
		c.Items = append(c.Items, l.String())
	}
	return c, nil
}

// checkDefault reports a default space that was removed.
func checkDefault(ctx context.Context, l *Look) (api.Check, error) {
	c := api.Check{Name: "default space", State: "ok", Reason: "none is set"}
	r, err := l.everyday(ctx)
	if err != nil || r.def == "" {
		return c, err
	}
	if i := slices.IndexFunc(r.all, func(s kb.Space) bool { return string(s.ID) == r.def }); i >= 0 {
		c.Reason = r.all[i].Name
		return c, nil
	}
	c.State, c.Reason = "warning", "the default space is not there any more"
	c.Remedy = "choose another: cairn space default NAME"
	c.Fix = "forget which space was the default"
	c.Mend = func(ctx context.Context) error {
		return l.DB.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, space.DefaultKey, "") })
	}
	return c, nil
}

func checkMaintenance(ctx context.Context, l *Look) (api.Check, error) {
	r, err := l.everyday(ctx)
	c, never := r.maintenance, r.never
	if err == nil && len(never) > 0 {
		c.State, c.Reason = "warning", "pages never aged in "+strings.Join(never, ", ")+", which have rules for it"
		c.Remedy = "have a timer do it: cairn maintain --install; or run cairn serve"
	}
	return c, err
}

// ageingWait is the age from which a space should have had its first pass over
// pages.
const ageingWait = 48 * time.Hour

// checkForgotten reports forgotten spaces that are older than their retention time.
func checkForgotten(ctx context.Context, l *Look) ([]api.Check, error) {
	r, err := l.everyday(ctx)
	expired := space.Expired(r.forgotten, l.Now())
	if err != nil || len(expired) == 0 {
		return nil, err
	}
	c := api.Check{
		Name: "forgotten spaces", State: "warning", Reason: fmt.Sprintf("%s kept longer than 30 days", api.Plural(len(expired), "space")),
		Remedy: "cairn maintain removes their data", Fix: "remove their data",
		Mend: func(ctx context.Context) error {
			_, err := l.Spaces.RemoveExpired(ctx, false)
			return err
		},
	}
	for _, s := range expired {
		c.Items = append(c.Items, fmt.Sprintf("%s, forgotten on %s", s.Name, s.Forgotten.UTC().Format(time.DateOnly)))
	}
	return []api.Check{c}, nil
}

// checkRemoval reports an interrupted permanent removal.
func checkRemoval(ctx context.Context, l *Look) (checks []api.Check, err error) {
	err = l.DB.View(ctx, func(tx store.Tx) error {
		unfinished, err := history.Removing(ctx, tx)
		if unfinished {
			checks = append(checks, api.Check{
				Name: "unfinished removal", State: "warning", Reason: "cairn forget was interrupted: a part of the text may be left",
				Remedy: "a person finishes it: cairn forget --dry-run shows the plan, and the next cairn forget carries it out",
			})
		}
		return err
	})
	return checks, err
}

// checkText reports pages missing from the full-text index, and stray ones in it.
func checkText(ctx context.Context, sess *memory.Session, tx store.Tx) (api.Check, error) {
	c, stray, err := compareText(ctx, sess, tx)
	if err != nil || c.State == "ok" || stray == nil {
		return c, err
	}
	c.Fix = "index the full text of every page again"
	c.Mend = func(ctx context.Context) error {
		err := sess.DB.Update(ctx, func(tx store.Tx) error { return sess.Index.DropText(ctx, tx, *stray) })
		if err != nil {
			return err
		}
		all, err := sess.Spaces.All(ctx)
		if err != nil {
			return err
		}
		for _, s := range all {
			if err := sess.Syncer.Rederive(ctx, s); err != nil {
				return err
			}
		}
		return nil
	}
	return c, nil
}

func checkJournal(ctx context.Context, l *Look) (c api.Check, err error) {
	if l.Asked&everyday != 0 {
		r, err := l.everyday(ctx)
		return r.journal, err
	}
	err = l.DB.View(ctx, func(tx store.Tx) error {
		c, err = unfinished(ctx, l.Session, tx)
		return err
	})
	return c, err
}

// unfinished reports incomplete writes.
func unfinished(ctx context.Context, sess *memory.Session, tx store.Tx) (api.Check, error) {
	c := api.Check{Name: "journal", State: "ok", Reason: "no unfinished writes"}
	pending, err := tx.Journal().Pending(ctx)
	if len(pending) > 0 {
		c.State = "warning"
		c.Reason = fmt.Sprintf("%s, of processes that are alive or of spaces that cannot be opened", api.Plural(len(pending), "unfinished write"))
		c.Remedy = "make the spaces' directories available; the next command finishes the writes"
	}
	for _, entry := range pending {
		if e := write.CheckEntry(ctx, tx, entry); e != nil {
			c.State, c.Reason, c.Remedy = "error", kb.AsError(e).Message, sess.Hint.Of(kb.AsError(e))
		}
	}
	return c, err
}

// checkFullText is checkText for the commands that make no further comparison with
// the index.
func checkFullText(ctx context.Context, l *Look) (api.Check, error) {
	if l.Asked&(Deep|Stored) != 0 {
		v, err := l.validated(ctx)
		return v.text, err
	}
	r, err := l.everyday(ctx)
	return r.text, err
}

// checkOpen opens a space. Without success the other checks of the space are
// skipped.
func checkOpen(ctx context.Context, l *Look, in *inspected) ([]api.Check, error) {
	c := api.Check{Name: "space " + in.Name, State: "ok", Reason: "kept in the memory"}
	switch in.Kind {
	case kb.DirectorySpace:
		c.Reason = in.Root
	case kb.RemoteSpace:
		c.Reason = "read only here: its directory is " + in.There + " on the host " + in.Host
	}
	var err error
	if in.w, err = l.Spaces.OpenSpace(ctx, in.Space); err != nil {
		e := kb.AsError(err)
		c.State, c.Reason, c.Remedy = "error", e.Message, l.Hint.Of(e)
		in.closed = true
	}
	return []api.Check{c}, nil
}

// checkScan reports a policy that allows credentials to be written. It may have
// come with a pull, long after a person read it.
func checkScan(_ context.Context, _ *Look, in *inspected) ([]api.Check, error) {
	rules := in.w.Policy.Secrets
	switch {
	case rules.Off:
		return []api.Check{{
			Name: "secret scan " + in.Name, State: "warning", Reason: "the space's policy switches it off: credentials are written into this space",
			Remedy: "take off = true out of [secrets] in its policy, unless you want that",
		}}, nil
	case len(rules.Allow) > 0:
		return []api.Check{{
			Name: "secret scan " + in.Name, State: "ok", Reason: "the space's policy lets credentials of these rules be written into it: " + strings.Join(rules.Allow, ", "),
		}}, nil
	}
	return nil, nil
}

// checkAccepted warns about parts of a policy that came with the directory of a
// space and are not accepted.
func checkAccepted(ctx context.Context, l *Look, in *inspected) ([]api.Check, error) {
	waiting := l.Spaces.Waiting(ctx, in.Space, in.w.Policy)
	if len(waiting) == 0 {
		return nil, nil
	}
	c := api.Check{
		Name: "policy " + in.Name, State: "warning", Reason: "parts of it came with the directory, and do nothing until a person accepts them",
		Remedy: "look at them and accept them: cairn space add " + safetext.Word(in.Root),
	}
	for _, part := range waiting {
		c.Items = append(c.Items, part.Name+": "+part.Does)
	}
	return []api.Check{c}, nil
}

// scanned returns the changes that a sync would make, and the check that reports
// them.
func (in *inspected) scanned(ctx context.Context, l *Look) (*reconcile.Report, *api.Check, error) {
	if in.w.Files == nil || in.sync != nil {
		return in.report, in.sync, nil
	}
	scan := dryRun(l.Session, false)
	if l.kept != nil && l.Follower != nil {
		scan = l.Follower.Look
	}
	r, c, err := compareFiles(ctx, l.Session, in.Space, scan)
	if err == nil {
		in.report, in.sync = r, &c
	}
	return r, &c, err
}

func checkSpaceDisk(_ context.Context, l *Look, in *inspected) ([]api.Check, error) {
	if in.w.Files == nil {
		return nil, nil
	}
	return []api.Check{l.Spaces.CheckDisk("disk of "+in.Name, in.Root)}, nil
}

// checkSidecars reports unreadable sidecars.
func checkSidecars(ctx context.Context, l *Look, in *inspected) ([]api.Check, error) {
	r, _, err := in.scanned(ctx, l)
	if err != nil || r == nil || len(r.Listing.Sidecars) == 0 {
		return nil, err
	}
	c := api.Check{
		Name: "sidecars " + in.Name, State: "warning", Reason: api.Plural(len(r.Listing.Sidecars), "sidecar") + " not used",
		Remedy: "give each the name of its page, make it smaller, or move it away",
	}
	for _, x := range r.Listing.Sidecars[:min(len(r.Listing.Sidecars), maxItems)] {
		c.Items = append(c.Items, x.Path+": "+x.Reason.String())
	}
	return []api.Check{c}, nil
}

// checkSkipped reports files that look like notes and are not indexed.
func checkSkipped(ctx context.Context, l *Look, in *inspected) ([]api.Check, error) {
	r, _, err := in.scanned(ctx, l)
	if err != nil || r == nil {
		return nil, err
	}
	skipped := r.Listing.Skipped
	c := api.Check{Name: "files " + in.Name, State: "ok", Reason: api.Plural(r.Notes, "note")}
	if len(skipped) > 0 {
		c.State = "warning"
		c.Reason = api.Plural(len(skipped), "file") + " not read that look like notes"
		c.Remedy = "rename, move or repair them, or name them in .cairnignore"
		for _, x := range skipped[:min(len(skipped), maxItems)] {
			c.Items = append(c.Items, x.Path+": "+x.Reason.String())
		}
	}
	return []api.Check{c}, nil
}

// checkLeftovers reports temporary files of killed processes.
func checkLeftovers(ctx context.Context, l *Look, in *inspected) ([]api.Check, error) {
	r, _, err := in.scanned(ctx, l)
	if err != nil || r == nil {
		return nil, err
	}
	temps := r.Listing.Temps
	c := api.Check{Name: "leftovers " + in.Name, State: "ok", Reason: "no temporary files of ours"}
	if len(temps) > 0 {
		c.State, c.Reason = "warning", api.Plural(len(temps), "temporary file")+" of killed processes"
		c.Remedy = "the next sync takes them away"
		c.Fix, c.Mend = "sync the space, which takes them away", syncSpace(l.Session, in.Row)
		c.Items = temps[:min(len(temps), maxItems)]
	}
	return []api.Check{c}, nil
}

// checkSynced reports notes that changed since they were indexed.
func checkSynced(ctx context.Context, l *Look, in *inspected) ([]api.Check, error) {
	_, c, err := in.scanned(ctx, l)
	if err != nil || c == nil {
		return nil, err
	}
	return []api.Check{*c}, nil
}

// checkUnindexed is checkSynced for checks that only read the index. It only
// reports faults.
func checkUnindexed(ctx context.Context, l *Look, in *inspected) ([]api.Check, error) {
	if in.Kind != kb.DirectorySpace {
		return nil, nil
	}
	_, c, err := compareFiles(ctx, l.Session, in.Space, dryRun(l.Session, false))
	if err != nil || c.State == "ok" {
		return nil, err
	}
	return []api.Check{c}, nil
}

// checkBytes is checkSynced with every file read.
func checkBytes(ctx context.Context, l *Look, in *inspected) ([]api.Check, error) {
	if in.Kind != kb.DirectorySpace {
		return nil, nil
	}
	_, c, err := compareFiles(ctx, l.Session, in.Space, dryRun(l.Session, true))
	if c.Mend != nil {
		c.Remedy = "cairn sync --full --space " + in.Name
	}
	return []api.Check{c}, err
}

// compareFiles returns a report of the changes that a sync would make, and the
// check about it. The report is nil when the directory cannot be scanned.
func compareFiles(ctx context.Context, sess *memory.Session, s kb.Space, scan func(context.Context, *write.Space) (*reconcile.Report, error)) (r *reconcile.Report, c api.Check, err error) {
	c = api.Check{Name: "sync " + s.Name, State: "ok", Reason: "index is up to date"}
	w, err := sess.Spaces.OpenSpace(ctx, s)
	if err == nil {
		r, err = scan(ctx, w)
	}
	switch kb.CodeOf(err) {
	case kb.Refused, kb.Conflict: // for example, all of the notes are missing
		c.State, c.Reason, c.Remedy = "warning", kb.AsError(err).Message, sess.Hint.Of(kb.AsError(err))
		return r, c, nil
	case kb.Invalid, kb.NotFound: // for example, an unreadable policy or a missing directory
		c.State, c.Reason, c.Remedy = "error", kb.AsError(err).Message, sess.Hint.Of(kb.AsError(err))
		return r, c, nil
	}
	if err != nil {
		return nil, c, err
	}
	if n := r.Plan.Changes(); n > 0 {
		c.State, c.Reason = "warning", api.Plural(n, "note")+" with changes that are not indexed"
		c.Remedy = "cairn sync --space " + s.Name
		c.Fix, c.Mend = "sync the space", syncSpace(sess, s.Row)
	}
	return r, c, nil
}

// dryRun returns a sync that changes nothing. With full it reads every file,
// ignoring size and time.
func dryRun(sess *memory.Session, full bool) func(context.Context, *write.Space) (*reconcile.Report, error) {
	return func(ctx context.Context, w *write.Space) (*reconcile.Report, error) {
		return sess.Syncer.Sync(ctx, w, reconcile.Options{DryRun: true, ToRead: true, Full: full})
	}
}

func checkFailures(ctx context.Context, sess *memory.Session, tx store.Tx, s kb.Space) (api.Check, error) {
	c := api.Check{Name: "failures " + s.Name, State: "ok", Reason: "every note could be read"}
	failed, err := tx.Failures().All(ctx, s.Row)
	if len(failed) > 0 {
		c.State = "warning"
		c.Reason = fmt.Sprintf("%s could not be indexed; one that fails three times is left out until it changes, unless for its permissions or a merge", api.Plural(len(failed), "note"))
		c.Remedy = "repair them, then sync"
		for _, f := range failed[:min(len(failed), maxItems)] {
			item := f.Path + ": " + f.Reason
			if f.Count > 0 {
				item += fmt.Sprintf(" (%s)", api.Plural(f.Count, "time"))
			}
			c.Items = append(c.Items, item)
		}
	}
	return c, err
}

func checkWarnings(ctx context.Context, sess *memory.Session, tx store.Tx, s kb.Space) (api.Check, error) {
	c := api.Check{Name: "documents " + s.Name, State: "ok", Reason: "every document was understood"}
	warnings, err := tx.Pages().Warnings(ctx, s.Row)
	if err != nil || len(warnings) == 0 {
		return c, err
	}
	c.State = "warning"
	c.Reason = api.Plural(len(warnings), "problem") + " in documents"
	c.Remedy = "fix them in an editor; the text is indexed anyway"
	var rows []int64
	for _, w := range warnings[:min(len(warnings), maxItems)] {
		rows = append(rows, w.Page)
	}
	pages, err := tx.Pages().Get(ctx, slices.Compact(slices.Clone(rows)))
	paths := map[int64]string{}
	for _, p := range pages {
		paths[p.Row] = p.Path
	}
	for _, w := range warnings[:len(rows)] {
		path := paths[w.Page]
		if index.OfSidecar(w.Code) {
			path = vault.SidecarPath(path)
		}
		c.Items = append(c.Items, fmt.Sprintf("%s:%d: %s", path, w.Line, w.Text))
	}
	return c, err
}

// checkNames reports names with invisible characters. Such pages are indexed and
// listed like any other, but a query with the visible characters does not match
// them.
func checkNames(ctx context.Context, _ *memory.Session, tx store.Tx, s kb.Space) (api.Check, error) {
	c := api.Check{Name: "names " + s.Name, State: "ok", Reason: "every name can be seen"}
	type finding struct{ slug, text string }
	var found []finding
	note := func(p *kb.Page, what, name string) {
		if r, invisible := kb.Invisible(name); invisible {
			found = append(found, finding{p.Slug, fmt.Sprintf("%s: the %s %s has an invisible character, %U",
				kb.WithoutInvisible(p.Path), what, strconv.QuoteToASCII(name), r)})
		}
	}
	rows, err := tx.Pages().Rows(ctx, store.Filter{Spaces: []int64{s.Row}, BeyondASCII: true})
	if err != nil {
		return c, err
	}
	for some := range slices.Chunk(rows, 1000) {
		pages, err := tx.Pages().Get(ctx, some)
		if err != nil {
			return c, err
		}
		for i := range pages {
			p := &pages[i]
			if p.Node == "" {
				note(p, "path", p.Path)
			}
			if p.Title != doc.TitleFromPath(p.Path) {
				note(p, "title", p.Title)
			}
			for _, a := range p.Aliases {
				note(p, "alias", a)
			}
			for _, t := range p.Tags {
				note(p, "tag", t)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b finding) int { return strings.Compare(a.slug, b.slug) })
	for _, f := range found[:min(len(found), maxItems)] {
		c.Items = append(c.Items, f.text)
	}
	if n := len(found); n > 0 {
		c.State, c.Reason = "warning", api.Plural(n, "name")+" with invisible characters"
		c.Remedy = "rename them: typing the displayed name does not find them"
	}
	return c, nil
}

// checkIDs reports ids shared by several documents, such as a note and its conflict
// copy from a sync program.
func checkIDs(ctx context.Context, _ *memory.Session, tx store.Tx, s kb.Space) (api.Check, error) {
	c := api.Check{Name: "ids " + s.Name, State: "ok", Reason: "no id is in two documents"}
	found, err := index.SharedIDs(ctx, tx, s.Row)
	if len(found) > 0 {
		c.State, c.Reason = "warning", api.Plural(len(found), "id")+" in more than one document; one page has each, the others have ids of their own"
		c.Remedy = "delete the copies, or take the id out of them"
	}
	for _, x := range found[:min(len(found), maxItems)] {
		c.Items = append(c.Items, x.String())
	}
	return c, err
}

func checkLinks(ctx context.Context, sess *memory.Session, tx store.Tx, s kb.Space) (api.Check, error) {
	c := api.Check{Name: "links " + s.Name, State: "ok"}
	st, err := linksIn(ctx, tx, s.Row)
	// A link to a page that is not written yet is not a fault; an ambiguous link
	// is.
	if err != nil {
		return c, err
	}
	missing, err := anchor.Missing(ctx, sess, tx, []int64{s.Row})
	c.Reason = fmt.Sprintf("%s, %d broken", api.Plural(st.Links, "link"), st.Unresolved+len(missing))
	if len(missing) > 0 {
		c.Reason += fmt.Sprintf(" (%d to headings or blocks that do not exist)", len(missing))
		c.Remedy = "list them with cairn links --unresolved"
	}
	if st.Ambiguous > 0 {
		c.State = "warning"
		c.Reason += fmt.Sprintf(", %d that may mean several pages", st.Ambiguous)
		c.Remedy = "list them with cairn links --unresolved, and write a path instead of a name"
	}
	return c, err
}

// linksIn counts the links of a space. For a space with most of the pages it
// subtracts the other spaces' links from the total, since the total needs no lookup
// of pages.
func linksIn(ctx context.Context, tx store.Tx, space int64) (store.LinkCounts, error) {
	spaces, err := tx.Spaces().All(ctx)
	if err != nil {
		return store.LinkCounts{}, err
	}
	own, others := []int64{space}, []int64(nil)
	for _, s := range spaces {
		if s.Row != space {
			others = append(others, s.Row)
		}
	}
	if len(others) == 0 {
		return tx.Links().Count(ctx, nil)
	}
	here, err := pagesIn(ctx, tx, own)
	if err != nil {
		return store.LinkCounts{}, err
	}
	elsewhere, err := pagesIn(ctx, tx, others)
	if err != nil {
		return store.LinkCounts{}, err
	}
	if here <= elsewhere {
		return tx.Links().Count(ctx, own)
	}
	n, err := tx.Links().Count(ctx, nil)
	if err != nil {
		return n, err
	}
	rest, err := tx.Links().Count(ctx, others)
	n.Links, n.Unresolved, n.Ambiguous = n.Links-rest.Links, n.Unresolved-rest.Unresolved, n.Ambiguous-rest.Ambiguous
	return n, err
}

// pagesIn counts the pages of spaces.
func pagesIn(ctx context.Context, tx store.Tx, spaces []int64) (n int, err error) {
	counts, err := tx.Pages().Statuses(ctx, spaces)
	for _, c := range counts {
		n += c.N
	}
	return n, err
}
