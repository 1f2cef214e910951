import JSONLines
import NatterCore
import XMPP

/// What a script answers to `decorate`. Of what is not valid, the part about one message is left
/// out (interface.md, "Scripts", "Decorations").
struct DecorationAnswer: Sendable {
  /// The most marked parts of a message, bytes of an address, and characters of a note.
  static let limits = (spans: 200, link: 2048, note: 80)

  private(set) var decorations: [Message.ID: MessageDecoration] = [:]
  /// The number of parts that were left out, and the reason for the first of them.
  private(set) var dropped = 0
  private(set) var problem: String?

  /// Reads the answer to a request.
  init(_ answer: JSONValue, to request: DecorationRequest) {
    let entries: [JSONValue]
    switch answer {
    case .null: return
    case .array(let values): entries = values
    default:
      drop("the answer is no list")
      return
    }
    let bodies = Dictionary(
      request.messages.map { (String($0.id.rawValue), $0) }, uniquingKeysWith: { first, _ in first }
    )
    var answered: Set<Message.ID> = []
    for entry in entries {
      guard let id = entry["id"]?.string, let subject = bodies[id] else {
        drop("an id is none of those that were asked about")
        continue
      }
      guard answered.insert(subject.id).inserted else {
        drop("message \(id) is answered twice")
        continue
      }
      do throws(Problem) {
        let decoration = try Self.decoration(entry, of: subject.body)
        if !decoration.isEmpty { decorations[subject.id] = decoration }
      } catch {
        drop("message \(id): \(error.text)")
      }
    }
  }

  /// The line about it in the script's log; `nil`: all of it is valid.
  var complaint: String? {
    guard let problem else { return nil }
    return dropped == 1
      ? "decorate: \(problem); it was dropped" : "decorate: \(problem); \(dropped) were dropped"
  }

  private struct Problem: Error {
    let text: String
    init(_ text: String) { self.text = text }
  }

  private mutating func drop(_ problem: String) {
    dropped += 1
    if self.problem == nil { self.problem = problem }
  }

  private static func decoration(
    _ entry: JSONValue, of body: String
  ) throws(Problem) -> MessageDecoration {
    let spans: [MessageDecoration.Span]
    switch entry["spans"] {
    case nil, .null: spans = []
    case .array(let values):
      guard values.count <= limits.spans else { throw Problem("more than \(limits.spans) spans") }
      spans = try self.spans(values, of: body)
    default: throw Problem("spans is no list")
    }
    switch entry["note"] {
    case nil, .null: return MessageDecoration(spans: spans)
    case .text(let note):
      let short = String(note.beginning(bytes: 16 * limits.note).prefix(limits.note))
      return MessageDecoration(spans: spans, notes: short.isEmpty ? [] : [short])
    default: throw Problem("note is no text")
    }
  }

  private static func spans(
    _ values: [JSONValue], of body: String
  ) throws(Problem) -> [MessageDecoration.Span] {
    guard !values.isEmpty else { return [] }
    let count = body.count
    var spans: [MessageDecoration.Span] = []
    for value in values {
      guard let start = value["start"]?.int, let length = value["length"]?.int else {
        throw Problem("a span has no start and length")
      }
      guard start >= 0, length > 0, start < count, length <= count - start else {
        throw Problem("a span is outside of the body")
      }
      spans.append(
        MessageDecoration.Span(start..<start + length, try role(value), link: try link(value)))
    }
    spans.sort { $0.range.lowerBound < $1.range.lowerBound }
    for (span, next) in zip(spans, spans.dropFirst())
    where span.range.upperBound > next.range.lowerBound {
      throw Problem("spans overlap")
    }
    return spans
  }

  private static func role(_ value: JSONValue) throws(Problem) -> ScriptTextRole {
    guard let role = value["role"], role != .null else { return .plain }
    guard let name = role.string, let known = ScriptTextRole(rawValue: name) else {
      throw Problem("a role is not known")
    }
    return known
  }

  private static func link(_ value: JSONValue) throws(Problem) -> String? {
    guard let link = value["link"], link != .null else { return nil }
    guard let address = link.string, address.utf8.count <= limits.link, isAddress(address) else {
      throw Problem("a link is no address")
    }
    return address
  }

  /// Returns whether a text is a scheme, a colon and something behind it, without spaces and
  /// characters that are not seen.
  private static func isAddress(_ text: String) -> Bool {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
      colon > text.startIndex, text.utf8.index(after: colon) < text.endIndex
    else { return false }
    let isScheme = text.utf8[..<colon].enumerated().allSatisfy { index, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
        UInt8(ascii: "."):
        index > 0
      default: false
      }
    }
    return isScheme
      && text.unicodeScalars.allSatisfy { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate,
          .unassigned, .privateUse:
          false
        default: true
        }
      }
  }
}
