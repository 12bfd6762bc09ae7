package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/sentence"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/compact"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/upkeep"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// summed is how many sessions of a conversation one summary stands for.
const summed = 3

// kept counts how much of turns is in summaries: of each turn its share.
type kept struct {
	turns int
	share float64
}

func (k *kept) add(share float64) { k.turns, k.share = k.turns+1, k.share+share }

// percent is the share of the average turn.
func (k kept) percent() float64 { return 100 * k.share / float64(max(k.turns, 1)) }

// summaries says what the summaries of a set keep.
type summaries struct {
	n             int
	facts, others kept // turns that answer a question, and those that answer none
	text, source  int  // bytes

	// Of the sessions that answer a question, the share among the first ten sessions that a
	// search by words finds: as pages of their own, and afterwards in summaries, each of which
	// stands for several.
	before, after float64
}

// asked is how many sessions a search answers.
const asked = 10

// measureSummaries reports which share of the turns that answer a question is in the
// summaries that cairn makes of a few sessions without any model, beside the share of
// the other turns, which is what chance keeps; and whether a search finds what answers as
// often once the summaries stand for the sessions.
func measureSummaries(ctx context.Context, dir string, sets []*set, out io.Writer) error {
	lines := "| set | summaries | text kept | turns that answer | kept | other turns | kept | recall before | after |\n|---|---|---|---|---|---|---|---|---|\n"
	for _, s := range sets {
		r, err := sumUp(ctx, dir, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		lines += fmt.Sprintf("| %s | %d | %.0f %% | %d | %.0f %% | %d | %.0f %% | %.3f | %.3f |\n", s.name, r.n, 100*float64(r.text)/float64(max(r.source, 1)),
			r.facts.turns, r.facts.percent(), r.others.turns, r.others.percent(), r.before, r.after)
	}
	_, err := io.WriteString(out, lines)
	return err
}

// sumUp has the sessions of each conversation summed up, in their order, a few at a time.
func sumUp(ctx context.Context, dir string, s *set) (out summaries, err error) {
	answers := map[string]bool{}
	for _, q := range s.queries {
		for turn := range q.turns {
			answers[turn] = true
		}
	}
	if len(answers) == 0 {
		return out, errors.New("no question names the turns that answer it")
	}
	dir = filepath.Join(dir, s.name+"-summaries")
	a, err := summarySpace(ctx, dir)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, a.Close(), os.RemoveAll(dir)) }()
	for _, n := range s.notes {
		if _, err := change.Put(ctx, a, change.PutRequest{Ref: "k:" + n.path, Text: n.text}); err != nil {
			return out, err
		}
	}
	into := map[string]string{} // the page that stands for a session now, by its path
	for _, n := range s.notes {
		into[n.path] = refOf(n.path)
	}
	if out.before, err = recall(ctx, a, s, into); err != nil {
		return out, err
	}
	for _, members := range inGroups(s.notes) {
		if err := putStale(ctx, a, members); err != nil {
			return out, err
		}
		plan, err := compact.Compact(ctx, a, compact.Request{WriteOptions: api.WriteOptions{DryRun: true}})
		if err != nil {
			return out, err
		}
		if len(plan.Clusters) != 1 || len(plan.Clusters[0].Members) != len(members) {
			return out, fmt.Errorf("the sessions from %s on are not one cluster: %+v", members[0].path, plan.Clusters)
		}
		out.count(members, plan.Clusters[0].Text, answers)
		done, err := compact.Compact(ctx, a, compact.Request{})
		if err != nil {
			return out, err
		}
		for _, n := range members {
			into[n.path] = done.Clusters[0].Summary
		}
	}
	if out.after, err = recall(ctx, a, s, into); err != nil {
		return out, err
	}
	if out.n == 0 {
		return out, fmt.Errorf("no conversation has %d sessions", summed)
	}
	return out, nil
}

// summarySpace makes a memory with a space for pages that are summed up.
func summarySpace(ctx context.Context, dir string) (*memory.Session, error) {
	a, err := memory.Open(ctx, memory.Options{
		Hooks: upkeep.Hooks(),
		Place: space.Place{Env: func(key string) string { return map[string]string{"CAIRN_EMBED": "off"}[key] }, Dir: dir, Home: dir, DB: filepath.Join(dir, "memory.db")},
		Actor: kb.Actor{Kind: kb.Human, Name: "bench"}, Now: time.Now, Space: "k",
	}, true)
	if err != nil {
		return nil, err
	}
	if _, err := gitsync.AddSpace(ctx, a, space.AddRequest{Name: "k", Database: true, Preset: "capture"}); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// refOf is the ref of a session.
func refOf(path string) string { return "k:" + strings.TrimSuffix(path, ".md") }

// recall is which share of the sessions that answer a question is found.
func recall(ctx context.Context, a *memory.Session, s *set, into map[string]string) (mean float64, err error) {
	stands := map[string]int{} // how many sessions a page stands for
	for _, ref := range into {
		stands[ref]++
	}
	for _, q := range s.queries {
		found, err := read.Search(ctx, a, retrieve.SearchRequest{Query: q.text, Mode: api.ModeWords, Limit: asked})
		if err != nil {
			return 0, err
		}
		sessions := 0
		found.Items = slices.DeleteFunc(found.Items, func(h api.Hit) bool {
			sessions += stands[h.Ref]
			return sessions > asked
		})
		right := 0
		for path := range q.want {
			if slices.ContainsFunc(found.Items, func(h api.Hit) bool { return h.Ref == into[path] }) {
				right++
			}
		}
		mean += float64(right) / float64(len(q.want)*len(s.queries))
	}
	return mean, nil
}

// inGroups are the sessions of one conversation after the other; what is left at the end
// of one is in none.
func inGroups(notes []note) (out [][]note) {
	notes = slices.Clone(notes)
	slices.SortFunc(notes, func(a, b note) int { return strings.Compare(a.path, b.path) })
	for len(notes) > 0 {
		n := 1
		for n < len(notes) && n < summed && path.Dir(notes[n].path) == path.Dir(notes[0].path) {
			n++
		}
		if n == summed {
			out = append(out, notes[:n])
		}
		notes = notes[n:]
	}
	return out
}

// putStale stores sessions as stale pages that belong together.
func putStale(ctx context.Context, a *memory.Session, members []note) error {
	for i, n := range members {
		text := append([]byte("---\nstatus: stale\n---\n"), n.text...)
		if rest, is := bytes.CutPrefix(n.text, []byte("---\n")); is {
			text = append([]byte("---\nstatus: stale\n"), rest...)
		}
		next := strings.TrimSuffix(members[(i+1)%len(members)].path, ".md")
		text = fmt.Appendf(text, "\n## Relations\n\n- related [[%s]]\n", next)
		if _, err := change.Put(ctx, a, change.PutRequest{Ref: "k:" + n.path, Text: text, Overwrite: true}); err != nil {
			return err
		}
	}
	return nil
}

// count adds what a summary keeps of sessions: the sentences that are in it word for word.
func (r *summaries) count(members []note, summary string, answers map[string]bool) {
	r.n++
	r.text += len(summary)
	var sentences []string
	for line := range strings.Lines(summary) {
		if s, is := strings.CutPrefix(strings.TrimSpace(line), "- "); is {
			sentences = append(sentences, sentence.Split(s)...)
		}
	}
	for _, n := range members {
		for _, t := range turnsOf(n) {
			r.source += len(t.text)
			share := float64(covered(t.text, sentences)) / float64(max(len(t.text), 1))
			if answers[t.path] {
				r.facts.add(share)
			} else {
				r.others.add(share)
			}
		}
	}
}

// said is a turn of a conversation.
type said struct{ path, text string }

func turnsOf(n note) (out []said) {
	at := turn.FindAllSubmatchIndex(n.text, -1)
	for i, m := range at {
		end := len(n.text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		text := strings.TrimPrefix(strings.TrimSpace(string(n.text[m[0]:end])), "- ")
		out = append(out, said{turnPath(path.Dir(n.path), string(n.text[m[2]:m[3]])), text})
	}
	return out
}

// covered is how many bytes of a text are in sentences, which is all of it where only
// blanks are not.
func covered(text string, sentences []string) (n int) {
	in := make([]bool, len(text))
	for _, s := range sentences {
		if at := strings.Index(text, s); at >= 0 {
			for i := range s {
				in[at+i] = true
			}
			for i := len(s); at+i < len(text) && text[at+i] == ' '; i++ {
				in[at+i] = true
			}
		}
	}
	for _, is := range in {
		if is {
			n++
		}
	}
	return n
}
