package day

import (
	"context"
	"path"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Files with Foam's settings for daily notes.
const (
	foamDir      = ".foam"
	foamSettings = ".vscode/settings.json"
	foamTemplate = ".foam/templates/daily-note.md"
)

var (
	foamSetting  = lazyregexp.New(`(?m)^[^/\n]*"foam\.openDailyNote\.(\w+)"\s*:\s*"([^"\n]*)"`)
	foamPath     = lazyregexp.New(`(?m)^\s+filepath:\s*['"]?([^'"\n]+?)['"]?\s*$`)
	foamMatter   = lazyregexp.New(`(?m)^foam_template:.*\n(?:[ \t]+.*\n)*`)
	foamVariable = lazyregexp.New(`\$(?:\{(FOAM_[A-Z_]+)\}|(FOAM_[A-Z_]+))`)
)

// foam reads the editor settings and the template of Foam; found is false when
// neither exists.
func foam(ctx context.Context, files fsys.FS) (p Pattern, found bool, err error) {
	settings, err := readFile(ctx, files, foamSettings)
	if err != nil {
		return p, false, err
	}
	template, err := readFile(ctx, files, foamTemplate)
	if err != nil {
		return p, false, err
	}
	set := map[string]string{}
	for _, m := range foamSetting().FindAllStringSubmatch(string(settings), -1) {
		set[m[1]] = m[2]
	}
	if len(set) == 0 && template == nil && !isDir(files, foamDir) {
		return p, false, nil
	}
	p = Pattern{Folder: "journals", Format: "YYYY-MM-DD", Heading: "YYYY-MM-DD"}
	if folder, ok := set["directory"]; ok {
		p.Folder = path.Clean(strings.Trim(folder, "/"))
	}
	if format := set["filenameFormat"]; format != "" && format != "isoDate" {
		p.Format = fromMask(format)
		p.Heading = p.Format
	}
	if format := set["titleFormat"]; format != "" {
		p.Heading = fromMask(format)
	}
	if template == nil {
		return p, true, nil
	}
	text := strings.ReplaceAll(string(template), "\r\n", "\n")
	if m := foamPath().FindStringSubmatch(foamMatter().FindString(text)); m != nil {
		if name, ok := foamFormat(m[1]); ok {
			p.Folder, p.Format = "", name
		}
	}
	text = strings.TrimPrefix(foamMatter().ReplaceAllString(text, ""), "---\n---\n")
	p.Text = strings.Trim(text, "\n") + "\n"
	return p, true, nil
}

// foamFormats are the formats of the variables in Foam's templates.
var foamFormats = map[string]string{
	"FOAM_DATE_YEAR": "YYYY", "FOAM_DATE_YEAR_SHORT": "YY", "FOAM_DATE_MONTH": "MM", "FOAM_DATE_MONTH_NAME": "MMMM",
	"FOAM_DATE_MONTH_NAME_SHORT": "MMM", "FOAM_DATE_DATE": "DD", "FOAM_DATE_DAY_NAME": "dddd",
	"FOAM_DATE_DAY_NAME_SHORT": "ddd", "FOAM_DATE_HOUR": "HH", "FOAM_DATE_MINUTE": "mm", "FOAM_DATE_SECOND": "ss",
}

// foamFormat returns the path format of daily notes in a template; false for a
// template with other variables than dates.
func foamFormat(name string) (string, bool) {
	name = strings.TrimSuffix(strings.TrimLeft(name, "/"), path.Ext(name))
	var out strings.Builder
	for name != "" {
		at := foamVariable().FindStringSubmatchIndex(name)
		if at == nil {
			at = []int{len(name), len(name)}
		}
		if at[0] > 0 {
			out.WriteString("[" + name[:at[0]] + "]")
		}
		if at[1] > at[0] {
			format := foamFormats[strings.Trim(name[at[0]:at[1]], "${}")]
			if format == "" {
				return "", false
			}
			out.WriteString(format)
		}
		name = name[at[1]:]
	}
	return out.String(), true
}

// fillFoam returns the text of a Foam template with its variables expanded.
func fillFoam(text string, at time.Time, title string) string {
	return foamVariable().ReplaceAllStringFunc(text, func(s string) string {
		switch name := strings.Trim(s, "${}"); {
		case foamFormats[name] != "":
			return doc.FormatTime(foamFormats[name], at)
		case name == "FOAM_TITLE" || name == "FOAM_TITLE_SAFE" || name == "FOAM_SLUG":
			return title
		}
		return s
	})
}

var mask = lazyregexp.New(`'[^']*'|"[^"]*"|d+|m+|y+|[^a-zA-Z'"]+|[a-zA-Z]`)

// fromMask converts a mask of dateformat, which Foam uses for dates, to a format of
// moment.js.
func fromMask(format string) string {
	return mask().ReplaceAllStringFunc(format, func(s string) string {
		switch {
		case s[0] == '\'' || s[0] == '"':
			return "[" + s[1:len(s)-1] + "]"
		case s[0] == 'd' && len(s) > 2:
			return s
		case s[0] == 'd' || s[0] == 'm' || s[0] == 'y':
			return strings.ToUpper(s)
		}
		return s
	})
}
