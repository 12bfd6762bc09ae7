package setup

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Spec describes the command to run and its user.
type Spec struct {
	OS     string   // as runtime.GOOS has it
	Home   string   // of the user, absolute
	Config string   // the user's directory of configurations, absolute; "" for the usual one
	Args   []string // the program, absolute, and its arguments
	Grace  time.Duration
}

// Service is a file that starts a program, and how it is put to use.
type Service struct {
	Path  string
	Text  string
	Start []string // commands for after it was written
	Stop  []string // commands for after it was removed
	Asked []string // a command that fails where the system does not run it, with its arguments; nil for none

	// link is where the commands of Start make a link to the file; "" where
	// they make none.
	link string
}

const (
	// mark is in every file that this package writes. It has no two dashes,
	// which comments in XML cannot.
	mark = "Written by cairn, which replaces and removes only what has this line: see cairn help serve."
	// label names the agent to launchd.
	label = "io.github.cairn-kb.cairn"
	// margin is how much longer than its own limit a stop may take before the
	// program is killed: the work that was cancelled has to end.
	margin = 20 * time.Second
)

// New returns the service of a system. Of one that has neither systemd nor
// launchd it is kb.Usage.
func New(s Spec) (Service, error) {
	for _, arg := range s.Args {
		if !utf8.ValidString(arg) || strings.ContainsFunc(arg, unicode.IsControl) {
			return Service{}, kb.Errorf(kb.Usage, "%q cannot be written into a service: it has control characters, or is not UTF-8", arg)
		}
	}
	switch s.OS {
	case "linux":
		if s.Config == "" {
			s.Config = filepath.Join(s.Home, ".config")
		}
		return Service{
			Path: filepath.Join(s.Config, "systemd", "user", "cairn.service"), Text: s.unit(),
			link:  filepath.Join(s.Config, "systemd", "user", "default.target.wants", "cairn.service"),
			Start: []string{"systemctl --user daemon-reload", "systemctl --user enable --now cairn.service"},
			Stop:  []string{"systemctl --user stop cairn.service", "systemctl --user daemon-reload"},
		}, nil
	case "darwin":
		path := filepath.Join(s.Home, "Library", "LaunchAgents", label+".plist")
		return Service{
			Path: path, Text: s.plist(),
			Start: []string{"launchctl bootstrap gui/$(id -u) " + shell(path)},
			Stop:  []string{"launchctl bootout gui/$(id -u)/" + label},
		}, nil
	}
	return Service{}, kb.Errorf(kb.Usage, "no service for %s", s.OS).
		WithReason(kb.NoService)
}

// timerName is the name of the units of a timer, labelTimer that of its agent.
const (
	timerName  = "cairn-maintain"
	labelTimer = label + ".maintain"
)

// NewTimer returns what runs a program every now and then, which ends by itself: a unit and
// its timer of systemd's, or an agent of launchd's. The last one starts it.
func NewTimer(s Spec, every time.Duration) ([]Service, error) {
	one, err := New(s)
	if err != nil {
		return nil, err
	}
	minutes := max(1, int(every.Round(time.Minute)/time.Minute))
	if s.OS == "darwin" {
		path := filepath.Join(filepath.Dir(one.Path), labelTimer+".plist")
		s.Grace = 0
		return []Service{{
			Path: path, Text: s.agent(labelTimer, fmt.Sprintf("\t<key>StartInterval</key>\n\t<integer>%d</integer>\n", minutes*60)),
			Start: []string{"launchctl bootstrap gui/$(id -u) " + shell(path)},
			Stop:  []string{"launchctl bootout gui/$(id -u)/" + labelTimer},
			Asked: []string{"launchctl", "list", labelTimer},
		}}, nil
	}
	dir := filepath.Dir(one.Path)
	return []Service{
		{Path: filepath.Join(dir, timerName+".service"), Text: fmt.Sprintf(`# %s
[Unit]
Description=cairn, jobs that are due

[Service]
Type=oneshot
ExecStart=%s
UMask=0077
NoNewPrivileges=yes
`, mark, s.command())},
		{
			Path: filepath.Join(dir, timerName+".timer"), Text: fmt.Sprintf(`# %s
[Unit]
Description=cairn, jobs that are due, every %d minutes

[Timer]
OnActiveSec=1min
OnUnitActiveSec=%[2]dmin
RandomizedDelaySec=30

[Install]
WantedBy=timers.target
`, mark, minutes),
			link:  filepath.Join(dir, "timers.target.wants", timerName+".timer"),
			Start: []string{"systemctl --user daemon-reload", "systemctl --user enable --now " + timerName + ".timer"},
			Stop:  []string{"systemctl --user stop " + timerName + ".timer", "systemctl --user daemon-reload"},
			Asked: []string{"systemctl", "--user", "is-active", timerName + ".timer"},
		},
	}, nil
}

// Installed reports whether the file exists, whether it is current, and whether
// the system is configured to use it.
func (s Service) Installed() (there, current, enabled bool, err error) {
	old, err := s.old()
	return old != nil, string(old) == s.Text, s.link == "" || s.linked(), err
}

// command is the program with its arguments, as systemd reads it.
func (s Spec) command() string {
	var command []string
	for _, arg := range s.Args {
		command = append(command, serviceQuoted(arg))
	}
	return strings.Join(command, " ")
}

// seconds is when the system kills what does not stop.
func (s Spec) seconds() int { return int((s.Grace + margin).Round(time.Second) / time.Second) }

// unit is a unit of systemd's.
func (s Spec) unit() string {
	return fmt.Sprintf(`# %s
[Unit]
Description=cairn, a memory for agents and people

[Service]
ExecStart=%s
Restart=on-failure
RestartSec=5
TimeoutStopSec=%d
UMask=0077
NoNewPrivileges=yes

[Install]
WantedBy=default.target
`, mark, s.command(), s.seconds())
}

// serviceQuoted quotes an argument for systemd.
func serviceQuoted(arg string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$").Replace(arg) + `"`
}

// plist is an agent of launchd's.
func (s Spec) plist() string {
	return s.agent(label, "\t<key>KeepAlive</key>\n\t<dict>\n\t\t<key>SuccessfulExit</key>\n\t\t<false/>\n\t</dict>\n")
}

// agent is a plist with the keys in when, which schedule it in addition to the
// start.
func (s Spec) agent(label, when string) string {
	var args strings.Builder
	for _, arg := range s.Args {
		fmt.Fprintf(&args, "\t\t<string>%s</string>\n", escaped(arg))
	}
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<!-- %s -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>%s</string>
	<key>ProgramArguments</key>
	<array>
%s	</array>
	<key>RunAtLoad</key>
	<true/>
%s	<key>ExitTimeOut</key>
	<integer>%d</integer>
	<key>Umask</key>
	<integer>63</integer>
	<key>StandardErrorPath</key>
	<string>%s</string>
</dict>
</plist>
`, mark, label, args.String(), when, s.seconds(), escaped(filepath.Join(s.Home, "Library", "Logs", "cairn.log")))
}

// escaped is a text as XML has it.
func escaped(text string) string {
	var b bytes.Buffer
	// A buffer takes everything.
	_ = xml.EscapeText(&b, []byte(text))
	return b.String()
}

// shell is a path as a shell reads it.
func shell(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }
