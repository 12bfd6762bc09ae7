package write

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lint"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

// check looks at the new bytes of every document, before any of them reaches
// the disk, the journal or the index.
func (s *changeSet) check(ctx context.Context) error {
	var own []secrets.Rule
	for _, t := range s.docs {
		own = append(own, t.space.Policy.Secrets.Rules...)
		for _, a := range t.space.Around {
			if a.Space != nil {
				own = append(own, a.Space.Policy.Secrets.Rules...)
			}
		}
	}
	if err := secrets.CheckAllowed(s.req.AllowSecrets, own); err != nil {
		return err
	}
	refused := refusals{changes: len(s.req.Changes)}
	for _, t := range s.docs {
		if !t.changed() {
			continue
		}
		err := t.judge(func(t *target) error { return s.checkDocument(ctx, t) })
		if err != nil && !refused.add(t.path, err) {
			return err
		}
		if t.space.Policy.CommitWaits && (t.put == nil || !t.put.Copied) { // those around commit nothing of it
			t.note("it is not committed: nobody has accepted yet that the policy keeps the space in git")
		}
	}
	if err := refused.err(); err != nil {
		return err
	}
	if err := checkLint(ctx, s); err != nil {
		return err
	}
	return s.checkIDs(ctx)
}

// checkDocument is check for one document, as one of the spaces has it that hold it.
func (s *changeSet) checkDocument(ctx context.Context, t *target) error {
	if err := s.checkWords(t); err != nil || !t.gone && t.put != nil && t.put.Copied {
		return err
	}
	if t.textChanged() {
		if err := checkOwner(s, t); err != nil {
			return err
		}
	}
	if t.gone {
		return nil
	}
	if t.textChanged() {
		if err := s.checkNames(t); err != nil {
			return err
		}
		if !t.returns() {
			if err := s.checkSchema(t); err != nil {
				return err
			}
			if err := s.checkConformity(ctx, t); err != nil {
				return err
			}
		}
		if err := s.checkRelations(ctx, t); err != nil {
			return err
		}
		if err := s.checkTransitions(t); err != nil {
			return err
		}
	}
	return s.checkSecrets(t)
}

// checkNames refuses titles, aliases and tags with characters that nobody sees,
// unless the document had them before, or has them again.
func (s *changeSet) checkNames(t *target) error {
	if s.req.Undoes != 0 || s.req.Operation == "restore" {
		return nil
	}
	codec := doc.ForNote(s.w.Codecs, t.space.Syntax, t.to)
	had := sync.OnceValue(func() map[string]bool { // by few documents
		names := map[string]bool{}
		if t.exists() {
			eachName(codec.Parse(t.path, t.old), func(_, name string) { names[name] = true })
		}
		return names
	})
	var err error
	eachName(codec.Parse(t.to, t.new), func(what, name string) {
		if r, found := kb.Invisible(name); found && err == nil && !had()[name] {
			err = kb.Errorf(kb.Invalid, "the %s %q has an invisible character, %U", what, name, r).
				WithHint("Nothing was written. Type the %s instead of pasting it.", what)
		}
	})
	return err
}

// eachName calls do for the names in a document's metadata, with their kind.
func eachName(d *doc.Document, do func(what, name string)) {
	for i := range d.Nodes {
		n := &d.Nodes[i]
		do("title", n.Title)
		for _, a := range n.Aliases {
			do("alias", a)
		}
		for _, tag := range n.Tags {
			do("tag", tag)
		}
	}
}

// Migrates is the operation of a write by which pages go where their policy has them by now.
// The rules for the new place do not refuse the text that they had.
const Migrates = "migrate"

// checkOwner refuses changes by an agent on its own account to a page that
// belongs to the user, or adds a note about them.
func checkOwner(s *changeSet, t *target) error {
	o := t.space.Policy.Ownership
	if len(o.User) == 0 || s.req.Actor.Kind != kb.Agent {
		return nil
	}
	text := t.new
	if t.exists() {
		text = t.old
	}
	metadata := lint.Content(doc.ForNote(s.w.Codecs, t.space.Syntax, t.to).Parse(t.to, text)).Metadata
	at := t.to
	if t.exists() && !o.Forbids(s.req.Actor, at, metadata, s.req.Message) {
		at = t.path // a page of the user's may not be moved away either
	}
	if !o.Forbids(s.req.Actor, at, metadata, s.req.Message) {
		return nil
	}
	if o.Mode == policy.Advisory {
		t.note("this page is the user's: change it only when they asked")
		return nil
	}
	err := kb.Errorf(kb.Refused, "%s may not change %s: it belongs to the user, and the message does not say that they asked", s.req.Actor, at).
		WithReason(kb.NotPermitted).With("path", at)
	if o.Asked != "" {
		return err.With("asked", o.Asked).WithHint("If the user asked for it, say %q in the message.", o.Asked)
	}
	return err
}

// note adds a note once, however often the change is checked.
func (t *target) note(text string) {
	if !slices.Contains(t.notes, text) {
		t.notes = append(t.notes, text)
	}
}

// checkSchema refuses violations of the space's schemas. Existing violations do
// not block a change: a page may be fixed step by step.
func (s *changeSet) checkSchema(t *target) error {
	codec := doc.ForNote(s.w.Codecs, t.space.Syntax, t.to)
	d := codec.Parse(t.to, t.new)
	if d.Format.Whole() && d.Encoding == doc.Opaque && (!t.exists() || codec.Parse(t.path, t.old).Encoding != doc.Opaque) {
		return kb.Errorf(kb.Invalid, "the new text of %s is not a valid %s", t.to, map[doc.Format]string{doc.Canvas: "JSON canvas", doc.Base: "YAML of a base"}[d.Format]).
			WithHint("Nothing was written.")
	}
	if d.Encoding == doc.Opaque && !t.exists() {
		return kb.Errorf(kb.Invalid, "the new text of %s is not text in a known encoding", t.to).
			WithHint("Nothing was written. Notes are UTF-8 text.")
	}
	if len(t.space.Policy.Schemas) == 0 || t.space.Policy.Lint.Enforce { // then checkLint reports them with the other faults
		return nil
	}
	broken := t.space.Policy.Violations(lint.Content(d))
	if t.exists() {
		at := t.path
		if s.req.Operation == Migrates {
			at = t.to // the text was made before these rules
		}
		before := t.space.Policy.Violations(lint.Content(codec.Parse(at, t.old)))
		broken = slices.DeleteFunc(broken, func(v policy.Violation) bool { return slices.Contains(before, v) })
	}
	broken = slices.DeleteFunc(broken, func(v policy.Violation) bool {
		if v.Advice {
			t.note(v.Key + " " + v.Problem)
		}
		return v.Advice
	})
	if len(broken) == 0 {
		return nil
	}
	problems := make([]string, len(broken))
	for i, v := range broken {
		problems[i] = v.Key + " " + v.Problem
	}
	return kb.Errorf(kb.Invalid, "%s does not fit the space's schema: %s", t.to, strings.Join(problems, "; ")).
		WithHint("Nothing was written. Mend the page and try again.").
		With("violations", problems)
}

// returns reports whether the document gets the text of an earlier version.
func (t *target) returns() bool { return t.put != nil && t.put.Returned }

// checkWords refuses credentials outside the text: in the reason and the name
// in the history, and in the path of a page that is created or moved.
func (s *changeSet) checkWords(t *target) error {
	if t.space.Policy.Secrets.Off {
		return nil
	}
	if err := s.scan(t, "the message", s.req.Message); err != nil {
		return err
	}
	if err := s.scan(t, "the name of the actor", s.req.Actor.Name); err != nil {
		return err
	}
	if t.gone || t.exists() && t.to == t.path {
		return nil
	}
	return s.scan(t, "the path", t.to)
}

func (s *changeSet) scan(t *target, what, text string) error {
	return s.refusal(what, secrets.Scan([]byte(text), s.scanOptions(t)))
}

// refusal is secrets.Refusal, without the hint about marks for callers whose
// marks are ignored.
func (s *changeSet) refusal(what string, found []secrets.Finding) error {
	err := secrets.Refusal(what, found)
	if err != nil && s.ignoresMarks() {
		delete(kb.AsError(err).Facts, "mark")
	}
	return err
}

// ignoresMarks reports whether new text of the change was written by an agent.
func (s *changeSet) ignoresMarks() bool { return s.req.Actor.Kind == kb.Agent && !s.restores() }

// scanOptions are the options for scanning new text of a document. Marks
// written by an agent are ignored.
func (s *changeSet) scanOptions(t *target) secrets.Options {
	return secrets.Options{
		Allow: slices.Concat(t.space.Policy.Secrets.Allow, s.req.AllowSecrets), Rules: t.space.Policy.Secrets.Rules,
		IgnoreMarks: s.ignoresMarks(),
	}
}

// checkSecrets refuses credentials that the change brings in. One that the
// document held before is its owner's and does not stop an edit elsewhere.
func (s *changeSet) checkSecrets(t *target) error {
	if t.space.Policy.Secrets.Off {
		return nil
	}
	if err := s.redact(t); err != nil {
		return err
	}
	text, _ := doc.Decode(t.new)
	old, _ := doc.Decode(t.old)
	if err := s.refusal("the text", s.broughtIn(t, old, text)); err != nil {
		return err
	}
	return s.refusal("the sidecar", s.broughtIn(t, t.side.old, t.side.new))
}

// broughtIn are the credentials in the new text of a document, or its sidecar, that the
// old one has not.
func (s *changeSet) broughtIn(t *target, old, text []byte) []secrets.Finding {
	opts := s.scanOptions(t)
	found := secrets.Scan(text, opts)
	if len(found) == 0 {
		return nil
	}
	had := map[string]bool{}
	value := func(text []byte, f secrets.Finding) string { return f.Rule + string(text[f.Start:f.End]) }
	for _, f := range secrets.Scan(old, opts) {
		had[value(old, f)] = true
	}
	if opts.IgnoreMarks {
		for _, v := range s.marked(opts) {
			had[v] = true
		}
	}
	return slices.DeleteFunc(found, func(f secrets.Finding) bool { return had[value(text, f)] })
}

// marked returns, with their rules, the credentials in the old texts of all documents of
// the change which a person has marked: they may move from one page to another.
func (s *changeSet) marked(opts secrets.Options) (out []string) {
	marks := opts
	marks.IgnoreMarks = false
	for _, o := range s.docs {
		old, _ := doc.Decode(o.old)
		counted := secrets.Scan(old, marks)
		for _, f := range secrets.Scan(old, opts) {
			if !slices.Contains(counted, f) {
				out = append(out, f.Rule+string(old[f.Start:f.End]))
			}
		}
	}
	return out
}
