// Package csv has the tools by which a program reads and writes tables: CSV files and files with one JSON
// value per line. Package fs grants the files, and they are named the same way.
//
//	(tool/csv.read "data/orders.csv")
//	;=> {:columns ["id" "price"], :rows [{:id "1", :price "9.50"} …], :next 48113}
//
//	(tool/jsonl.write {:path "out/orders.jsonl" :rows [{:id 1} {:id 2}]})
//
// # Reading
//
// A row of CSV is a map from the names in the first line to texts; numbers are for the program to
// parse (parse-long, parse-double). A call returns a window: up to :limit rows (1000) and a
// megabyte, and under :next the place where the next window begins, which the program hands back as
// :from. All rows of a file of any size, as one lazy sequence:
//
//	(mapcat identity
//	        (iteration #(tool/csv.read {:path "data/orders.csv" :from %})
//	                   :initk 0 :vf :rows :kf :next))
//
// A row that has not as many fields as there are columns, or a quote that is not closed, is an error of
// code bad-csv, a line that is no JSON one of code bad-json; both have the line.
//
// # Writing
//
// csv.write and jsonl.write put a new file in the place of the old one in one step; csv.append and
// jsonl.append add rows at the end, csv.append under the columns that the file has. Maps lose
// their order on the way to a tool, so :columns says in which order the columns come; without it they
// are in the order of the alphabet.
package csv
