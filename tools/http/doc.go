// Package http has tools that call granted web services:
//
//	tools, err := http.Tools(http.Grant{Hosts: []http.Host{{Name: "api.example.com", Methods: []string{"GET"}}}})
//
// A call returns the status, the headers and the content of the response: JSON as data under :json, other text
// under :body, and other bytes under :base64.
//
//	(:json (tool/http.get "https://api.example.com/orders/7"))
//	(tool/http.post {:url "https://api.example.com/orders" :json {:id 8 :quantity 2}})
//
// A status of 400 or more is an error, with the code not-found, unauthorized, conflict, rate-limited,
// unavailable or http-status, and the response as its data. With :any-status true it is an ordinary result.
// Errors of 429 and 503 have the time to wait, if the server sends Retry-After. :retryable? is true if the call
// may succeed later.
//
// # Guarantees
//
//   - A request goes to a granted host, port and method, or it is refused. The URL and each redirect are
//     checked. A redirect to another host has none of the program's headers, and neither its method nor its
//     body; one from https to http is refused.
//   - The address is checked when it is dialled. Private, loopback, link-local and other special addresses,
//     such as those of cloud metadata services, are refused, unless [Grant.Private] has them, or the host
//     is granted as that address or as localhost.
//   - Proxies that the environment names are not used, cookies are not kept, and credentials are in the
//     headers of a request or of the grant ([Host.Header]), never in the URL. The headers of a grant go to
//     that host only; the program does not see them.
//   - The answer is bounded in bytes after decompression ([Grant.MaxBytes], and the room that the program
//     has left), its headers too, and the whole call in time.
//   - A host has at most 16 connections at a time, and idle ones close after half a minute.
//
// # Errors
//
// Besides the codes of the status: refused (not granted), bad-url, bad-arguments, unknown-host, unavailable (no
// connection, or a broken one; retryable), bad-certificate, too-many-redirects, too-large, timeout.
package http
