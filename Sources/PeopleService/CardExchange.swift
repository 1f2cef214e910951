import NatterCore
import XMPP

/// Cards as servers have them: in a node (XEP-0292), or in the place of before (XEP-0054).
struct CardExchange: Sendable {
  let account: JID
  let channel: any StanzaChannel

  static let node = "urn:xmpp:vcard4"
  private static let item = "current"

  // MARK: Reading

  /// The card of `jid`; an empty one where he has none, or keeps it to himself.
  /// - Throws: `StanzaError` when his server cannot be asked, `ChannelError`.
  func card(of jid: JID) async throws -> PersonCard {
    do {
      if let element = try await published(by: jid) {
        let card = CardFormat.vCard4.card(in: element)
        if !card.isEmpty { return card }
      }
    } catch is StanzaError {
      // The older place may be open to more people.
    }
    do {
      return try await older(of: jid).map { CardFormat.vCardTemp.card(in: $0) } ?? PersonCard()
    } catch let error as StanzaError {
      switch error.condition {
      case .remoteServerNotFound, .remoteServerTimeout, .resourceConstraint: throw error
      default: return PersonCard()
      }
    }
  }

  /// The own card, with the nickname that contacts are told (XEP-0172).
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

  /// The picture in somebody's card of old, as Base64.
  func olderPhoto(of jid: JID) async throws -> String? {
    let space = CardFormat.vCardTemp.namespace
    return try await older(of: jid)?.first("PHOTO", space)?.first("BINVAL", space)?.text
  }

  /// A server without such nodes, and one where nothing was published, are the same here.
  private func own() async throws -> Element? {
    // One that cannot be read now is there all the same: it is not to be written anew.
    do { return try await published(by: nil) } catch let error as StanzaError where !error.mayPass {
      return nil
    }
  }

  private func ownOlder() async throws -> Element? {
    do { return try await older(of: nil) } catch let error as StanzaError where !error.mayPass {
      return nil
    }
  }

  private func nickname() async throws -> String? {
    do {
      let answer = try await channel.request(XEP0060.items(of: ProfileFetcher.nicknames))
      return XEP0060.items(in: answer).last?.first("nick", ProfileFetcher.nicknames)?.text
    } catch let error as StanzaError where !error.mayPass {
      return nil
    }
  }

  // MARK: Writing

  /// Changes fields of the own card wherever the server has it.
  /// - Throws: `StanzaError` when the server refuses, `ChannelError`.
  func tell(_ texts: [PersonCard.Field: String]) async throws {
    let older = try await ownOlder()
    let before = try await own()
    // Who begins with a node takes along what is in the older place.
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
    // Everybody can read the older place.
    if try await !carriesOver(), try await visibility() == .everybody || !known.isEmpty {
      try await tellOlder(texts)
    }
  }

  /// Whether the server has both places say the same by itself. Then nothing may be taken out of one of them.
  private func carriesOver() async throws -> Bool {
    let question = Element(
      "iq", Namespace.client, ["type": "get", "to": account.bare.description],
      [Element("query", Namespace.discoInfo)])
    do {
      return try await channel.request(question).first("query", Namespace.discoInfo)
        .flatMap { XEP0030Discovery($0) }?.features.contains(CardFormat.vCard4.namespace) ?? false
    } catch is StanzaError {
      return false
    }
  }

  private func tellOlder(_ texts: [PersonCard.Field: String]) async throws {
    let now = try await ownOlder()
    let card = now.map { CardFormat.vCardTemp.card(in: $0) } ?? PersonCard()
    guard texts.contains(where: { card[$0.key] != $0.value }) else { return }
    do { try await set(CardFormat.vCardTemp.setting(texts, in: now)) } catch let error
      as StanzaError
    {
      guard error.meansMissing else { throw error }
    }
  }

  /// Publishes a picture, its bytes before what is told of it (XEP-0084 §3); `nil`: that there is none.
  func publish(_ picture: OwnPicture?) async throws {
    guard let picture else {
      return try await announce(
        Element("metadata", XEP0084.metadata), id: Self.item, in: XEP0084.metadata)
    }
    _ = try await channel.request(
      XEP0060.announcement(
        of: XEP0084.item(picture.id, base64: picture.base64), in: XEP0084.data))
    let told = XEP0084.Picture(
      id: picture.id, byteCount: picture.byteCount, mediaType: picture.mediaType,
      width: picture.width, height: picture.height)
    _ = try await channel.request(XEP0060.announcement(of: told.item, in: XEP0084.metadata))
  }

  private func announce(_ payload: Element, id: String, in node: String) async throws {
    let announcement = XEP0060.announcement(
      of: Element("item", Namespace.pubSub, ["id": id], [payload]), in: node)
    do { _ = try await channel.request(announcement) } catch let error as StanzaError
      where error.condition == .itemNotFound
    {
      // The first publishing makes the node; a server under load may look for it before it is made.
      _ = try await channel.request(announcement)
    }
  }

  private func set(_ card: Element) async throws {
    _ = try await channel.request(Element("iq", Namespace.client, ["type": "set"], [card]))
  }

  // MARK: Who may read it

  /// - Returns: `nil` where the server lets nobody choose.
  func visibility() async throws -> OwnProfile.Visibility? {
    do {
      let answer = try await channel.request(XEP0060.settings(of: Self.node))
      switch XEP0060.accessModel(in: answer) {
      case "open": return .everybody
      case "presence", "roster": return .contacts
      case "whitelist", "authorize": return .nobody
      default: return nil
      }
    } catch let error as StanzaError {
      // What is made by the first publishing is for the contacts.
      return error.condition == .itemNotFound ? .contacts : nil
    }
  }

  func setVisibility(_ visibility: OwnProfile.Visibility) async throws {
    let model =
      switch visibility {
      case .everybody: "open"
      case .contacts: "presence"
      case .nobody: "whitelist"
      }
    let card = try await ownCard()
    if try await own() == nil {
      try await announce(
        CardFormat.vCard4.setting(card.texts, in: nil), id: Self.item, in: Self.node)
    }
    _ = try await channel.request(XEP0060.access(model, to: Self.node))
    // A server that fills the older place from the node looks there who may read it; another one shows it to everybody.
    guard try await !carriesOver() else { return }
    let empty = Dictionary(uniqueKeysWithValues: PersonCard.Field.allCases.map { ($0, "") })
    try await tellOlder(visibility == .everybody ? card.texts : empty)
  }
}

extension StanzaError {
  /// Whether there is no such thing at the server.
  fileprivate var meansMissing: Bool {
    [.featureNotImplemented, .serviceUnavailable].contains(condition)
  }
}
