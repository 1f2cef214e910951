import NatterCore
import Text
import XMPP

/// The registry where modules publish their actions by name, and the entry point of all requests by
/// name: typed commands, addresses from the command line and from messages, the palette (flows.md,
/// "Modules and addresses").
///
/// A request for an unpublished name ends in an error of one sentence.
package final class Mediator {
  /// An action of a module.
  package struct Action {
    /// `module/action`.
    package let name: String
    package let required: Set<String>
    package let optional: Set<String>
    /// Asks the user for confirmation if a remote user wrote the address, and calls back on
    /// consent.
    /// - Returns: `false` if there is nothing to ask, and the action runs at once.
    package let ask: ([String: String], @escaping () throws -> Void) -> Bool
    package let perform: ([String: String]) throws -> Void

    package init(
      _ name: String, required: Set<String> = [], optional: Set<String> = [],
      ask: @escaping ([String: String], @escaping () throws -> Void) -> Bool = { _, _ in false },
      perform: @escaping ([String: String]) throws -> Void
    ) {
      self.name = name
      self.required = required
      self.optional = optional
      self.ask = ask
      self.perform = perform
    }
  }

  /// A choice that a module asks the user for: it shows the candidates, and calls back with the one
  /// chosen.
  package struct Inquiry {
    /// `module/inquiry`.
    package let name: String
    package let required: Set<String>
    package let optional: Set<String>
    /// Called with the parameters and the callback, which is not called if the user cancels.
    package let present: ([String: String], @escaping (String) -> Void) throws -> Void

    package init(
      _ name: String, required: Set<String> = [], optional: Set<String> = [],
      present: @escaping ([String: String], @escaping (String) -> Void) throws -> Void
    ) {
      self.name = name
      self.required = required
      self.optional = optional
      self.present = present
    }
  }

  private var actions: [String: Action] = [:]
  private var inquiries: [String: Inquiry] = [:]

  /// Opens an address in the named account and returns true, if that is another account than this
  /// one. Throws `NatterError` if there is no such account.
  package var elsewhere: (_ account: String, _ address: String, _ isForeign: Bool) throws -> Bool =
    { _, _, _ in false }

  package init() {}

  /// The names of all published actions.
  package var names: [String] { actions.keys.sorted() }

  /// Publishes an action; it replaces one of the same name.
  package func publish(_ action: Action) { actions[action.name] = action }

  /// Performs the action called `name`.
  /// - Parameter isForeign: whether the address comes from a remote user; then the user may be
  ///   asked first.
  /// - Throws: `NatterError` if the module, action or a parameter is unknown, or a parameter is
  ///   missing; and the errors of the action.
  package func perform(
    _ name: String, _ parameters: [String: String] = [:], isForeign: Bool = false
  ) throws {
    guard let action = actions[name] else { throw unknown(name, among: actions.keys) }
    try check(parameters, of: name, required: action.required, optional: action.optional)
    if isForeign, action.ask(parameters, { try action.perform(parameters) }) { return }
    try action.perform(parameters)
  }

  /// Publishes an inquiry; it replaces one of the same name.
  package func publish(_ inquiry: Inquiry) { inquiries[inquiry.name] = inquiry }

  /// Asks the user through the inquiry called `name`.
  /// - Parameter onAnswer: called after the choice, at most once.
  /// - Throws: `NatterError` if the inquiry or a parameter is unknown, or a parameter is missing;
  ///   and the errors of the inquiry.
  package func ask(
    _ name: String, _ parameters: [String: String] = [:],
    onAnswer: @escaping (String) -> Void
  ) throws {
    guard let inquiry = inquiries[name] else { throw unknown(name, among: inquiries.keys) }
    try check(parameters, of: name, required: inquiry.required, optional: inquiry.optional)
    try inquiry.present(parameters, onAnswer)
  }

  private func unknown(_ name: String, among names: some Sequence<String>) -> NatterError {
    let module = name.prefix { $0 != "/" }
    let isModule = names.contains { $0.hasPrefix(module + "/") }
    return NatterError(
      .invalidInput, isModule ? "error.unknownAction" : "error.unknownModule",
      ["name": name, "module": String(module)])
  }

  private func check(
    _ parameters: [String: String], of name: String, required: Set<String>, optional: Set<String>
  ) throws {
    if let missing = required.subtracting(parameters.keys).sorted().first {
      throw NatterError(
        .invalidInput, "error.missingParameter", ["name": name, "parameter": missing])
    }
    let known = required.union(optional)
    if let strange = parameters.keys.sorted().first(where: { !known.contains($0) }) {
      throw NatterError(
        .invalidInput, "error.unknownParameter", ["name": name, "parameter": strange])
    }
  }

  /// Opens an address.
  /// - Parameter isForeign: whether a remote user may have written it, as in a message or on the
  ///   command line; not if the user typed it into the program.
  /// - Throws: `NatterError` if the address is invalid, or requests an unknown action.
  package func open(_ text: String, isForeign: Bool = false) throws {
    guard let address = ResourceAddress(text) else {
      throw NatterError(.invalidInput, "error.badURI", ["text": text])
    }
    if let account = address.account, try elsewhere(account, text, isForeign) { return }
    switch address.scheme {
    case .natter:
      let parts = address.path.split(
        separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.first == "script", parts.count > 1 else {
        return try perform(address.path, address.parameters, isForeign: isForeign)
      }
      // All after the name is the script's own.
      let parameters = ["name": String(parts[1]), "address": text.trimmed]
      try perform("script/open", parameters, isForeign: isForeign)
    case .xmpp: try openXMPP(address, text, isForeign)
    }
  }

  // The queries of XEP-0147. Registered parameters that mean nothing here are ignored; an unknown
  // parameter is reported like an unknown action.
  private func openXMPP(_ address: ResourceAddress, _ text: String, _ isForeign: Bool) throws {
    var parameters = ["jid": address.path]
    func take(_ names: String..., without others: Set<String> = []) throws {
      for name in names { if let value = address.parameters[name] { parameters[name] = value } }
      let known = others.union(names)
      if let strange = address.parameters.keys.sorted().first(where: { !known.contains($0) }) {
        throw NatterError(
          .invalidInput, "error.unknownParameter",
          ["name": "xmpp:?\(address.query)", "parameter": strange])
      }
    }
    func demand(_ parameter: String, _ known: Set<String>) throws {
      guard let value = address.parameters[parameter], !known.contains(value) else { return }
      throw NatterError(
        .invalidInput, "error.unknownValue",
        ["name": "xmpp:?\(address.query)", "parameter": parameter, "value": value])
    }
    switch address.query {
    case "", "message":
      try take("body", without: ["subject", "thread", "from", "id", "type"])
      try perform("chats/open", parameters, isForeign: isForeign)
    case "join":
      try take("nick", "password")
      try perform("rooms/join", parameters, isForeign: isForeign)
    case "roster", "subscribe":
      try take("name", "group", "preauth", without: ["ibr"])
      try perform("contacts/add", parameters)
    case "pubsub" where XEP0471Event.isCalendar(address.parameters["node"] ?? ""):
      try take("node", "item", without: ["action"])
      try perform("events/open", parameters)
    case "register":
      // An invitation to register an account (XEP-0445); the path may be only a server.
      try perform("account/register", ["address": text])
    case "remove", "unsubscribe":
      try take()
      try perform("contacts/remove", parameters)
    case "invite":
      try take("jid", "password")
      guard let guest = address.parameters["jid"] else {
        parameters["jid"] = address.path
        return try perform("rooms/join", parameters, isForeign: isForeign)
      }
      try perform("rooms/invite", ["room": address.path, "jid": guest])
    case "disco":
      try take(without: ["node", "request", "type"])
      try demand("request", ["info", "items"])
      try demand("type", ["get"])
      guard address.parameters["node"]?.isEmpty == false else {
        return try perform("discover/open", parameters)
      }
      try take("node", "request", without: ["type"])
      try perform("discover/node", parameters)
    default:
      throw NatterError(
        .invalidInput, "error.unknownAction", ["name": address.query, "module": "xmpp"])
    }
  }
}
