import NatterCore
import XMPP

/// The bookmarks at the server: in the place of XEP-0402, or where there is none in private storage (XEP-0048, XEP-0049).
///
/// A value for one session. It remembers where the bookmarks are, and what other clients keep with each.
actor ServerBookmarks {
  private enum Place { case unknown, node, missingNode, privateStorage, none }

  private let account: JID
  private let channel: any StanzaChannel
  private var place = Place.unknown
  private var extensions: [JID: Element] = [:]
  /// What was chosen here and is not at the server yet, with no setting as `.some(nil)`: what still comes from there is older.
  private var wishes: [JID: XEP0492Notification?] = [:]
  /// What the server has, or was sent, in this session.
  private var seen: Set<JID> = []
  /// Whether what is not on the list that was read is not at the server because somebody took it out.
  private var isWhole = false
  private let turns = KeyedSerializer<JID>()

  /// Whether the place is not there, as it is before the first bookmark, and after a server has lost it.
  var isMissing: Bool { place == .missingNode }

  /// Whether another client has taken out the bookmark of `room`, which the server had before this session. Some tell nobody
  /// that it is gone (server-quirks.md, "ejabberd"), and none tells who was away.
  func isTakenOut(_ room: JID) -> Bool { isWhole && !seen.contains(room) }

  init(account: JID, channel: any StanzaChannel) {
    self.account = account
    self.channel = channel
  }

  /// All bookmarks; those of the old place only where the new one does not know them.
  /// - Returns: the bookmarks, and whether each came from the old place.
  func fetch() async throws -> (current: [XEP0402Bookmark], legacy: [XEP0402Bookmark]) {
    var current: [XEP0402Bookmark] = []
    var isWhole = false
    do {
      let answer = try await channel.request(XEP0060.items(of: XEP0402Bookmark.namespace))
      let items = XEP0060.items(in: answer)
      current = items.compactMap { XEP0402Bookmark(item: $0) }
      seen.formUnion(items.compactMap { $0.address("id").jid })
      // Where it is full the eldest makes room for the newest, and where it is empty the server may have lost them all.
      let limit = min(try await setUpNode() ?? 0, XEP0060.capacity)
      isWhole = !items.isEmpty && items.count < limit && !XEP0060.isPart(answer)
      place = .node
    } catch let error as StanzaError {
      place = error.condition == .itemNotFound ? .missingNode : .privateStorage
    }
    for bookmark in current { keep(bookmark) }
    let known = Set(current.map(\.room))
    // Not every server carries changes over from the old place to the new one.
    let legacy = try await stored().filter { !known.contains($0.room) }
    seen.formUnion(legacy.map(\.room))
    self.isWhole = isWhole
    return (current, legacy)
  }

  /// Sees to it that the node keeps many bookmarks, for the account's eyes, and tells what is taken out: one that another
  /// client made without options does not.
  /// - Returns: how many it has kept until now; `nil`: that is not known.
  private func setUpNode() async throws -> Int? {
    let node = XEP0402Bookmark.namespace
    do {
      let settings = try await channel.request(XEP0060.settings(of: node))
      if !XEP0060.isClosed(in: settings) {
        _ = try await channel.request(XEP0060.closing(of: node))
      }
      return XEP0060.itemLimit(in: settings)
    } catch is StanzaError {
      // It stays as it is, until it refuses a bookmark.
      return nil
    }
  }

  /// Notes what another client keeps with a bookmark.
  func keep(_ bookmark: XEP0402Bookmark) {
    seen.insert(bookmark.room)
    extensions[bookmark.room] = bookmark.extensions
  }

  /// Has the bookmark of `room` say what of it is told, when it is published next.
  func setNotification(_ setting: XEP0492Notification?, of room: JID) {
    wishes[room] = .some(setting)
  }

  /// Publishes one bookmark, after those that were to be published before it: the place is made once, and private storage,
  /// which is replaced as a whole, is read with all that was put into it.
  /// - Returns: whether it is where other clients take out single ones.
  /// - Throws: `StanzaError`, `ChannelError`.
  @discardableResult func publish(_ bookmark: XEP0402Bookmark) async throws -> Bool {
    seen.insert(bookmark.room)
    return try await turns.inTurn(account) {
      try await publishNow(bookmark)
      return place == .node
    }
  }

  private func publishNow(_ bookmark: XEP0402Bookmark) async throws {
    var bookmark = bookmark
    let room = bookmark.room
    if place == .unknown { _ = try await fetch() }
    if place == .missingNode {
      do { _ = try await channel.request(XEP0060.creation(of: XEP0402Bookmark.namespace)) } catch {
        // Another client was first.
        guard (error as? StanzaError)?.condition == .conflict else { throw error }
      }
      place = .node
    }
    let wish = wishes[room]
    bookmark.extensions =
      wish.map { XEP0492Notification.extensions(extensions[room], with: $0) } ?? extensions[room]
    switch place {
    case .node: try await publish(bookmark.item)
    case .privateStorage: try await store(bookmark)
    case .none, .unknown, .missingNode: break
    }
    guard let wish, wishes[room] == .some(wish) else { return }
    // It is there, and what another client chooses from here on is newer.
    wishes[room] = nil
    extensions[room] = bookmark.extensions
  }

  private func publish(_ item: Element) async throws {
    let node = XEP0402Bookmark.namespace
    do {
      _ = try await channel.request(XEP0060.publication(of: item, in: node))
    } catch let error as StanzaError where error.condition == .conflict {
      // Another client has made it so that others may read it, or so that it holds one bookmark alone.
      _ = try await channel.request(XEP0060.closing(of: node))
      _ = try await channel.request(XEP0060.publication(of: item, in: node))
    }
  }

  // MARK: - The old place

  private func stored() async throws -> [XEP0402Bookmark] {
    do {
      let answer = try await channel.request(
        Self.privateQuery("get", Element("storage", XEP0402Bookmark.storageNamespace)))
      return Self.storage(in: answer)?.all("conference", XEP0402Bookmark.storageNamespace)
        .compactMap { XEP0402Bookmark(legacy: $0) } ?? []
    } catch is StanzaError {
      if place == .privateStorage { place = .none }
      return []
    }
  }

  /// The list is replaced as a whole: what is not a bookmark of this room stays as it is.
  private func store(_ bookmark: XEP0402Bookmark) async throws {
    let answer = try await channel.request(
      Self.privateQuery("get", Element("storage", XEP0402Bookmark.storageNamespace)))
    var storage =
      Self.storage(in: answer) ?? Element("storage", XEP0402Bookmark.storageNamespace)
    let others = storage.elements.filter {
      XEP0402Bookmark(legacy: $0)?.room != bookmark.room
    }
    storage = Element(
      "storage", XEP0402Bookmark.storageNamespace, [:], others + [bookmark.legacy])
    _ = try await channel.request(Self.privateQuery("set", storage))
  }

  private static func privateQuery(_ type: String, _ payload: Element) -> Element {
    Element(
      "iq", Namespace.client, ["type": type],
      [Element("query", XEP0402Bookmark.privateNamespace, [:], [payload])])
  }

  private static func storage(in answer: Element) -> Element? {
    answer.first("query", XEP0402Bookmark.privateNamespace)?
      .first("storage", XEP0402Bookmark.storageNamespace)
  }
}
