// This file defines classes: the kinds of blocks that Go's allocator keeps together.

package limits

// A Class is a kind of block: one of the sizes that the allocator rounds up to, with or without
// pointers. Only blocks of the same class share spans of some pages.
type Class uint8

// NoClass is the class of blocks that share no span: those above maxSmall.
const NoClass Class = 0

// numClasses counts NoClass, the sizes with pointers and the sizes without.
const numClasses = 1 + 2*len(classes)

// Counts counts blocks of each class.
type Counts [numClasses]int32

// Count counts a block.
func (c *Counts) Count(k Class) {
	if charging {
		c[k]++
	}
}

// CountBlock counts a block of a class that is charged with size bytes. It counts blocks of NoClass
// by their pages.
func (c *Counts) CountBlock(k Class, size int64) {
	switch {
	case !charging:
	case k == NoClass:
		c[k] += int32(size / pageSize)
	default:
		c[k]++
	}
}

// spanPages holds the pages of a span of each size. Source: internal/runtime/gc of Go 1.26. A test
// compares this table with the running release, too.
var spanPages = [len(classes)]uint8{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 2, 1, 2, 1, 2, 1, 3, 2, 3, 1, 3, 2, 3, 4, 5, 6, 1, 7, 6, 5, 4, 3, 5, 7, 2, 9, 7, 5, 8, 3, 10, 7,
	4}

// layout holds the bytes of a block of a class, and of a span of them.
type layout struct{ block, span int64 }

// ObjectClass returns the class of a block with pointers that is charged with size bytes.
func ObjectClass(size int64) Class {
	switch {
	case size <= 0 || size > maxSmall:
		return NoClass
	case size <= smallMax:
		return classAt8[size/smallStep]
	}
	return classAt128[(size-smallMax)/bigStep]
}

// BytesClass returns the class of a block without pointers that is charged with size bytes.
func BytesClass(size int64) Class {
	if c := ObjectClass(size); c != NoClass {
		return c + Class(len(classes))
	}
	return NoClass
}
