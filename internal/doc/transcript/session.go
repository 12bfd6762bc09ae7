package transcript

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Client is a program with transcripts, with its name in cairn setup.
type Client string

// The clients.
const (
	Claude   Client = "claude-code"
	Codex    Client = "codex"
	Copilot  Client = "copilot"
	Cursor   Client = "cursor"
	Gemini   Client = "gemini"
	OpenCode Client = "opencode"
	Qwen     Client = "qwen"
)

// Clients returns all clients, in the order of their names.
func Clients() []Client { return []Client{Claude, Codex, Copilot, Cursor, Gemini, OpenCode, Qwen} }

// plainID matches ids that a shell reads as one word, and a client does not read as an
// option.
var plainID = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Resume returns the command line that resumes a session, "" if the client has none. The id
// comes from the transcript, so there is no command line for an id that would be more than
// one word in it.
func (c Client) Resume(id string) string {
	if !plainID().MatchString(id) {
		return ""
	}
	switch c {
	case Claude:
		return "claude --resume " + id
	case Codex:
		return "codex resume " + id
	case Copilot:
		return "copilot --resume " + id
	case Cursor:
		return "cursor-agent --resume " + id
	case Gemini:
		return "gemini --resume " + id
	case OpenCode:
		return "opencode --session " + id
	case Qwen:
		return "qwen --resume " + id
	}
	return ""
}

// Role is the speaker of a turn.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Summary   Role = "summary" // of the session so far, for an agent that continues it
)

// Session is the state of a session after some lines of its transcript. With it a Reader
// continues after these lines.
type Session struct {
	Client  Client    `json:"client"`
	ID      string    `json:"id"`
	Project string    `json:"project,omitempty"` // working directory
	Branch  string    `json:"branch,omitempty"`
	Version string    `json:"version,omitempty"` // of the client
	Title   string    `json:"title,omitempty"`   // first request, or the name that the client gave it
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	Turns   int       `json:"turns"`
	Files   []string  `json:"files,omitempty"`   // files that it wrote, relative to Project if they are below it
	Commits []string  `json:"commits,omitempty"` // subjects, with the hash if it is in the output
	Open    []string  `json:"open,omitempty"`    // unfinished steps of the agent's own plan
	Asked   string    `json:"asked,omitempty"`   // last request, if it has no answer yet

	// Unknown counts lines of unknown types, by type.
	Unknown map[string]int `json:"unknown,omitempty"`

	// Sub means that it is the session of a sub-agent. The session that started it contains
	// the task and the report.
	Sub bool `json:"sub,omitempty"`

	Named   bool            `json:"named,omitempty"`    // Title was set by the client
	Role    Role            `json:"role,omitempty"`     // of the last turn of the page
	Calls   map[string]call `json:"calls,omitempty"`    // tool calls without a result
	Seen    []string        `json:"seen,omitempty"`     // ids of data that may be written again
	LeftOut int64           `json:"left_out,omitempty"` // bytes of tool output
	Size    int             `json:"size,omitempty"`     // bytes of the page without its frontmatter
	Full    bool            `json:"full,omitempty"`     // the page has a note that it is full
}

// call is a tool call that has no result yet.
type call struct {
	Agent  bool     `json:"agent,omitempty"`  // it starts a sub-agent
	Commit []string `json:"commit,omitempty"` // subjects of the commits in the command
}

const (
	// maxOutput is the maximum size of a tool's output in a page, in bytes.
	maxOutput = 2 << 10
	// maxReport is the same for the report of a sub-agent.
	maxReport = 16 << 10
	// maxText is the maximum size of a single written or pasted text, in bytes.
	maxText = 32 << 10
	// maxPage is the maximum size of a page, in bytes.
	maxPage = 8 << 20
	// maxListed is the maximum number of files and of commits that a page lists.
	maxListed = 200
	// maxSeen is the number of ids that are remembered.
	maxSeen = 64
)

// Reader reads the lines of a transcript.
type Reader struct {
	*Session
	page []byte // text of the page added by the lines since the last Take
	read func(r *Reader, line []byte) (kind string, known bool)
}

// NewReader returns a reader that continues after the lines included in s.
func NewReader(s *Session) *Reader {
	return &Reader{Session: s, read: map[Client]func(*Reader, []byte) (string, bool){
		Claude: readClaude, Codex: readCodex, Copilot: readCopilot, Cursor: readCursor, Gemini: readGemini, OpenCode: readOpenCode, Qwen: readQwen,
	}[s.Client]}
}

// Line reads a line, with or without its line end.
func (r *Reader) Line(line []byte) {
	if line = trim(line); len(line) == 0 {
		return
	}
	if line[0] != '{' {
		r.unknown("not JSON")
		return
	}
	if kind, known := r.read(r, line); !known {
		r.unknown(kind)
	}
}

// Take returns the text that the lines since the last call add to the page.
func (r *Reader) Take() []byte {
	out := r.page
	r.page = nil
	return out
}

func (r *Reader) unknown(kind string) {
	if len(kind) > 40 {
		kind = kind[:40]
	}
	if r.Unknown == nil {
		r.Unknown = map[string]int{}
	}
	if len(r.Unknown) >= 50 && r.Unknown[kind] == 0 {
		kind = "other"
	}
	r.Unknown[kind]++
}

// reads decodes a line into a struct. A member of another type is counted as unknown, and
// the others are read. It returns false for a line that is not JSON.
func (r *Reader) reads(line []byte, into any) bool {
	member, ok := decode(line, into)
	if member != "" {
		r.unknown("member " + member)
	}
	return ok
}

// decode decodes JSON, and returns the first member that has another type than in v; the
// other members are read.
func decode(text []byte, v any) (member string, ok bool) {
	err := json.Unmarshal(text, v)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return wrong.Field, true
	}
	return "", err == nil
}

// at records the time of a line.
func (r *Reader) at(stamp string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return time.Time{}
	}
	return r.when(t.UTC())
}

func (r *Reader) when(t time.Time) time.Time {
	if r.Started.IsZero() || t.Before(r.Started) {
		r.Started = t
	}
	if t.After(r.Ended) {
		r.Ended = t
	}
	return t
}

// again reports whether data with an id was read before, and records the id.
func (r *Reader) again(id string) bool {
	if slices.Contains(r.Seen, id) {
		return true
	}
	r.Seen = append(r.Seen, id)
	if len(r.Seen) > maxSeen {
		r.Seen = slices.Delete(r.Seen, 0, len(r.Seen)-maxSeen)
	}
	return false
}

// file records a file that the session wrote.
func (r *Reader) file(path string) {
	if path == "" {
		return
	}
	if rel, err := filepath.Rel(r.Project, path); r.Project != "" && filepath.IsAbs(path) && err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	path = filepath.ToSlash(OneLine(path, 300))
	if len(r.Files) < maxListed && !slices.Contains(r.Files, path) {
		r.Files = append(r.Files, path)
	}
}

func (r *Reader) commit(subject string) {
	if subject = OneLine(subject, 200); subject != "" && len(r.Commits) < maxListed && !slices.Contains(r.Commits, subject) {
		r.Commits = append(r.Commits, subject)
	}
}

// user adds the text of a person.
func (r *Reader) user(t time.Time, text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	if r.Title == "" {
		r.Title = OneLine(text, 100)
	}
	r.Asked = OneLine(text, 300)
	r.turn(User, t, true)
	r.text(text)
}

// assistant adds the text of the agent.
func (r *Reader) assistant(t time.Time, text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	r.Asked = ""
	r.turn(Assistant, t, false)
	r.text(text)
}

// summary adds a summary of the session.
func (r *Reader) summary(t time.Time, text string) {
	if text = strings.TrimSpace(text); text != "" {
		r.turn(Summary, t, true)
		r.text(text)
	}
}

// call adds a tool call: its name, and a description on one line.
func (r *Reader) call(t time.Time, id, name, what string, c call) {
	r.turn(Assistant, t, false)
	r.write("- " + strings.TrimSpace(OneLine(name, 60)+" "+OneLine(what, 300)) + "\n\n")
	if id == "" {
		return
	}
	if r.Calls == nil {
		r.Calls = map[string]call{}
	}
	if len(r.Calls) < maxSeen {
		r.Calls[id] = c
	}
}

// result adds the output of a tool.
func (r *Reader) result(id, text string) {
	c := r.Calls[id]
	delete(r.Calls, id)
	for _, s := range commitsIn(text, c.Commit) {
		r.commit(s)
	}
	text = strings.TrimSpace(text)
	most := maxOutput
	if c.Agent {
		most = maxReport
	}
	switch {
	case text == "":
	case len(text) > most:
		r.LeftOut += int64(len(text))
		r.write("      (" + plural(len(text)) + " of output left out)\n\n")
	case c.Agent:
		r.text(text)
	default:
		r.write("      " + strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "\n", "\n      ") + "\n\n")
	}
}

// turn starts a turn, unless the current one has the role and may continue.
func (r *Reader) turn(role Role, t time.Time, always bool) {
	if role == r.Role && !always {
		return
	}
	r.Role = role
	r.Turns++
	r.write(heading(r.Turns, role, t) + "\n\n")
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// text adds a text unchanged, except for lines that look like the heading of a turn.
func (r *Reader) text(text string) {
	text = strings.ToValidUTF8(lineEnds.Replace(text), "\uFFFD")
	left := ""
	if len(text) > maxText {
		left = "\n\n(" + plural(len(text)-maxText) + " of text left out)"
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	if strings.Contains(text, "#") {
		lines := strings.Split(text, "\n")
		for i, l := range lines {
			if IsTurn([]byte(l)) {
				lines[i] = `\` + l
			}
		}
		text = strings.Join(lines, "\n")
	}
	r.write(text + left + "\n\n")
}

// write adds to the page, up to its limit.
func (r *Reader) write(s string) {
	const full = "(The rest of this session is left out: the page is full.)\n"
	if r.Full {
		return
	}
	s = strings.ReplaceAll(s, "\x00", "\uFFFD") // a document with NUL is not text
	if r.Size+len(s) > maxPage {
		s, r.Full = full, true
	}
	r.Size += len(s)
	r.page = append(r.page, s...)
}
