import NatterCore
import XML
import XMPP

/// The operations on an account at its server from within a session (XEP-0077 §3.2, §3.3;
/// XEP-0157).
package struct AccountRegistration: AccountChanging {
  private let account: JID
  private let channel: any StanzaChannel
  private let credentials: any CredentialStoring
  private let remove: @Sendable (Element) async throws -> Void
  /// Returns `true` if the stored credential can still sign in; `nil` if that is unknown.
  private let isAlive: @Sendable () async -> Bool?

  /// - Parameter remove: requests the removal of the account, and recognizes the server's
  ///   confirmation.
  package init(
    account: Account, channel: any StanzaChannel, credentials: any CredentialStoring,
    probe: any SessionProbing, remove: @escaping @Sendable (Element) async throws -> Void
  ) {
    self.account = account.jid.bare
    self.channel = channel
    self.credentials = credentials
    self.remove = remove
    isAlive = {
      guard let credential = try? await credentials.credential(for: account.jid),
        // A token may outlive its account (ejabberd 23.01).
        credential.password != nil
      else { return nil }
      do {
        try await probe.verify(account, credential, progress: { _ in })
        return true
      } catch {
        return (error as? ConnectionProblem)?.asksForCredentials == true ? false : nil
      }
    }
  }

  package func changePassword(to password: String) async throws -> NatterError? {
    let query = XEP0077Registration.newPassword(password, username: account.local ?? "")
    try await ask(query) { _ = try await channel.request($0) }
    do {
      // A token stays valid; a stored password has to be replaced by the new one.
      if let known = try await credentials.credential(for: account), known.password != nil {
        try await credentials.replace(Credential(password: password), for: account)
      }
      return nil
    } catch {
      return NatterError(reporting: error, orElse: .storage, key: "error.storage.write")
    }
  }

  package func deleteAccount() async throws {
    do { try await ask(XEP0077Registration.removal, by: remove) } catch let error as NatterError {
      // The connection may have broken before the answer came.
      guard error.kind == .offline, await isAlive() == false else { throw error }
    }
  }

  package func supportAddresses() async throws -> [String] {
    try await Self.supportAddresses(at: account.domain, over: channel)
  }

  static func supportAddresses(at domain: String, over channel: any StanzaChannel) async throws
    -> [String]
  {
    let server = JID(local: nil, domain: domain)
    let answer = try await channel.request(XEP0030Discovery.question(to: server))
    guard let discovery = XEP0030Discovery(answer: answer) else { return [] }
    return XEP0157ContactAddresses(discovery).forHelp
  }

  private func ask(_ query: Element, by send: (Element) async throws -> Void) async throws {
    do {
      try await send(
        Element("iq", Namespace.client, ["type": "set", "to": account.domain], [query]))
    } catch let error as StanzaError {
      throw NatterError(
        .refused, "account.refused", ["text": error.text ?? error.condition.rawValue])
    } catch is ChannelError {
      throw NatterError(.offline, "account.offline")
    }
  }
}
