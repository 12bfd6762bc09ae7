package render

import (
	"archive/zip"
	_ "embed"
	"html"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

// maxCode is the size of a block of code that is coloured; a longer one is plain.
const maxCode = 20 << 10

//go:embed lexers.zip
var lexerFiles string // those in lexers: TestLexerFiles writes them

// lexers are those of chroma that are worth their size, by their names in lower case and the endings
// of their files, made when the first code is shown. Its registry compares a name that it does not know with
// the patterns of all files each time.
var lexers = sync.OnceValue(func() map[string]chroma.Lexer {
	all := chroma.NewLexerRegistry()
	files, err := zip.NewReader(strings.NewReader(lexerFiles), int64(len(lexerFiles)))
	if err != nil {
		panic(err) // it is a part of the program
	}
	for _, f := range files.File {
		all.Register(chroma.MustNewXMLLexer(files, f.Name))
	}
	all.Register(chroma.MustNewLexer(&chroma.Config{Name: "Go", Aliases: []string{"go", "golang"}}, goRules))
	out := map[string]chroma.Lexer{}
	for _, l := range all.Lexers {
		for _, pattern := range l.Config().Filenames {
			name := strings.TrimPrefix(pattern, "*.")
			if other, ok := out[name]; !ok || l.Config().Priority > other.Config().Priority {
				out[name] = l
			}
		}
	}
	for _, l := range all.Lexers {
		for _, alias := range append([]string{l.Config().Name}, l.Config().Aliases...) {
			out[strings.ToLower(alias)] = l
		}
	}
	return out
})

// otherNames are what people write for a language.
var otherNames = map[string]string{
	"sh": "bash", "shell": "bash", "zsh": "bash", "console": "bash", "cpp": "c++", "cxx": "c++", "cs": "c#", "js": "javascript", "jsx": "javascript", "mjs": "javascript",
	"ts": "typescript", "tsx": "typescript", "py": "python", "python3": "python", "rb": "ruby", "rs": "rust", "yml": "yaml", "patch": "diff", "conf": "ini", "htm": "html", "kt": "kotlin", "svg": "xml", "make": "makefile",
}

// Code is shown between these.
const codeStart, codeEnd = `<pre class="chroma" tabindex="0"><code>`, "</code></pre>"

// plain is a text as it is written.
func plain(text []byte) string {
	return codeStart + html.EscapeString(string(text)) + codeEnd + "\n"
}

// colouring is what a page, with those that are embedded in it, has of code that was not
// coloured before.
type colouring struct {
	left  int // bytes that may be coloured; only counted where that is limited
	any   bool
	plain int // blocks that were not
}

// allows reports whether a block is coloured.
func (c *colouring) allows(size, limit int) bool {
	if limit > 0 && c.any && size > c.left {
		c.plain++
		return false
	}
	c.any, c.left = true, c.left-size
	return true
}

// code colours a text as its language, with classes.
func (s *Source) code(text, language string) string {
	language = strings.ToLower(strings.TrimSpace(language))
	if language == "mermaid" { // a script draws it
		return `<pre class="chroma mermaid" tabindex="0"><code>` + html.EscapeString(text) + "</code></pre>\n"
	}
	if other := otherNames[language]; other != "" {
		language = other
	}
	s.alive()
	if language == "" || len(text) > maxCode || s.uncoloured {
		return plain([]byte(text))
	}
	lexer := lexers()[language]
	if lexer == nil {
		return plain([]byte(text))
	}
	of := code{language, text}
	if shown, ok := s.Wholes.colours(of); ok {
		return shown
	}
	if !s.colouring.allows(len(text), s.Colours) {
		return plain([]byte(text))
	}
	next, err := lexer.Tokenise(nil, text)
	if err != nil {
		return plain([]byte(text))
	}
	ctx, cancel := s.timeout(s.ctx, maxColouring)
	defer cancel()
	var b strings.Builder
	b.WriteString(codeStart)
	for t := next(); t != chroma.EOF; t = next() {
		if ctx.Err() != nil {
			// The other blocks of this page are likely to be as slow.
			s.uncoloured = true
			return plain([]byte(text))
		}
		class := chroma.StandardTypes[t.Type]
		for kind := t.Type; class == "" && kind != kind.Parent() && kind != 0; kind = kind.Parent() {
			class = chroma.StandardTypes[kind.Parent()]
		}
		if class == "" || class == "w" || class == "p" {
			b.WriteString(html.EscapeString(t.Value))
			continue
		}
		b.WriteString(`<span class="` + class + `">` + html.EscapeString(t.Value) + `</span>`)
	}
	b.WriteString(codeEnd + "\n")
	s.Wholes.keep(of, b.String())
	return b.String()
}

// goRules are those of chroma for Go, which has them as code, without templates in strings.
func goRules() chroma.Rules {
	return chroma.Rules{"root": {
		{Pattern: `\s+`, Type: chroma.TextWhitespace},
		{Pattern: `//[^\n\r]*`, Type: chroma.CommentSingle},
		{Pattern: `/\*(.|\n)*?\*/`, Type: chroma.CommentMultiline},
		{Pattern: `(import|package)\b`, Type: chroma.KeywordNamespace},
		{Pattern: `(var|func|struct|map|chan|type|interface|const)\b`, Type: chroma.KeywordDeclaration},
		{Pattern: `(break|default|select|case|defer|go|else|goto|switch|fallthrough|if|range|continue|for|return)\b`, Type: chroma.Keyword},
		{Pattern: `(true|false|iota|nil)\b`, Type: chroma.KeywordConstant},
		{Pattern: `(u?int(8|16|32|64)?|float(32|64)|complex(64|128)|byte|rune|string|bool|error|uintptr|any)\b`, Type: chroma.KeywordType},
		{Pattern: `(print|println|panic|recover|close|complex|real|imag|len|cap|append|copy|delete|new|make|clear|min|max)\b(?=\()`, Type: chroma.NameBuiltin},
		{Pattern: `0[xX][0-9a-fA-F_]+|0[bB][01_]+|\d[\d_]*(\.\d*)?([eE][+\-]?\d+)?i?`, Type: chroma.LiteralNumber},
		{Pattern: `'(\\.[^']*|[^'\\])'`, Type: chroma.LiteralStringChar},
		{Pattern: "`[^`]*`", Type: chroma.LiteralString},
		{Pattern: `"(\\.|[^"\\\n])*"`, Type: chroma.LiteralString},
		{Pattern: `[a-zA-Z_]\w*(?=\()`, Type: chroma.NameFunction},
		{Pattern: `[^\W\d]\w*`, Type: chroma.NameOther},
		{Pattern: `[-+*/%&|^<>=!:.,;(){}\[\]~]`, Type: chroma.Punctuation},
	}}
}
