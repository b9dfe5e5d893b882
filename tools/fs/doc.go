// Package fs has tools that read and write files in granted directories:
//
//	tools, err := fs.Tools(fs.Grant{Dirs: []fs.Dir{{Path: "data"}, {Path: "out", Write: true}}})
//
// A program names a file as the host named its directory. With the grant above (tool/fs.read "data/orders.csv")
// reads a file, and (tool/fs.write {:path "out/report.txt" :text "…"}) writes one. A path is cleaned first, so
// that data/../out/x is out/x, and belongs to the directory with the longest name that it begins with. A path
// that belongs to no directory is refused. [Dir] can set another name for a directory than its path.
//
// # Guarantees
//
// Nothing outside the granted directories can be reached. Each directory is an [os.Root], so symbolic
// links are followed inside it and refused if they lead out, even if they change during the call. Only
// regular files are read and written, because a pipe or device could block or never end.
//
// The identity of a directory (device and inode), not its path, decides whether it may be written: a
// read-only directory stays read-only whatever link, mount or spelling leads there. [Grant.Protect]
// names files that no tool changes, such as scripts and their configuration. They need not exist, and
// are protected by identity and by each name on the path to them.
//
// [Grant.MaxBytes] and the remaining memory of the program bound the size of a read. Larger files are
// read in windows: fs.lines returns some lines, and under :next the start of the next window. The
// function iteration of the language makes one lazy sequence of the windows:
//
//	(mapcat identity
//	        (iteration #(tool/fs.lines {:path "data/huge.log" :from %})
//	                   :initk 0 :vf :lines :kf :next))
//
// fs.write is atomic: it writes a new file beside the old one, syncs it, and renames it. A reader sees the
// whole old text or the whole new one; a failure leaves the old one. fs.append is not atomic.
//
// Package csv reads and writes tables in the same files, by [Files].
//
// # Errors
//
// The codes are not-found, refused (not granted, leads out of the directory, or not permitted
// by the system), exists, is-directory, not-directory, not-a-file, not-empty, not-text,
// too-large, no-space, bad-path and bad-arguments.
package fs
