// This file defines the invented site: its routes, its visitors and the shape of its day.

package accesslog

// A route is one kind of request. In a path, # is replaced by a number.
type route struct {
	method, path string
	query        string // name of a parameter that a third of the requests carry, if any
	bytes        int    // mean size of an answer
	millis       int    // mean response time
	missing      int    // answers 404, per thousand
	refused      int    // answers 401, 403 or 429, per thousand
	fails        bool   // takes part in the incident
}

const incidentHour = 14

var routes = []route{
	{method: "GET", path: "/", bytes: 18000, millis: 35},
	{method: "GET", path: "/products", query: "page", bytes: 42000, millis: 80},
	{method: "GET", path: "/products/#", bytes: 24000, millis: 60, missing: 25},
	{method: "GET", path: "/search", query: "page", bytes: 15000, millis: 140},
	{method: "GET", path: "/static/app.css", bytes: 31000, millis: 4},
	{method: "GET", path: "/static/app.js", bytes: 210000, millis: 9},
	{method: "GET", path: "/images/#.webp", bytes: 88000, millis: 12, missing: 8},
	{method: "GET", path: "/cart", bytes: 9000, millis: 55, fails: true},
	{method: "POST", path: "/cart/items", bytes: 700, millis: 70, refused: 5, fails: true},
	{method: "POST", path: "/checkout", bytes: 1200, millis: 320, refused: 20, fails: true},
	{method: "GET", path: "/orders/#", bytes: 6500, millis: 90, missing: 10, refused: 40, fails: true},
	{method: "POST", path: "/login", bytes: 500, millis: 210, refused: 120},
	{method: "GET", path: "/health", bytes: 20, millis: 2},
	{method: "GET", path: "/wp-login.php", bytes: 300, millis: 3, missing: 960},
	{method: "PUT", path: "/account", bytes: 900, millis: 110, refused: 30},
	{method: "DELETE", path: "/cart/items/#", bytes: 100, millis: 40, missing: 15},
}

var routeWeights = []int{90, 70, 160, 60, 110, 110, 190, 45, 30, 18, 22, 25, 40, 12, 6, 12}

// hourWeights is the traffic of each hour of the day.
var hourWeights = []int{12, 8, 6, 5, 5, 8, 16, 30, 52, 68, 74, 76, 70, 72, 75, 70, 64, 58, 56, 60, 62, 50, 34, 20}

var (
	users       = []string{"-", "alice", "bob", "carol", "dave"}
	userWeights = []int{940, 20, 15, 15, 10}

	referrers = []string{"-", "https://shop.example.com/", "https://shop.example.com/products",
		"https://search.example.net/"}
	referrerWeights = []int{45, 30, 15, 10}

	agents = []string{
		"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/128.0",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) Safari/605.1.15",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/126.0",
		"ExampleBot/2.1 (+https://bot.example.org/)",
		"curl/8.8.0",
		"say \\\"hello\\\"/1.0",
	}
	agentWeights = []int{25, 20, 40, 10, 4, 1}
)
