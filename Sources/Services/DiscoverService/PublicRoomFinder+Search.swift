import FoundationEssentials
import NatterCore
import XMPP

// Searches over the rooms of many servers (XEP-0433).
extension PublicRoomFinder {
  /// The maximum number of pages that are read without a search text.
  private static let wholePages = 3
  private static let pageSize = 100

  /// The pause in seconds after a search service reports too many requests without a duration: the
  /// first one, and the longest.
  private static let rest = (first: 30.0, longest: 3600.0)
  /// The longest pause in seconds, even if the service requests a longer one.
  private static let longestRest = 86_400

  /// The pause of a search service.
  struct Rest {
    let until: Date
    let length: TimeInterval
  }

  /// Searches all search services for `text`, and adds the results to the list.
  /// - Throws: `NatterError` when a service fails, or without a connection.
  package func search(for text: String) async throws {
    let channel = try openChannel()
    do {
      try await load()
      var failure: (any Error)?
      for directory in directories.values.sorted(by: { $0.jid.description < $1.jid.description })
      where directory.kind == .search {
        do {
          try await search(for: text, in: directory, over: channel)
        } catch let error where error is StanzaError || error is NatterError {
          failure = error
        }
      }
      if let failure { throw failure }
    } catch {
      throw NatterError(answering: error)
    }
  }

  private func search(
    for text: String, in directory: RoomDirectory, over channel: any StanzaChannel
  ) async throws {
    let found = try await found(text, at: directory.jid, pages: 1, over: channel)
    // The user may have removed the service meanwhile.
    guard directories[directory.jid] != nil else { return }
    reads.note(found.map(\.jid), of: directory.jid)
    let hasNew = found.contains { rooms[$0.jid] == nil }
    for room in found { take(room) }
    guard hasNew else { return }
    try await store.replaceRooms(of: directory.jid, with: rooms(in: directory.jid))
    changed()
  }

  /// Returns the rooms that a search service lists without a search text.
  func everything(at service: JID, over channel: any StanzaChannel) async throws -> [PublicRoom] {
    do {
      return try await found("", at: service, pages: Self.wholePages, over: channel)
    } catch let error as StanzaError where XEP0433.objection(in: error) == .wholeList {
      // The service answers only searches with a text; earlier results stay.
      return rooms(in: service)
    }
  }

  private func found(
    _ text: String, at service: JID, pages: Int, over channel: any StanzaChannel
  ) async throws -> [PublicRoom] {
    if let rest = rests[service] {
      let left = rest.until.timeIntervalSince(now())
      // More than it was at first: the clock was set back.
      if left > 0, left < rest.length + 1 { throw resting(service, for: left) }
    }
    do {
      let rooms = try await found(text, at: service, by: .people, pages: pages, over: channel)
      rests[service] = nil
      return rooms
    } catch let error as StanzaError {
      switch XEP0433.objection(in: error) {
      case .order:
        return try await found(text, at: service, by: .address, pages: pages, over: channel)
      case .rate(let seconds):
        let length =
          seconds.map { Double(min($0, Self.longestRest)) }
          ?? min(Self.rest.longest, rests[service].map { $0.length * 2 } ?? Self.rest.first)
        rests[service] = Rest(until: now().addingTimeInterval(length), length: length)
        throw resting(service, for: length)
      case .wholeList, nil: throw error
      }
    }
  }

  private func resting(_ service: JID, for seconds: TimeInterval) -> NatterError {
    NatterError(
      .refused, "error.discover.searchRests",
      ["address": service.description, "seconds": String(Int(seconds.rounded(.up)))])
  }

  private func found(
    _ text: String, at service: JID, by order: XEP0433.Order, pages: Int,
    over channel: any StanzaChannel
  ) async throws -> [PublicRoom] {
    var found: [PublicRoom] = []
    var seen: Set<JID> = []
    var position = XEP0059Request.Position.first
    for _ in 0..<pages {
      let answer = try await channel.request(
        XEP0433.search(
          text, at: service, by: order, XEP0059Request(position, limit: Self.pageSize)))
      guard let page = XEP0433.items(in: answer) else { break }
      let fresh = page.items.filter { seen.insert($0.jid).inserted }
      found += fresh.map { PublicRoom($0, directory: service).shortened }
      guard !fresh.isEmpty, let last = page.last else { break }
      position = .after(last)
    }
    return found
  }
}

extension PublicRoom {
  /// Creates the room that a search result describes.
  fileprivate init(_ item: XEP0433.Item, directory: JID) {
    self.init(
      jid: item.jid, directory: directory, name: item.name ?? "", topic: item.description ?? "",
      people: item.people, language: item.language,
      // Without information on access, the room itself is queried when the user looks at it.
      isDescribed: item.isOpen != nil)
    if item.isOpen == false { traits.insert(.membersOnly) }
    if item.isNonAnonymous { traits.insert(.nonAnonymous) }
  }
}
