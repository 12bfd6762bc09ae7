package brief

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// Reminder returns a reminder for a person at the end of a session of the caller:
// nobody, neither people nor agents, wrote anything to the space of the working
// directory since Primed recorded the session's start. It is "" if there was a
// write, if no start was recorded in a memory that has pages, and if sessions get
// no text.
func Reminder(ctx context.Context, sess *memory.Session) (reminder string, err error) {
	space, _, err := spaceToTell(ctx, sess)
	if err != nil || space.Row == 0 {
		return "", err
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		text, err := tx.Settings().Get(ctx, markKey(sess, space))
		if err != nil {
			return err
		}
		f := store.VersionFilter{Spaces: []int64{space.Row}}
		if text != "" {
			m, err := parseMark(text)
			if err != nil {
				return nil // written by another version of cairn
			}
			f.After = m.start
		}
		for _, kind := range []kb.ActorKind{kb.Human, kb.Agent} {
			f.Actor = kb.Actor{Kind: kind}
			written, _, err := tx.History().Versions(ctx, f, 1, 0)
			if err != nil || len(written) > 0 {
				return err
			}
		}
		reminder = "Nothing of this session is in the memory (space " + space.Name + "). " +
			"Worth saving? cairn capture \"TEXT\", or the skill memory-capture.\n"
		return nil
	})
	return reminder, err
}

// markKey is the settings key for the last change of a space reported to the caller
// in this project.
func markKey(sess *memory.Session, s kb.Space) string {
	key := "prime/" + string(s.ID) + "/" + sess.Actor.String()
	if tag := space.ProjectTag(sess.Spaces, kb.Space{}); tag != "" {
		key += "/" + tag
	}
	return key
}

// mark is the value of such a setting.
type mark struct {
	newest int64     // the newest change that was reported
	before int64     // the newest change that had been reported when the session began
	start  int64     // the newest change that was shown to the session at its start
	at     time.Time // when the session began; zero where an older cairn wrote the mark
}

func (m mark) String() string {
	return fmt.Sprintf("%d %d %d %d", m.newest, m.before, m.start, m.at.Unix())
}

// parseMark reads the value of a setting of markKey.
func parseMark(text string) (m mark, err error) {
	var parts [4]int64
	fields := strings.Fields(text)
	switch len(fields) {
	case 1, 2, len(parts):
	default:
		return m, fmt.Errorf("%q is not a mark", text)
	}
	for i, field := range fields {
		if parts[i], err = strconv.ParseInt(field, 10, 64); err != nil {
			return m, err
		}
	}
	m = mark{newest: parts[0], before: parts[0], start: parts[0]}
	if len(fields) > 1 {
		m.before = parts[1]
	}
	if len(fields) == len(parts) {
		m.start, m.at = parts[2], time.Unix(parts[3], 0)
	}
	return m, nil
}

// maxSession is how long after the start of a session another start counts as the
// same session, when the client sends no session id.
const maxSession = 4 * time.Hour

// shown returns the mark after changes up to newest were shown to the caller. A
// resumed or compacted session remains the same session.
func (m mark) shown(newest int64, source string, now time.Time) mark {
	next := mark{newest: newest, before: m.newest, start: newest, at: now}
	var same bool
	switch source {
	case "startup", "clear", "new":
	case "resume", "compact":
		same = true
	default:
		same = now.Sub(m.at).Abs() < maxSession
	}
	if same {
		next.before, next.start, next.at = m.before, m.start, m.at
	}
	return next
}

// LastSession returns the number of the last change known to the caller when its
// present session began: the last one shown to its previous session, or else its
// own last write. It is 0 when there is neither.
func LastSession(ctx context.Context, sess *memory.Session) (seq int64, err error) {
	s, err := sess.Spaces.Current(ctx)
	if err != nil {
		return 0, err
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		text, err := tx.Settings().Get(ctx, markKey(sess, s))
		if err != nil {
			return err
		}
		if m, bad := parseMark(text); bad == nil {
			seq = m.before
			return nil
		}
		own, _, err := tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{s.Row}, Actor: sess.Actor}, 1, 0)
		if len(own) > 0 {
			seq = own[0].Seq
		}
		return err
	})
	return seq, err
}
