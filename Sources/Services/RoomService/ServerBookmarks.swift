import NatterCore
import XML
import XMPP

/// The bookmarks at the server: in the node of XEP-0402, or where there is none in private storage
/// (XEP-0048, XEP-0049).
///
/// It lives for one session. It remembers where the bookmarks are, and the extensions that other
/// clients store with each.
actor ServerBookmarks {
  private enum Location { case unknown, node, missingNode, privateStorage, none }

  /// The attempts of `BookmarkSync` to read the bookmarks: each ends once their rooms are known.
  let reading: BookmarkReading
  private let account: JID
  private let channel: any StanzaChannel
  private var location = Location.unknown
  private var extensions: [JID: Element] = [:]
  /// The rooms whose extensions are too large to be kept: they are read again before a change.
  private var large: Set<JID> = []
  /// The largest extensions that are kept of one bookmark, in bytes. Other clients may store as
  /// much as the server permits, with each of hundreds of rooms.
  private static let extensionBytes = 16 << 10
  /// Settings that were chosen here and that the server does not have yet, no setting as
  /// `.some(nil)`: values that still come from the server are older.
  private var rules: [JID: XEP0492Notification?] = [:]
  /// The rooms whose bookmarks the server has, or was sent, in this session.
  private var seen: Set<JID> = []
  /// The rooms whose bookmarks other clients have changed in this session.
  private var announced: Set<JID> = []
  /// `true` if a bookmark missing from the list that was read was removed by another client.
  private var isWhole = false
  private let inbox = SerialInbox<SingleLane>()

  /// `true` if the node does not exist, as before the first bookmark, and after a server has lost
  /// it.
  var isMissing: Bool { location == .missingNode }

  /// Returns `true` if another client has removed the bookmark of `room`, which the server had
  /// before this session. Some servers do not announce the removal (server-quirks.md, "ejabberd"),
  /// and none notifies a client that was offline.
  func isTakenOut(_ room: JID) -> Bool { isWhole && !seen.contains(room) }

  /// Records that the server has announced changes of the bookmarks of `rooms`.
  func announce(_ rooms: [JID]) { announced.formUnion(rooms) }

  /// Returns `true` if the server has announced a change of the bookmark of `room`, or was sent
  /// one. What the list says of it may be older: it was perhaps sent before that, and is still
  /// being taken in.
  func hasChanged(_ room: JID) async -> Bool {
    if announced.contains(room) { return true }
    return await reading.isSent(room)
  }

  /// - Parameter reading: what callers wait for already, since the channel was opened.
  init(account: JID, channel: any StanzaChannel, reading: BookmarkReading? = nil) {
    self.reading = reading ?? BookmarkReading()
    self.account = account
    self.channel = channel
  }

  /// Reads all bookmarks; those of private storage only where the node does not have them.
  /// - Returns: the bookmarks of the node, and those of private storage.
  /// - Throws: `ChannelError`, and a `StanzaError` that does not say where the bookmarks are.
  func fetch() async throws -> (current: [XEP0402Bookmark], legacy: [XEP0402Bookmark]) {
    var current: [XEP0402Bookmark] = []
    var isWhole = false
    do {
      let answer = try await channel.request(XEP0060.items(of: XEP0402Bookmark.namespace))
      let items = XEP0060.items(in: answer)
      current = items.compactMap { XEP0402Bookmark(item: $0) }
      seen.formUnion(items.compactMap { $0.address("id").jid })
      // A full node drops the oldest bookmark for the newest, and with an empty node the server may
      // have lost them all.
      let limit = min(try await setUpNode() ?? 0, XEP0060.capacity)
      isWhole = !items.isEmpty && items.count < limit && !XEP0060.isPart(answer)
      location = .node
    } catch let error as StanzaError {
      guard let without = Self.location(without: error) else { throw error }
      location = without
    }
    for bookmark in current where !announced.contains(bookmark.room) { keep(bookmark) }
    let known = Set(current.map(\.room))
    // Not every server copies changes from private storage to the node.
    let legacy = try await stored().filter { !known.contains($0.room) }
    seen.formUnion(legacy.map(\.room))
    self.isWhole = isWhole
    return (current, legacy)
  }

  /// Returns where the bookmarks are when the server answers with `error` instead of those of the
  /// node; `nil` if the error does not say that: a busy server has the node all the same.
  private static func location(without error: StanzaError) -> Location? {
    guard !error.mayPass else { return nil }
    return switch error.condition {
    case .itemNotFound: .missingNode
    case .serviceUnavailable, .featureNotImplemented: .privateStorage
    default: nil
    }
  }

  /// Configures the node to keep many bookmarks, to be readable by the account only, and to notify
  /// of removals: a node that another client created without options does not.
  /// - Returns: the number of items that it has kept until now; `nil`: unknown.
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

  /// Remembers the extensions that another client stores with a bookmark.
  func keep(_ bookmark: XEP0402Bookmark) {
    seen.insert(bookmark.room)
    let whole = bookmark.extensions?.detached
    let isLarge = whole.map { $0.weight > Self.extensionBytes } ?? false
    extensions[bookmark.room] = isLarge ? nil : whole
    if isLarge { large.insert(bookmark.room) } else { large.remove(bookmark.room) }
  }

  /// Returns the extensions that the bookmark of `room` has at the server. They are read again if
  /// they are too large to be kept, or if the server has announced changes: those of two clients
  /// may be announced in another order.
  private func currentExtensions(of room: JID) async throws -> Element? {
    let isDoubtful = announced.contains(room) && location == .node
    guard large.contains(room) || isDoubtful else { return extensions[room] }
    do {
      let answer = try await channel.request(
        XEP0060.item(room.description, of: XEP0402Bookmark.namespace))
      let items = XEP0060.items(in: answer).lazy.compactMap { XEP0402Bookmark(item: $0) }
      guard let current = items.first(where: { $0.room == room }) else { return extensions[room] }
      return current.extensions
    } catch let error as StanzaError where error.condition == .itemNotFound {
      // Another client has removed the bookmark since, or the server has lost it.
      return extensions[room]
    } catch let error as StanzaError where error.isFinal && !large.contains(room) {
      // A server that returns no single item still takes one.
      return extensions[room]
    }
  }

  /// Sets the notification setting that the bookmark of `room` has when it is published next.
  func setNotification(_ setting: XEP0492Notification?, of room: JID) {
    rules[room] = .some(setting)
  }

  /// Publishes one bookmark, serialized with the others: the node is created once, and private
  /// storage, which is replaced as a whole, is read with everything that was put into it.
  /// - Returns: `true` if it is in the node, where other clients can remove single bookmarks.
  /// - Throws: `StanzaError`, `ChannelError`.
  @discardableResult func publish(_ bookmark: XEP0402Bookmark) async throws -> Bool {
    seen.insert(bookmark.room)
    return try await inbox.run {
      try await publishNow(bookmark)
      return location == .node
    }
  }

  private func publishNow(_ bookmark: XEP0402Bookmark) async throws {
    var bookmark = bookmark
    let room = bookmark.room
    // An attempt that is under way says where they are.
    if location == .unknown { await reading.attemptEnded() }
    if location == .unknown { _ = try await fetch() }
    if location == .missingNode {
      do { _ = try await channel.request(XEP0060.creation(of: XEP0402Bookmark.namespace)) } catch {
        // Another client was first.
        guard (error as? StanzaError)?.condition == .conflict else { throw error }
      }
      location = .node
    }
    let rule = rules[room]
    let current = try await currentExtensions(of: room)
    bookmark.extensions =
      rule.map { XEP0492Notification.extensions(current, with: $0) } ?? current
    await reading.noteSent(room)
    switch location {
    case .node: try await publish(bookmark.item)
    case .privateStorage: try await store(bookmark)
    case .none, .unknown, .missingNode: break
    }
    guard let rule, rules[room] == .some(rule) else { return }
    // The server has it, and a setting that another client chooses from here on is newer.
    rules[room] = nil
    keep(bookmark)
  }

  private func publish(_ item: Element) async throws {
    let node = XEP0402Bookmark.namespace
    do {
      _ = try await channel.request(XEP0060.publication(of: item, in: node))
    } catch let error as StanzaError where error.condition == .conflict {
      // Another client has configured the node to be readable by others, or to keep one bookmark
      // only.
      _ = try await channel.request(XEP0060.closing(of: node))
      _ = try await channel.request(XEP0060.publication(of: item, in: node))
    }
  }

  // MARK: - Private storage

  private func stored() async throws -> [XEP0402Bookmark] {
    do {
      let answer = try await channel.request(
        Self.privateQuery("get", Element("storage", XEP0402Bookmark.storageNamespace)))
      return Self.storage(in: answer)?.all("conference", XEP0402Bookmark.storageNamespace)
        .compactMap { XEP0402Bookmark(legacy: $0) } ?? []
    } catch let error as StanzaError {
      guard location == .privateStorage else { return [] }
      guard error.isFinal, error.condition != .resourceConstraint else { throw error }
      location = .none
      return []
    }
  }

  /// Stores the bookmark. The list is replaced as a whole: entries other than this room's stay.
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
