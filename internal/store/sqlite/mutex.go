package sqlite

import (
	"database/sql/driver"
	"reflect"
	"unsafe"

	sqlite3 "modernc.org/sqlite/lib"
)

// mutex disables the mutex that a connection locks for each value that is bound or read. The
// driver opens connections for use by several goroutines (SQLITE_OPEN_FULLMUTEX), and has no
// option for that. A conn is used by one goroutine at a time, and needs no mutex: without
// it, it behaves as with SQLITE_OPEN_NOMUTEX. Only sqlite3_interrupt is called by other
// goroutines, and it locks nothing.
type mutex struct {
	db  uintptr // the connection, in SQLite's memory; 0 if the driver does not expose it
	was uintptr
}

// takeMutex removes the mutex of a newly opened connection.
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

// giveBack restores the mutex, which is freed with the connection.
func (m *mutex) giveBack() {
	if m.db != 0 {
		*m.place() = m.was
		m.db = 0
	}
}

// place returns the connection's pointer to its mutex. It is not stored: after the
// connection is closed, the memory may belong to Go.
func (m *mutex) place() *uintptr {
	return &(*(**sqlite3.Tsqlite3)(unsafe.Pointer(&m.db))).Fmutex
}
