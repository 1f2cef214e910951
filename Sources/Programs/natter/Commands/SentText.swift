import BoundedText
import NatterCore
import SessionService
import Text
import ViewModels
import XMPP

/// Checks the arguments of `natter send` before any of it is stored or sent.
nonisolated struct SentText: Sendable {
  /// More bytes than any server is known to accept in a stanza.
  static let limit = 4 << 20

  let localizer: Localizer

  /// Text as it was typed or read, its clusters bounded as in all untrusted text.
  /// - Throws: `CommandFailure` for bytes that are not UTF-8, and for more than the limit.
  func text(_ bytes: [UInt8]) throws -> String {
    guard bytes.count <= Self.limit else {
      throw CommandFailure(
        code: .badData, text: localizer("cli.too-long", ["limit": String(Self.limit)]))
    }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw CommandFailure(code: .badData, text: localizer("cli.not-utf8"))
    }
    return String(bounding: bytes)
  }

  /// The address of a recipient, also as the screen shows it (XEP-0106).
  /// - Throws: `CommandFailure` for an invalid address.
  func recipient(_ text: String) throws -> JID {
    guard let recipient = JID(typed: text) else {
      throw CommandFailure(code: .usage, text: localizer("cli.bad-address", ["address": text]))
    }
    return recipient
  }

  /// Refuses a single name such as a contact's: as an address it would mean a server with an
  /// impossible name.
  /// - Parameter account: its own server may have any name.
  /// - Throws: `CommandFailure`.
  func check(_ recipient: JID, from account: JID) throws {
    let domain = recipient.domain
    guard recipient.local == nil, domain != account.domain, domain != "localhost",
      !domain.contains("."), !domain.contains(":")
    else { return }
    throw CommandFailure(
      code: .failed, text: localizer("cli.no-recipient", ["address": recipient.description]))
  }
}
