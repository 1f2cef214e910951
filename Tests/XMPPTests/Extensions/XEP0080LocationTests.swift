import Testing
import XML

@testable import XMPP

@Suite struct XEP0080LocationTests {
  private func element(_ members: [(String, String)]) -> Element {
    Element(
      "geoloc", XEP0080Location.namespace, [:],
      members.map { Element($0.0, XEP0080Location.namespace, text: $0.1) })
  }

  @Test func `coordinates, accuracy and texts are read, and written again`() throws {
    let location = try #require(
      XEP0080Location(
        element([
          ("accuracy", "20"), ("country", "Italy"), ("lat", " 45.44 "), ("locality", "Venice"),
          ("lon", "12.33"), ("datum", "WGS84"), ("description", "Café\nFlorian"),
        ])))
    #expect(location.point == GeoURI(latitude: 45.44, longitude: 12.33, accuracy: 20))
    #expect(location.text == "Café\nFlorian, Venice, Italy")
    let own = XEP0080Location(location.point, text: "Café")
    #expect(XEP0080Location(own.element) == own)
    #expect(own.element.elements.map(\.name) == ["accuracy", "description", "lat", "lon"])
  }

  @Test(arguments: [
    [], [("lat", "1")], [("lat", "91"), ("lon", "0")], [("lat", "1e1"), ("lon", "2")],
    [("lat", "1"), ("lon", "-180.1")], [("lat", "1"), ("lon", "2"), ("datum", "NAD27")],
    [("lat", "north"), ("lon", "2")], [("locality", "Venice")],
  ])
  func `without coordinates that are valid there is none`(members: [(String, String)]) {
    #expect(XEP0080Location(element(members)) == nil)
  }

  @Test func `an invalid accuracy leaves the location`() {
    let location = XEP0080Location(element([("lat", "1"), ("lon", "2"), ("accuracy", "-5")]))
    #expect(location?.point == GeoURI(latitude: 1, longitude: 2))
  }

  @Test func `a message with nothing but a location has a text`() {
    let place = element([("lat", "1"), ("lon", "2")])
    #expect(MessageStanza(Element("message", Namespace.client, [:], [place])).content == .text)
    let empty = MessageStanza(Element("message", Namespace.client, [:], [element([])]))
    #expect(empty.location == nil && !empty.hasText)
  }
}
