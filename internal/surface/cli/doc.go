// Package cli is cairn's command line: it reads flags, calls use cases, and
// prints their answers. Main is the only entry point; everything that a process
// has (arguments, streams, environment, clock) comes in through command.Env.
//
// A command is in the package of its group in the list of commands: read, write,
// history, spaces, agents or care. What groups share is in command; none imports
// another.
//
// Invariants of all of them:
//   - No decision about pages is made here. A command is an options struct,
//     its flags, and a run function that calls app once or twice.
//   - Text that comes from documents reaches a person's terminal only through
//     safetext, which leaves no control sequence in it.
//   - Standard output holds the result and nothing else; progress,
//     warnings and errors go to standard error.
//   - JSON is app's types as they marshal. Fields are never renamed here.
//   - Exit codes are decided in one function, command.ExitCode.
package cli
