import BoundedText
import FoundationEssentials
import NatterCore
import XMPP

/// The history of Psi: a file `JID.history`, or any folder that has some, up to Psi's own.
package struct PsiHistory: HistoryFormat {
  package static let name = "psi"

  private static let suffix = ".history"
  /// The longest line: the texts before the body are as long as they are in the worst case.
  private static let lineLimit = 2 * HistoryText.limit

  private let tree: HistoryTree
  private let context: ImportContext

  package static func recognizes(_ path: String) -> Bool {
    tree(path).contains { PsiLine.begins(HistoryFile.beginning(of: $0, count: 256)) }
  }

  package init(path: String, context: ImportContext) throws {
    tree = Self.tree(path)
    self.context = context
    if HistoryFolder.kind(of: path) != .folder { _ = try HistoryFile(path) }
  }

  private static func tree(_ path: String) -> HistoryTree {
    // The name of the folder may be that of the account.
    HistoryTree(HistoryFolder.resolved(path) ?? path) { $0.hasSuffix(suffix) }
  }

  package func read(_ take: (ImportItem) throws -> Void) throws {
    try tree.read(take) { path in
      guard let peer = Self.address(HistoryFolder.name(of: path)) else {
        return try take(.refused(place: path))
      }
      let account = Self.account(of: path)
      let file = try HistoryFile(path)
      try file.lines(limit: Self.lineLimit) { number, line in
        guard case .text(let bytes) = line else {
          return try take(.refused(place: "\(path):\(number)"))
        }
        switch PsiLine(bytes) {
        case .damaged: try take(.refused(place: "\(path):\(number)"))
        case .notice: try take(.skipped)
        case .message(let content):
          guard let message = message(content, peer: peer, account: account) else {
            return try take(.refused(place: "\(path):\(number)"))
          }
          try take(message.body.isEmpty ? .skipped : .message(message))
        }
      }
    }
  }

  private func message(_ content: PsiLine.Content, peer: JID, account: JID?) -> ImportedMessage? {
    let local = content.time.seconds
    guard let body = HistoryText.body(content.text),
      let time = HistoryText.time(Double(local - (content.offset ?? context.offset(local))))
    else { return nil }
    var message = ImportedMessage(
      account: account, conversation: peer, kind: .direct,
      direction: content.isSent ? .outgoing : .incoming, sentAt: time, precision: .second,
      body: body)
    if HistoryText.isFileAddress(content.address), body == content.address {
      message.fileAddress = content.address
    }
    return message
  }

  /// Returns the account that the folder of a file is named after.
  private static func account(of path: String) -> JID? {
    let name = HistoryFolder.name(of: HistoryFolder.parent(of: path))
    guard let jid = address(name + suffix), jid.local != nil else { return nil }
    return jid
  }

  /// Returns the bare address that a file name encodes: letters, digits and points as they are,
  /// `_at_` for the at sign, other characters as `%` and two digits of their Latin-1 code.
  static func address(_ name: String) -> JID? {
    guard name.hasSuffix(suffix) else { return nil }
    let scalars = Array(name.unicodeScalars.dropLast(suffix.unicodeScalars.count))
    var text = String.UnicodeScalarView()
    var index = 0
    while index < scalars.count {
      if scalars[index] == "%", index + 2 < scalars.count,
        let high = Character(scalars[index + 1]).hexDigitValue,
        let low = Character(scalars[index + 2]).hexDigitValue
      {
        text.append(Unicode.Scalar(UInt8(high << 4 | low)))
        index += 3
      } else {
        text.append(scalars[index])
        index += 1
      }
    }
    var bytes = Array(String(text).utf8)
    let sign = Array("_at_".utf8)
    if let at = bytes[...].last(range: sign) {
      bytes.replaceSubrange(at..<(at + sign.count), with: [UInt8(ascii: "@")])
    }
    return JID(parsing: String(bounding: bytes))?.bare
  }
}

/// A line of a history of Psi: `|2026-11-28T21:04:10|1|from|N---|hello`.
enum PsiLine: Hashable {
  struct Content: Hashable {
    let time: LocalTime
    /// The offset of the time from UTC, in seconds; `nil`: it is local.
    let offset: Int?
    let isSent: Bool
    /// Subject, body and address, as far as they differ.
    let text: String
    /// The address that came with the message; empty: none.
    let address: String
  }

  case message(Content)
  /// An error, a headline or a subscription.
  case notice
  case damaged

  private static let bar = UInt8(ascii: "|")

  init(_ line: [UInt8]) {
    guard line.first == Self.bar else {
      self = .damaged
      return
    }
    var rest = line.dropFirst()
    func field() -> ArraySlice<UInt8>? {
      guard let end = rest.firstIndex(of: Self.bar) else { return nil }
      defer { rest = rest[(end + 1)...] }
      return rest[..<end]
    }
    guard let stamp = field(), let (time, offset) = Self.time(stamp), let type = field(),
      let type = Int(String(decoding: type, as: UTF8.self)), let origin = field(),
      let flags = field(), flags.count >= 2
    else {
      self = .damaged
      return
    }
    guard type == 0 || type == 1 else {
      self = (2...8).contains(type) ? .notice : .damaged
      return
    }
    // Besides the flags, there is a subject (1), and an address with its text (2).
    let mark = flags[flags.startIndex + 1]
    let extra = mark == UInt8(ascii: "-") ? 0 : Self.hexDigit(mark)
    guard let extra, let subject = extra & 1 == 0 ? [] : field(),
      let address = extra & 2 == 0 ? [] : field(),
      extra & 2 == 0 || field() != nil
    else {
      self = .damaged
      return
    }
    // Psi up to 0.8 wrote Latin-1 characters for the bytes of UTF-8.
    let isOld = flags.first != UInt8(ascii: "N")
    let texts = [Self.decoded(subject), Self.decoded(isOld ? Self.repaired(rest) : rest)]
    let link = Self.decoded(address)
    var parts = texts.filter { !$0.isEmpty }
    if !link.isEmpty, !parts.contains(link) { parts.append(link) }
    self = .message(
      Content(
        time: time, offset: offset, isSent: origin.elementsEqual("to".utf8),
        text: parts.joined(separator: "\n"), address: link))
  }

  /// Returns whether a file begins with a line.
  static func begins(_ start: [UInt8]) -> Bool {
    guard start.first == bar, let end = start.dropFirst().firstIndex(of: bar) else { return false }
    return time(start[1..<end]) != nil
  }

  private static func hexDigit(_ byte: UInt8) -> Int? {
    Character(Unicode.Scalar(byte)).hexDigitValue
  }

  /// Reads a time of ISO 8601: `2026-11-28T21:04:10`, with an optional fraction and offset.
  private static func time(_ text: ArraySlice<UInt8>) -> (LocalTime, Int?)? {
    var fields = FieldReader(text)
    guard let time = fields.localTime("-", "T", ":") else { return nil }
    if fields.skip(".") { while fields.number(1) != nil {} }
    guard !fields.rest.isEmpty else { return (time, nil) }
    guard let offset = fields.offset(), fields.rest.isEmpty else { return nil }
    return (time, offset)
  }

  /// Decodes the escapes: `\n` is a line end, `\p` a bar, `\\` a backslash.
  private static func decoded(_ text: some Sequence<UInt8>) -> String {
    var bytes: [UInt8] = []
    var isEscape = false
    for byte in text {
      if isEscape {
        switch byte {
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "p"): bytes.append(bar)
        case UInt8(ascii: "\\"): bytes.append(byte)
        default: break
        }
        isEscape = false
      } else if byte == UInt8(ascii: "\\") {
        isEscape = true
      } else {
        bytes.append(byte)
      }
    }
    return String(bounding: bytes)
  }

  private static func repaired(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let scalars = String(decoding: text, as: UTF8.self).unicodeScalars
    var bytes: [UInt8] = []
    for scalar in scalars {
      guard let byte = UInt8(exactly: scalar.value) else { return text }
      bytes.append(byte)
    }
    return bytes[...]
  }
}
