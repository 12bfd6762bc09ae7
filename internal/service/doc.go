// Package service writes the file by which a system starts cairn serve when
// its user logs in: a unit of systemd's, an agent of launchd's.
//
// Only a file that it wrote itself is replaced or removed. Starting and
// stopping is left to the person, who is told the commands.
package service
