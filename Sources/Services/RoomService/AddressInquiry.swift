import NatterCore
import XML
import XMPP

/// The detection by service discovery if a JID is a room's or an account's (XEP-0030, XEP-0045 §6).
struct AddressInquiry: Sendable {
  enum AddressKind: Hashable, Sendable {
    case room, person
    /// No answer, or one that does not show it.
    case unknown
  }

  let channel: (any StanzaChannel)?

  /// Queries the JID's domain, and the JID itself where accounts and rooms share one.
  func kind(of jid: JID) async -> AddressKind {
    guard let service = await information(of: JID(local: nil, domain: jid.domain)) else {
      return .unknown
    }
    if service.hasRooms { return .room }
    let categories = Set(service.identities.map(\.category))
    // A server's addresses with a local part are accounts; a gateway has both.
    if categories.contains("server"), !categories.contains("gateway") { return .person }
    guard let own = await information(of: jid.bare) else { return .unknown }
    if own.isRoom { return .room }
    return own.identities.contains { $0.category == "account" } ? .person : .unknown
  }

  /// Returns `true` if a domain has rooms. A domain that does not answer has none that could be
  /// entered.
  func hasRooms(_ domain: JID) async -> Bool { await information(of: domain)?.hasRooms == true }

  /// - Returns: `nil` without an answer.
  private func information(of jid: JID) async -> XEP0030Discovery? {
    let question = XEP0030Discovery.question(to: jid)
    // An error shows no more than silence does.
    let answer = try? await channel?.request(question, timeout: .seconds(5))
    return answer.flatMap { XEP0030Discovery(answer: $0) }
  }
}

extension XEP0030Discovery {
  /// `true` if it is a room, of any network.
  fileprivate var isRoom: Bool {
    features.contains(XEP0045.namespace) && identities.contains { $0.category == "conference" }
  }

  /// `true` if it is a service of rooms.
  package var hasRooms: Bool {
    features.contains(XEP0045.namespace)
      && identities.contains { $0.category == "conference" && $0.type == "text" }
  }
}
