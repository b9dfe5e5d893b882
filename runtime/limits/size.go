// This file defines the size table that memory charges are based on.

package limits

// classes are the allocation size classes of the Go runtime (1.22 to 1.26). The table is frozen
// here instead of probed, so that a program is charged the same on every Go release. Tests compare
// it with the running release.
var classes = [...]uint16{8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224,
	240, 256, 288, 320, 352, 384, 416, 448, 480, 512, 576, 640, 704, 768, 896, 1024, 1152, 1280,
	1408, 1536, 1792, 2048, 2304, 2688, 3072, 3200, 3456, 4096, 4864, 5376, 6144, 6528, 6784, 6912,
	8192, 9472, 9728, 10240, 10880, 12288, 13568, 14336, 16384, 18432, 19072, 20480, 21760, 24576,
	27264, 28672, 32768}

const (
	maxSmall  = 32768 // above it, an allocation is whole pages
	pageSize  = 8192
	smallStep = 8    // classOf8 has one entry per 8 bytes up to smallMax
	smallMax  = 1024 // and one per 128 bytes above it
	bigStep   = 128
	// mallocHeader precedes a block with pointers of more than 512 bytes.
	mallocHeader    = 8
	headerThreshold = 512
	tinyBlock       = 16 // pointer-free blocks below 16 bytes share blocks of 16
	// maxRequest bounds one request, so that sizes can be summed without overflow.
	maxRequest = 1 << 40
)

// roundUp returns the bytes that an allocation of n bytes occupies.
func roundUp(n int64) int64 {
	switch {
	case n <= smallMax:
		return int64(classOf8[(n+smallStep-1)/smallStep])
	case n <= maxSmall:
		return int64(classOf128[(n-smallMax+bigStep-1)/bigStep])
	case n > maxRequest:
		return maxRequest
	default:
		return (n + pageSize - 1) &^ (pageSize - 1)
	}
}

// BytesSize returns the bytes that n pointer-free bytes occupy once allocated. Source:
// runtime/sizeclasses.go and runtime/malloc.go of Go 1.26.
func BytesSize(n int) int64 {
	if n <= 0 {
		return 0
	}
	return roundUp(max(int64(n), tinyBlock))
}

// ObjectSize returns the bytes that a block of n bytes with pointers occupies once allocated.
func ObjectSize(n int) int64 {
	if n <= 0 {
		return 0
	}
	if n > headerThreshold && n <= maxSmall-mallocHeader {
		n += mallocHeader
	}
	return roundUp(int64(n))
}
