import JSONLines
import NatterCore

/// A line of the bridge as JSON-RPC 2.0, as far as a program in between has to read it
/// (interface.md, "Access for programs").
nonisolated struct BridgeEnvelope: Sendable {
  private let members: [String: JSONValue]

  /// - Returns: `nil` for a line that is no JSON object.
  init?(_ line: LineSplitter.Line) {
    guard case .line(let bytes) = line, case .object(let members)? = try? JSONValue(parsing: bytes)
    else { return nil }
    self.members = members
  }

  init(_ members: [String: JSONValue]) { self.members = members }

  /// A request; `id` is `nil` for a notification.
  static func request(
    _ method: String, _ parameters: JSONValue = .object([:]), id: JSONValue?
  ) -> BridgeEnvelope {
    var members: [String: JSONValue] = [
      "jsonrpc": .text("2.0"), "method": .text(method), "params": parameters,
    ]
    members["id"] = id
    return BridgeEnvelope(members)
  }

  static func result(_ result: JSONValue, id: JSONValue) -> BridgeEnvelope {
    BridgeEnvelope(["jsonrpc": .text("2.0"), "id": id, "result": result])
  }

  static func error(
    _ error: BridgeError, id: JSONValue, _ texts: BridgeError.Texts
  ) -> BridgeEnvelope {
    BridgeEnvelope(["jsonrpc": .text("2.0"), "id": id, "error": error.object(texts)])
  }

  /// The line, without its line feed.
  var text: String { JSONValue.object(members).text }

  /// The id; `nil`: there is none of a kind that is allowed.
  var id: JSONValue? {
    switch members["id"] {
    case .integer?: members["id"]
    case .text(let text)? where text.utf8.count <= BridgeLimits.id: members["id"]
    default: nil
    }
  }
  /// Indicates whether there is an id, of any kind.
  var hasID: Bool { members["id"] != nil }
  var method: String? { members["method"]?.string }
  var parameters: JSONValue? { members["params"] }
  /// Returns a parameter; `nil`: it is absent or null, which is the same.
  func parameter(_ name: String) -> JSONValue? {
    parameters?[name].flatMap { $0 == .null ? nil : $0 }
  }
  var result: JSONValue? { members["result"] }
  var error: JSONValue? { members["error"] }

  /// The same with another id, or with a changed member of its parameters or its result.
  func with(id: JSONValue) -> BridgeEnvelope {
    var members = members
    members["id"] = id
    return BridgeEnvelope(members)
  }

  /// - Parameter member: `params` or `result`, changed where it is an object.
  func with(_ name: String, _ value: JSONValue, in member: String) -> BridgeEnvelope {
    var members = members
    var object: [String: JSONValue] = [:]
    switch members[member] {
    case .object(let present)?: object = present
    case nil: break
    default: return self
    }
    object[name] = value
    members[member] = .object(object)
    return BridgeEnvelope(members)
  }
}
