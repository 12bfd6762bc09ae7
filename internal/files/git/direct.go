package git

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// Most of the time of a git command is its start. Of an ordinary repository these files are
// read here, with the result that git has: where it is, the branch, its last commit with its
// trees, the index, and the rules about ignored and converted files as far as they cannot
// apply. Git is asked about everything else.

// maxObject is the size of an object that is read here.
const maxObject = 32 << 20

// ordinary reports whether a repository, with its settings, is one that this file can read, and
// sets the paths of it.
func (t *Tree) ordinary(r *Repo, top string) bool {
	dir := filepath.Join(top, ".git")
	if real, err := filepath.EvalSymlinks(t.Dir); err != nil || real != t.Dir || !ours(t.Dir, top, dir) {
		return false
	}
	for name, mode := range map[string]fs.FileMode{"": fs.ModeDir, "objects": fs.ModeDir, "refs": fs.ModeDir, "HEAD": 0} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode().Type() != mode {
			return false
		}
	}
	if head, err := fsys.ReadRegular(filepath.Join(dir, "HEAD"), maxRefs); err != nil || !bytes.HasPrefix(head, []byte("ref: refs/")) {
		return false // git looks for a repository above one without a HEAD
	}
	if _, err := os.Lstat(filepath.Join(dir, "commondir")); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	version, format := "", ""
	for _, s := range r.settings {
		section, _, _ := named(s.key)
		switch {
		case s.scope == "command": // of this run
		case s.key == "core.repositoryformatversion" && s.ofRepository():
			version = s.value
		case s.key == "extensions.objectformat":
			format = s.value
		case section == "extensions", s.key == "core.worktree", s.key == "core.hookspath":
			return false
		case slices.Contains([]string{"core.bare", "core.ignorecase", "core.precomposeunicode", sparse}, s.key) && s.on():
			return false
		}
	}
	none, known := map[string]int{"": 40, "0": 40, "1": 40, "1sha1": 40, "1sha256": 64}[version+format]
	below, err := filepath.Rel(top, t.Dir)
	if !known || version == "" || err != nil {
		return false
	}
	r.Top, r.Dir, r.Common, r.Hooks, r.None = top, dir, dir, filepath.Join(dir, "hooks"), strings.Repeat("0", none)
	if below != "." {
		r.Prefix = filepath.ToSlash(below) + "/"
	}
	return true
}

// reads is the part of a repository that one write needs, as it was read here.
type reads struct {
	head       string                 // of trees
	trees      map[string][]treeEntry // directories of the commit; nil once they are used
	attributes []string               // files with attributes in the index
}

// readHere is Committable without git. It reports false where git has to be asked. Changed is not
// known then.
func (t *Tree) readHere(r *Repo, paths []string, index []byte) (*State, bool) {
	branch, head, ok := r.branch()
	if !ok {
		return nil, false
	}
	s := &State{Branch: branch, Head: head, Under: r.under()}
	if !r.levelHere(s) {
		return nil, false
	}
	trees, ok := r.treesHere(head, paths)
	if !ok {
		return nil, false
	}
	wanted, indexed, odd := map[string]bool{}, map[string]Entry{}, false
	for _, p := range r.Paths(paths) {
		wanted[p] = true
	}
	var attributes []string
	readable := r.eachEntry(index, func(e indexEntry) {
		if bytes.HasSuffix(e.name, []byte(".gitattributes")) {
			attributes = append(attributes, string(e.name))
		}
		// The rules of a file that is not to be in the work tree count as well.
		odd = odd || e.flags&extended != 0 && bytes.HasSuffix(e.name, []byte(".gitignore"))
		if wanted[string(e.name)] {
			indexed[string(e.name)] = e.entry()
			odd = odd || e.flags&(extended|stages) != 0
		}
	})
	if !readable || odd {
		return nil, false
	}
	var fresh []string
	for _, p := range paths {
		at := r.Prefix + p
		var committed Entry
		if i, in := find(trees[above(at)], path.Base(at)); in {
			e := trees[above(at)][i]
			if e.mode == treeMode {
				return nil, false
			}
			committed = Entry{e.mode, e.id}
		}
		e, tracked := indexed[at]
		if e != committed {
			s.Staged = append(s.Staged, p)
		}
		if !tracked {
			fresh = append(fresh, at)
		}
	}
	if r.mayIgnore(fresh) {
		return nil, false
	}
	r.read = &reads{head: head, trees: trees, attributes: attributes}
	return s, true
}

// branch returns the branch that is checked out, and its commit.
func (r *Repo) branch() (name, head string, ok bool) {
	text, err := fsys.ReadRegular(filepath.Join(r.Dir, "HEAD"), maxRefs)
	line, ended := strings.CutSuffix(string(text), "\n")
	ref, symbolic := strings.CutPrefix(line, "ref: ")
	name, local := strings.CutPrefix(ref, "refs/heads/")
	if err != nil || !ended || !symbolic || !local || strings.ContainsAny(name, " \t\r\n\\") {
		return "", "", false
	}
	head, ok = r.ref(ref)
	return name, head, ok
}

// ref returns the id that a reference has.
func (r *Repo) ref(name string) (id string, ok bool) {
	if !filepath.IsLocal(name) {
		return "", false
	}
	at := filepath.Join(r.Common, filepath.FromSlash(name))
	info, err := os.Lstat(at)
	if err == nil {
		text, err := fsys.ReadRegular(at, maxRefs)
		id = strings.TrimSuffix(string(text), "\n")
		return id, err == nil && info.Mode().IsRegular() && r.isID(id)
	}
	packed, readErr := fsys.ReadRegular(filepath.Join(r.Common, "packed-refs"), maxRefs)
	if readErr != nil || !errors.Is(err, fs.ErrNotExist) {
		return "", false
	}
	for line := range strings.Lines(string(packed)) {
		if id, of, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); of == name {
			return id, r.isID(id)
		}
	}
	return "", false
}

// isID reports whether a text is the id of an object.
func (r *Repo) isID(text string) bool {
	return len(text) == len(r.None) && strings.Trim(text, "0123456789abcdef") == ""
}

// levelHere sets the upstream branch, where it has the same commit or there is none.
func (r *Repo) levelHere(s *State) bool {
	values := map[string][]string{}
	for _, c := range r.settings {
		values[c.key] = append(values[c.key], c.value)
	}
	remote, merge := values["branch."+s.Branch+".remote"], values["branch."+s.Branch+".merge"]
	if len(remote) == 0 && len(merge) == 0 {
		return true
	}
	if len(remote) != 1 || len(merge) != 1 {
		return false
	}
	at := remote[0] + "/" + strings.TrimPrefix(merge[0], "refs/heads/")
	if !slices.Equal(values["remote."+remote[0]+".fetch"], []string{"+refs/heads/*:refs/remotes/" + remote[0] + "/*"}) || "refs/heads/"+strings.TrimPrefix(at, remote[0]+"/") != merge[0] {
		return false
	}
	id, ok := r.ref("refs/remotes/" + at)
	s.Upstream = at
	return ok && id == s.Head
}

// object returns the bytes of an object that has a file of its own.
func (r *Repo) object(kind, id string) ([]byte, bool) {
	packed, err := fsys.ReadRegular(filepath.Join(r.Common, "objects", id[:2], id[2:]), maxObject)
	if err != nil {
		return nil, false
	}
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, false
	}
	all, err := io.ReadAll(io.LimitReader(z, maxObject))
	head, text, _ := bytes.Cut(all, []byte{0})
	return text, err == nil && string(head) == fmt.Sprintf("%s %d", kind, len(text)) && r.objectID(kind, text) == id
}

// treesHere is trees without git.
func (r *Repo) treesHere(commit string, paths []string) (map[string][]treeEntry, bool) {
	text, ok := r.object("commit", commit)
	line, _, _ := strings.Cut(string(text), "\n")
	top, is := strings.CutPrefix(line, "tree ")
	if !ok || !is || !r.isID(top) {
		return nil, false
	}
	out := map[string][]treeEntry{}
	read := func(dir, id string) bool {
		text, ok := r.object("tree", id)
		if !ok {
			return false
		}
		out[dir], ok = r.readTree(text)
		return ok
	}
	if !read("", top) {
		return nil, false
	}
	var descend func(dir string) bool
	descend = func(dir string) bool {
		if _, done := out[dir]; done {
			return true
		}
		if !descend(above(dir)) {
			return false
		}
		list := out[above(dir)]
		i, in := find(list, path.Base(dir))
		if !in {
			out[dir] = nil
			return true
		}
		return list[i].mode == treeMode && read(dir, list[i].id)
	}
	for _, p := range r.Paths(paths) {
		if !descend(above(p)) {
			return nil, false
		}
	}
	return out, true
}

// take returns the trees of a commit with the directories of paths, once: their user changes them.
func (d *reads) take(commit string, paths []string) map[string][]treeEntry {
	if d == nil || d.head != commit || slices.ContainsFunc(paths, func(p string) bool { _, in := d.trees[above(p)]; return !in }) {
		return nil
	}
	trees := d.trees
	d.trees = nil
	return trees
}

// mayIgnore reports whether a rule may make git ignore one of these paths in the work tree.
func (r *Repo) mayIgnore(paths []string) bool {
	if len(paths) == 0 {
		return false
	}
	user, known := r.userFile("core.excludesfile", "ignore")
	files := map[string]bool{filepath.Join(r.Common, "info", "exclude"): true, user: true}
	var names []string
	for _, p := range paths {
		names = append(names, strings.Split(p, "/")...)
		for dir := above(p); ; dir = above(dir) {
			files[filepath.Join(r.Top, filepath.FromSlash(dir), ".gitignore")] = true
			if dir == "" {
				break
			}
		}
	}
	for file := range files {
		text, err := fsys.ReadRegular(file, maxRefs)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || bytes.IndexByte(text, 0) >= 0 {
			return true
		}
		for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
			if mayMatch(line, names) {
				return true
			}
		}
	}
	return !known
}

// mayMatch reports whether a line of an ignore file may ignore a path with these parts: its last
// part matches one of them, where everything but plain letters matches anything.
func mayMatch(line string, names []string) bool {
	if line[0] == '#' || line[0] == '!' {
		return false
	}
	line = strings.TrimRight(strings.TrimRight(line, "\r\n"), " ")
	if at := strings.IndexByte(line, '['); at >= 0 {
		if strings.Contains(line[at:], "/") {
			return true
		}
	}
	line = strings.TrimRight(line, "/")
	line = line[strings.LastIndexByte(line, '/')+1:]
	if line == "" {
		return false
	}
	parts := []string{""} // between which anything may be
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			i++
			parts[len(parts)-1] += line[i : i+1]
		case c == '[': // of a class: what follows may be anything
			parts, i = append(parts, ""), len(line)
		case strings.IndexByte(`*?\`, c) >= 0:
			parts = append(parts, "")
		default:
			parts[len(parts)-1] += line[i : i+1]
		}
	}
	return slices.ContainsFunc(names, func(name string) bool {
		if len(parts) == 1 {
			return name == parts[0]
		}
		rest, begins := strings.CutPrefix(name, parts[0])
		for _, part := range parts[1 : len(parts)-1] {
			_, after, in := strings.Cut(rest, part)
			rest, begins = after, begins && in
		}
		return begins && strings.HasSuffix(rest, parts[len(parts)-1])
	})
}

// userFile returns the file of the user that a setting names, or the usual one. It reports false
// where only git knows it.
func (r *Repo) userFile(key, usual string) (file string, known bool) {
	for _, s := range r.settings {
		if s.key == key {
			file = s.value
		}
	}
	if file != "" {
		return file, filepath.IsAbs(file)
	}
	have := variablesHere()
	config := have["XDG_CONFIG_HOME"]
	if config == "" {
		config = filepath.Join(have["HOME"], ".config")
	}
	return filepath.Join(config, "git", usual), filepath.IsAbs(config)
}

// verbatim reports whether git commits the bytes of a file of the work tree as they are: no line
// end, keyword, filter or encoding of it is converted.
func (w *workshop) verbatim(c Change) bool {
	if w.r.read == nil || bytes.ContainsRune(c.New, '\r') || bytes.Contains(c.New, []byte("$Id")) || path.Base(c.Path) == ".gitattributes" {
		return false
	}
	if slices.ContainsFunc(w.r.settings, func(s setting) bool { return s.key == "core.safecrlf" }) {
		return false
	}
	user, known := w.r.userFile("core.attributesfile", "attributes")
	files := []string{filepath.Join(w.r.Common, "info", "attributes"), user}
	files = append(files, w.t.systemAttributes()...)
	for dir := above(w.r.Prefix + c.Path); ; dir = above(dir) {
		files = append(files, filepath.Join(w.r.Top, filepath.FromSlash(dir), ".gitattributes"))
		if dir == "" {
			break
		}
	}
	for _, file := range files {
		text, err := fsys.ReadRegular(file, maxRefs)
		if err != nil && !errors.Is(err, fs.ErrNotExist) || bytes.Contains(text, []byte("working-tree-encoding")) {
			return false
		}
	}
	return known && !slices.ContainsFunc(w.r.read.attributes, func(name string) bool {
		return !fsys.Exists(filepath.Join(w.r.Top, filepath.FromSlash(name))) // then that of the index counts
	})
}

// systemAttributes returns where git may have attributes for all users.
func (t *Tree) systemAttributes() []string {
	files := []string{"/etc/gitattributes"}
	if program, err := exec.LookPath(t.program()); err == nil {
		if real, err := filepath.EvalSymlinks(program); err == nil {
			files = append(files, filepath.Join(filepath.Dir(filepath.Dir(real)), "etc", "gitattributes"))
		}
	}
	return files
}

// variablesHere are the variables of the environment that git gets.
func variablesHere() map[string]string {
	have := map[string]string{}
	for _, e := range (&exec.Cmd{}).Environ() {
		name, value, _ := strings.Cut(e, "=")
		have[name] = value
	}
	return have
}

// commitHere returns the bytes of the commit object that git would make at a time. It reports
// false where that is left to git.
func (w *workshop) commitHere(at time.Time, tree, text string, parents ...string) ([]byte, bool) {
	have := variablesHere()
	zone, set := have["TZ"]
	if _, err := time.LoadLocation(strings.TrimPrefix(zone, ":")); set && err != nil {
		return nil, false // one that only git reads
	}
	other := slices.ContainsFunc(w.r.settings, func(s setting) bool { return s.key == "i18n.commitencoding" })
	if !w.r.ordinary || !w.r.writesObjects() || w.r.on(signing) || at.IsZero() || other || !utf8.ValidString(text) || !strings.HasSuffix(text, "\n") || strings.ContainsRune(text, 0) {
		return nil, false
	}
	b := fmt.Appendf(nil, "tree %s\n", tree)
	for _, p := range parents {
		if p != "" {
			b = fmt.Appendf(b, "parent %s\n", p)
		}
	}
	for _, role := range []string{"author", "committer"} {
		name, named := w.r.who(have, role, "name")
		mail, reached := w.r.who(have, role, "email")
		if !named || !reached {
			return nil, false
		}
		b = fmt.Appendf(b, "%s %s <%s> %d %s\n", role, name, mail, at.Unix(), at.Local().Format("-0700"))
	}
	return append(append(b, '\n'), text...), true
}

// crud are the characters that git removes at the ends of names, with blanks and controls.
const crud = " .,:;<>\"\\'"

// who returns the name or the address of the author or committer, where git takes it as it is.
func (r *Repo) who(have map[string]string, role, what string) (value string, ok bool) {
	for _, key := range []string{"user." + what, role + "." + what} {
		for _, s := range r.settings {
			if s.key == key {
				value = s.value
			}
		}
	}
	if given, set := have["GIT_"+strings.ToUpper(role+"_"+what)]; set {
		value = given
	}
	odd := func(c rune) bool { return c < ' ' || c == 0x7f || c == '<' || c == '>' }
	return value, value != "" && utf8.ValidString(value) && strings.Trim(value, crud) == value && !strings.ContainsFunc(value, odd)
}
