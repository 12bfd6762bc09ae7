package policy

import (
	"bytes"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/glob"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

// FileName is the path of a directory space's policy, relative to its root.
const FileName = ".cairn/space.toml"

// PrimeFile is the path of a directory's own text for the start of sessions,
// relative to it.
const PrimeFile = ".cairn/PRIME.md"

// MaxPrimeFile limits how much of such a file is read, in bytes.
const MaxPrimeFile = 1 << 20

// Parse parses a policy. Unknown keys, unknown values and invalid patterns are
// kb.Invalid, with the key and line: a rule that is not understood must not be
// silently ignored.
func Parse(text []byte) (*Policy, error) { return ParseOver(nil, text) }

// ParseOver is Parse of a text, with tables from defaults for the keys that it does
// not set. Invalid defaults are kb.Invalid, too.
func ParseOver(defaults, text []byte) (*Policy, error) {
	var p Policy
	if len(defaults) > 0 {
		err := new(Policy).read(defaults)
		if err == nil {
			err = p.read(Unsaid(defaults, text))
		}
		if err != nil {
			return nil, kb.Errorf(kb.Invalid, "the defaults of spaces in the configuration cannot be used: %w", err).WithHint("%s", kb.AsError(err).Hint)
		}
	}
	if err := p.read(text); err != nil {
		return nil, err
	}
	return &p, nil
}

// Unsaid returns the defaults without the keys that a policy sets.
func Unsaid(defaults, text []byte) []byte {
	var rest, said map[string]any
	if toml.Unmarshal(defaults, &rest) != nil || toml.Unmarshal(text, &said) != nil {
		return defaults // the caller reports the parse error
	}
	for name, value := range rest {
		table, is := value.(map[string]any)
		if _, ok := said[name]; ok && !is {
			delete(rest, name)
		}
		own, _ := said[name].(map[string]any)
		maps.DeleteFunc(table, func(key string, _ any) bool { _, ok := own[key]; return ok })
	}
	out, err := toml.Marshal(rest)
	if err != nil {
		return defaults
	}
	return out
}

// read parses a text over the current values.
func (p *Policy) read(text []byte) error {
	dec := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := dec.Decode(p); err != nil {
		return invalid(err)
	}
	return p.validate()
}

// Render writes the policy as TOML that Parse reads back.
func (p *Policy) Render() ([]byte, error) {
	text, err := toml.Marshal(p)
	if err != nil {
		return nil, kb.Errorf(kb.Internal, "cannot write the space's policy: %w", err)
	}
	return text, nil
}

func invalid(err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		line, _ := unknown.Errors[0].Position()
		return kb.Errorf(kb.Invalid, "unknown key %q in line %d of the space's policy", joinKey(unknown.Errors[0].Key()), line).
			WithHint("see docs/formats.md for the keys")
	}
	var bad *toml.DecodeError
	if errors.As(err, &bad) {
		line, col := bad.Position()
		return kb.Errorf(kb.Invalid, "the space's policy is not valid TOML in line %d, column %d", line, col).
			WithHint("mend the file and try again")
	}
	return kb.Errorf(kb.Invalid, "the space's policy cannot be read: %w", err)
}

func joinKey(k toml.Key) string {
	out := ""
	for i, part := range k {
		if i > 0 {
			out += "."
		}
		out += part
	}
	return out
}

var operations = []Operation{OpCreate, OpWrite, OpAppend, OpEdit, OpContest, OpMove, OpDelete}

// within reports whether a path is a directory within the space.
func within(p string) bool {
	return path.Clean(p) == p && p != "." && p != ".." && !strings.HasPrefix(p, "../") && !strings.HasPrefix(p, "/")
}

// MaxDescription is the maximum length of a description in characters.
const MaxDescription = 300

func (p *Policy) validate() error {
	if p.Format == "" {
		p.Format = "markdown"
	}
	if strings.ContainsFunc(p.Description, unicode.IsControl) || utf8.RuneCountInString(p.Description) > MaxDescription {
		return kb.Errorf(kb.Invalid, "description in the space's policy must be one line of at most %d characters", MaxDescription)
	}
	if p.Format != "markdown" && p.Format != "org" {
		return kb.Errorf(kb.Invalid, "format %q in the space's policy is neither markdown nor org", p.Format)
	}
	if p.Names != "" && p.Names != BySlug && p.Names != ByTitle && p.Names != ByTime {
		return kb.Errorf(kb.Invalid, "names %q in the space's policy is not slug, title or time", p.Names)
	}
	if !p.Syntax.IsKnown() {
		return kb.Errorf(kb.Invalid, "syntax %q in the space's policy is unknown", p.Syntax).
			WithHint("It is one of %s, or not set.", kb.Listed(kb.Syntaxes()))
	}
	if p.Skills != "" && !within(p.Skills) {
		return kb.Errorf(kb.Invalid, "skills %q in the space's policy is not a path of a directory in the space", p.Skills)
	}
	if p.Days != "" && p.Syntax != "logseq" {
		return kb.Errorf(kb.Invalid, "days in the space's policy has no effect without the syntax logseq").
			WithHint("Take days out first, or set the syntax first.")
	}
	if err := p.validateFiling(); err != nil {
		return err
	}
	if !(p.GapThreshold >= 0 && p.GapThreshold <= 1) {
		return kb.Errorf(kb.Invalid, "gap_threshold %v in the space's policy is not a number from 0 to 1", p.GapThreshold)
	}
	if err := p.Predicates.validate(); err != nil {
		return err
	}
	if err := p.Lifecycle.validate(); err != nil {
		return err
	}
	if err := p.validateCapture(); err != nil {
		return err
	}
	if err := p.Compact.validate(); err != nil {
		return err
	}
	if err := p.validateStamps(); err != nil {
		return err
	}
	if err := p.validateOutside(); err != nil {
		return err
	}
	if err := p.Curation.validate(); err != nil {
		return err
	}
	if err := p.Sessions.validate(); err != nil {
		return err
	}
	if err := p.Guard.validate(); err != nil {
		return err
	}
	if !validEffect(p.Permissions.Default) {
		return kb.Errorf(kb.Invalid, "permissions.default %q is neither allow nor deny", p.Permissions.Default)
	}
	var globs []string
	for i, r := range p.Permissions.Rules {
		if r.Effect == "" || !validEffect(r.Effect) {
			return kb.Errorf(kb.Invalid, "permission rule %d has effect %q, which is neither allow nor deny", i+1, r.Effect)
		}
		if err := r.validateConditions(i + 1); err != nil {
			return err
		}
		for _, op := range r.Operations {
			if !slices.Contains(operations, op) {
				return kb.Errorf(kb.Invalid, "permission rule %d names the unknown operation %q", i+1, op).
					WithHint("operations are create, write, append, edit, move, delete")
			}
		}
		globs = append(append(globs, r.Paths...), r.Actors...)
	}
	for i, s := range p.Schemas {
		globs = append(append(globs, s.Paths...), s.Except...)
		if err := s.validateKinds(i + 1); err != nil {
			return err
		}
		for key, expr := range s.Patterns {
			if patternOf(expr) == nil {
				return kb.Errorf(kb.Invalid, "schema %d has a pattern for %s that is not a regular expression", i+1, key)
			}
		}
	}
	if err := p.Lint.validate(); err != nil {
		return err
	}
	if err := p.Inbox.validate(); err != nil {
		return err
	}
	if err := p.validateAliases(); err != nil {
		return err
	}
	for _, g := range p.Ownership.Paths {
		if !glob.Valid(g) {
			return kb.Errorf(kb.Invalid, "ownership in the space's policy has %q, which is not a valid pattern", g)
		}
	}
	if !p.Ownership.Mode.isKnown() {
		return kb.Errorf(kb.Invalid, "ownership.mode in the space's policy is %q, and neither strict nor advisory", p.Ownership.Mode)
	}
	if err := p.validateRoutines(); err != nil {
		return err
	}
	if err := p.Journal.validate(); err != nil {
		return err
	}
	if err := p.validateTables(); err != nil {
		return err
	}
	if err := p.Revision.validate(); err != nil {
		return err
	}
	if err := p.validateRegions(); err != nil {
		return err
	}
	if err := p.API.validate(); err != nil {
		return err
	}
	if err := p.validateCalendar(); err != nil {
		return err
	}
	if err := p.Retention.validate(); err != nil {
		return err
	}
	if a := p.Secrets.Action; a != "" && a != Refuse && a != Redact {
		return kb.Errorf(kb.Invalid, "secrets.action in the space's policy is %q, and neither refuse nor redact", a)
	}
	if err := secrets.Check(p.Secrets.Rules); err != nil {
		return kb.Errorf(kb.Invalid, "secrets.rule in the space's policy: %w", err).
			WithHint("see docs/formats.md for the form of a rule")
	}
	if id := secrets.Unknown(p.Secrets.Allow, p.Secrets.Rules); id != "" {
		return kb.Errorf(kb.Invalid, "secrets.allow has %q: not a rule of the secret scan", id)
	}
	for i, in := range p.Inject {
		if err := in.validate(i + 1); err != nil {
			return err
		}
		globs = append(globs, in.Path)
	}
	for _, g := range globs {
		if !glob.Valid(g) {
			return kb.Errorf(kb.Invalid, "%q in the space's policy is not a valid pattern", g)
		}
	}
	return nil
}

func (p *Policy) validateFiling() error {
	if p.Wing != "" && p.Wing != FromName {
		return kb.Errorf(kb.Invalid, "wing %q in the space's policy is not name", p.Wing)
	}
	if p.Room != "" && p.Room != FromHeading {
		return kb.Errorf(kb.Invalid, "room %q in the space's policy is not heading", p.Room)
	}
	for i, d := range p.Directories {
		switch {
		case d.Path == "" || path.Clean("/" + d.Path)[1:] != d.Path || strings.ContainsAny(d.Path, "\t\n\\"):
			return kb.Errorf(kb.Invalid, "directory %q in the space's policy is not a path in the space", d.Path).
				WithHint("Write it without a slash at either end, such as people or work/people.")
		case strings.TrimSpace(d.Type) == "" || strings.ContainsAny(d.Type, "\t\n"):
			return kb.Errorf(kb.Invalid, "directory %s in the space's policy needs a type", d.Path)
		case slices.ContainsFunc(p.Directories[:i], func(o Directory) bool { return o.Path == d.Path }):
			return kb.Errorf(kb.Invalid, "directory %s is twice in the space's policy", d.Path)
		}
	}
	return nil
}

func validEffect(e Effect) bool { return e == "" || e == Allow || e == Deny }

func (p Predicates) validate() error {
	for _, few := range []struct {
		key   string
		names []string
	}{{"single", p.Single}, {"exclusive", p.Exclusive}} {
		for _, name := range p.Many {
			if slices.ContainsFunc(few.names, func(n string) bool { return kb.NameKey(n) == kb.NameKey(name) }) {
				return kb.Errorf(kb.Invalid, "predicates.%s and predicates.many in the space's policy both have %q", few.key, name)
			}
		}
	}
	for _, name := range slices.Concat(p.Single, p.Exclusive, p.Many, p.Lasting) {
		if kb.NameKey(name) == "" {
			return kb.Errorf(kb.Invalid, "a predicate in the space's policy has no name")
		}
	}
	for name, of := range p.Inverse {
		if kb.NameKey(name) == "" || kb.NameKey(of) == "" {
			return kb.Errorf(kb.Invalid, "predicates.inverse in the space's policy needs a predicate for each predicate")
		}
		// Facts are inverted once: for two predicates that are each other's
		// inverse, no canonical side exists.
		for other, back := range p.Inverse {
			turned := kb.NameKey(other) == kb.NameKey(of) || kb.NameKey("has "+other) == kb.NameKey(of)
			if turned && kb.NameKey(back) != kb.NameKey(of) {
				return kb.Errorf(kb.Invalid, "predicates.inverse in the space's policy has %q on both sides", of).
					WithHint("Leave out one direction: ceo = \"ceo_of\" is enough.")
			}
		}
	}
	for key, name := range p.Keys {
		if kb.NameKey(key) == "" || kb.NameKey(name) == "" {
			return kb.Errorf(kb.Invalid, "predicates.keys in the space's policy needs a predicate for each key")
		}
	}
	return nil
}
