// Package http has the tools by which a program talks to the web services that its host grants:
//
//	tools, err := http.Tools(http.Grant{Hosts: []http.Host{{Name: "api.example.com", Methods: []string{"GET"}}}})
//
// A program asks for a page and gets its status, its headers and its content: JSON as data under
// :json, other text under :body, and bytes that are no text as :base64.
//
//	(:json (tool/http.get "https://api.example.com/orders/7"))
//	(tool/http.post {:url "https://api.example.com/orders" :json {:id 8 :quantity 2}})
//
// A status of 400 or more is an error, with the code not-found, unauthorized, conflict, rate-limited,
// unavailable or http-status, and the answer as its data; with :any-status true it is a result like others.
// 429 and 503 say when to try again if the server does (Retry-After), and :retryable? is true of what
// may well succeed later.
//
// # What holds
//
//   - A request goes to a granted host, port and method, or it is refused. That is checked for the
//     URL and for each redirect. A redirect to another host carries none of the program's headers, and
//     neither its method nor its body; one from https to http is refused.
//   - The address that is dialled is checked, whatever the name resolved to a moment before: private,
//     loopback, link-local and other special addresses are refused, those of cloud metadata services among
//     them, unless [Grant.Private] has them, or the host is granted as that very address or as localhost.
//   - Proxies that the environment names are not used, cookies are not kept, and credentials are in the
//     headers of a request or of the grant ([Host.Header]), never in the URL. The headers of
//     a grant go to that host only; the program does not see them.
//   - The answer is bounded in bytes after decompression ([Grant.MaxBytes], and the room that the program
//     has left), its headers too, and the whole call in time.
//   - A host has at most 16 connections at once, and those that are idle close after half a minute.
//
// # Errors
//
// Besides those of the status: refused (not granted), bad-url, bad-arguments, unknown-host, unavailable
// (no connection, or it broke; may be retried), bad-certificate, too-many-redirects, too-large, timeout.
package http
