/// The contact addresses of a service's operators (XEP-0157), from its service discovery.
package struct XEP0157ContactAddresses: Hashable, Sendable {
  /// Addresses for questions and problems, of any kind, most of them URIs. They are outside data.
  package let support: [String]
  /// Addresses for everything else.
  package let administration: [String]

  package static let formType = "http://jabber.org/network/serverinfo"

  /// Reads the addresses of a discovery result; both lists are empty when it has none.
  package init(_ discovery: XEP0030Discovery) {
    let fields = discovery.forms.filter { $0.formType == Self.formType }.flatMap(\.fields)
    func values(_ name: String) -> [String] {
      fields.filter { $0.name == name }.flatMap(\.values).filter { !$0.isEmpty }
    }
    support = values("support-addresses")
    administration = values("admin-addresses")
  }

  /// The addresses to ask for help: those of support first.
  package var forHelp: [String] {
    let known = Set(support)
    return support + administration.filter { !known.contains($0) }
  }
}
