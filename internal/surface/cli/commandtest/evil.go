package commandtest

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb/safetext"
)

// Evil is text that would colour, move, ring, reorder and hide if a terminal
// or a reader got it: CSI, OSC, C1, bidi, BEL, backspace, DEL, a tag. cairn's
// own colours and links are none of these.
const Evil = "\x1b[35m\x1b]0;own\a\u009b2J\u202e\b\u2066\x7f\U000e0041"

// ours is how cairn itself draws on a terminal: colours, and links to files.
var ours = regexp.MustCompile("\x1b\\[(1|2|31|32|33)?m|\x1b\\]8;;(file:///[!-~]*)?\a")

// Plain takes what cairn itself draws out of a text.
func Plain(text string) string { return ours.ReplaceAllString(text, "") }

// shows finds Evil in displayed form: its ESC as a picture, or escaped in JSON,
// or its C1 control replaced.
var shows = regexp.MustCompile(`␛|\\u001b|\\x1b|�`)

// Shown reports whether a text shows Evil, made harmless.
func Shown(text string) bool { return shows.MatchString(text) }

// Harmless fails when a terminal would obey text beyond cairn's colours.
func Harmless(t *testing.T, text string, args ...string) {
	t.Helper()
	rest := Plain(text)
	for i, r := range rest {
		if r == '\n' || r == '\t' || !safetext.Dangerous(r) && (r != utf8.RuneError || strings.HasPrefix(rest[i:], "�")) {
			continue
		}
		t.Errorf("cairn %q says %U in %q", args, r, rest[max(0, i-40):min(len(rest), i+20)])
		return
	}
}
