package service

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

// Spec says what is to run, and for whom.
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
	return Service{}, kb.Errorf(kb.Usage, "there is no service for %s", s.OS).
		WithReason(kb.NoService)
}

// seconds is when the system kills what does not stop.
func (s Spec) seconds() int { return int((s.Grace + margin).Round(time.Second) / time.Second) }

// unit is a unit of systemd's.
func (s Spec) unit() string {
	var command []string
	for _, arg := range s.Args {
		command = append(command, quoted(arg))
	}
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
`, mark, strings.Join(command, " "), s.seconds())
}

// quoted is an argument as systemd reads it.
func quoted(arg string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$").Replace(arg) + `"`
}

// plist is an agent of launchd's.
func (s Spec) plist() string {
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
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
	<key>ExitTimeOut</key>
	<integer>%d</integer>
	<key>Umask</key>
	<integer>63</integer>
	<key>StandardErrorPath</key>
	<string>%s</string>
</dict>
</plist>
`, mark, label, args.String(), s.seconds(), escaped(filepath.Join(s.Home, "Library", "Logs", "cairn.log")))
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
