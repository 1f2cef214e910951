/// How the people who run a service can be reached (XEP-0157), as it says in what it tells of itself.
package struct XEP0157ContactAddresses: Hashable, Sendable {
  /// For questions and trouble; addresses of any kind, most of them URIs. From outside.
  package let support: [String]
  /// For everything else.
  package let administration: [String]

  package static let formType = "http://jabber.org/network/serverinfo"

  package init(_ discovery: XEP0030Discovery) {
    let fields = discovery.forms.filter { $0.formType == Self.formType }.flatMap(\.fields)
    func values(_ name: String) -> [String] {
      fields.filter { $0.name == name }.flatMap(\.values).filter { !$0.isEmpty }
    }
    support = values("support-addresses")
    administration = values("admin-addresses")
  }

  /// Whom to ask for help: those who are there for it first.
  package var forHelp: [String] { support + administration.filter { !support.contains($0) } }
}
