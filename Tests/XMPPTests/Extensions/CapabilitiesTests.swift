import Crypto
import Testing
import XML
import XMPP

/// The examples of XEP-0115 §5.2 and §5.3.
@Suite struct CapabilitiesTests {
  let features: Set<String> = [
    "http://jabber.org/protocol/caps", "http://jabber.org/protocol/disco#info",
    "http://jabber.org/protocol/disco#items", "http://jabber.org/protocol/muc",
  ]

  @Test func `the simple example has the specification's verification string`() throws {
    let info = XEP0030Discovery(
      identities: [.init(category: "client", type: "pc", name: "Exodus 0.9.1")], features: features)
    #expect(
      try XEP0115Capabilities.version(of: info, crypto: CryptoLibrary())
        == "QgayPKawpkPSDYmwT/WM94uAlu0=")
  }

  @Test func `the complex example has the specification's verification string`() throws {
    let info = XEP0030Discovery(
      identities: [
        .init(category: "client", type: "pc", name: "Psi 0.11", language: "en"),
        .init(category: "client", type: "pc", name: "Ψ 0.11", language: "el"),
      ],
      features: features,
      forms: [
        XEP0004DataForm(
          .result,
          fields: [
            .init("FORM_TYPE", kind: .hidden, values: ["urn:xmpp:dataforms:softwareinfo"]),
            .init("ip_version", values: ["ipv4", "ipv6"]), .init("os", values: ["Mac"]),
            .init("os_version", values: ["10.5.1"]), .init("software", values: ["Psi"]),
            .init("software_version", values: ["0.11"]),
          ])
      ])
    #expect(
      try XEP0115Capabilities.version(of: info, crypto: CryptoLibrary())
        == "q07IKJEyjvHSyhy//CH0CxmKi8w=")
  }

  @Test func `what is announced can be read back`() {
    let capabilities = XEP0115Capabilities(node: "https://example.org", version: "abc=")
    #expect(XEP0115Capabilities(capabilities.element) == capabilities)
  }
}
