import FoundationEssentials
import JSONLines
import XMPP

/// A parameter of a method.
package struct BridgeParameter: Sendable {
  /// The values that a parameter can have.
  package enum Kind: Sendable {
    /// A text of at most so many bytes in UTF-8.
    case text(_ most: Int)
    /// A text that is not empty, of at most so many bytes.
    case filled(_ most: Int)
    /// An address (RFC 7622).
    case address
    /// The id of a message.
    case message
    case integer(ClosedRange<Int>)
    case boolean
    /// One of these texts.
    case choice([String])
    /// A list of texts.
    case texts(most: Int)
    /// An object of ids of messages by account.
    case cursors
    /// The id of a request.
    case requestID
  }

  package let name: String
  package let kind: Kind
  package let isRequired: Bool

  package init(_ name: String, _ kind: Kind, isRequired: Bool = false) {
    (self.name, self.kind, self.isRequired) = (name, kind, isRequired)
  }

  package static func required(_ name: String, _ kind: Kind) -> BridgeParameter {
    BridgeParameter(name, kind, isRequired: true)
  }

  /// The name of its kind in the list of methods.
  package var type: String {
    switch kind {
    case .text, .filled: "text"
    case .address: "address"
    case .message: "message"
    case .integer: "integer"
    case .boolean: "boolean"
    case .choice(let values): values.joined(separator: "|")
    case .texts: "texts"
    case .cursors: "cursors"
    case .requestID: "id"
    }
  }
}

/// The parameters of a request, checked.
package struct BridgeArguments: Sendable {
  private enum Value: Sendable {
    case text(String)
    case address(JID)
    case message(Message.ID)
    case integer(Int)
    case boolean(Bool)
    case texts([String])
    case cursors([JID: Message.ID])
    case requestID(BridgeRequest.ID)
  }

  private var values: [String: Value] = [:]

  /// Reads the parameters of a method; others are ignored.
  /// - Throws: `BridgeError.Code.parameters` for the first that is missing or not valid.
  package init(_ members: [String: JSONValue], for parameters: [BridgeParameter])
    throws(BridgeError)
  {
    for parameter in parameters {
      guard let member = members[parameter.name], member != .null else {
        if parameter.isRequired { throw .parameter(parameter.name, "is missing") }
        continue
      }
      values[parameter.name] = try Self.value(member, of: parameter)
    }
  }

  private static func value(
    _ member: JSONValue, of parameter: BridgeParameter
  ) throws(BridgeError) -> Value {
    func problem(_ message: String) -> BridgeError { .parameter(parameter.name, message) }
    switch parameter.kind {
    case .text(let most), .filled(let most):
      guard let text = member.string else { throw problem("is not a text") }
      guard text.utf8.count <= most else { throw problem("has more than \(most) bytes") }
      if case .filled = parameter.kind, text.isEmpty { throw problem("is empty") }
      guard !text.utf8.contains(0) else { throw problem("contains NUL") }
      return .text(text)
    case .address:
      guard let jid = member.string.flatMap({ JID(parsing: $0) }) else {
        throw problem("is not an address")
      }
      return .address(jid)
    case .message:
      guard let id = Self.message(member) else { throw problem("is not the id of a message") }
      return .message(id)
    case .integer(let range):
      guard let number = member.int, range.contains(number) else {
        throw problem("is not an integer from \(range.lowerBound) to \(range.upperBound)")
      }
      return .integer(number)
    case .boolean:
      guard let value = member.bool else { throw problem("is not a boolean") }
      return .boolean(value)
    case .choice(let values):
      guard let text = member.string, values.contains(text) else {
        throw problem("is none of \(values.joined(separator: ", "))")
      }
      return .text(text)
    case .texts(let most):
      guard let elements = member.elements, elements.count <= most else {
        throw problem("is not a list of at most \(most) texts")
      }
      let texts = elements.compactMap(\.string)
      guard texts.count == elements.count else { throw problem("has elements that are no texts") }
      return .texts(texts)
    case .cursors: return .cursors(try cursors(member, of: parameter))
    case .requestID:
      guard let id = BridgeRequest.ID(member) else { throw problem("is not the id of a request") }
      return .requestID(id)
    }
  }

  private static func message(_ value: JSONValue) -> Message.ID? {
    let number = value.int.map(Int64.init) ?? value.string.flatMap { Int64($0) }
    return number.flatMap { $0 >= 0 ? Message.ID($0) : nil }
  }

  private static func cursors(
    _ member: JSONValue, of parameter: BridgeParameter
  ) throws(BridgeError) -> [JID: Message.ID] {
    guard case .object(let members) = member, members.count <= 1000 else {
      throw .parameter(parameter.name, "is not an object")
    }
    var cursors: [JID: Message.ID] = [:]
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      guard let jid = JID(parsing: name), let id = message(value) else {
        throw .parameter("\(parameter.name).\(name)", "is not a cursor of an account")
      }
      cursors[jid.bare] = id
    }
    return cursors
  }

  package func text(_ name: String) -> String? {
    if case .text(let value) = values[name] { value } else { nil }
  }
  package func address(_ name: String) -> JID? {
    if case .address(let value) = values[name] { value } else { nil }
  }
  package func message(_ name: String) -> Message.ID? {
    if case .message(let value) = values[name] { value } else { nil }
  }
  package func integer(_ name: String) -> Int? {
    if case .integer(let value) = values[name] { value } else { nil }
  }
  package func boolean(_ name: String, default absent: Bool = false) -> Bool {
    if case .boolean(let value) = values[name] { value } else { absent }
  }
  package func texts(_ name: String) -> [String]? {
    if case .texts(let value) = values[name] { value } else { nil }
  }
  package func cursors(_ name: String) -> [JID: Message.ID] {
    if case .cursors(let value) = values[name] { value } else { [:] }
  }
  package func requestID(_ name: String) -> BridgeRequest.ID? {
    if case .requestID(let value) = values[name] { value } else { nil }
  }
}
