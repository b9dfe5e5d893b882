(import 'java.net.URL)
(doseq [s ["http://user@example.com:8080/a/b.html?q=1&r=2#frag" "http://a" "https://a/" "file:/x/y" "file:/x/y/z" "HTTP://A/b" "mailto:a@b" "http://a:80?x" "http://[::1]:8/p" "http://h/x;y" "http://u:p@h/?" "ftp://h/f#"]]
  (let [u (URL. s)]
    (prn s (mapv #(% u) [(memfn getProtocol) (memfn getHost) (memfn getPort) (memfn getDefaultPort) (memfn getPath) (memfn getQuery) (memfn getRef) (memfn getFile) (memfn getAuthority) (memfn getUserInfo)]) (str u) (.toExternalForm u))))
(doseq [s ["nope" "zork://x" "" "http://a:b/" "://x" "/a/b"]]
  (println s (try (str (URL. s)) (catch java.net.MalformedURLException e (.getMessage e)))))
(def u (URL. "http://h/a/b"))
(println (= u (URL. "http://h/a/b")) (= u (URL. "http://h/a/c")) (instance? URL u) (class u))
(println (str (URL. u "c.html")) (str (.toURI u)) (str (URL. "http" "h" "/f")) (str (URL. "http" "h" 80 "/f")) (str (.toURL (java.net.URI. "http://a/b"))) (str (URL. u "https://x/y")))
