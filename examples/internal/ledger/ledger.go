// Package ledger makes the two databases of the example that reconciles them: orders of a shop, and payments in
// a ledger, which agree except for a few.
package ledger

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/ncruces/go-sqlite3/driver"
)

var customers = []string{"Alder", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple", "Oak", "Pine", "Rowan",
	"Willow"}

const shopSchema = `
	create table customer (id integer primary key, name text not null);
	create table orders (id integer primary key, customer_id integer not null references customer, day text not null, cents integer not null, paid boolean not null);
	create index orders_day on orders (day);`

const ledgerSchema = `
	create table payment (order_id integer primary key, day text not null, amount text not null);
	create index payment_day on payment (day);
	create table discrepancy (night text not null, day text not null, order_id integer not null, kind text not null, shop integer, ledger integer,
		primary key (night, order_id));`

// order is an order with its entry in the ledger, or without an entry if amount is "".
type order struct {
	id, customer int
	day, amount  string
	cents        int
	paid, inShop bool
}

// Generate makes the files shop.db and ledger.db in a folder: orders of the thirty days
// before June 2024. The same seed makes the same rows.
func Generate(dir string, orders int, seed uint64) error {
	rows := generate(orders, rand.New(rand.NewPCG(seed, 0)))
	return errors.Join(
		write(filepath.Join(dir, "shop.db"), shopSchema, func(tx *sql.Tx) error {
			for i, name := range customers {
				if _, err := tx.Exec("insert into customer values (?, ?)", i+1, name); err != nil {
					return err
				}
			}
			return each(rows, func(o order) error {
				if !o.inShop {
					return nil
				}
				_, err := tx.Exec("insert into orders values (?, ?, ?, ?, ?)", o.id, o.customer, o.day, o.cents, o.paid)
				return err
			})
		}),
		write(filepath.Join(dir, "ledger.db"), ledgerSchema, func(tx *sql.Tx) error {
			return each(rows, func(o order) error {
				if o.amount == "" {
					return nil
				}
				_, err := tx.Exec("insert into payment values (?, ?, ?)", o.id, o.day, o.amount)
				return err
			})
		}))
}

func generate(n int, random *rand.Rand) []order {
	first := time.Date(2024, 5, 2, 0, 0, 0, 0, time.UTC)
	rows := make([]order, n)
	for i := range rows {
		o := order{id: 1000 + i, customer: 1 + random.IntN(len(customers)),
			day:   first.AddDate(0, 0, random.IntN(30)).Format(time.DateOnly),
			cents: 100 + random.IntN(50_000), paid: random.IntN(20) > 0, inShop: true}
		if o.paid {
			o.amount = amount(o.cents)
		}
		switch random.IntN(n/4) + 1 { // a few of each
		case 1:
			o.amount = "" // the ledger has lost it, if it was paid
		case 2:
			o.amount, o.inShop = amount(o.cents), false
		case 3:
			o.amount = amount(o.cents + 1 + random.IntN(500)) // of an order that was not paid, too
		}
		rows[i] = o
	}
	return rows
}

func amount(cents int) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

func each(rows []order, do func(order) error) error {
	for _, o := range rows {
		if err := do(o); err != nil {
			return err
		}
	}
	return nil
}

// write makes a database with tables and fills them in one transaction.
func write(file, schema string, fill func(*sql.Tx) error) error {
	db, err := driver.Open("file:" + filepath.ToSlash(file))
	if err != nil {
		return err
	}
	err = func() error {
		if _, err := db.Exec(schema); err != nil {
			return err
		}
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		if err := fill(tx); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		return tx.Commit()
	}()
	return errors.Join(err, db.Close())
}
