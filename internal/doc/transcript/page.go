package transcript

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// turnLine is the heading of a turn: "## 12 user 2026-11-29 06:22:30".
var turnLine = lazyregexp.New(`^\s{0,3}## ([0-9]+) (user|assistant|summary)(?: ([0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}))?\s*$`)

// IsTurn reports whether a line is the heading of a turn.
func IsTurn(line []byte) bool {
	return bytes.Contains(line, []byte("## ")) && turnLine().Match(line)
}

const stamp = "2006-01-02 15:04:05"

func heading(n int, role Role, t time.Time) string {
	out := fmt.Sprintf("## %d %s", n, role)
	if !t.IsZero() {
		out += " " + t.UTC().Format(stamp)
	}
	return out
}

// Turn is a turn of a page.
type Turn struct {
	N    int
	Role Role
	Time time.Time // zero if the transcript has none
	Text string
	Line int // of its heading, from 1
}

// Turns returns the turns of a page.
func Turns(page []byte) []Turn {
	var out []Turn
	for i, line := range strings.Split(string(page), "\n") {
		if m := turnLine().FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[1])
			t, _ := time.Parse(stamp, m[3])
			out = append(out, Turn{N: n, Role: Role(m[2]), Time: t, Line: i + 1})
			continue
		}
		if len(out) > 0 {
			out[len(out)-1].Text += line + "\n"
		}
	}
	for i := range out {
		out[i].Text = strings.TrimSpace(out[i].Text)
	}
	return out
}

// At returns the turn at a line of a page, without its text, and the command line that
// resumes the session. N is 0 above the first turn.
func At(page []byte, line int) (turn Turn, resume string) {
	n := 0
	var client, id string
	for l := range bytes.Lines(page) {
		if n++; n > line {
			break
		}
		if m := turnLine().FindSubmatch(l); m != nil {
			turn.N, _ = strconv.Atoi(string(m[1]))
			turn.Role, turn.Line = Role(m[2]), n
			turn.Time, _ = time.Parse(stamp, string(m[3]))
		} else if quoted, ok := bytes.CutPrefix(l, []byte("client: ")); ok && turn.N == 0 {
			client, _ = strconv.Unquote(string(bytes.TrimSpace(quoted)))
		} else if quoted, ok := bytes.CutPrefix(l, []byte("session: ")); ok && turn.N == 0 {
			id, _ = strconv.Unquote(string(bytes.TrimSpace(quoted)))
		}
	}
	return turn, Client(client).Resume(id)
}

// Head returns the frontmatter of the page of a session.
func (s *Session) Head() []byte {
	var b bytes.Buffer
	line := func(key, value string) {
		if value != "" {
			b.WriteString(key + ": " + strconv.Quote(value) + "\n")
		}
	}
	list := func(key string, values []string) {
		if len(values) > 0 {
			b.WriteString(key + ":\n")
			for _, v := range values {
				b.WriteString("  - " + strconv.Quote(v) + "\n")
			}
		}
	}
	b.WriteString("---\n")
	line("title", s.Name())
	b.WriteString("type: session\n")
	line("client", string(s.Client))
	line("session", s.ID)
	line("project", s.Project)
	line("branch", s.Branch)
	if !s.Started.IsZero() {
		b.WriteString("date: " + s.Started.Format(time.DateOnly) + "\ncreated: " + s.Started.Format(time.RFC3339) + "\nupdated: " + s.Ended.Format(time.RFC3339) + "\n")
	}
	b.WriteString("turns: " + strconv.Itoa(s.Turns) + "\n")
	list("files", s.Files)
	list("commits", s.Commits)
	list("open", s.Left())
	line("resume", s.Client.Resume(s.ID))
	if n := s.UnknownLines(); n > 0 {
		b.WriteString("unknown_lines: " + strconv.Itoa(n) + "\n")
	}
	b.WriteString("---\n\n")
	return b.Bytes()
}

// Name returns the title of the page.
func (s *Session) Name() string {
	if s.Title == "" {
		return string(s.Client) + " session " + s.ID
	}
	return s.Title
}

// Left returns the unfinished work of the session: the steps of its plan that are not done,
// else the request without an answer.
func (s *Session) Left() []string {
	if len(s.Open) == 0 && s.Asked != "" {
		return []string{s.Asked}
	}
	return s.Open
}

// UnknownLines counts the lines of unknown types.
func (s *Session) UnknownLines() (n int) {
	for _, of := range s.Unknown {
		n += of
	}
	return n
}

// Path returns the path of a session's page: the client, the project, and the day with the
// first letters of the id.
func (s *Session) Path() string {
	project := doc.Slug(s.Project[strings.LastIndexAny(s.Project, `/\`)+1:])
	if project == "" {
		project = "other"
	}
	id := doc.Slug(s.ID)
	if i := strings.LastIndexByte(id, '-'); s.Client == Codex && i >= 0 {
		id = id[i+1:] // its ids start with the time
	}
	if len(id) > 12 {
		id = id[:12]
	}
	day := "undated"
	if !s.Started.IsZero() {
		day = s.Started.Format(time.DateOnly)
	}
	return string(s.Client) + "/" + project + "/" + day + "-" + strings.Trim(id, "-") + ".md"
}

// OneLine returns the first line of a text, cut to a number of bytes.
func OneLine(text string, most int) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	text, _, more := strings.Cut(text, "\n")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r == ' ' }), " ")
	if len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		return text[:most] + "…"
	}
	if more {
		return text + " …"
	}
	return text
}

func plural(bytes int) string {
	text := strconv.Itoa(bytes)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text + " bytes"
}

func trim(line []byte) []byte { return bytes.TrimSpace(line) }

// without removes all parts of a text between from and to.
func without(text, from, to string) string {
	for {
		i := strings.Index(text, from)
		if i < 0 {
			return text
		}
		j := strings.Index(text[i:], to)
		if j < 0 {
			return text[:i]
		}
		text = text[:i] + text[i+j+len(to):]
	}
}

var (
	commitMessage = lazyregexp.New(`\bgit\b[^\n|;&]*\bcommit\b[^\n]*?\s-[a-zA-Z]*m\s*(?:"\$\(cat <<-?\s*['"]?\w+['"]?\s*\n\s*([^\n]+)|"((?:[^"\\]|\\.)+)"|'([^']+)')`)
	commitOutput  = lazyregexp.New(`(?m)^\[[^\]\n]* ([0-9a-f]{7,40})\] (.+)$`)
)

// commitSubjects returns the subjects of the commits that a command line makes.
func commitSubjects(command string) (out []string) {
	if !strings.Contains(command, "commit") {
		return nil
	}
	for _, m := range commitMessage().FindAllStringSubmatch(command, 20) {
		subject := m[1] + m[2] + m[3]
		subject, _, _ = strings.Cut(strings.ReplaceAll(subject, `\"`, `"`), "\n")
		out = append(out, strings.TrimSpace(subject))
	}
	return out
}

// commitsIn returns the commits that the output of a command reports, else those in the
// command line.
func commitsIn(output string, said []string) (out []string) {
	if len(said) == 0 {
		return nil
	}
	for _, m := range commitOutput().FindAllStringSubmatch(output, 20) {
		out = append(out, m[1]+" "+m[2])
	}
	if len(out) == 0 {
		lower := strings.ToLower(output)
		if strings.Contains(lower, "nothing to commit") || strings.Contains(lower, "error:") || strings.Contains(lower, "fatal:") {
			return nil
		}
		return slices.Clone(said)
	}
	return out
}
