// Package fs has the tools by which a program reads and writes the files of directories
// that its host grants:
//
//	tools, err := fs.Tools(fs.Grant{Dirs: []fs.Dir{{Path: "data"}, {Path: "out", Write: true}}})
//
// A program names a file as the host named its directory. With the grant above
// (tool/fs.read "data/orders.csv") reads a file, and (tool/fs.write {:path "out/report.txt"
// :text "…"}) writes one. A path is cleaned first, so that data/../out/x is out/x, and belongs
// to the directory with the longest name that it begins with; one that belongs to none is
// refused. [Dir] can give a directory another name than its path.
//
// # What holds
//
// Nothing outside the granted directories can be reached: each is an [os.Root], so symbolic
// links are followed inside it and refused when they lead out, whoever changes them
// in the meantime. Only regular files are read and written; a pipe or device would wait, or not end.
//
// What may be written is decided by the identity of directories (device and inode), not by
// the path: a directory that is granted to be read stays so whatever link, mount or spelling
// leads there. [Grant.Protect] names files that no tool changes, such as scripts and their
// configuration; they need not exist, and are protected by identity and by each name on the
// way to them.
//
// [Grant.MaxBytes] bounds what one call reads, and so does the room that the program has left.
// Larger files are read in windows: fs.lines gives some lines, and under :next the place where
// the next window begins. The function iteration of the language makes one lazy sequence of the
// windows:
//
//	(mapcat identity
//	        (iteration #(tool/fs.lines {:path "data/huge.log" :from %})
//	                   :initk 0 :vf :lines :kf :next))
//
// fs.write is atomic: the text goes to a new file beside the old one, to the disk, and then into
// its place in one step. Who reads sees all of the old text or all of the new; a failure leaves
// the old one. fs.append adds to a file and is not.
//
// Package csv reads and writes tables in the same files, by [Files].
//
// # Errors
//
// The codes are not-found, refused (not granted, leads out of the directory, or not permitted
// by the system), exists, is-directory, not-directory, not-a-file, not-empty, not-text,
// too-large, no-space, bad-path and bad-arguments.
package fs
