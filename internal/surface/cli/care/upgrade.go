package care

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newUpgrade(p *command.Program) *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "upgrade --check",
		Short: "Compare the version of cairn with the newest one",
		Long: `Ask the address in the setting upgrade_url for the newest version, and compare
it with this cairn's. There is no default: without the setting nothing is asked.
The address begins with https://, or leads to this machine. It answers a version
such as v0.2.0 as the first line of a text, or as version or tag_name of a JSON
object.

cairn does not replace itself: install a newer version as you installed this
one.`,
		Example: `  cairn config set upgrade_url https://example.com/cairn/latest
  cairn upgrade --check
  cairn upgrade --check --json`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !check {
				return command.UsageError(cmd, "cairn does not replace itself: give --check, and install a newer version as you installed this one")
			}
			return runUpgrade(cmd.Context(), p)
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "compare the versions")
	return cmd
}

// upgrade is the answer of cairn upgrade --check.
type upgrade struct {
	Version string `json:"version"`
	Latest  string `json:"latest"`
	Newer   bool   `json:"newer"` // whether Latest is newer than Version
	URL     string `json:"url"`
}

func runUpgrade(ctx context.Context, p *command.Program) error {
	url, err := p.Setting("upgrade_url")
	switch {
	case err != nil:
		return err
	case url == "":
		return kb.Errorf(kb.Usage, "the setting upgrade_url is empty, so there is nothing to ask").
			WithHint("Set it: cairn config set upgrade_url https://…")
	}
	if p.Env.Fetch == nil {
		return kb.Errorf(kb.Internal, "this process asks no addresses")
	}
	text, err := p.Env.Fetch(ctx, url)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return kb.Errorf(kb.Internal, "cannot ask %s for the newest version: %w", url, err)
	}
	out := upgrade{Version: p.Env.Build.Version, Latest: latest(text), URL: url}
	newest, ok := readVersion(out.Latest)
	if !ok {
		return kb.Errorf(kb.Invalid, "%s answers no version", url).
			WithHint("It should answer a version such as v0.2.0 as the first line of a text, or as version or tag_name of a JSON object.")
	}
	own, known := readVersion(out.Version)
	out.Newer = known && own.compare(newest) < 0
	return p.Record(out, func(o *terminal.Page) {
		switch {
		case !known:
			o.Linef("the newest version is %s; this is a build without one (%s)", out.Latest, out.Version)
		case out.Newer:
			o.Linef("%s is newer; this is %s", o.Style.Good(out.Latest), out.Version)
		default:
			o.Linef("%s is the newest version", out.Version)
		}
	}, func(o *terminal.Page) {
		o.Linef("%s\t%s\t%t", out.Version, out.Latest, out.Newer)
	})
}

// latest finds the version in an answer.
func latest(text []byte) string {
	if text = bytes.TrimSpace(text); bytes.HasPrefix(text, []byte("{")) {
		var named struct {
			Version string `json:"version"`
			Tag     string `json:"tag_name"`
		}
		if json.Unmarshal(text, &named) != nil {
			return ""
		}
		return cmp.Or(named.Version, named.Tag)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(first)
}

// version is one of Semantic Versioning, without build metadata.
type version struct {
	numbers [3]int
	pre     []string // identifiers of a pre-release
}

// readVersion reads a version such as v0.2.0 or 0.3.0-rc.1.
func readVersion(text string) (v version, ok bool) {
	text, _, _ = strings.Cut(strings.TrimPrefix(text, "v"), "+")
	text, pre, has := strings.Cut(text, "-")
	if has {
		v.pre = strings.Split(pre, ".")
	}
	parts := strings.Split(text, ".")
	if len(parts) != len(v.numbers) {
		return v, false
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return v, false
		}
		v.numbers[i] = n
	}
	return v, true
}

// compare orders versions as Semantic Versioning does: a pre-release comes before its
// version, and numbers among its identifiers before words.
func (v version) compare(w version) int {
	for i, n := range v.numbers {
		if n != w.numbers[i] {
			return cmp.Compare(n, w.numbers[i])
		}
	}
	if len(v.pre) == 0 || len(w.pre) == 0 {
		return cmp.Compare(len(w.pre), len(v.pre))
	}
	for i := range min(len(v.pre), len(w.pre)) {
		a, errA := strconv.Atoi(v.pre[i])
		b, errB := strconv.Atoi(w.pre[i])
		order := strings.Compare(v.pre[i], w.pre[i])
		switch {
		case errA == nil && errB == nil:
			order = cmp.Compare(a, b)
		case errA == nil:
			order = -1
		case errB == nil:
			order = 1
		}
		if order != 0 {
			return order
		}
	}
	return cmp.Compare(len(v.pre), len(w.pre))
}
