package sqlite

import (
	"database/sql/driver"
	"reflect"
	"unsafe"

	sqlite3 "modernc.org/sqlite/lib"
)

// mutex is the one that a connection locks for each value that is bound or read. The driver
// opens connections for use by several goroutines (SQLITE_OPEN_FULLMUTEX), and has no option
// for others. A conn is used by one goroutine at a time, and needs none: without the mutex it is
// as SQLITE_OPEN_NOMUTEX makes it. Only sqlite3_interrupt is called by others, and locks nothing.
type mutex struct {
	db  uintptr // the connection, in memory of SQLite; 0 where the driver does not show it
	was uintptr
}

// takeMutex takes the mutex of a connection that was just opened away.
func takeMutex(raw driver.Conn) (m mutex) {
	v := reflect.ValueOf(raw)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return m
	}
	if db := v.Elem().FieldByName("db"); db.IsValid() && db.Kind() == reflect.Uintptr && db.Uint() != 0 {
		m.db = uintptr(db.Uint())
		m.was, *m.place() = *m.place(), 0
	}
	return m
}

// giveBack returns the mutex, which is freed with the connection.
func (m *mutex) giveBack() {
	if m.db != 0 {
		*m.place() = m.was
		m.db = 0
	}
}

// place is where the connection has its mutex. No such pointer is kept: the memory may be
// Go's after the connection is closed.
func (m *mutex) place() *uintptr {
	return &(*(**sqlite3.Tsqlite3)(unsafe.Pointer(&m.db))).Fmutex
}
