package policy

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/presets"
)

func TestUpgrade(t *testing.T) {
	t.Parallel()
	const preset = "# The preset.\npreset = \"notes\"\ntype = \"note\"\nfolder = \"in\" # new ones\n" +
		"directory = [ # types\n  { path = \"people\", type = \"person\" },\n]\n\n[timeline]\nappend_only = true\n\n[predicates]\nsingle = [\"works_at\"]\nmany = [\"knows\"] # any\n"
	for name, tt := range map[string]struct{ text, want string }{
		"empty":       {"", "preset = \"notes\"\ntype = \"note\"\nfolder = \"in\" # new ones\ndirectory = [ # types\n  { path = \"people\", type = \"person\" },\n]\n\n[timeline]\nappend_only = true\n\n[predicates]\nsingle = [\"works_at\"]\nmany = [\"knows\"] # any\n"},
		"all there":   {preset, preset},
		"other value": {"preset = \"notes\"\ntype = \"x\" # mine\nfolder = \"\"\n[[directory]]\npath = \"a\"\ntype = \"b\"\n[timeline]\nappend_only = false\n[predicates]\nmany = []\n", "preset = \"notes\"\ntype = \"x\" # mine\nfolder = \"\"\n[[directory]]\npath = \"a\"\ntype = \"b\"\n[timeline]\nappend_only = false\n[predicates]\nmany = []\nsingle = [\"works_at\"]\n"},
		"no line end": {"preset = \"notes\"\ntype = \"x\"\nfolder = \"\"\ndirectory = []\n[timeline]\nappend_only = false\n[predicates]\nmany = []", "preset = \"notes\"\ntype = \"x\"\nfolder = \"\"\ndirectory = []\n[timeline]\nappend_only = false\n[predicates]\nmany = []\nsingle = [\"works_at\"]\n"},
		"line ends":   {"preset = \"notes\"\r\ntype = \"x\"\r\nfolder = \"\"\r\ndirectory = []\r\n[predicates] # ours\r\n[timeline]\r\nappend_only = false\r\n", "preset = \"notes\"\r\ntype = \"x\"\r\nfolder = \"\"\r\ndirectory = []\r\n[predicates] # ours\r\nsingle = [\"works_at\"]\r\nmany = [\"knows\"] # any\r\n[timeline]\r\nappend_only = false\r\n"},
	} {
		got, err := Upgrade([]byte(tt.text), []byte(preset))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %v\n%q, want\n%q", name, err, got, tt.want)
		}
		if again, err := Upgrade(got, []byte(preset)); err != nil || string(again) != string(got) {
			t.Errorf("%s: twice is not once: %v %q", name, err, again)
		}
	}
	for _, text := range []string{"predicates = { many = [] }\n", "predicates.many = []\n", "nonsense\n"} {
		if _, err := Upgrade([]byte(text), []byte(preset)); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Every preset is what an upgrade to it makes of nothing but its name.
func TestUpgradeToPresets(t *testing.T) {
	t.Parallel()
	for _, name := range presets.Names() {
		preset, _ := presets.Text(name)
		want, err := Parse(preset)
		if err != nil {
			t.Fatal(err)
		}
		text, err := Upgrade([]byte("preset = \""+name+"\"\n"), preset)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := want.Render()
		b, _ := got.Render()
		if string(a) != string(b) || strings.Count(string(text), "preset =") != 1 {
			t.Errorf("%s:\n%s\nwant\n%s", name, b, a)
		}
	}
}
