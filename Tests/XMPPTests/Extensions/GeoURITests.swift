import TestSupport
import Testing

@testable import XMPP

@Suite struct GeoURITests {
  @Test(arguments: [
    ("geo:48.8566,2.3522", 48.8566, 2.3522, nil as Double?),
    ("GEO:-33.9,151.2,25", -33.9, 151.2, nil),
    ("geo:48.8566,2.3522;u=30", 48.8566, 2.3522, 30),
    ("geo:48.8566,2.3522;CRS=WGS84;u=2.5", 48.8566, 2.3522, 2.5),
    ("geo:0,0;crs=wgs84;foo=a%20b;flag", 0, 0, nil),
    ("geo:90,-180?z=15", 90, -180, nil),
  ])
  func `a URI of RFC 5870 is read`(
    text: String, latitude: Double, longitude: Double, accuracy: Double?
  ) throws {
    let point = try #require(GeoURI(text))
    #expect(point.latitude == latitude && point.longitude == longitude)
    #expect(point.accuracy == accuracy)
    #expect(GeoURI(point.text) == point)
  }

  @Test(arguments: [
    "", "geo:", "geo", "geo\u{1A}1,2",
    "geo:1", "geo:1,", "geo:,1", "geo:1,2,3,4", "geo:90.1,0", "geo:0,180.5",
    "geo:1e1,2", "geo:+1,2", "geo: 1,2", "geo:1,2 ", "geo:1.,2", "geo:.5,2", "geo:--1,2",
    "geo:1,2;u=-3", "geo:1,2;u=x", "geo:1,2;u=", "geo:1,2;u=1;u=2", "geo:1,2;crs=nad27",
    "geo:1,2;=3", "geo:1,2;a=b c", "geo:1,2?q=3,4", "geo:1,2?z=", "geo:1,2\n", "geo:inf,nan",
    "geo:1234567890,2", "geo:48.8566140000000000000000000000000000000,2", "https://a.example",
    "geo:١,٢", "geo:1,2;u=999999999",
  ])
  func `anything else is none`(text: String) { #expect(GeoURI(text) == nil, "\(text)") }

  @Test func `numbers have the digits that a location needs`() throws {
    let point = try #require(GeoURI(latitude: 48.856_614_049, longitude: -0.000_000_01))
    #expect(point.text == "geo:48.856614,0")
    #expect(GeoURI.fixed(-0.5, digits: 5) == "-0.50000")
    #expect(GeoURI.fixed(2.352_216, digits: 5) == "2.35222")
    #expect(GeoURI.fixed(30, digits: 0) == "30")
    #expect(GeoURI.trimmed(100) == "100")
    #expect(GeoURI(latitude: .nan, longitude: 0) == nil)
    #expect(GeoURI(latitude: 0, longitude: 0, accuracy: .infinity) == nil)
  }

  @Test func `no text breaks the reader, and what it reads it can write`() throws {
    var random = SeededGenerator(seed: 5870)
    let parts = [
      "geo:", "48.8", ",", "2", "-", ".", ";", "u=", "crs=", "wgs84", "?", "z=", "9", "%", "é", "=",
      "\u{301}", "e5", " ",
    ]
    var read = 0
    for _ in 0..<20_000 {
      let text =
        "geo:48.8,2"
        + (0..<Int.random(in: 0...4, using: &random))
        .map { _ in parts.randomElement(using: &random) ?? "" }.joined()
      guard let point = GeoURI(text) else { continue }
      read += 1
      try #require(GeoURI(point.text) != nil, "\(text)")
      try #require(abs(point.latitude) <= 90 && abs(point.longitude) <= 180, "\(text)")
    }
    #expect(read > 1000)
  }
}
