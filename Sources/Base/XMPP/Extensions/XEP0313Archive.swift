import FoundationEssentials
import XML

/// A query of a message archive (XEP-0313 §4).
package struct XEP0313Query: Hashable, Sendable {
  /// The peer whose messages are requested; `nil` for all messages.
  package var with: JID?
  /// The earliest archiving time, UTC, inclusive.
  package var start: Date?
  /// The latest archiving time, UTC, inclusive.
  package var end: Date?
  /// The id of an archived message after which all results are; servers that do not announce
  /// `extended` reject it.
  package var after: String?
  /// A text to search for; only for archives that offer it (`XEP0431FullText`).
  package var text: String?
  package var page: XEP0059Request

  /// The feature of an archive that supports ids beside the page's (XEP-0313 §4.1.3).
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

  /// Returns the IQ to send.
  /// - Parameter id: The query's id, which its results carry; the IQ gets its own.
  package func element(id: String) -> Element {
    var query = Element("query", Namespace.archive, ["queryid": id])
    var fields: [XEP0004DataForm.Field] = []
    if let with { fields.append(.init("with", values: [with.description])) }
    if let start { fields.append(.init("start", values: [XEP0082DateTime.text(for: start)])) }
    if let end { fields.append(.init("end", values: [XEP0082DateTime.text(for: end)])) }
    if let after { fields.append(.init("after-id", values: [after])) }
    if let text { fields.append(.init(XEP0431FullText.field, values: [text])) }
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
  /// The message's id in the archive, opaque.
  package let id: String
  /// The archiving time; some servers report whole seconds only.
  package let stamp: Date
  package let message: MessageStanza

  package init(id: String, stamp: Date, message: MessageStanza) {
    self.id = id
    self.stamp = stamp
    self.message = message
  }

  /// Returns the same result for a user who reads `languages`.
  package func inLanguages(_ languages: [String]) -> XEP0313Result {
    XEP0313Result(id: id, stamp: stamp, message: message.inLanguages(languages))
  }

  /// Reads the `<result/>` in `wrapper`; `nil` when there is none or something is missing.
  ///
  /// Any entity can send such a wrapper: the caller checks the sender, and whether the query is
  /// open.
  package static func read(_ wrapper: MessageStanza) -> (queryID: String, result: XEP0313Result)? {
    guard let element = wrapper.element.first("result", Namespace.archive),
      let queryID = element["queryid"], let id = element["id"], !id.isEmpty,
      let forwarded = element.first("forwarded", XEP0280Carbon.forwardNamespace),
      let stamp = forwarded.first("delay", Namespace.delay).flatMap({ XEP0203Delay($0) })?.stamp,
      let message = forwarded.first("message", Namespace.client).flatMap({
        MessageStanza(forwarded: $0)
      })
    else { return nil }
    return (queryID, XEP0313Result(id: id.identifier, stamp: stamp, message: message))
  }
}

/// A part of an archive (XEP-0313 §4.3).
package struct XEP0313Page: Hashable, Sendable {
  /// The results, oldest first.
  package let results: [XEP0313Result]
  /// Indicates whether nothing lies beyond this page in the requested direction.
  package let isComplete: Bool
  /// The archive's ids of the oldest and the newest item on the page, including items omitted here:
  /// the server decides where the next page begins. `nil` on an empty page.
  package let oldest: String?
  package let newest: String?
  /// The server's number of items that match the query's times and address, wherever the page
  /// begins. `nil` when the server does not report it (XEP-0059 §2.6).
  package let count: Int?
  /// Indicates whether it was requested by time: then it may contain items beyond the requested
  /// position.
  package let isByTime: Bool
  /// Indicates whether it has only items after a position that the query named, and more of them
  /// follow.
  package var isBounded = false

  /// Returns whether the archive has nothing in the requested direction beyond `position`, which
  /// the query named. A page of which all results were omitted here is not the end: the next page
  /// begins after it.
  package func isEmpty(beyond position: String?) -> Bool {
    results.isEmpty && (newest == nil || newest == position || oldest == position)
  }

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

  /// Reads the response to a query; `nil` when it is something else. When not all results were
  /// kept, the page consists of those that were.
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

/// The results of an open query: those nearest to the requested position, as far as the limits
/// allow.
package struct GatheredResults: Sendable {
  /// The most results that are kept, more than any server's page. The rest is requested with the
  /// next page.
  static let limit = 2000
  /// The most bytes of a page that are kept. The rest is requested with the next page.
  package static let byteLimit = 4 << 20

  let archive: JID
  /// Indicates whether the last results are the nearest.
  let isBackward: Bool
  package private(set) var results: [XEP0313Result] = []
  private var weights: [Int] = []
  private(set) var weight = 0
  /// Indicates whether some results were dropped.
  package private(set) var isCut = false

  /// - Parameter isBackward: `true` if the nearest results come last.
  package init(archive: JID, isBackward: Bool) {
    self.archive = archive
    self.isBackward = isBackward
  }

  /// Adds the next result, of `bytes` bytes, if there is room.
  package mutating func take(_ result: XEP0313Result, weighing bytes: Int) {
    if !isBackward {
      // Results must be consecutive: after a result that did not fit, no later result is kept.
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
