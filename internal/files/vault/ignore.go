package vault

import (
	"context"
	"errors"
	"path"
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// IgnoreFile is cairn's own ignore file.
const IgnoreFile = ".cairnignore"

// ignoreFiles are the ignore files of one directory. A later one overrides an earlier one,
// and those of a deeper directory override both.
var ignoreFiles = []string{".gitignore", IgnoreFile, ".bmignore"}

// ExcludeFile is git's private ignore file. Every other one overrides it.
const ExcludeFile = ".git/info/exclude"

// maxIgnoreBytes bounds an ignore file. Real ones have a few kilobytes.
const maxIgnoreBytes = 4 << 20

// Rule is the line of an ignore file that ignores a path.
type Rule struct {
	File    string // path of the ignore file
	Line    int    // from 1
	Pattern string
}

// ruleSet is the ignore files of a directory and of those above it.
type ruleSet struct {
	above *ruleSet
	dir   string // "" for the root
	files []ruleFile
}

type ruleFile struct {
	path     string
	patterns []pattern
}

// decide returns the last rule that matches a path, if any, and whether it ignores the path.
// The path is below the set's directory, and no directory in between is ignored.
func (s *ruleSet) decide(name string, isDir bool) (f *ruleFile, p *pattern) {
	for ; s != nil; s = s.above {
		rel := name
		if s.dir != "" {
			rel = name[len(s.dir)+1:]
		}
		for i := len(s.files) - 1; i >= 0; i-- {
			patterns := s.files[i].patterns
			for j := len(patterns) - 1; j >= 0; j-- {
				if patterns[j].matches(rel, isDir) {
					return &s.files[i], &patterns[j]
				}
			}
		}
	}
	return nil, nil
}

func (s *ruleSet) ignores(name string, isDir bool) bool {
	_, p := s.decide(name, isDir)
	return p != nil && !p.negated
}

// readRules reads the ignore files of dir that exist according to present.
// Unreadable ones are reported and skipped.
func readRules(ctx context.Context, tree fsys.FS, above *ruleSet, dir string, fold bool, present func(name string) bool) (*ruleSet, []Skip, error) {
	set := &ruleSet{above: above, dir: dir}
	var skipped []Skip
	names := ignoreFiles
	if dir == "" {
		names = append([]string{ExcludeFile}, names...)
	}
	for _, name := range names {
		if !present(name) {
			continue
		}
		file := path.Join(dir, name)
		data, _, err := fsys.ReadFile(ctx, tree, file, maxIgnoreBytes)
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil && fsys.Missing(err):
		case err != nil:
			skipped = append(skipped, Skip{Path: file, Reason: BadIgnoreFile, Err: err})
		default:
			if patterns := parseIgnore(data, fold); len(patterns) > 0 {
				set.files = append(set.files, ruleFile{file, patterns})
			}
		}
	}
	if len(set.files) == 0 {
		return above, skipped, nil
	}
	return set, skipped, nil
}

// Matcher reports whether ignore files exclude single paths. It reads the ignore files of a
// directory when they are first needed and keeps them; Forget makes it read them again. Its
// methods may be called from several goroutines.
type Matcher struct {
	tree fsys.FS
	fold bool

	mu   sync.Mutex
	sets map[string]*ruleSet // by directory
}

// NewMatcher returns a Matcher of a tree. With fold, ASCII letters match
// without regard to case, as git does where core.ignoreCase is set.
func NewMatcher(tree fsys.FS, fold bool) *Matcher {
	return &Matcher{tree: tree, fold: fold, sets: map[string]*ruleSet{}}
}

// IsIgnoreFile reports whether the file at a path is an ignore file.
func IsIgnoreFile(name string) bool {
	if name == ExcludeFile {
		return true
	}
	base := path.Base(name)
	for _, f := range ignoreFiles {
		if base == f {
			return true
		}
	}
	return false
}

// Forget drops the cached rules, after an ignore file changed.
func (m *Matcher) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.sets)
}

// Ignored returns the rule that ignores a path, or nil when none does. The path
// need not exist; isDir is its present or future kind. A path below an ignored
// directory is ignored by the directory's rule and cannot be re-included. An
// ignore file that exists and cannot be read is an error.
//
// Hidden files are independent of ignore files, see Hidden.
func (m *Matcher) Ignored(ctx context.Context, name string, isDir bool) (*Rule, error) {
	if err := CheckExisting(name); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	set, err := m.rules(ctx, "", nil)
	if err != nil {
		return nil, err
	}
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		dir := name[:i]
		if r := rule(set.decide(dir, true)); r != nil {
			return r, nil
		}
		if set, err = m.rules(ctx, dir, set); err != nil {
			return nil, err
		}
	}
	return rule(set.decide(name, isDir)), nil
}

func rule(f *ruleFile, p *pattern) *Rule {
	if p == nil || p.negated {
		return nil
	}
	return &Rule{File: f.path, Line: p.line, Pattern: p.text}
}

func (m *Matcher) rules(ctx context.Context, dir string, above *ruleSet) (*ruleSet, error) {
	if set, known := m.sets[dir]; known {
		return set, nil
	}
	var failed error
	set, skipped, err := readRules(ctx, m.tree, above, dir, m.fold, func(name string) bool {
		info, err := m.tree.Lstat(path.Join(dir, name))
		if err != nil {
			if !fsys.Missing(err) {
				failed = errors.Join(failed, err)
			}
			return false
		}
		return info.Mode().IsRegular()
	})
	for _, s := range skipped {
		failed = errors.Join(failed, s.Err)
	}
	if err := errors.Join(err, failed); err != nil {
		return nil, fsys.Explain(err, "read the ignore files of %s", strings.TrimPrefix(dir+"/", "/"))
	}
	m.sets[dir] = set
	return set, nil
}
