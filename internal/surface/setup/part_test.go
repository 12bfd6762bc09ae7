package setup

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

// What people have in such files, in JSON.
var configs = []string{
	"{}", "{}\n", "{\n}\n", "{\n\n}", "\t{}\n",
	`{"a":1}`, `{ "a": 1 }`, `{"a":{"b":[]}}` + "\n",
	"{\n  \"a\": 1\n}\n", "{\n\t\"a\": 1,\n\t\"b\": [1, 2]\n}", "{\n    \"a\": 1,\n}\n",
	"// top\n{\n  // of a\n  \"a\": 1, // behind\n  /* last */\n}\n// end\n",
	"{ // first\n  \"a\": \"// no comment\"\n}\n", "{ // nothing\n}\n", "{ /* nothing */ }",
	`{"mcpServers":{"other":{"command":"x"}}}`,
	"{\n  \"mcpServers\": {\n    \"other\": {\n      \"command\": \"x\"\n    }\n  },\n  \"z\": null\n}\n",
	"{\n  \"mcpServers\": {\n    // mine\n    \"other\": {},\n  },\n}",
	"{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n",
	"{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"other\"}]}\n    ]\n  }\n}\n",
	"{\"hooks\":{\"SessionStart\":[{\"matcher\":\"startup\",\"hooks\":[{\"command\":\"cairnish\"}]}, 7]}}",
	"{\"servers\":{\"x\":{}},\"mcp\":{\"x\":{}},\"context_servers\":{\"x\":{}}}",
	"{}\n// eof", "{ // a\n} /* b */ // eof", "{\n  \"a\": 1 // of a\n}\n  // eof",
	"{\"a\\u0062\":\"é\", \"a\": 1, \"a\": 2}",
}

var tomls = []string{
	"model = \"x\"", "model = \"x\"\n", "# only a comment", "\n", "  \n\n",
	"[mcp_servers.other]\ncommand = \"x\" # why\n", "[mcp_servers]\n", "[a]\nb = \"\"\"\n[c]\n\"\"\"\n\n\n",
	"[[x]]\ny = 1\n[x.z]\n", "n = \"\"\"\n[mcp_servers.cairn]\nfoo\n\"\"\"\n", "[a]\nb = [\n[1],\n]\n",
}

var markdowns = []string{"# Mine", "# Mine\n", "text\n\n\n", "\n", "<!-- other -->\n- a"}

func TestDropUndoesAdd(t *testing.T) {
	t.Parallel()
	suites := []struct {
		name  string
		parts []part
		texts []string
	}{
		{"json", []part{mcpServers, vscode, opencode, copilot, cline, zed, sessionStart("x"), actorOf("x"), denial{[]string{"/a b", "/c:d"}}}, configs},
		{"toml", []part{table{}}, tomls},
		{"markdown", []part{instructions{}}, markdowns},
	}
	for _, s := range suites {
		for _, text := range s.texts {
			for _, text := range []string{text, strings.ReplaceAll(text, "\n", "\r\n"), "\ufeff" + text} {
				for _, p := range s.parts {
					identity(t, s.name, p, text)
				}
			}
		}
	}
}

func identity(t *testing.T, name string, p part, text string) {
	t.Helper()
	with, err := p.add([]byte(text))
	if err != nil {
		t.Errorf("%s %#v: add to %q: %v", name, p, text, err)
		return
	}
	if string(with) == text {
		t.Errorf("%s %#v: add to %q did nothing", name, p, text)
	}
	if again, err := p.add(with); err != nil || !bytes.Equal(again, with) {
		t.Errorf("%s %#v: the second add to %q gives %q, %v", name, p, text, again, err)
	}
	without, err := p.drop(with)
	if err != nil {
		t.Errorf("%s %#v: drop from %q: %v", name, p, with, err)
	} else if string(without) != text {
		t.Errorf("%s %#v:\n had %q\nwith %q\nleft %q", name, p, text, with, without)
	}
	if same, err := p.drop([]byte(text)); err != nil || string(same) != text {
		t.Errorf("%s %#v: drop from %q without it gives %q, %v", name, p, text, same, err)
	}
}

// Text of an older cairn gives way to today's, where it stands, and nothing
// around it changes.
func TestInstructionsAreRefreshed(t *testing.T) {
	t.Parallel()
	for _, eol := range []string{"\n", "\r\n"} {
		text := func(says string) string {
			return strings.ReplaceAll("# Mine\n`"+beginMark+"` and `"+endMark+"` in a line\n"+instructions{says}.block()+"behind", "\n", eol)
		}
		for _, older := range []string{text("Of last year.\n"), strings.Replace(text("Edited.\n"), "Edited", "By hand", 1)} {
			if got, err := (instructions{}).add([]byte(older)); err != nil || string(got) != text("") {
				t.Errorf("%q becomes %q, %v", older, got, err)
			}
		}
	}
}

// What was there goes on saying what it said, however it was rearranged around
// our parts since.
func TestDropFindsWhatOthersMoved(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, want string
		part             part
	}{
		{"last", `{"mcpServers":{"x":{}, "cairn":{"command":"cairn","args":["mcp"]}}}`, `{"mcpServers":{"x":{}}}`, mcpServers},
		{"middle", "{\"mcpServers\":{\"x\":1,\n \"cairn\":{\"command\":\"/x/cairn\",\"args\":[\"mcp\"],\"env\":{}} ,\n \"y\":2}}", "{\"mcpServers\":{\"x\":1, \n \"y\":2}}", mcpServers},
		{"trailing comma", "{\"mcpServers\":{\"x\":1, \"cairn\":{\"command\":\"/x/cairn\",\"args\":[\"mcp\"],\"env\":{}},}}", "{\"mcpServers\":{\"x\":1,}}", mcpServers},
		{"comment kept", "{\"mcpServers\":{ // why\n\"cairn\":{\"command\":\"/x/cairn\",\"args\":[\"mcp\"],\"env\":{}}}}", "{\"mcpServers\":{ // why\n}}", mcpServers},
		{"comment behind", "{\"mcpServers\":{\"x\":1, // of x\n \"cairn\":{\"command\":\"/x/cairn\",\"args\":[\"mcp\"],\"env\":{}} // of cairn\n}}", "{\"mcpServers\":{\"x\":1 // of x\n // of cairn\n}}", mcpServers},
		{
			"tables around", "[a]\n[mcp_servers.cairn]\ncommand = '/x/cairn'\nargs = [\"mcp\"]\n[mcp_servers.cairn.env]\n\n# of b\n[b]\n",
			"[a]\n\n# of b\n[b]\n", table{},
		},
		{"tables at the end", "[a]\n[mcp_servers.cairn]\ncommand = 'cairn'\nargs = ['mcp']\n[mcp_servers.cairn.env]\n", "[a]", table{}},
		{
			"tables apart", "[mcp_servers.cairn]\ncommand = 'cairn'\nargs = ['mcp']\n[a]\nb = '[c]'\n[mcp_servers.cairn.env]\n",
			"[a]\nb = '[c]'", table{},
		},
		{"text behind", "a\n" + beginMark + "\nold\n" + endMark + "\nb\n", "a\nb\n", instructions{}},
	}
	for _, tt := range tests {
		got, err := tt.part.drop([]byte(tt.text))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}

// What does not say exactly what cairn writes is somebody's: adding and
// dropping leave it as it is.
func TestWhoseItIs(t *testing.T) {
	t.Parallel()
	group := func(hooks string) string { return `{"hooks":{"SessionStart":[{"hooks":[` + hooks + `]}]}}` }
	const prime = `{"type":"command","command":"cairn prime --format hook --actor x"}`
	tests := []struct {
		part part
		text string
		want owner
	}{
		{mcpServers, `{"mcpServers":{"cairn":{"args":["mcp"],"command":"C:\\x\\cairn.exe" /* . */}}}`, ours},
		{mcpServers, `{"mcpServers":{"cairn":{"command":"cairn","args":["mcp"],"env":{}}}}`, ours},
		{zed, `{"context_servers":{"cairn":{"command":"/x/cairn","args":["mcp"]}}}`, ours},
		{running(mcpServers, program{path: "/x/wrapper"}), `{"mcpServers":{"cairn":{"command":"/x/wrapper","args":["mcp"]}}}`, ours},
		{mcpServers, `{"mcpServers":{"cairn":{"command":"/x/wrapper","args":["mcp"]}}}`, byHand},
		{mcpServers, `{"mcpServers":{"cairn":{"command":"/opt/cairn","args":["mcp","--space","x"],"env":{"A":"b"}}}}`, byHand},
		{mcpServers, `{"mcpServers":{"cairn":{"command":"cairn","args":["mcp"],"env":{"A":"b"}}}}`, byHand},
		{mcpServers, `{"mcpServers":{"cairn":{"command":"cairn","args":["mcp"],"disabled":true}}}`, byHand},
		{opencode, `{"mcp":{"cairn":{"type":"local","command":["cairn","mcp"],"enabled":false}}}`, byHand},
		{opencode, `{"mcp":{"cairn":{"type":"local","command":["/x/cairn","mcp"],"enabled":true}}}`, ours},
		{mcpServers, `{"mcpServers":{"cairn":{"command":"docker","args":["mcp","gateway"]}}}`, theirs},
		{mcpServers, `{"mcpServers":{"cairn":{"url":"https://example.org"}}}`, theirs},
		{mcpServers, `{"mcpServers":{"cairn":["mcp"]}}`, theirs},
		{table{}, "[\"mcp_servers\".\"cairn\"]\ncommand = '/x/cairn'\nargs = ['mcp']\n", ours},
		{table{}, "[mcp_servers.cairn]\ncommand = 'cairn'\nargs = ['mcp']\n[mcp_servers.cairn.env]\nA = 'b'\n", byHand},
		{table{}, "[mcp_servers.cairn]\ncommand = 'cairn'\nargs = ['mcp', '--space', 'x']\n", ours},
		{table{}, "[mcp_servers.cairn]\ncommand = 'cairn'\nargs = ['mcp', '--spaces', 'x']\n", byHand},
		{mcpServers, `{"mcpServers":{"cairn":{"command":"cairn","args":["mcp","--toolsets","core,more","--read-only","--space","x"]}}}`, ours},
		{mcpServers, `{"mcpServers":{"cairn":{"command":"cairn","args":["mcp","--read-only","--toolsets","all"]}}}`, byHand},
		{mcpServers, `{"mcpServers":{"cairn":{"command":"cairn","args":["mcp","--space"]}}}`, byHand},
		{opencode, `{"mcp":{"cairn":{"type":"local","command":["cairn","mcp","--space","cairn"],"enabled":true}}}`, ours},
		{sessionStart("x"), group(`{"type":"command","command":"cairn prime --format hook --actor x --space \"My Notes\""}`), ours},
		{sessionStart("x"), group(`{"type":"command","command":"cairn prime --format hook --actor x --space "}`), byHand},
		{table{}, "mcp_servers.cairn = {command = 'cairn', args = ['mcp']}\n", byHand},
		{table{}, "[mcp_servers.cairn]\ncommand = 'docker'\n", theirs},
		{sessionStart("x"), group(prime), ours},
		{sessionStart("codex-mcp-client"), group(`{"type":"command","command":"\"/my dir/cairn\" prime --format hook --actor codex"}`), ours},
		{sessionStart("x"), group(prime + `,{"type":"command","command":"other"}`), byHand},
		{sessionStart("x"), `{"hooks":{"SessionStart":[{"matcher":"startup","hooks":[` + prime + `]}]}}`, byHand},
		{sessionStart("x"), group(`{"type":"command","command":"cairn prime"}`), byHand},
		{sessionStart("x"), group(`{"type":"command","command":"A=b /x/cairn prime --format hook --actor x"}`), byHand},
		{sessionStart("x"), group(`{"type":"command","command":"cairn prime --format hook --actor x; date"}`), byHand},
		{sessionStart("x"), group(`{"type":"command","command":"cairnish prime"}`), nobody},
	}
	for _, tt := range tests {
		_, whose, err := tt.part.find([]byte(tt.text))
		if err != nil || whose != tt.want {
			t.Errorf("%s is of %d, %v; want %d", tt.text, whose, err, tt.want)
		}
		if without, err := tt.part.drop([]byte(tt.text)); err != nil || (string(without) != tt.text) != (whose == ours) {
			t.Errorf("%s becomes %q, %v", tt.text, without, err)
		}
		if whose == ours || whose == nobody {
			continue
		}
		with, err := running(tt.part, program{path: "/y/cairn", asked: true}).add([]byte(tt.text))
		if err != nil || string(with) != tt.text {
			t.Errorf("%s with another command becomes %q, %v", tt.text, with, err)
		}
	}
}

// A program that is asked for takes the place of another in what is ours, and
// nothing else changes.
func TestAskedProgram(t *testing.T) {
	t.Parallel()
	for _, x := range []part{mcpServers, vscode, opencode, copilot, cline, zed, table{}, sessionStart("x")} {
		texts := configs
		if _, ok := x.(table); ok {
			texts = tomls
		}
		for _, text := range texts {
			to := func(path string, asked bool, text []byte) []byte {
				out, err := running(x, program{path: path, asked: asked}).add(text)
				if err != nil {
					t.Fatalf("%T on %q: %v", x, text, err)
				}
				return out
			}
			first, want := to("/opt/cairn", true, []byte(text)), to(`C:\my "$x"\cairn.exe`, true, []byte(text))
			if got := to(`C:\my "$x"\cairn.exe`, true, first); !bytes.Equal(got, want) {
				t.Errorf("%T: %q becomes %q, want %q", x, first, got, want)
			}
			if got := to("", false, first); !bytes.Equal(got, first) {
				t.Errorf("%T: %q becomes %q without being asked", x, first, got)
			}
		}
	}
}

// What cairn mcp is to do takes the place of what was asked for before, as if
// it had been asked for at first, and what is not asked for stays.
func TestAskedServe(t *testing.T) {
	t.Parallel()
	word, yes, no := func(s string) *string { return &s }, true, false
	all := Serve{Toolsets: word("all"), ReadOnly: &yes, Space: word("mcp")}
	for _, x := range []part{mcpServers, vscode, opencode, copilot, cline, zed, table{}, sessionStart("x")} {
		texts := configs
		if _, ok := x.(table); ok {
			texts = tomls
		}
		for _, text := range texts {
			add := func(ask Serve, text []byte) []byte {
				out, err := running(x, program{path: "/opt/cairn", ask: ask}).add(text)
				if err != nil {
					t.Fatalf("%T on %q: %v", x, text, err)
				}
				return out
			}
			plain, full := add(Serve{}, []byte(text)), add(all, []byte(text))
			for _, tt := range []struct {
				ask        Serve
				from, want []byte
			}{
				{all, plain, full},
				{Serve{}, full, full},
				{Serve{Toolsets: word(""), ReadOnly: &no, Space: word("")}, full, plain},
				{Serve{Space: word("")}, full, add(Serve{Toolsets: word("all"), ReadOnly: &yes}, []byte(text))},
				{Serve{Toolsets: word("core,more")}, full, add(Serve{Toolsets: word("core,more"), ReadOnly: &yes, Space: word("mcp")}, []byte(text))},
			} {
				if got := add(tt.ask, tt.from); !bytes.Equal(got, tt.want) {
					t.Errorf("%T: %q becomes %q, want %q", x, tt.from, got, tt.want)
				}
			}
			if without, err := x.drop(full); err != nil || string(without) != text && !blank([]byte(text)) {
				t.Errorf("%T: left %q, %v; had %q", x, without, err, text)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text, want string
		part       part
	}{
		{"{\n  \"a\": }", "line 2", mcpServers},
		{"[]", "the file does not hold a JSON object", mcpServers},
		{`{"mcpServers":[]}`, "mcpServers does not hold a JSON object", mcpServers},
		{`{"hooks":{"SessionStart":{}}}`, "hooks.SessionStart does not hold a JSON array", sessionStart("x")},
		{"a = 1\nb = ", "line 2", table{}},
		{"mcp_servers = {}\n", "takes no table", table{}},
		{"a\n" + beginMark, "the line " + endMark + " is missing", instructions{}},
		{"a\n" + endMark, "the line " + beginMark + " is missing", instructions{}},
		{endMark + "\n" + beginMark, "comes before", instructions{}},
		{"a\n<!-- cairn:begin abc -->\nb\n" + endMark, "line 2 is not as cairn writes it: <!-- cairn:begin abc -->", instructions{}},
		{beginMark + "\nb\n" + endMark + " c\n", "line 3 is not as cairn writes it: " + endMark + " c", instructions{}},
	}
	for _, tt := range tests {
		if _, err := tt.part.add([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v; want %q", tt.text, err, tt.want)
		}
	}
}

func FuzzDropUndoesAdd(f *testing.F) {
	for _, text := range configs {
		f.Add(text)
	}
	f.Add("// alone")
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range []part{mcpServers, sessionStart("x")} {
			with, err := p.add([]byte(text))
			if err != nil || string(with) == text || blank([]byte(text)) {
				continue
			}
			without, err := p.drop(with)
			// Containers that were there and empty are the plan's business.
			found := strings.Contains(text, "mcpServers") || strings.Contains(text, "hooks") || strings.Contains(text, `\u`)
			if err != nil || string(without) != text && !found {
				t.Errorf("%#v: had %q, with %q, left %q, %v", p, text, with, without, err)
			}
		}
	})
}

// Wherever cairn is, clients are told in their own form, and what was put in
// comes out again.
func TestCommand(t *testing.T) {
	t.Parallel()
	const odd = `C:\Program Files\$x "y"\cairn`
	for _, x := range []part{mcpServers, vscode, opencode, copilot, cline, zed, table{}, sessionStart("codex")} {
		for _, command := range []string{"/opt/cairn", odd} {
			x := running(x, program{path: command})
			text, err := x.add(nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := x.(hook); !ok && !strings.Contains(string(text), strings.TrimSpace(quoted(command))) {
				t.Errorf("%T: %s", x, text)
			}
			if without, err := x.drop(text); err != nil || !blank(without) {
				t.Errorf("%T %s: left over %q, %v", x, command, without, err)
			}
		}
	}
	for path, want := range map[string]string{"/usr/bin/cairn": "/usr/bin/cairn", odd: `"C:\Program Files\\$x \"y\"\cairn"`} {
		if got := ShellWord(path); got != want {
			t.Errorf("%s is the word %s", path, got)
		}
	}
}

// A desktop app of a person gets the path, and everything does where the PATH
// leads to no cairn. A project is shared: there it is the name.
func TestWhoGetsThePath(t *testing.T) {
	t.Parallel()
	const built, cached, off = "/tmp/go-build123/b001/exe/cairn", "/h/.cache/go-build/ab/", "/opt/cairn"
	hash := strings.Repeat("0a", 32) + "-d/cairn"
	for _, tt := range []struct {
		binary, onPath   string
		cli, desktop     string // "" is an error
		project, command string
	}{
		{off, "/usr/bin/cairn", bareName, off, bareName, ""},
		{off, "", off, off, bareName, ""},
		{"", "", bareName, bareName, bareName, ""},
		{built, "", "", "", bareName, ""},
		{cached + hash, "", "", "", bareName, ""},
		{cached + "x/cairn", "", cached + "x/cairn", cached + "x/cairn", bareName, ""},
		{built, "/usr/bin/cairn", bareName, "/usr/bin/cairn", bareName, ""},
		{built, "", "/x", "/x", "/x", "/x"},
	} {
		p := testPlace(t)
		p.Binary = tt.binary
		p.Look = func(string) string { return tt.onPath }
		for _, c := range clients {
			for scope, want := range map[Scope]string{User: tt.cli, Project: tt.project} {
				if c.windows && scope == User {
					want = tt.desktop
				}
				got, err := p.command(c, Request{Scope: scope, Command: tt.command})
				if got != want || (err == nil) != (want != "") || err != nil && kb.AsError(err).Reason != kb.PassingProgram {
					t.Errorf("%+v: %s in scope %s runs %q, %v", tt, c.name, scope, got, err)
				}
			}
		}
	}
}

// FuzzTOMLAndMarkdown is FuzzDropUndoesAdd for the other kinds of file.
func FuzzTOMLAndMarkdown(f *testing.F) {
	for _, text := range tomls {
		f.Add(text)
	}
	for _, text := range markdowns {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.HasSuffix(text, "\r") {
			return // what is added makes a line end of it, which goes again as one
		}
		for _, p := range []part{table{}, instructions{}} {
			with, err := p.add([]byte(text))
			if err != nil || string(with) == text || blank([]byte(text)) {
				continue
			}
			if again, err := p.add(with); err != nil || string(again) != string(with) {
				t.Errorf("%#v: adding twice to %q gives %q, %v", p, text, again, err)
			}
			if without, err := p.drop(with); err != nil || string(without) != text {
				t.Errorf("%#v: had %q, with %q, left %q, %v", p, text, with, without, err)
			}
		}
	})
}

// Comments alone are valid where comments are, and stay.
func TestCommentsAlone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"// nothing here yet\n", "// nothing", "/* a\n*/\n\n// b\r\n", "\ufeff// a\n"} {
		for _, x := range []part{mcpServers, vscode, opencode, copilot, cline, zed, sessionStart("x")} {
			with, err := x.add([]byte(text))
			if err != nil || !bytes.HasPrefix(with, []byte(text)) {
				t.Errorf("%T: %q becomes %q, %v", x, text, with, err)
			}
			if _, whose, err := x.find(with); whose != ours || err != nil {
				t.Errorf("%T is of %d in %q, %v", x, whose, with, err)
			}
			without, err := x.drop(with)
			if rest, ok := strings.CutPrefix(string(without), text); err != nil || !ok || strings.TrimSpace(rest) != "{}" {
				t.Errorf("%T: left %q, %v", x, without, err)
			}
			if same, err := x.drop([]byte(text)); err != nil || string(same) != text {
				t.Errorf("%T: drop from %q gives %q, %v", x, text, same, err)
			}
		}
	}
	for _, text := range []string{"]", "/", "/* open", "[", ",", "] // x", "],["} {
		if _, err := mcpServers.add([]byte(text)); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// blank reports whether a file says nothing: drop leaves such text otherwise
// than it was.
func blank(text []byte) bool {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, bom))
	inner, object := bytes.CutPrefix(text, []byte("{"))
	inner, closed := bytes.CutSuffix(inner, []byte("}"))
	return noValue(text) || object && closed && len(bytes.TrimSpace(inner)) == 0
}
