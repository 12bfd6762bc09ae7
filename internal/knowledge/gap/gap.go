package gap

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/store"
)

// maxText is the maximum size of each text of a gap in bytes: a paragraph or two,
// since longer text belongs on a page.
const maxText = 4 << 10

// ListRequest asks for a list of gaps.
type ListRequest struct {
	Resolved      bool // include resolved gaps
	All           bool // of every space
	Limit, Offset int  // Limit 0 is all
}

// List lists the questions that the memory could not answer, oldest first.
func List(ctx context.Context, sess *memory.Session, req ListRequest) (api.List[api.Gap], error) {
	out := api.List[api.Gap]{Items: []api.Gap{}}
	err := sess.DB.View(ctx, func(tx store.Tx) error {
		spaces, err := sess.Spaces.ScopeTx(ctx, tx, req.All)
		if err != nil {
			return err
		}
		found, total, err := tx.Gaps().List(ctx, spaces, req.Resolved, req.Limit, req.Offset)
		if err != nil {
			return err
		}
		out.Total, out.Next = total, api.Next(req.Offset, len(found), total)
		out.Items, err = describeAll(ctx, tx, found)
		return err
	})
	return out, err
}

// LogRequest logs an unanswered question.
type LogRequest struct {
	Question     string
	Context      string   // the reason for the question; "" keeps the previous one
	Score        *float64 // of the best page found; nil if unknown
	AllowSecrets []string // rules of the secret scan to skip
}

// Log records that the memory could not answer a question. An open gap for the same
// question in the space is counted once more, unless the memory recorded it itself
// for the same request of the caller.
func Log(ctx context.Context, sess *memory.Session, req LogRequest) (out api.Gap, err error) {
	if req.Score != nil && (math.IsNaN(*req.Score) || math.IsInf(*req.Score, 0)) {
		return out, kb.Errorf(kb.Usage, "the score is not a number")
	}
	texts := labelled{{"the question", req.Question}, {"the context", req.Context}}
	if err := texts.tidy(); err != nil {
		return out, err
	}
	question, about := texts[0].text, texts[1].text
	if question == "" {
		return out, kb.Errorf(kb.Usage, "the question is empty").WithHint("Give the question to the memory.")
	}
	hash := kb.QuestionHash(question)
	if about != "" && kb.QuestionHash(about) == hash {
		return out, onlyQuestion()
	}
	space, err := sess.Spaces.OpenForNew(ctx, false)
	if err != nil {
		return out, err
	}
	if err := checkTexts(sess, space.Policy.Secrets, req.AllowSecrets, texts[1:]); err != nil {
		return out, err
	}
	err = sess.DB.Update(ctx, func(tx store.Tx) error {
		g, err := tx.Gaps().OpenOf(ctx, space.Row, hash)
		if err == nil && noted(sess, g) {
			g.Context = cmp.Or(about, g.Context)
			if req.Score != nil {
				g.Score = req.Score
			}
			err = tx.Gaps().Update(ctx, g)
		} else if err == nil || kb.CodeOf(err) == kb.NotFound {
			g = kb.Gap{Space: space.Row, Hash: hash, Words: wordsFor(space.Policy, question), Context: about, Score: req.Score, Last: sess.Now(), Asker: sess.Actor}
			err = tx.Gaps().Log(ctx, &g)
		}
		if err != nil {
			return err
		}
		out, err = describe(ctx, tx, g)
		return err
	})
	return out, err
}

// wordsFor returns the stored form of a question in a space, without credentials.
func wordsFor(pol *policy.Policy, question string) string {
	if pol.GapHashOnly {
		return ""
	}
	words := string(secrets.Hide([]byte(strings.Join(strings.Fields(question), " "))))
	if len(words) > maxText {
		return ""
	}
	return words
}

// oneAsking is how long after a question was answered with low confidence its asker
// may log it without counting it again.
const oneAsking = 10 * time.Minute

// noted reports whether the memory itself recorded a gap for the caller's present
// request.
func noted(sess *memory.Session, g kb.Gap) bool {
	since := sess.Now().Sub(g.Last)
	return g.Confidence != nil && g.Asker == sess.Actor && since >= 0 && since < oneAsking
}

func onlyQuestion() error {
	return kb.Errorf(kb.Usage, "the context is the question itself, which is kept only when somebody approves that").
		WithHint("Give the reason for the question, in words that may be kept.")
}

// NoteRequest adds a note to a gap.
type NoteRequest struct {
	ID           int64
	Context      string
	AllowSecrets []string
}

// Note replaces the context of a gap, such as the places searched without result.
func Note(ctx context.Context, sess *memory.Session, req NoteRequest) (api.Gap, error) {
	texts := labelled{{"the context", req.Context}}
	if err := texts.tidy(); err != nil {
		return api.Gap{}, err
	}
	if texts[0].text == "" {
		return api.Gap{}, kb.Errorf(kb.Usage, "the context is empty").WithHint("Give the note about the gap.")
	}
	return update(ctx, sess, req.ID, req.AllowSecrets, texts, func(_ store.Tx, g *kb.Gap) error {
		if kb.QuestionHash(texts[0].text) == g.Hash {
			return onlyQuestion()
		}
		g.Context = texts[0].text
		return nil
	})
}

// ApproveRequest sets the sensitivity of a gap's question, and its approver.
type ApproveRequest struct {
	ID           int64
	Sensitivity  kb.Sensitivity // redacted or external
	Question     string         // original wording; required for external
	Redacted     string         // wording without confidential parts; required for redacted
	Approver     string         // "" is the caller, unless that is an agent
	AllowSecrets []string
}

// Approve records that a person allowed the question of a gap to be stored, and to
// be asked outside the memory in its original or in a redacted wording. It replaces
// an existing approval.
func Approve(ctx context.Context, sess *memory.Session, req ApproveRequest) (api.Gap, error) {
	texts := labelled{{"the question", req.Question}, {"the redacted question", req.Redacted}, {"the name of the approver", req.Approver}}
	if err := texts.tidy(); err != nil {
		return api.Gap{}, err
	}
	req.Question, req.Redacted, req.Approver = texts[0].text, texts[1].text, texts[2].text
	switch actor := sess.Actor; {
	case actor.Kind == kb.Agent && isAgent(req.Approver, actor.Name):
		return api.Gap{}, kb.Errorf(kb.Usage, "an agent does not approve for itself").
			WithHint("Ask the user, and name who approved.")
	case req.Approver == "":
		req.Approver = actor.String()
	}
	switch {
	case req.Sensitivity != kb.GapRedacted && req.Sensitivity != kb.GapExternal:
		return api.Gap{}, kb.Errorf(kb.Usage, "a gap cannot be approved as %q", req.Sensitivity).
			WithHint("Approve it as redacted or as external.")
	case req.Sensitivity == kb.GapRedacted && req.Redacted == "":
		return api.Gap{}, kb.Errorf(kb.Usage, "the redacted question is missing").
			WithHint("Word the question without names and numbers that must stay here.")
	case req.Sensitivity == kb.GapExternal && req.Question == "":
		return api.Gap{}, kb.Errorf(kb.Usage, "the question is missing").
			WithHint("Only its hash is known: give the question as it was asked.")
	}
	return update(ctx, sess, req.ID, req.AllowSecrets, texts, func(_ store.Tx, g *kb.Gap) error {
		if req.Question != "" && kb.QuestionHash(req.Question) != g.Hash {
			return kb.Errorf(kb.Invalid, "gap %d is about another question", g.Row).
				WithHint("Nothing was changed. Give the question as it was asked; case, spaces and the marks at its end do not matter.")
		}
		if req.Redacted != "" && kb.QuestionHash(req.Redacted) == g.Hash {
			return kb.Errorf(kb.Invalid, "the redacted question is the question of gap %d itself", g.Row).
				WithHint("Nothing was changed. Leave out what must stay here, or approve the question as external.")
		}
		g.Sensitivity = req.Sensitivity
		g.Approval = &kb.GapApproval{
			Question: req.Question, Redacted: req.Redacted, Approver: req.Approver, Actor: sess.Actor, Time: sess.Now(),
		}
		return nil
	})
}

// isAgent reports whether an approver is not a person: empty, an agent as cairn
// writes actors, or the agent of this name in any spelling.
func isAgent(approver, name string) bool {
	bare := func(text string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, text)
	}
	kind, _, _ := strings.Cut(approver, ":")
	return bare(approver) == "" || strings.EqualFold(strings.TrimSpace(kind), string(kb.Agent)) || bare(approver) == bare(name)
}

// Resolve records which page answers the question of a gap. It replaces the page
// recorded before.
func Resolve(ctx context.Context, sess *memory.Session, id int64, page kb.Page) (api.Gap, error) {
	return update(ctx, sess, id, nil, nil, func(tx store.Tx, g *kb.Gap) error {
		space, err := space.OfPage(ctx, tx, page)
		g.Answer = &kb.GapAnswer{Page: page.ID, Space: space.Row, Actor: sess.Actor, Time: sess.Now()}
		return err
	})
}

// Remove removes a gap with all its data, and returns its last state.
func Remove(ctx context.Context, sess *memory.Session, id int64) (out api.Gap, err error) {
	err = sess.DB.Update(ctx, func(tx store.Tx) error {
		g, err := get(ctx, sess, tx, id)
		if err != nil {
			return err
		}
		if out, err = describe(ctx, tx, g); err != nil {
			return err
		}
		return tx.Gaps().Remove(ctx, id)
	})
	return out, err
}

// update changes a gap and adds texts to it, and returns its new state.
func update(ctx context.Context, sess *memory.Session, id int64, allow []string, texts labelled, change func(store.Tx, *kb.Gap) error) (out api.Gap, err error) {
	var g kb.Gap
	if err := sess.DB.View(ctx, func(tx store.Tx) (err error) {
		g, err = get(ctx, sess, tx, id)
		return err
	}); err != nil {
		return out, err
	}
	if len(texts) > 0 {
		space, err := sess.Spaces.Open(ctx, g.Space)
		if err != nil {
			return out, err
		}
		if err := checkTexts(sess, space.Policy.Secrets, allow, texts); err != nil {
			return out, err
		}
	}
	err = sess.DB.Update(ctx, func(tx store.Tx) error {
		if g, err = get(ctx, sess, tx, id); err != nil {
			return err
		}
		if err := change(tx, &g); err != nil {
			return err
		}
		if err := tx.Gaps().Update(ctx, g); err != nil {
			return err
		}
		out, err = describe(ctx, tx, g)
		return err
	})
	return out, err
}

// get returns a gap, if the caller may use its space.
func get(ctx context.Context, sess *memory.Session, tx store.Tx, id int64) (kb.Gap, error) {
	g, err := tx.Gaps().Get(ctx, id)
	if kb.CodeOf(err) == kb.NotFound {
		return g, kb.AsError(err).WithReason(kb.NoSuchGap)
	}
	if err != nil {
		return g, err
	}
	all, err := tx.Spaces().All(ctx)
	for _, s := range all {
		if s.Row == g.Space {
			err = space.InPin(sess.Spaces, all, s.ID)
		}
	}
	return g, err
}

func describe(ctx context.Context, tx store.Tx, g kb.Gap) (api.Gap, error) {
	out, err := describeAll(ctx, tx, []kb.Gap{g})
	if err != nil {
		return api.Gap{}, err
	}
	return out[0], nil
}

func describeAll(ctx context.Context, tx store.Tx, in []kb.Gap) ([]api.Gap, error) {
	spaces, err := tx.Spaces().All(ctx)
	if err != nil {
		return nil, err
	}
	names, out := space.Names(spaces), make([]api.Gap, len(in))
	for i, g := range in {
		d := api.Gap{
			ID: g.Row, Space: names[g.Space], Words: g.Words, Context: g.Context, Score: g.Score, Confidence: g.Confidence, Count: g.Count, First: g.First.UTC(), Last: g.Last.UTC(),
			By: g.Asker.String(), Hash: g.Hash.String(), Sensitivity: g.Sensitivity,
		}
		if p := g.Approval; p != nil {
			at := p.Time.UTC()
			d.Question, d.Redacted, d.Approver, d.Through, d.ApprovedAt = p.Question, p.Redacted, p.Approver, p.Actor.String(), &at
		}
		if p := g.Answer; p != nil {
			at := p.Time.UTC()
			d.ResolvedAt, d.ResolvedBy, d.PageID = &at, p.Actor.String(), p.Page
			if d.Page, err = refOf(ctx, tx, p.Page, names[p.Space]); err != nil {
				return nil, err
			}
		}
		if c := g.Candidate; c != nil && g.Answer == nil {
			d.CandidateID = c.Page
			if d.Candidate, err = refOf(ctx, tx, c.Page, names[c.Space]); err != nil {
				return nil, err
			}
		}
		out[i] = d
	}
	return out, nil
}

// refOf returns the ref of a page in the space of a name, "" if it does not exist
// any more.
func refOf(ctx context.Context, tx store.Tx, id kb.ID, space string) (ref string, err error) {
	pages, err := tx.Pages().ByID(ctx, id)
	for _, page := range pages {
		if page.Space == space {
			ref = page.Ref()
		}
	}
	return ref, err
}

// labelled maps texts of a gap to labels for error messages.
type labelled []struct{ what, text string }

// tidy removes white space and control characters, and rejects texts that are too
// long.
func (t labelled) tidy() error {
	for i := range t {
		t[i].text = strings.TrimSpace(strings.ToValidUTF8(t[i].text, "\uFFFD"))
		if n := len(t[i].text); n > maxText {
			return kb.Errorf(kb.Usage, "%s has %d bytes, and may have %d", t[i].what, n, maxText).
				WithHint("Shorten it; longer text belongs on a page.")
		}
	}
	return nil
}

// checkTexts rejects credentials in the texts of a gap, as writes do for pages.
func checkTexts(sess *memory.Session, rules policy.Secrets, allow []string, texts labelled) error {
	if err := secrets.CheckAllowed(allow, rules.Rules); err != nil {
		return err
	}
	if rules.Off {
		return nil
	}
	opts := secrets.Options{Allow: slices.Concat(rules.Allow, allow), Rules: rules.Rules}
	for _, said := range slices.Concat(texts, labelled{{"the name of the actor", sess.Actor.Name}}) {
		if err := secrets.Refusal(said.what, secrets.Scan([]byte(said.text), opts)); err != nil {
			return err
		}
	}
	return nil
}
