import NatterCore
import XML
import XMPP

/// The offer of a server before the client signs in.
package struct ServerOffer: Hashable, Sendable {
  /// The TLS version, such as "TLSv1.3"; `nil` without TLS, or where that is not known.
  package let tlsVersion: String?
  /// Names of SASL mechanisms, in the server's order.
  package let mechanisms: [String]
}

/// The features of servers in the compliance suites (XEP-0479) that this client uses.
package enum ServerFeature: String, CaseIterable, Sendable {
  case streamManagement = "0198"
  case clientState = "0352"
  case carbons = "0280"
  case archive = "0313"
  case blocking = "0191"
  case personalEvents = "0163"
  case rooms = "0045"
  case uploads = "0363"
  case push = "0357"

  /// The service discovery feature that announces it (XEP-0030); `nil`: it is announced in another
  /// way.
  fileprivate var namespace: String? {
    switch self {
    case .streamManagement, .clientState, .personalEvents: nil
    case .carbons: Namespace.carbons
    case .archive: Namespace.archive
    case .blocking: "urn:xmpp:blocking"
    case .rooms: XEP0045.namespace
    case .uploads: XEP0363Slot.namespace
    case .push: "urn:xmpp:push:0"
    }
  }
}

extension StreamConnector {
  /// Returns the offer of an account's server to a client that has not signed in.
  /// - Throws: `ConnectionProblem`.
  package func offer(
    of account: Account, progress: @escaping @Sendable (SignInProgress) -> Void = { _ in }
  ) async throws -> ServerOffer {
    let options = options(account, Credential(password: ""), nil)
    let (features, version) = try await onEachEndpoint(of: account, progress) {
      transport, upgrade in
      try await XMPPStream.offer(
        over: transport, options: options, crypto: crypto, startTLS: upgrade)
    }
    let known = Set(features.mechanisms)
    let oneStep = (features.oneStep?.mechanisms ?? []).filter { !known.contains($0) }
    return ServerOffer(tlsVersion: version, mechanisms: features.mechanisms + oneStep)
  }

  /// Signs in once and examines the server's features for the account.
  /// - Throws: `ConnectionProblem`.
  package func survey(of account: Account, _ credential: Credential) async throws -> Set<
    ServerFeature
  > {
    let stream = try await connect(account, credential, resource: nil) { _ in }
    return await withTaskGroup(of: Void.self) { group in
      group.addTask { await stream.run() }
      let found = await Self.features(of: account.jid, over: stream)
      await stream.close()
      return found
    }
  }

  /// The number of components of a server that are queried, and the time limit of each query.
  private static let partLimit = 20
  private static let answerLimit = Duration.seconds(10)

  static func features(of account: JID, over stream: any LiveStream) async -> Set<
    ServerFeature
  > {
    var found: Set<ServerFeature> = []
    if stream.session.features.offersStreamManagement || stream.session.hasStreamManagement {
      found.insert(.streamManagement)
    }
    if stream.session.features.offersClientState { found.insert(.clientState) }
    func note(_ reported: XEP0030Discovery?) {
      guard let reported else { return }
      for feature in ServerFeature.allCases {
        if let name = feature.namespace, reported.features.contains(name) { found.insert(feature) }
      }
      if reported.identities.contains(where: { $0.category == "pubsub" && $0.type == "pep" }) {
        found.insert(.personalEvents)
      }
    }
    let server = JID(local: nil, domain: account.domain)
    // Concurrently: one that does not answer does not delay the others.
    await withTaskGroup(of: [XEP0030Discovery?].self) { group in
      for entity in [server, account.bare] {
        group.addTask { [await information(of: entity, over: stream)] }
      }
      group.addTask {
        let parts = await parts(of: server, over: stream).prefix(partLimit)
        return await withTaskGroup(of: XEP0030Discovery?.self) { group in
          for part in parts { group.addTask { await information(of: part, over: stream) } }
          return await group.reduce(into: []) { $0.append($1) }
        }
      }
      for await reported in group { reported.forEach(note) }
    }
    return found
  }

  // An entity that does not answer, or refuses, is reported as offering nothing.
  private static func information(of entity: JID, over stream: any LiveStream) async
    -> XEP0030Discovery?
  {
    let answer = try? await stream.request(
      XEP0030Discovery.question(to: entity), timeout: answerLimit)
    return answer.flatMap { XEP0030Discovery(answer: $0) }
  }

  private static func parts(of server: JID, over stream: any LiveStream) async -> [JID] {
    let answer = try? await stream.request(
      XEP0030Item.question(to: server), timeout: answerLimit)
    return answer.map { XEP0030Item.items(answer: $0).map(\.jid) } ?? []
  }
}
