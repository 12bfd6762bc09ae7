package torture

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/kb"
)

// event says what a worker is about to do, or what it was answered.
type event struct {
	Kind    string // "try" before the operation, "ack" after it returned, "no" when it was refused
	Who     string // the goroutine: it has one operation under way at a time
	Op      string // "put", "edit", "move", "delete", "group", "hub", "token", "editor"; of a group, Version is the generation
	Space   string
	ID      string // of the page
	Path    string // of the page afterwards
	Version int    // as answered
	Hash    string // of the bytes afterwards, "" when the page is gone
	Token   string // what the operation adds to a page that several write
}

// aloud says events on standard output, each in one call: a killed process has
// said a line or has not.
func aloud() func(event) error {
	var mu sync.Mutex
	return func(e event) error {
		b, err := json.Marshal(e)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		_, err = os.Stdout.Write(append(b, '\n'))
		return err
	}
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// prose is text that a name determines, of up to about 20 KiB so that half a
// file would show.
func prose(name string) string {
	sum := sha256.Sum256([]byte(name))
	rng := rand.New(rand.NewChaCha8(sum))
	words := strings.Fields("stone path cairn hill water north trail sky ridge moss wind light river east fog bird")
	var b strings.Builder
	for range 1 + rng.IntN(1+rng.IntN(200)) {
		for range 1 + rng.IntN(16) {
			b.WriteString(words[rng.IntN(len(words))])
			b.WriteByte(' ')
		}
		b.WriteString("mark.\n")
	}
	return b.String()
}

// withID is a page that declares its id, so that no move has to write it in.
func withID(id, name string) string {
	return fmt.Sprintf("---\nid: %s\nnote: n0\ntitle: %s\n---\n%s", id, strings.ReplaceAll(name, "/", " "), prose(name))
}

// generation is a page that is replaced as a whole and added to by tokens.
func generation(name string) string { return "generation " + name + "\n\n" + prose(name) }

func kbHash(text string) kb.Hash { return sha256.Sum256([]byte(text)) }

func tokenLine(token string) string { return "- token " + token + " end\n" }

// readGeneration takes apart what generation and tokens made, and says what
// is wrong with anything else: two texts merged, one of them twice, a part
// missing, a token twice.
func readGeneration(text string) (name string, tokens []string, err error) {
	first, _, _ := strings.Cut(text, "\n")
	name, found := strings.CutPrefix(first, "generation ")
	if !found {
		return "", nil, fmt.Errorf("begins with %.60q", text)
	}
	rest, found := strings.CutPrefix(text, generation(name))
	if !found {
		return "", nil, fmt.Errorf("is not the text of generation %s", name)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(rest) {
		if line == "\n" {
			continue
		}
		token, ok1 := strings.CutPrefix(line, "- token ")
		token, ok2 := strings.CutSuffix(token, " end\n")
		if !ok1 || !ok2 || seen[token] || strings.ContainsAny(token, " ") {
			return "", nil, fmt.Errorf("generation %s goes on with %.60q", name, line)
		}
		seen[token] = true
		tokens = append(tokens, token)
	}
	return name, tokens, nil
}
