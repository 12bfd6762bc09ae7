// Package skills holds what agents are taught about using the memory, in the
// format of agentskills.io: a directory per skill with a SKILL.md. The texts are
// embedded; a person's own take their place.
//
// Invariants:
//   - A copy that is installed carries the hash of its text in its last line, so
//     that any later version can distinguish an edited one from an old one.
//   - A skill that breaks the format's rules is refused.
//
// Where clients look for skills is known to package setup, which installs them.
package skills
