import NatterCore
import XMPP

/// Where modules publish what they can do, by name, and where everything that is asked for by name arrives: typed
/// commands, addresses from the command line and from messages, the palette
/// (flows.md, "Modules and addresses").
///
/// What nobody has published ends in one sentence that says so.
package final class Mediator {
  /// Something a module can do.
  package struct Action {
    /// `module/action`.
    package let name: String
    package let required: Set<String>
    package let optional: Set<String>
    /// Asks the person before it is done for an address that somebody else wrote, and calls back when it is to be done.
    /// - Returns: `false` when there is nothing to ask, and it is to be done at once.
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

  /// Something a module finds out from the person: it shows what there is to choose from, and answers when he has chosen.
  package struct Inquiry {
    /// `module/inquiry`.
    package let name: String
    package let required: Set<String>
    package let optional: Set<String>
    /// Called with the parameters, and with what takes the answer; not at all when the person chooses nothing.
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

  /// Opens an address in the account of that name, where that is another one than this one's, and says whether it is. Throws
  /// `NatterError` where there is none.
  package var elsewhere: (_ account: String, _ address: String, _ isForeign: Bool) throws -> Bool =
    { _, _, _ in false }

  package init() {}

  /// The names of everything that can be asked for.
  package var names: [String] { actions.keys.sorted() }

  /// Makes an action known; one of the same name takes its place.
  package func publish(_ action: Action) { actions[action.name] = action }

  /// Does what is called `name`.
  /// - Parameter isForeign: whether it comes from an address that somebody else wrote: the person may be asked first.
  /// - Throws: `NatterError` when there is no such module, action or parameter, or one is missing; and what the action
  ///   throws.
  package func perform(
    _ name: String, _ parameters: [String: String] = [:], isForeign: Bool = false
  ) throws {
    guard let action = actions[name] else { throw unknown(name, among: actions.keys) }
    try check(parameters, of: name, required: action.required, optional: action.optional)
    if isForeign, action.ask(parameters, { try action.perform(parameters) }) { return }
    try action.perform(parameters)
  }

  /// Makes an inquiry known; one of the same name takes its place.
  package func publish(_ inquiry: Inquiry) { inquiries[inquiry.name] = inquiry }

  /// Has the person asked by whoever knows how.
  /// - Parameter onAnswer: called once he has chosen, at most once.
  /// - Throws: `NatterError` when there is no such inquiry or parameter, or one is missing; and what the inquiry throws.
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
  /// - Parameter isForeign: whether somebody else may have written it, as in a message or on the command line; not where the
  ///   user typed it into the program.
  /// - Throws: `NatterError` when it is none, or asks for what there is not.
  package func open(_ text: String, isForeign: Bool = false) throws {
    guard let address = ResourceAddress(text) else {
      throw NatterError(.invalidInput, "error.badURI", ["text": text])
    }
    if let account = address.account, try elsewhere(account, text, isForeign) { return }
    switch address.scheme {
    case .natter: try perform(address.path, address.parameters, isForeign: isForeign)
    case .xmpp: try openXMPP(address, text, isForeign)
    }
  }

  // The queries of XEP-0147. What it registers for one and means nothing here is passed over; a parameter that is nobody's is
  // told of like an action that is nobody's.
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
      try perform("chats/open", parameters)
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
      // An invitation to make an account (XEP-0445); the path may be a server's alone.
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
