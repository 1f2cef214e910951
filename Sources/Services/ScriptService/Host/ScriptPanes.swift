import JSONLines
import NatterCore
import Synchronization
import XMPP

/// The panes that one run of a script has opened, by id.
final class ScriptPanes: Sendable {
  private let script: String
  private let panes = Mutex<[String: ScriptPane]>([:])

  init(_ script: String) { self.script = script }

  /// Sets all of a pane.
  /// - Throws: `BridgeError.Code.parameters`; `.tooLarge` if too many are open.
  func open(_ id: String, _ members: [String: JSONValue]) throws(BridgeError) -> ScriptPane {
    var pane = ScriptPane(script: script, id: id, title: "")
    try PaneReader(members).read(into: &pane)
    try panes.withLock { panes throws(BridgeError) in
      guard panes[id] != nil || panes.count < ScriptLimits.panes else {
        throw BridgeError(.tooLarge, "more than \(ScriptLimits.panes) panes are open")
      }
      panes[id] = pane
    }
    return pane
  }

  /// Sets the members of a pane that are given.
  /// - Throws: `BridgeError.Code.parameters`; `.notFound` if it was not opened.
  func update(_ id: String, _ members: [String: JSONValue]) throws(BridgeError) -> ScriptPane {
    // At once: two updates of a pane at the same time must not lose one of them.
    try panes.withLock { panes throws(BridgeError) in
      guard var pane = panes[id] else {
        throw BridgeError(.notFound, "the pane was not opened")
      }
      try PaneReader(members).read(into: &pane)
      panes[id] = pane
      return pane
    }
  }
}

/// Reads the content of a pane from the parameters of `ui.pane.open` and `ui.pane.update`.
struct PaneReader {
  private let members: [String: JSONValue]

  init(_ members: [String: JSONValue]) { self.members = members }

  /// Reads what is given.
  /// - Throws: `BridgeError.Code.parameters` with the path of the first value that is not valid;
  ///   `.tooLarge`.
  func read(into pane: inout ScriptPane) throws(BridgeError) {
    if let title = try text(members["title"], "title") { pane.title = title }
    if let lines = try list("lines", most: ScriptLimits.paneLines) {
      var read: [ScriptPane.Line] = []
      read.reserveCapacity(lines.count)
      for (index, value) in lines.enumerated() { read.append(try line(value, "lines[\(index)]")) }
      guard read.reduce(0, { $0 + $1.text.utf8.count }) <= ScriptLimits.paneBytes else {
        throw BridgeError(.tooLarge, "the lines have more than \(ScriptLimits.paneBytes) bytes")
      }
      pane.lines = read
    }
    if let keys = try list("keys", most: ScriptLimits.paneKeys) {
      var read: [ScriptPane.Key] = []
      for (index, value) in keys.enumerated() {
        let key = try key(value, "keys[\(index)]")
        guard !read.contains(where: { $0.key == key.key }) else {
          throw .parameter("keys[\(index)].key", "is there twice")
        }
        read.append(key)
      }
      pane.keys = read
    }
  }

  private func list(_ name: String, most: Int) throws(BridgeError) -> [JSONValue]? {
    guard let value = members[name], value != .null else { return nil }
    guard let elements = value.elements, elements.count <= most else {
      throw .parameter(name, "is not a list of at most \(most)")
    }
    return elements
  }

  private func text(_ value: JSONValue?, _ path: String) throws(BridgeError) -> String? {
    guard let value, value != .null else { return nil }
    guard let text = value.string else { throw .parameter(path, "is not a text") }
    guard !text.utf8.contains(0) else { throw .parameter(path, "contains NUL") }
    return text
  }

  private func line(_ value: JSONValue, _ path: String) throws(BridgeError) -> ScriptPane.Line {
    guard let text = try text(value["text"], path + ".text") else {
      throw .parameter(path + ".text", "is missing")
    }
    var spans: [ScriptPane.Span] = []
    if let value = value["spans"], value != .null {
      guard let elements = value.elements, elements.count <= ScriptLimits.paneSpans else {
        throw .parameter(path + ".spans", "is not a list of at most \(ScriptLimits.paneSpans)")
      }
      for (index, element) in elements.enumerated() {
        let span = try span(element, path + ".spans[\(index)]")
        guard span.range.lowerBound >= spans.last?.range.upperBound ?? 0 else {
          throw .parameter(path + ".spans[\(index)].start", "is in the span before")
        }
        spans.append(span)
      }
    }
    return ScriptPane.Line(
      text.beginning(bytes: ScriptLimits.paneText), try role(value["role"], path + ".role"),
      spans: spans)
  }

  private func span(_ value: JSONValue, _ path: String) throws(BridgeError) -> ScriptPane.Span {
    let limit = BridgeLimits.line
    guard let start = value["start"]?.int, (0...limit).contains(start) else {
      throw .parameter(path + ".start", "is not an integer from 0 to \(limit)")
    }
    guard let length = value["length"]?.int, (1...limit).contains(length) else {
      throw .parameter(path + ".length", "is not an integer from 1 to \(limit)")
    }
    return ScriptPane.Span(start..<start + length, try role(value["role"], path + ".role"))
  }

  private func role(_ value: JSONValue?, _ path: String) throws(BridgeError) -> ScriptTextRole {
    guard let value, value != .null else { return .plain }
    guard let role = value.string.flatMap(ScriptTextRole.init) else {
      let names = ScriptTextRole.allCases.map(\.rawValue).joined(separator: ", ")
      throw .parameter(path, "is none of \(names)")
    }
    return role
  }

  private func key(_ value: JSONValue, _ path: String) throws(BridgeError) -> ScriptPane.Key {
    guard let text = value["key"]?.string, text.utf8.count == 1, let byte = text.utf8.first,
      (0x21...0x7E).contains(byte), let character = text.first
    else { throw .parameter(path + ".key", "is not a visible ASCII character") }
    let label = try self.text(value["label"], path + ".label") ?? ""
    return ScriptPane.Key(character, label.beginning(bytes: ScriptLimits.paneTitle))
  }
}

extension ScriptMethod {
  /// The methods about panes.
  static let panes = [
    pane("ui.pane.open", isRequired: true) { try $0.open($1, $2) },
    pane("ui.pane.update", isRequired: false) { try $0.update($1, $2) },
  ]

  private static func pane(
    _ name: String, isRequired: Bool,
    _ change: @escaping @Sendable (ScriptPanes, String, [String: JSONValue]) throws -> ScriptPane
  ) -> ScriptMethod {
    ScriptMethod(
      name,
      [
        .required("id", .filled(ScriptName.limit)),
        BridgeParameter("title", .filled(ScriptLimits.paneTitle), isRequired: isRequired),
      ]
    ) { call in
      let id = try call.text("id")
      guard call.parts.script.manifest.panes.contains(id) else {
        throw BridgeError.parameter("id", "is no pane of the manifest")
      }
      if !call.services.rights.holds(.panes) { _ = try await scope(of: .panes, call) }
      let pane = try change(call.session.panes, id, call.request.parameters)
      await call.session.screen.set(.pane(id), .pane(pane), call.services)
      return JSONLine()
    }.checking { members throws(BridgeError) in
      if isRequired, members["lines"] ?? .null == .null {
        throw .parameter("lines", "is missing")
      }
      var pane = ScriptPane(script: "", id: "", title: "")
      try PaneReader(members).read(into: &pane)
    }
  }
}
