package space

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// settings lists all keys. An environment variable overrides the file; a flag
// overrides both. check returns a hint about an invalid value; nil when any value
// is valid, or only the memory can decide.
var settings = []struct {
	key, env, fallback, help string
	check                    func(value string) (hint string)
}{
	{"actor", "CAIRN_ACTOR", "human", "the author of writes, as kind or kind:name, such as agent:claude-code; in the shell of a known agent, that agent", checkActor},
	{"chunk_strategy", "CAIRN_CHUNK_STRATEGY", "section", "how pages are cut for embedding: section is the only way", oneOf("Pages are always split at sections, and long sections further.", "section")},
	{"db", "CAIRN_DB", "", "database file; the default is memory.db in the data directory", nil},
	{"editor", "CAIRN_EDITOR", "", "program that edit opens; the default is $VISUAL or $EDITOR", nil},
	{"embed", "CAIRN_EMBED", "auto", "whether pages that are written or asked about are embedded by the way, where that is quick, and by serve: auto or off", oneOf("It is auto or off.", "auto", "off")},
	{"format", "CAIRN_FORMAT", "", "how records print: human, json, brief or lines; the default is human on a terminal, else json", oneOf("Formats are human, json, brief and lines.", "", "human", "json", "brief", "lines")},
	{"fusion", "CAIRN_FUSION", "weighted", "how a search combines keyword and semantic results: weighted, rrf, set-union or mean", oneOf("Strategies are weighted, rrf, set-union and mean.", "weighted", "rrf", "set-union", "mean")},
	{gapThreshold, "CAIRN_GAP_THRESHOLD", "0", "confidence, from 0 to 1, below which a question is recorded as a gap, in spaces without their own setting; 0 records none", checkShare},
	{"limit", "CAIRN_LIMIT", "10", "how many hits a search shows", checkLimit},
	{"min_similarity", "CAIRN_MIN_SIMILARITY", "0", "how similar a page must be to be found by meaning alone, from 0 to 1", checkShare},
	{"question_wait", "CAIRN_QUESTION_WAIT", "2s", "how long a question waits for an embedding model on a server before words alone answer", checkWait},
	{"rerank", "CAIRN_RERANK", "off", "how the best passages of an answer are compared with the question once more: off, late (by the token vectors of the built-in model), or dir: with the absolute path of a cross-encoder", checkRerank},
	{"routine_command", "CAIRN_ROUTINE_COMMAND", "", "program, with arguments, that serve and maintain run for each routine that becomes due", nil},
	{"routine_wait", "CAIRN_ROUTINE_WAIT", "10m", "how long one run of it may take", checkWait},
	{"space", "CAIRN_SPACE", "", "space to use when none is given and the working directory has none", nil},
	{"summary_command", "CAIRN_SUMMARY_COMMAND", "", "program, with arguments, that writes the summaries of cairn compact", nil},
	{"summary_key_env", "CAIRN_SUMMARY_KEY_ENV", "", "variable that holds the API key for summary_model", nil},
	{"summary_model", "CAIRN_SUMMARY_MODEL", "", "model of an OpenAI-compatible server that writes the summaries", nil},
	{"summary_url", "CAIRN_SUMMARY_URL", "", "address of that server; the default is OpenAI's", nil},
	{"summary_wait", "CAIRN_SUMMARY_WAIT", "2m", "how long one summary may take", checkWait},
	{"sync_delay", "CAIRN_SYNC_DELAY", "100ms", "how long serve lets files rest after a change before it reads them", checkWait},
	{"token_budget", "CAIRN_TOKEN_BUDGET", "", "maximum tokens of text in an answer; the default is 4000 for query, and 1500 for the tools recall and find", checkBudget},
	{"upgrade_url", "CAIRN_UPGRADE_URL", "", "address that cairn upgrade --check asks for the newest version: https, or on this machine", checkUpgradeURL},
	{"vector_k", "CAIRN_VECTOR_K", "100", "maximum number of pages that a search finds by meaning", checkNearest},
}

// gapThreshold is the policy key that the configuration can set for all spaces.
const gapThreshold = "gap_threshold"

// aliases maps names of settings in other programs.
var aliases = map[string]string{"default_token_budget": "token_budget", "search_merge_strategy": "fusion"}

// canonical returns cairn's name of a setting.
func canonical(key string) string { return cmp.Or(aliases[key], key) }

func checkActor(value string) string {
	_, err := kb.ParseActor(value)
	if err == nil {
		return ""
	}
	return kb.AsError(err).Hint
}

func oneOf(hint string, values ...string) func(string) string {
	return func(value string) string {
		if slices.Contains(values, value) {
			return ""
		}
		return hint
	}
}

func checkLimit(value string) string {
	if n, err := strconv.Atoi(value); err == nil && n > 0 {
		return ""
	}
	return "It must be a number, at least 1."
}

// maxBudget limits token_budget, as the tools do.
const maxBudget = 200_000

func checkBudget(value string) string {
	if n, err := strconv.Atoi(value); value == "" || err == nil && n > 0 && n <= maxBudget {
		return ""
	}
	return fmt.Sprintf("It is a number from 1 to %d.", maxBudget)
}

func checkShare(value string) string {
	if n, err := strconv.ParseFloat(value, 64); err == nil && n >= 0 && n <= 1 {
		return ""
	}
	return "It is a number from 0 to 1."
}

// maxNearest limits vector_k: each page found is read.
const maxNearest = 10_000

func checkNearest(value string) string {
	if n, err := strconv.Atoi(value); err == nil && n > 0 && n <= maxNearest {
		return ""
	}
	return fmt.Sprintf("It is a number from 1 to %d.", maxNearest)
}

// checkUpgradeURL returns a hint about a URL that is not contacted for the newest
// version, "" for a valid one: with plain HTTP, others on the network could change
// the answer.
func checkUpgradeURL(value string) (hint string) {
	u, err := url.Parse(value)
	switch {
	case value == "":
		return ""
	case err != nil || u.Hostname() == "" || u.User != nil:
		return "Write an address such as https://example.com/cairn/latest, without a name or password."
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return ""
	}
	return "It begins with https://; http:// is for an address of this machine only."
}

// withoutLogin returns the value of a setting for an error: the user name and
// password in a URL are masked.
func withoutLogin(value string) string {
	start, end := strings.Index(value, "//"), strings.LastIndex(value, "@")
	if start < 0 || end < start {
		return value
	}
	return value[:start+2] + "…" + value[end:]
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	numbers := strings.HasPrefix(host, "127.") && strings.Count(host, ".") == 3 && strings.Trim(host, "0123456789.") == ""
	return host == "localhost" || host == "::1" || numbers
}

func checkRerank(value string) string {
	dir, isDir := strings.CutPrefix(value, "dir:")
	if value == "" || value == "off" || value == "late" || isDir && filepath.IsAbs(dir) {
		return ""
	}
	return "It is off, late, or dir: with the absolute path of a cross-encoder's directory."
}

func checkWait(value string) string {
	if d, err := time.ParseDuration(value); err == nil && d > 0 {
		return ""
	}
	return "Write how long, such as 2s or 500ms."
}

// Config is the user's configuration: a TOML file of strings, and of tables with the
// defaults of spaces.
type Config struct {
	path     string
	env      func(string) string
	text     []byte
	values   map[string]string
	defaults []byte
}

// Load reads the configuration. A missing file is an empty configuration, and so is
// a missing home directory.
func Load(o Place) (*Config, error) {
	c := &Config{path: Path(o), env: o.Env, values: map[string]string{}}
	if c.path == "" {
		return c, nil
	}
	// A link is followed, as many keep their settings elsewhere. A pipe or an
	// endless device is refused: every command reads this file first.
	info, err := os.Stat(c.path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && c.path == os.DevNull:
		return c, nil
	case err == nil && (!info.Mode().IsRegular() || info.Size() > maxConfig):
		return nil, kb.Errorf(kb.Invalid, "the configuration %s is not valid", c.path).
			WithHint("Name another file with CAIRN_CONFIG, or move this one away.")
	}
	text, err := os.ReadFile(c.path)
	if err != nil {
		return nil, fsys.Explain(err, "read the configuration %s", c.path)
	}
	return c, c.parse(text)
}

// maxConfig limits the size of the configuration, in bytes. It has a line for each
// setting.
const maxConfig = 1 << 20

func (c *Config) parse(text []byte) error {
	raw := map[string]any{}
	if err := toml.Unmarshal(text, &raw); err != nil {
		where := ""
		if bad := (*toml.DecodeError)(nil); errors.As(err, &bad) {
			line, column := bad.Position()
			where = fmt.Sprintf(" in line %d, column %d", line, column)
		}
		return kb.Errorf(kb.Invalid, "the configuration %s is not valid TOML%s: %w", c.path, where, err).WithHint("Mend or remove the file.")
	}
	values, defaults := map[string]string{}, map[string]any{}
	for key, v := range raw {
		if table, ok := v.(map[string]any); ok && slices.Contains(tables, key) {
			defaults[key] = table
			continue
		}
		if !known(key) {
			err := c.unknown(key)
			err.Message += " in " + c.path
			return err
		}
		name := canonical(key)
		if _, twice := raw[name]; twice && name != key {
			return kb.Errorf(kb.Invalid, "%s in %s is the same setting as %s, which is set there, too", key, c.path, name).WithHint("Remove one of the two lines.")
		}
		switch v := v.(type) {
		case string:
			values[name] = v
		case int64, bool, float64:
			values[name] = fmt.Sprint(v)
		default:
			return kb.Errorf(kb.Invalid, "%s in %s must be a single value", key, c.path)
		}
	}
	c.text, c.values, c.defaults = text, values, nil
	if len(defaults) == 0 {
		return nil
	}
	var err error
	c.defaults, err = toml.Marshal(defaults)
	return err
}

func known(key string) bool {
	for _, s := range settings {
		if s.key == canonical(key) {
			return true
		}
	}
	return false
}

func (c *Config) unknown(key string) *kb.Error {
	keys := make([]string, len(settings))
	for i, s := range settings {
		keys[i] = s.key
	}
	return kb.Errorf(kb.Usage, "unknown setting %q", key).
		WithHint("Settings are %s. Defaults of spaces are the tables %s of the file.", strings.Join(keys, ", "), strings.Join(tables, ", "))
}

// Get returns a setting and its source: "default", "file", or the name of the
// environment variable. It also accepts the names of settings in other programs.
func (c *Config) Get(key string) (value, source string, err error) {
	key = canonical(key)
	for _, s := range settings {
		if s.key != key {
			continue
		}
		if v := c.env(s.env); v != "" {
			return v, s.env, nil
		}
		if key == "actor" {
			if v, variable := agentOf(c.env); v != "" {
				return v, variable, nil
			}
		}
		if v, ok := c.values[key]; ok {
			return v, "file", nil
		}
		return s.fallback, "default", nil
	}
	if v, ok := Leaves(c.defaults)[key]; ok {
		return v, "file", nil
	}
	return "", "", c.unknown(key)
}

// Value is Get for a value that will be used: it fails when the value is
// invalid.
func (c *Config) Value(key string) (string, error) {
	value, _, err := c.Get(key)
	if err != nil {
		return "", err
	}
	return value, Check(key, value)
}

// Setting loads the configuration, and returns the value of a setting.
func (o Place) Setting(key string) (string, error) {
	cfg, err := Load(o)
	if err != nil {
		return "", err
	}
	return cfg.Value(key)
}

// Check fails when value is invalid for the setting key.
func Check(key, value string) error {
	for _, s := range settings {
		if s.key != canonical(key) || s.check == nil {
			continue
		}
		if hint := s.check(value); hint != "" {
			return kb.Errorf(kb.Usage, "the setting %s cannot be %q", key, withoutLogin(value)).WithHint("%s", hint)
		}
	}
	return nil
}

// List returns all settings by key, and after them the defaults of spaces.
func (c *Config) List() []api.ConfigSetting {
	out := make([]api.ConfigSetting, len(settings))
	for i, s := range settings {
		out[i] = api.ConfigSetting{Key: s.key, Help: s.help}
		out[i].Value, out[i].Source, _ = c.Get(s.key) // the key is known
	}
	leaves := Leaves(c.defaults)
	for _, key := range slices.Sorted(maps.Keys(leaves)) {
		out = append(out, api.ConfigSetting{Key: key, Value: leaves[key], Source: "file", Help: "default for spaces without their own setting"})
	}
	return out
}

// Set writes a setting to the file, or removes it when value is empty. It does not
// write a value that Check rejects. Other lines, including comments, are unchanged.
func (c *Config) Set(ctx context.Context, key, value string) (err error) {
	if Derived(key) {
		return kb.Errorf(kb.Usage, "%s cannot be set: it reports the active embedding model", key).WithReason(kb.SettingDerived)
	}
	if !known(key) {
		return c.unknown(key)
	}
	if value != "" {
		if err := Check(key, value); err != nil {
			return err
		}
	}
	if c.path == "" {
		return NoFile()
	}
	text := setLine(c.text, canonical(key), value)
	for name, of := range aliases {
		if of == canonical(key) {
			text = setLine(text, name, "")
		}
	}
	if err := c.parse(text); err != nil {
		return err
	}
	dir, name := filepath.Split(c.path)
	if err := fsys.MakeDir(dir); err != nil {
		return fsys.Explain(err, "make %s", dir)
	}
	d, err := fsys.OpenDir(dir)
	if err != nil {
		return fsys.Explain(err, "open %s", dir)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return fsys.Explain(fsys.WriteAtomic(ctx, d, name, text, fsys.Any(), fsys.WriteOptions{Perm: 0o600}), "write %s", c.path)
}

// Derived reports whether a key is a property of the memory's active embedding
// model: it is read like a setting, but from the memory and not from a file.
func Derived(key string) bool { return key == EmbeddingModel || key == EmbeddingDimensions }

// Keys of Derived.
const (
	EmbeddingModel      = "embedding_model"
	EmbeddingDimensions = "embedding_dimensions"
)

// NoFile is the error when there is no location for a configuration file.
func NoFile() error {
	return kb.Errorf(kb.Usage, "no home directory to keep the configuration in").
		WithHint("Name the file with CAIRN_CONFIG.")
}

// setLine replaces, appends or removes the line of a key, before the first table.
func setLine(text []byte, key, value string) []byte {
	line := []byte(fmt.Sprintf("%s = %s\n", key, QuoteTOML(value)))
	lines := bytes.SplitAfter(text, []byte("\n"))
	if i := slices.IndexFunc(lines, func(l []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(l), []byte("[")) }); i >= 0 {
		head := bytes.Join(lines[:i], nil)
		return append(setLine(head, key, value), text[len(head):]...)
	}
	at := slices.IndexFunc(lines, func(l []byte) bool {
		k, _, ok := bytes.Cut(l, []byte("="))
		return ok && string(bytes.Trim(k, " \t\"'")) == key
	})
	switch {
	case value == "" && at < 0:
		return text
	case value == "":
		return bytes.Join(slices.Delete(lines, at, at+1), nil)
	case at < 0:
		if len(text) > 0 && text[len(text)-1] != '\n' {
			line = append([]byte("\n"), line...)
		}
		return append(slices.Clone(text), line...)
	}
	lines[at] = line
	return bytes.Join(lines, nil)
}

// QuoteTOML writes a basic string, with only those escapes that TOML and JSON
// share.
func QuoteTOML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
