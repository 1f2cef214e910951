import NatterCore
import XML
import XMPP

/// Reads and writes the vCards of a server: in a PEP node (XEP-0292), or in the older vcard-temp
/// (XEP-0054).
struct CardExchange: Sendable {
  let account: JID
  let channel: any StanzaChannel

  static let node = "urn:xmpp:vcard4"
  private static let item = "current"

  // MARK: Reading

  /// Returns the card of `jid`, an empty card if there is none or access is denied.
  /// - Throws: `StanzaError` when the contact's server cannot be reached, or the card is too large
  ///   to be read; `ChannelError`.
  func card(of jid: JID) async throws -> PersonCard {
    var isTooLarge = false
    do {
      if let element = try await published(by: jid) {
        let card = CardFormat.vCard4.card(in: element)
        if !card.isEmpty { return card }
      }
    } catch let error as StanzaError {
      // The older card may be open to more readers, or smaller.
      isTooLarge = error == .answerTooLarge
    }
    do {
      let card = try await older(of: jid).map { CardFormat.vCardTemp.card(in: $0) } ?? PersonCard()
      // Some servers answer with an empty card where there is no older one.
      if isTooLarge, card.isEmpty { throw StanzaError.answerTooLarge }
      return card
    } catch let error as StanzaError {
      if isTooLarge || error == .answerTooLarge { throw StanzaError.answerTooLarge }
      switch error.condition {
      case .remoteServerNotFound, .remoteServerTimeout, .resourceConstraint: throw error
      default: return PersonCard()
      }
    }
  }

  /// Returns the account's own card, with the nickname that contacts receive (XEP-0172).
  func ownCard() async throws -> PersonCard {
    var card = try await own().map { CardFormat.vCard4.card(in: $0) } ?? PersonCard()
    if card.isEmpty, let older = try await ownOlder() {
      card = CardFormat.vCardTemp.card(in: older)
    }
    if let nickname = try await nickname() { card[.nickname] = nickname }
    return card
  }

  private func published(by jid: JID?) async throws -> Element? {
    var question = XEP0060.items(of: Self.node)
    question["to"] = jid?.bare.description
    return XEP0060.items(in: try await channel.request(question)).last?
      .first(CardFormat.vCard4.root, CardFormat.vCard4.namespace)
  }

  private func older(of jid: JID?) async throws -> Element? {
    var question = Element(
      "iq", Namespace.client, ["type": "get"],
      [Element(CardFormat.vCardTemp.root, CardFormat.vCardTemp.namespace)])
    question["to"] = jid?.bare.description
    return try await channel.request(question)
      .first(CardFormat.vCardTemp.root, CardFormat.vCardTemp.namespace)
  }

  /// Returns the picture in a contact's older card, as Base64.
  func olderPhoto(of jid: JID) async throws -> String? {
    let space = CardFormat.vCardTemp.namespace
    return try await older(of: jid)?.first("PHOTO", space)?.first("BINVAL", space)?.text
  }

  /// Returns the published card; `nil` if the server has no such nodes or nothing was published.
  private func own() async throws -> Element? {
    // A temporary error does not mean that there is no card, nor does a card that is too large to
    // be read: a new one must not overwrite it.
    do { return try await published(by: nil) } catch let error as StanzaError where error.isFinal {
      return nil
    }
  }

  private func ownOlder() async throws -> Element? {
    do { return try await older(of: nil) } catch let error as StanzaError where error.isFinal {
      return nil
    }
  }

  private func nickname() async throws -> String? {
    do {
      let answer = try await channel.request(XEP0060.items(of: ProfileFetcher.nicknames))
      return XEP0060.items(in: answer).last?.first("nick", ProfileFetcher.nicknames)?.text
    } catch let error as StanzaError where error.isFinal {
      return nil
    }
  }

  // MARK: Writing

  /// Changes fields of the own card in each format that the server stores.
  /// - Throws: `StanzaError` when the server refuses, `ChannelError`.
  func submit(_ texts: [PersonCard.Field: String]) async throws {
    let older = try await ownOlder()
    let before = try await own()
    // The first publication to the node takes over the content of the older card.
    let known = older.map { CardFormat.vCardTemp.card(in: $0).texts } ?? [:]
    let all = before == nil ? known.merging(texts) { $1 } : texts
    do {
      try await announce(CardFormat.vCard4.setting(all, in: before), id: Self.item, in: Self.node)
    } catch let error as StanzaError where error.meansMissing {
      return try await set(CardFormat.vCardTemp.setting(texts, in: older))
    }
    if let nickname = texts[.nickname] {
      try await announce(
        Element("nick", ProfileFetcher.nicknames, text: nickname), id: Self.item,
        in: ProfileFetcher.nicknames)
    }
    // The older card is readable by everyone.
    if try await !carriesOver(), try await visibility() == .everybody || !known.isEmpty {
      try await submitOlder(texts)
    }
  }

  /// Returns whether the server converts between both formats by itself. Then no field may be
  /// removed from only one of them.
  private func carriesOver() async throws -> Bool {
    do {
      let answer = try await channel.request(XEP0030Discovery.question(to: account.bare))
      return XEP0030Discovery(answer: answer)?.features.contains(CardFormat.vCard4.namespace)
        ?? false
    } catch let error as StanzaError where !error.isPassing {
      return false
    }
  }

  private func submitOlder(_ texts: [PersonCard.Field: String]) async throws {
    let now = try await ownOlder()
    let card = now.map { CardFormat.vCardTemp.card(in: $0) } ?? PersonCard()
    guard texts.contains(where: { card[$0.key] != $0.value }) else { return }
    do { try await set(CardFormat.vCardTemp.setting(texts, in: now)) } catch let error
      as StanzaError
    {
      guard error.meansMissing else { throw error }
    }
  }

  /// Publishes a picture, the data before the metadata (XEP-0084 §3); `nil` announces that there is
  /// no picture.
  func publish(_ picture: OwnPicture?) async throws {
    guard let picture else {
      return try await announce(
        Element("metadata", XEP0084.metadata), id: Self.item, in: XEP0084.metadata)
    }
    _ = try await channel.request(
      XEP0060.announcement(
        of: XEP0084.item(picture.id, base64: picture.base64), in: XEP0084.data))
    let reported = XEP0084.Picture(
      id: picture.id, byteCount: picture.byteCount, mediaType: picture.mediaType,
      width: picture.width, height: picture.height)
    _ = try await channel.request(XEP0060.announcement(of: reported.item, in: XEP0084.metadata))
  }

  private func announce(_ payload: Element, id: String, in node: String) async throws {
    let announcement = XEP0060.announcement(
      of: Element("item", Namespace.pubSub, ["id": id], [payload]), in: node)
    do { _ = try await channel.request(announcement) } catch let error as StanzaError
      where error.condition == .itemNotFound
    {
      // The first publication creates the node; a server under load may look for it before it
      // exists.
      _ = try await channel.request(announcement)
    }
  }

  private func set(_ card: Element) async throws {
    _ = try await channel.request(Element("iq", Namespace.client, ["type": "set"], [card]))
  }

  // MARK: Who may read it

  /// Returns the audience of the card; `nil` where the server does not offer the choice.
  /// - Throws: `StanzaError` when the server cannot say it for now, `ChannelError`.
  func visibility() async throws -> OwnProfile.Visibility? {
    do {
      let answer = try await channel.request(XEP0060.settings(of: Self.node))
      switch XEP0060.accessModel(in: answer) {
      case "open": return .everybody
      case "presence", "roster": return .contacts
      case "whitelist", "authorize": return .owner
      default: return nil
      }
    } catch let error as StanzaError where !error.isPassing {
      // A node created by the first publication is open to contacts.
      return error.condition == .itemNotFound ? .contacts : nil
    }
  }

  func setVisibility(_ visibility: OwnProfile.Visibility) async throws {
    let model =
      switch visibility {
      case .everybody: "open"
      case .contacts: "presence"
      case .owner: "whitelist"
      }
    let card = try await ownCard()
    if try await own() == nil {
      try await announce(
        CardFormat.vCard4.setting(card.texts, in: nil), id: Self.item, in: Self.node)
    }
    _ = try await channel.request(XEP0060.access(model, to: Self.node))
    // A server that fills the older card from the node applies the node's access model to it; any
    // other server shows it to everyone.
    guard try await !carriesOver() else { return }
    let empty = Dictionary(uniqueKeysWithValues: PersonCard.Field.allCases.map { ($0, "") })
    try await submitOlder(visibility == .everybody ? card.texts : empty)
  }
}

extension StanzaError {
  /// Indicates whether the server does not support the requested feature.
  fileprivate var meansMissing: Bool {
    [.featureNotImplemented, .serviceUnavailable].contains(condition)
  }
}
