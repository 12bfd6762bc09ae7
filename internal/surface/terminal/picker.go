package terminal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"github.com/cairn-kb/cairn/internal/kb/safetext"
)

// PickRequest is a list that a person chooses from, at a terminal.
type PickRequest struct {
	In  io.Reader
	Out io.Writer
	// Environ is the environment of the process, for what the terminal can show.
	Environ []string
	Style   Style

	Items []string // a line each, the likeliest first
	// Preview returns a text about an item. It is called while the list is drawn, once at a time.
	Preview func(item int) string
}

// Pick shows the list until a person chooses an item, and returns its number; -1 where they
// leave without. Typing narrows the list: each word as letters in their order, as in fzf.
func Pick(ctx context.Context, req PickRequest) (int, error) {
	m := &picker{req: req, lines: make([]string, len(req.Items)), chosen: -1, previewed: -1}
	for i, item := range req.Items {
		m.lines[i] = safetext.Line(item)
	}
	m.narrow()
	_, err := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(req.In), tea.WithOutput(req.Out),
		tea.WithEnvironment(req.Environ), tea.WithoutSignalHandler()).Run()
	if ctx.Err() != nil {
		return -1, context.Cause(ctx)
	}
	if errors.Is(err, tea.ErrInterrupted) {
		err = nil
	}
	return m.chosen, err
}

// picker is the state of a list that is shown.
type picker struct {
	req   PickRequest
	lines []string // the items, cleaned

	typed  string
	found  []int // items that match, best first
	at     int   // of found
	top    int   // first of found that is shown
	width  int
	height int

	preview   string
	previewed int  // the item that preview is about, -1 for none
	reading   bool // whether Preview is being called
	chosen    int
}

// seen is an item's preview.
type seen struct {
	item int
	text string
}

func (m *picker) Init() tea.Cmd { return m.look() }

// look reads the preview of the current item, unless it is the one shown or another is being read.
func (m *picker) look() tea.Cmd {
	item := m.current()
	if m.reading || item == m.previewed || m.req.Preview == nil {
		return nil
	}
	if item < 0 {
		m.preview, m.previewed = "", -1
		return nil
	}
	m.reading = true
	return func() tea.Msg { return seen{item, safetext.Text(m.req.Preview(item))} }
}

// current is the item under the cursor, -1 where nothing matches.
func (m *picker) current() int {
	if len(m.found) == 0 {
		return -1
	}
	return m.found[m.at]
}

func (m *picker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case seen:
		m.preview, m.previewed, m.reading = msg.text, msg.item, false
	case tea.PasteMsg:
		m.retype(m.typed + safetext.Line(msg.Content))
	case tea.KeyPressMsg:
		if m.press(msg) {
			return m, tea.Quit
		}
	}
	m.scroll()
	return m, m.look()
}

// press does what a key asks for, and reports whether it ends the choice.
func (m *picker) press(key tea.KeyPressMsg) (done bool) {
	switch key.String() {
	case "enter":
		m.chosen = m.current()
		return m.chosen >= 0
	case "esc", "ctrl+c", "ctrl+d", "ctrl+g":
		return true
	case "up", "ctrl+p", "ctrl+k":
		m.at--
	case "down", "ctrl+n", "ctrl+j", "tab":
		m.at++
	case "pgup":
		m.at -= m.rows()
	case "pgdown":
		m.at += m.rows()
	case "home":
		m.at = 0
	case "end":
		m.at = len(m.found) - 1
	case "backspace", "ctrl+h":
		typed := []rune(m.typed)
		m.retype(string(typed[:max(len(typed)-1, 0)]))
	case "ctrl+w":
		words := strings.TrimRight(m.typed, " ")
		m.retype(words[:strings.LastIndex(words, " ")+1])
	case "ctrl+u":
		m.retype("")
	default:
		if key.Text != "" {
			m.retype(m.typed + key.Text)
		}
	}
	return false
}

func (m *picker) retype(typed string) {
	m.typed = typed
	m.narrow()
}

// narrow finds the items that have every typed word.
func (m *picker) narrow() {
	m.at, m.top = 0, 0
	m.found = make([]int, len(m.lines))
	for i := range m.found {
		m.found[i] = i
	}
	scores := make([]int, len(m.lines))
	for word := range strings.FieldsSeq(m.typed) {
		var left []int
		for _, match := range fuzzy.FindFrom(word, subset{m.lines, m.found}) {
			item := m.found[match.Index]
			scores[item] += match.Score
			left = append(left, item)
		}
		m.found = left
	}
	slices.SortFunc(m.found, func(a, b int) int { return cmp.Or(scores[b]-scores[a], a-b) })
}

// subset are some of the lines.
type subset struct {
	lines []string
	items []int
}

func (s subset) String(i int) string { return s.lines[s.items[i]] }
func (s subset) Len() int            { return len(s.items) }

// rows is how many items fit above the preview.
func (m *picker) rows() int { return max((m.height-2)/2, 1) }

// scroll keeps the cursor in the list, and shows it.
func (m *picker) scroll() {
	m.at = max(min(m.at, len(m.found)-1), 0)
	m.top = min(max(m.top, m.at-m.rows()+1), m.at)
}

func (m *picker) View() tea.View {
	draw, width := m.req.Style, max(m.width, narrow)
	var out []string
	prompt := "> " + m.typed
	out = append(out, cut(prompt, width, true), string(draw.Aside(fmt.Sprintf("%d of %d; Enter takes one, Esc none", len(m.found), len(m.lines)))))
	for i := m.top; i < min(m.top+m.rows(), len(m.found)); i++ {
		line := cut(m.lines[m.found[i]], width-len(gutter), false)
		if i == m.at {
			out = append(out, "> "+string(draw.Title(line)))
		} else {
			out = append(out, gutter+line)
		}
	}
	if m.previewed >= 0 && m.previewed == m.current() {
		out = append(out, string(draw.Aside(strings.Repeat("─", width))))
		for line := range strings.Lines(m.preview) {
			if len(out) >= m.height {
				break
			}
			out = append(out, cut(strings.TrimRight(line, "\r\n"), width, false))
		}
	}
	view := tea.NewView(strings.Join(out, "\n"))
	view.AltScreen = true
	view.Cursor = tea.NewCursor(min(len([]rune(prompt)), width-1), 0)
	return view
}
