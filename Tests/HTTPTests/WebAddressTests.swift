import Testing

@testable import HTTP

@Suite struct WebAddressTests {
  @Test(arguments: [
    "localhost", "a.localhost", "127.0.0.1", "127.9.9.9", "127.1", "0x7f.1", "2130706433",
    "0.0.0.0", "0",
    "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:0.0.0.0]",
  ])
  func `this machine is known in whatever form it is written`(host: String) throws {
    #expect(try #require(WebAddress("https://\(host)/x")).mayBeLoopback)
  }

  @Test(arguments: [
    "example.org", "127.example.org", "localhost.example.org", "128.0.0.1", "10.0.0.1", "[::2]",
    "[::ffff:10.0.0.1]", "[fe80::1]", "1.127.0.0",
  ])
  func `other machines are no loopback`(host: String) throws {
    #expect(try #require(WebAddress("https://\(host)/x")).mayBeLoopback == false)
  }

  /// Where a reply may lead, of requests that take any server and change nothing there.
  @Test(arguments: [
    ("https://a.example/x", "https://b.example/y", true),
    ("https://a.example/x", "http://a.example/y", false),
    ("https://a.example/x", "http://127.0.0.1/y", false),
    ("https://a.example/x", "https://127.0.0.1/y", false),
    ("https://a.example/x", "https://127.1/y", false),
    ("https://a.example/x", "https://[::ffff:127.0.0.1]/y", false),
    ("https://a.example/x", "https://0.0.0.0/y", false),
    ("https://a.example/x", "file:///etc/passwd", false),
    ("http://127.0.0.1:1/x", "http://127.0.0.1:2/y", true),
    ("http://127.0.0.1:1/x", "http://a.example/y", false),
    ("https://127.0.0.1:1/x", "http://127.0.0.1:2/y", false),
  ])
  func `a reply leads neither from TLS to clear text, nor from a remote host to this machine`(
    from: String, to: String, isFollowed: Bool
  ) throws {
    var request = HTTPRequest(.get, try #require(WebAddress(from)))
    request.redirects = .anyServer
    let led = try? CurlTransport.redirected(request, to: to)
    #expect((led?.address.description == to) == isFollowed)
  }

  @Test(arguments: [
    ("https://Example.ORG", "https://example.org/"),
    ("https://example.org:443/a?b#c", "https://example.org/a?b"),
    ("http://localhost:5280/x y", "http://localhost:5280/x%20y"),
    ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
    ("https://[2001:DB8::1]:8443/", "https://[2001:db8::1]:8443/"),
    ("https://a.example?q=1", "https://a.example/?q=1"),
    ("HTTPS://a.example/%41%zz", "https://a.example/%41%zz"),
    ("https://a.example/\\\"<>", "https://a.example/%5C%22%3C%3E"),
  ])
  func `an address has one form`(text: String, form: String) throws {
    let address = try #require(WebAddress(text))
    #expect(address.description == form)
    #expect(WebAddress(form) == address)
  }

  @Test(arguments: [
    "", "example.org", "//example.org", "https:", "https://", "https:///x", "ftp://example.org/",
    "file:///etc/passwd", "javascript:alert(1)", "https://me:secret@example.org/",
    "https://me@example.org/", "https://a.example/\r\nX: y", "https://a.example/\u{0}",
    "https://a.example:0/", "https://a.example:65536/", "https://a.example:8x/", "https://a b/",
    "https://[::1/", "https://[zz]/", "https://a.example\\@b.example/", "https://a%00.example/",
    "https://" + String(repeating: "a", count: 9000),
  ])
  func `what is no such address is refused`(text: String) { #expect(WebAddress(text) == nil) }

  @Test(arguments: [
    ("http://localhost/", true), ("http://127.0.0.1:1/", true), ("http://127.9.9.9/", true),
    ("http://[::1]/", true), ("http://a.localhost/", true), ("http://127.1/", false),
    ("http://127.0.0.1.example/", false), ("http://localhost.example/", false),
    ("http://10.0.0.1/", false), ("http://2130706433/", false),
  ])
  func `without TLS only this machine is permitted`(text: String, isLocal: Bool) throws {
    let address = try #require(WebAddress(text))
    #expect(address.isLoopback == isLocal)
    #expect(address.isPermitted == isLocal)
    #expect(try #require(WebAddress("https" + text.dropFirst(4))).isPermitted)
  }

  @Test func `one server is one scheme, host and port`() throws {
    let a = try #require(WebAddress("https://a.example/x"))
    #expect(a.hasSameOrigin(as: try #require(WebAddress("https://A.example:443/y"))))
    for other in ["http://a.example/x", "https://b.example/x", "https://a.example:8443/x"] {
      #expect(!a.hasSameOrigin(as: try #require(WebAddress(other))))
    }
  }

  @Test(arguments: ["", "plain", "a b&c=d+e", "%41", "ü\u{1F600}\r\n\u{0}", "100%"])
  func `percent-encoding loses nothing`(text: String) {
    let encoded = PercentEncoding.encode(text)
    #expect(PercentEncoding.decode(encoded) == text)
    #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "&") })
  }
}

@Suite struct HTTPHeadersTests {
  @Test func `names are the same in every case`() {
    var headers: HTTPHeaders = ["Set-Cookie": "a", "set-cookie": "b", "X": "c"]
    #expect(headers["SET-COOKIE"] == "a")
    #expect(headers.all("Set-Cookie") == ["a", "b"])
    headers["set-COOKIE"] = "d"
    #expect(headers.all("Set-Cookie") == ["d"])
    headers["x"] = nil
    #expect(headers.fields.count == 1)
  }

  @Test(arguments: [
    ("", "x"), ("A B", "x"), ("A:", "x"), ("A\r\nB", "x"), ("A", "x\r\nB: y"), ("A", "x\ny"),
    ("A", "\u{0}"), ("A", "\u{7F}"), ("É", "x"),
  ])
  func `what would end its line is no field`(name: String, value: String) {
    #expect(!HTTPHeaders.Field(name, value).isValid)
  }

  @Test func `a value may have text of any language`() {
    #expect(HTTPHeaders.Field("Authorization", "Bearer a.b-c_d=").isValid)
    #expect(HTTPHeaders.Field("X", "é\t1").isValid)
    #expect(HTTPHeaders.Field("X", "").isValid)
  }
}
