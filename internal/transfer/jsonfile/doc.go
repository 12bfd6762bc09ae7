// Package jsonfile reads the JSON of exports element by element, whatever their size: files, on
// disk, in a directory or in a ZIP archive, that are a list, or one value after the other.
package jsonfile
