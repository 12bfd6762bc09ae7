package policy_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/policy"
)

var tomlBlock = regexp.MustCompile("(?ms)^```toml$(.*?)^```$")

// The policy in docs/formats.md is one that is taken, and its page names every
// key that there is.
func TestKeysAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := tomlBlock.FindAllSubmatch(text, -1)
	if len(blocks) == 0 {
		t.Fatal("docs/formats.md shows no policy")
	}
	for _, b := range blocks {
		if _, err := policy.Parse(b[1]); err != nil {
			t.Errorf("the policy in docs/formats.md is refused: %v", err)
		}
	}
	keys := keysOf(reflect.TypeFor[policy.Policy]())
	if len(keys) < 20 {
		t.Fatalf("only %d keys were found", len(keys))
	}
	for _, key := range keys {
		if !regexp.MustCompile("(?m)^\\[+([a-z]+\\.)?" + key + "\\]|^" + key + " =|`(\\[+)?" + key + "(\\]+)?`").Match(text) {
			t.Errorf("docs/formats.md does not name the key %s", key)
		}
	}
}

// keysOf returns the keys of a table and of those within it.
func keysOf(table reflect.Type) (out []string) {
	for i := range table.NumField() {
		f := table.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		if key == "" {
			continue
		}
		out = append(out, key)
		inner := f.Type
		if inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			out = append(out, keysOf(inner)...)
		}
	}
	return out
}

// docs/lint.md names every rule with its severity.
func TestLintRulesAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/lint.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range policy.LintRules() {
		if row := "| `" + string(r.Rule) + "` | " + string(r.Severity) + " | " + r.Finds + " |"; !strings.Contains(string(text), row) {
			t.Errorf("docs/lint.md has no row %s", row)
		}
	}
}
