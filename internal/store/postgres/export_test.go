package postgres

// LockKey is the number of a lock of a memory's schema.
func LockKey(schema, name string) int64 {
	return (&DB{where: location{memory: schema[len(schemaPrefix):]}}).key("lock " + name)
}
