package http_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"

	nethttp "net/http"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/http"
)

func ExampleTools() {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Connection", "close")
		fmt.Fprintf(w, `{"path": %q, "user": %q}`, r.URL.Path, r.Header.Get("Authorization"))
	}))
	defer server.Close()
	u, err := url.Parse(server.URL)
	if err != nil {
		panic(err)
	}

	// The program may read from the host, in the name of a user whose password it does
	// not know.
	host, err := http.ParseHost(u.Host + "=GET")
	if err != nil {
		panic(err)
	}
	host.Header = nethttp.Header{"Authorization": {"Bearer 123"}}
	tools, err := http.Tools(http.Grant{Hosts: []http.Host{host}})
	if err != nil {
		panic(err)
	}
	registry, err := tool.NewRegistry(tools...)
	if err != nil {
		panic(err)
	}
	program := fmt.Sprintf(`(:json (tool/http.get "%s/orders"))`, server.URL)
	res, err := ptc.Run(context.Background(), program, ptc.Options{Tools: registry})
	if err != nil {
		panic(err)
	}
	fmt.Println(res.Value())
	// Output:
	// map[path:/orders user:Bearer 123] <nil>
}
