package git

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

func (w *workshop) hookLimit() time.Duration { return cmp.Or(w.t.Limits.Hook, hookLimit) }

// hooked reports whether the repository has a hook.
func (w *workshop) hooked(name string) bool { return fsys.Exists(filepath.Join(w.r.Hooks, name)) }

// worded reports whether the repository has a hook that sees the message of a commit.
func (w *workshop) worded() bool { return w.hooked("prepare-commit-msg") || w.hooked("commit-msg") }

// hook runs a hook of the repository. A rejection is a Refusal.
func (w *workshop) hook(ctx context.Context, name string, args ...string) error {
	if !w.hooked(name) {
		return nil
	}
	command := append([]string{"hook", "run", "--ignore-missing", name, "--"}, args...)
	_, err := w.t.git(ctx, run{args: command, hook: true, index: w.path(w.at(ourIndex)), limit: w.hookLimit()})
	var f *Failure
	if errors.As(err, &f) && f.cause == nil {
		return &Refusal{name, f.Said}
	}
	return err
}

// preCommit runs the hook that may inspect files and stage changes. Changes
// that it stages to files of the commit are added to made. It returns their
// content.
func (w *workshop) preCommit(ctx context.Context, head string, paths []string, made map[string]Entry) (map[string][]byte, error) {
	if err := w.hook(ctx, "pre-commit"); err != nil {
		return nil, err
	}
	now, err := w.entries(ctx, w.at(ourIndex), w.r.readIndexFile(w.at(ourIndex)), paths)
	if err != nil {
		return nil, err
	}
	rewritten := map[string][]byte{}
	for _, p := range paths {
		e, there := now[p]
		if e.ID == made[p].ID {
			continue
		}
		if !there {
			delete(made, p)
			rewritten[p] = nil
			continue
		}
		text, err := w.t.git(ctx, run{args: []string{"cat-file", "--filters", "--path=" + w.r.Prefix + p, e.ID}, acts: true})
		if err != nil {
			return nil, err
		}
		made[p], rewritten[p] = e, text
		if text == nil {
			rewritten[p] = []byte{}
		}
	}
	args := []string{"diff-index", "--cached", "--name-only", "-z", "--no-renames", "--ignore-submodules=none", head}
	if head == "" {
		args = []string{"ls-files", "-z", "--full-name"}
	}
	out, err := w.t.git(ctx, run{args: args, index: w.path(w.at(ourIndex))})
	if err != nil {
		return nil, err
	}
	ours := w.r.Paths(paths)
	if !slices.ContainsFunc(fields(out), func(p string) bool { return !slices.Contains(ours, p) }) {
		return rewritten, nil
	}
	// The hook has staged other files, too: they are not in this commit.
	if err := w.reset(ctx, head); err != nil {
		return nil, err
	}
	return rewritten, w.set(ctx, w.at(ourIndex), paths, made)
}

// message is the text of the commit, which hooks may change; the trailers stay.
func (w *workshop) message(ctx context.Context, c Commit) (string, error) {
	text := c.text()
	if c.SkipHook || !w.worded() {
		return text, nil
	}
	_ = w.files.Remove(w.at(message)) // of an attempt before
	f, err := w.files.Create(w.at(message), 0o644)
	if err != nil {
		return "", err
	}
	_, err = f.Write([]byte(text))
	if err := errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	if err := w.hook(ctx, "prepare-commit-msg", w.path(w.at(message)), "message"); err != nil {
		return "", err
	}
	if err := w.hook(ctx, "commit-msg", w.path(w.at(message))); err != nil {
		return "", err
	}
	now, err := fsys.ReadRegular(w.path(w.at(message)), maxHook)
	if err != nil {
		return "", err
	}
	text = strings.TrimSpace(strings.ToValidUTF8(string(now), "\uFFFD"))
	if text == "" {
		return "", &Refusal{"commit-msg", "it left no message"}
	}
	if c.Token != "" && !strings.Contains(text, TokenKey+": "+c.Token) {
		text += "\n\n" + c.trailers()
	}
	return strings.TrimRight(text, "\n") + "\n", nil
}

// text is the message of the commit.
func (c Commit) text() string {
	text := oneLine(c.Subject) + "\n"
	if c.Body != "" {
		text += "\n" + strings.TrimSpace(c.Body) + "\n"
	}
	if t := c.trailers(); t != "" {
		text += "\n" + t
	}
	return text
}

func (c Commit) trailers() string {
	var b strings.Builder
	if c.Token != "" {
		b.WriteString(TokenKey + ": " + c.Token + "\n")
	}
	for _, t := range c.Trailers {
		b.WriteString(t.Key + ": " + oneLine(t.Value) + "\n")
	}
	return b.String()
}

// oneLine is text without line ends, so that nothing in it is a trailer of its own.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
