import FoundationEssentials
import XML
import XMPP

/// A client's request for a page of an archive (XEP-0313 §4, XEP-0059).
struct ArchiveQuery: Sendable {
  let id: String?
  var filter: ArchiveFilter
  /// The ids that the client named, which must exist in the archive.
  private(set) var mentioned: [Int64] = []
  /// The requested number of results; `nil` leaves it to the server.
  private(set) var limit: Int?
  /// Indicates whether the page is taken from the end of the results.
  private(set) var isFromEnd = false
  let isFlipped: Bool

  private static let fields: Set = [
    "FORM_TYPE", "with", "start", "end", "before-id", "after-id", "ids", XEP0431FullText.field,
  ]

  /// Parses a `<query/>` to the archive of `owner`.
  init(_ query: Element, of owner: String) throws(RequestRefusal) {
    id = query["queryid"]
    filter = ArchiveFilter(owner: owner)
    isFlipped = query.first("flip-page", Namespace.archive) != nil
    if let form = query.first("x", Namespace.dataForms).flatMap({ XEP0004DataForm($0) }) {
      try read(form)
    }
    if let set = query.first("set", Namespace.resultSets) { try read(set) }
  }

  private mutating func read(_ form: XEP0004DataForm) throws(RequestRefusal) {
    guard form.formType == Namespace.archive else { throw RequestRefusal(.badRequest) }
    for field in form.fields {
      guard let name = field.name, let value = field.values.first else { continue }
      switch name {
      case "with":
        guard let peer = Address.parse(value) else { throw RequestRefusal(.badRequest) }
        filter.peer = peer
      // Timestamps go out in milliseconds, so both ends include every message with that stamp.
      case "start": filter.start = try Self.microseconds(value)
      case "end": filter.end = try Self.microseconds(value) + 999
      case "after-id": filter.after = try mention(value)
      case "before-id": filter.before = try mention(value)
      case "ids":
        guard field.values.count <= 500 else { throw RequestRefusal(.resourceConstraint) }
        var ids: [Int64] = []
        for value in field.values { ids.append(try mention(value)) }
        filter.ids = ids
      case XEP0431FullText.field: filter.terms = ArchiveTerms(value)
      default:
        guard Self.fields.contains(name) else { throw RequestRefusal(.featureNotImplemented) }
      }
    }
  }

  private mutating func read(_ set: Element) throws(RequestRefusal) {
    if let text = set.first("max", Namespace.resultSets)?.text {
      guard let number = Int(text), number >= 0 else { throw RequestRefusal(.badRequest) }
      limit = number
    }
    if let after = set.first("after", Namespace.resultSets)?.text {
      filter.after = max(try mention(after), filter.after ?? 0)
    }
    if let before = set.first("before", Namespace.resultSets)?.text {
      isFromEnd = true
      if !before.isEmpty { filter.before = min(try mention(before), filter.before ?? .max) }
    }
  }

  private mutating func mention(_ text: String) throws(RequestRefusal) -> Int64 {
    guard let id = Int64(text), id > 0, String(id) == text else {
      throw RequestRefusal(.itemNotFound)
    }
    mentioned.append(id)
    return id
  }

  private static func microseconds(_ text: String) throws(RequestRefusal) -> Int64 {
    guard let date = XEP0082DateTime.date(from: text) else { throw RequestRefusal(.badRequest) }
    return Int64((date.timeIntervalSince1970 * 1000).rounded(.down)) * 1000
  }

  /// The form with the supported query fields (§4.1.1).
  static var form: Element {
    let kinds: [(String, XEP0004DataForm.FieldKind)] = [
      ("with", .jidSingle), ("start", .textSingle), ("end", .textSingle),
      ("before-id", .textSingle), ("after-id", .textSingle), ("ids", .listMulti),
      (XEP0431FullText.field, .textSingle),
    ]
    let type = XEP0004DataForm.Field("FORM_TYPE", kind: .hidden, values: [Namespace.archive])
    let fields = [type] + kinds.map { XEP0004DataForm.Field($0, kind: $1) }
    return Element(
      "query", Namespace.archive, [:], [XEP0004DataForm(.form, fields: fields).element])
  }
}
