import BoundedText
import FoundationEssentials
import NatterCore
import XML
import XMPP

/// Message archives in exports of servers (XEP-0227 §4.9): `server-data/host/user/archive`, with
/// the results of XEP-0313 in them. The file is not kept in memory; parts in other files (XInclude)
/// are read if they are below its folder.
package struct XEP0227Format: HistoryFormat {
  package static let name = "xep0227"

  /// The namespace of the export, and that of archives in it.
  static let namespace = "urn:xmpp:pie:0"
  static let archiveNamespace = "urn:xmpp:pie:0#mam"

  private let path: String
  private let context: ImportContext

  package static func recognizes(_ path: String) -> Bool {
    let text = HistoryFile.beginning(of: path)
    guard text.contains(0x3C) else { return false }
    return text.contains("server-data".utf8) && text.contains("urn:xmpp:pie:0".utf8)
  }

  package init(path: String, context: ImportContext) throws {
    self.path = path
    self.context = context
  }

  package func read(_ take: (ImportItem) throws -> Void) throws {
    var reader = XEP0227Reader(folder: HistoryFolder.parent(of: path), context: context)
    try reader.read(path, take)
  }
}

/// Reads a file of an export, and those that it includes.
private struct XEP0227Reader {
  /// The longest result, in bytes.
  private static let resultLimit = HistoryText.limit + (64 << 10)
  private static let includeNamespace = "http://www.w3.org/2001/XInclude"
  /// The most files that include each other, and the most in all.
  private static let (deepest, mostFiles) = (4, 10_000)

  private let folder: String
  private let context: ImportContext
  /// The start tags around what is read: those of `server-data`, `host`, `user`, `archive`.
  private var tags: [(start: [UInt8], name: [UInt8], element: Element)] = []
  private var files = 0
  private var depth = 0
  /// Indicates whether there is an export in the file.
  private var hasRoot = false
  private let parser = XMLStreamParser(stanzaLimit: 4 << 20)

  init(folder: String, context: ImportContext) {
    self.folder = folder
    self.context = context
  }

  mutating func read(_ path: String, _ take: (ImportItem) throws -> Void) throws {
    files += 1
    depth += 1
    defer { depth -= 1 }
    var tokens = XMLTokens(try HistoryFile(path))
    // Elements around those of this file.
    let outer = tags.count
    while let token = try next(of: &tokens) {
      switch token {
      case .end:
        guard tags.count > outer else { throw ImportFailure.damaged(path: path) }
        tags.removeLast()
        if tags.isEmpty { return }
      case .start(let tag, let name, let isEmpty):
        try element(tag, name, isEmpty, &tokens, path, take)
      }
    }
    guard hasRoot else { throw ImportFailure.damaged(path: path) }
    guard tags.count > outer else { return }
    // It is cut off.
    tags.removeLast(tags.count - outer)
    try take(.refused(place: "\(path):\(tokens.position)"))
  }

  /// Returns the next tag. What is no markup ends the file: what was read before it stays.
  private mutating func next(of tokens: inout XMLTokens) throws -> XMLTokens.Token? {
    do { return try tokens.next() } catch ImportFailure.damaged where !tags.isEmpty { return nil }
  }

  private mutating func element(
    _ tag: [UInt8], _ name: [UInt8], _ isEmpty: Bool, _ tokens: inout XMLTokens, _ path: String,
    _ take: (ImportItem) throws -> Void
  ) throws {
    if tags.count == 4 {
      guard !isEmpty else {
        // Any other element says nothing without content.
        guard let start = parse(tag + closing(name)), start.is("include", Self.includeNamespace)
        else { return }
        return try include(start, take)
      }
      tokens.collect(after: tag, limit: Self.resultLimit)
      try skip(&tokens)
      let bytes = tokens.takeCollected()
      guard let bytes, let result = parse(bytes) else {
        return try take(.refused(place: "\(path):\(tokens.position)"))
      }
      if result.is("include", Self.includeNamespace) { return try include(result, take) }
      return try take(item(result) ?? .refused(place: "\(path):\(tokens.position)"))
    }
    guard let start = parse(tag + closing(name)) else {
      throw ImportFailure.damaged(path: path)
    }
    if start.is("include", Self.includeNamespace) {
      if !isEmpty { try skip(&tokens) }
      return try include(start, take)
    }
    guard isExpected(start) else {
      if !isEmpty { try skip(&tokens) }
      guard !tags.isEmpty else { throw ImportFailure.damaged(path: path) }
      return
    }
    hasRoot = true
    if !isEmpty { tags.append((tag, name, start)) }
  }

  private func isExpected(_ element: Element) -> Bool {
    switch tags.count {
    case 0: element.is("server-data", XEP0227Format.namespace)
    case 1: element.is("host", XEP0227Format.namespace)
    case 2: element.is("user", XEP0227Format.namespace)
    default: element.is("archive", XEP0227Format.archiveNamespace)
    }
  }

  /// Passes over the rest of an element.
  private mutating func skip(_ tokens: inout XMLTokens) throws {
    var open = 1
    while open > 0, let token = try next(of: &tokens) {
      switch token {
      case .end: open -= 1
      case .start(_, _, let isEmpty): open += isEmpty ? 0 : 1
      }
    }
  }

  private func closing(_ name: [UInt8]) -> [UInt8] { [0x3C, 0x2F] + name + [0x3E] }

  /// Parses an element with the tags around it, whose namespaces apply to it.
  private mutating func parse(_ bytes: [UInt8]) -> Element? {
    // The first is the stream's header; what is inside it is a stanza.
    let around = tags.dropFirst()
    let header = tags.first?.start ?? Array("<r>".utf8)
    let stanza =
      around.flatMap(\.start) + bytes + around.reversed().flatMap { closing($0.name) }
    parser.reset()
    guard let events = try? parser.feed(header + stanza), parser.failure == nil else { return nil }
    for case .element(let element) in events {
      var found = element
      for _ in around {
        guard let child = found.elements.first else { return nil }
        found = child
      }
      return found.detached
    }
    return nil
  }

  // MARK: - Other files

  private mutating func include(_ element: Element, _ take: (ImportItem) throws -> Void) throws {
    guard let href = element["href"], depth < Self.deepest, files < Self.mostFiles,
      let path = path(of: href)
    else { return try take(.refused(place: element["href"] ?? "XInclude")) }
    let outer = tags.count
    do { try read(path, take) } catch is ImportFailure {
      // The rest of the export does not depend on it.
      tags.removeLast(tags.count - outer)
      try take(.refused(place: path))
    }
  }

  /// Returns the path of a file below the folder; `nil` for any other.
  private func path(of href: String) -> String? {
    guard !href.hasPrefix("/"), !href.contains(":"),
      let bytes = PercentDecoding.validBytes(of: href), !bytes.contains(0)
    else { return nil }
    let path = folder + "/" + String(decoding: bytes, as: UTF8.self)
    guard let target = HistoryFolder.resolved(path), let base = HistoryFolder.resolved(folder),
      target.hasPrefix(base.hasSuffix("/") ? base : base + "/")
    else { return nil }
    return target
  }

  // MARK: - Messages

  private var account: JID? {
    guard tags.count == 4, let host = tags[1].element["jid"], let user = tags[2].element["name"]
    else { return nil }
    return JID(parsing: "\(user)@\(host)")
  }

  private func item(_ result: Element) -> ImportItem? {
    // Elements of the same names in other namespaces mean something else.
    guard result.name == "result", result.namespace.hasPrefix("urn:xmpp:mam:"), let account,
      let id = result["id"],
      let forwarded = result.first("forwarded", XEP0280Carbon.forwardNamespace),
      // The first one alone: a time that cannot be read is not that of another delay.
      let delay = forwarded.first("delay", Namespace.delay).flatMap({ XEP0203Delay($0) }),
      let time = HistoryText.time(delay.stamp.timeIntervalSince1970),
      let message = forwarded.first("message", Namespace.client)
    else { return nil }
    let stanza = MessageStanza(message).inLanguages(context.languages)
    guard stanza.kind != .error, let body = stanza.body else { return .skipped }
    guard let from = message["from"].map({ JID(parsing: $0) }) ?? account,
      let to = message["to"].map({ JID(parsing: $0) }) ?? account,
      let text = HistoryText.body(Array(body.utf8))
    else { return nil }
    let isRoom = message["type"] == "groupchat"
    let isOwn = isRoom ? from.resource.map(context.isOwn) == true : from.bare == account
    let peer = isOwn && !isRoom ? to : from
    // An occupant of a room, whose messages are marked (XEP-0045 §7.5).
    let isPrivate = message.first("x", XEP0045.user) != nil
    var imported = ImportedMessage(
      account: account, conversation: isPrivate && !isRoom ? peer : peer.bare,
      kind: isRoom ? .room : .direct, direction: isOwn ? .outgoing : .incoming,
      sentAt: time, precision: .microsecond, body: text)
    imported.nick = isRoom ? from.resource : nil
    imported.stanzaID = id
    let origin = message.first("origin-id", Namespace.stanzaIDs)?["id"]
    imported.originID = origin ?? message["id"]
    imported.corrects = message.first("replace", XEP0308Correction.namespace)?["id"]
    imported.fileAddress =
      message.first("x", Namespace.outOfBand)?.first("url", Namespace.outOfBand)?.text
    return .message(imported)
  }
}
