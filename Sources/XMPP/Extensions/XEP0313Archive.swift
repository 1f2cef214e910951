import FoundationEssentials

/// What is asked of a message archive (XEP-0313 §4).
package struct XEP0313Query: Hashable, Sendable {
  /// Only messages with this address; `nil`: all.
  package var with: JID?
  /// Only messages archived at or after this time, UTC.
  package var start: Date?
  /// Only messages archived at or before this time, UTC.
  package var end: Date?
  /// Only messages that the archive has after the one with this id; servers that do not announce `extended` refuse it.
  package var after: String?
  package var page: XEP0059Request

  /// What an archive announces that takes ids beside the page's (XEP-0313 §4.1.3).
  package static let extended = "urn:xmpp:mam:2#extended"

  package init(
    with: JID? = nil, start: Date? = nil, end: Date? = nil, after: String? = nil,
    _ position: XEP0059Request.Position, limit: Int
  ) {
    self.with = with
    self.start = start
    self.end = end
    self.after = after
    page = XEP0059Request(position, limit: limit)
  }

  /// The IQ to send.
  /// - Parameter id: the query's, by which its results are known; the IQ gets its own.
  package func element(id: String) -> Element {
    var query = Element("query", Namespace.archive, ["queryid": id])
    var fields: [XEP0004DataForm.Field] = []
    if let with { fields.append(.init("with", values: [with.description])) }
    if let start { fields.append(.init("start", values: [XEP0082DateTime.text(for: start)])) }
    if let end { fields.append(.init("end", values: [XEP0082DateTime.text(for: end)])) }
    if let after { fields.append(.init("after-id", values: [after])) }
    if !fields.isEmpty {
      let type = XEP0004DataForm.Field("FORM_TYPE", kind: .hidden, values: [Namespace.archive])
      query.append(XEP0004DataForm(.submit, fields: [type] + fields).element)
    }
    query.append(page.element)
    return Element("iq", Namespace.client, ["type": "set"], [query])
  }
}

/// A message from an archive (XEP-0313 §4.2).
package struct XEP0313Result: Hashable, Sendable {
  /// The archive's id of it, opaque.
  package let id: String
  /// When it was archived; some servers tell whole seconds only.
  package let stamp: Date
  package let message: MessageStanza

  package init(id: String, stamp: Date, message: MessageStanza) {
    self.id = id
    self.stamp = stamp
    self.message = message
  }

  /// The same, read by a user of these languages.
  package func inLanguages(_ languages: [String]) -> XEP0313Result {
    XEP0313Result(id: id, stamp: stamp, message: message.inLanguages(languages))
  }

  /// Reads the `<result/>` in `wrapper`; `nil` when there is none or something is missing.
  ///
  /// Anybody can send such a wrapper: the caller looks at who did, and whether the query was made.
  package static func read(_ wrapper: MessageStanza) -> (queryID: String, result: XEP0313Result)? {
    guard let element = wrapper.element.first("result", Namespace.archive),
      let queryID = element["queryid"], let id = element["id"], !id.isEmpty,
      let forwarded = element.first("forwarded", XEP0280Carbon.forwardNamespace),
      let stamp = forwarded.first("delay", Namespace.delay).flatMap({ XEP0203Delay($0) })?.stamp,
      let message = forwarded.first("message", Namespace.client).flatMap({
        MessageStanza(forwarded: $0)
      })
    else { return nil }
    return (queryID, XEP0313Result(id: id, stamp: stamp, message: message))
  }
}

/// A part of an archive (XEP-0313 §4.3).
package struct XEP0313Page: Hashable, Sendable {
  /// Oldest first.
  package let results: [XEP0313Result]
  /// Whether nothing lies beyond this page in the direction that was asked for.
  package let isComplete: Bool
  /// The archive's ids of the oldest and the newest item on the page, those left out here included: the server decides
  /// where the next page begins. `nil` on an empty page.
  package let oldest: String?
  package let newest: String?
  /// How many items the server says there are: of what the query's times and address let through, wherever the page
  /// begins. `nil` when it does not say (XEP-0059 §2.6).
  package let count: Int?
  /// Whether it was asked for by time: then it may have what lies beyond the place that it was asked for.
  package let isByTime: Bool
  /// Whether it has only what lies after a place that was asked for with it, and there is more of that.
  package var isBounded = false

  package init(
    results: [XEP0313Result], isComplete: Bool, oldest: String? = nil, newest: String? = nil,
    count: Int? = nil, isByTime: Bool = false
  ) {
    self.isByTime = isByTime
    self.results = results
    self.isComplete = isComplete
    self.oldest = oldest ?? results.first?.id
    self.newest = newest ?? results.last?.id
    self.count = count
  }

  /// Reads the answer to a query; `nil` when it is none. Where not all results were kept, the page is the part that was.
  init?(_ answer: Element, _ gathered: GatheredResults) {
    let results = gathered.results
    let (isCut, isBackward) = (gathered.isCut, gathered.isBackward)
    guard let fin = answer.first("fin", Namespace.archive) else { return nil }
    let set = fin.first("set", Namespace.resultSets)
    func id(_ name: String) -> String? {
      set?.first(name, Namespace.resultSets).map(\.text).flatMap { $0.isEmpty ? nil : $0 }
    }
    self.init(
      results: results,
      isComplete: !isCut && (fin["complete"] == "true" || fin["complete"] == "1"),
      oldest: isCut && isBackward ? nil : id("first"),
      newest: isCut && !isBackward ? nil : id("last"),
      count: id("count").flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil })
  }
}

/// The results of one query, while it is open: those nearest to the place that was asked for, as far as there is room.
package struct GatheredResults: Sendable {
  /// More than any server's page. What comes beyond is not kept, and asked for with the next page.
  static let limit = 2000
  /// The bytes that are kept of one page. What does not fit is asked for with the next page.
  package static let byteLimit = 4 << 20

  let archive: JID
  /// Whether the last of them are nearest.
  let isBackward: Bool
  package private(set) var results: [XEP0313Result] = []
  private var weights: [Int] = []
  private(set) var weight = 0
  /// Whether some of them were not kept.
  package private(set) var isCut = false

  /// - Parameter isBackward: whether the results come with the nearest of them last.
  package init(archive: JID, isBackward: Bool) {
    self.archive = archive
    self.isBackward = isBackward
  }

  /// Takes the next result, of so many bytes, where there is room.
  package mutating func take(_ result: XEP0313Result, weighing bytes: Int) {
    if !isBackward {
      // Nothing is passed over: what follows what did not fit does not fit either.
      let isFull =
        results.count >= Self.limit || !results.isEmpty && weight + bytes > Self.byteLimit
      if isCut || isFull { return isCut = true }
    }
    results.append(result)
    weights.append(bytes)
    weight += bytes
    while isBackward, weight > Self.byteLimit || results.count > Self.limit, results.count > 1 {
      results.removeFirst()
      weight -= weights.removeFirst()
      isCut = true
    }
  }
}
