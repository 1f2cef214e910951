import NatterCore

/// Where modules publish what they can do, by name, and where everything that is asked for by name arrives: typed
/// commands, addresses from the command line and from messages, the palette (FLOWS.md 8).
///
/// What nobody has published ends in one sentence that says so.
package final class Mediator {
  /// Something a module can do.
  package struct Action {
    /// `module/action`.
    package let name: String
    package let required: Set<String>
    package let optional: Set<String>
    package let perform: ([String: String]) throws -> Void

    package init(
      _ name: String, required: Set<String> = [], optional: Set<String> = [],
      perform: @escaping ([String: String]) throws -> Void
    ) {
      self.name = name
      self.required = required
      self.optional = optional
      self.perform = perform
    }
  }

  private var actions: [String: Action] = [:]

  package init() {}

  /// The names of everything that can be asked for.
  package var names: [String] { actions.keys.sorted() }

  /// Makes an action known; one of the same name takes its place.
  package func publish(_ action: Action) { actions[action.name] = action }

  /// Does what is called `name`.
  /// - Throws: `NatterError` when there is no such module, action or parameter, or one is missing; and what the action
  ///   throws.
  package func perform(_ name: String, _ parameters: [String: String] = [:]) throws {
    guard let action = actions[name] else {
      let module = name.prefix { $0 != "/" }
      let isModule = actions.keys.contains { $0.hasPrefix(module + "/") }
      throw NatterError(
        .invalidInput, isModule ? "error.unknownAction" : "error.unknownModule",
        ["name": name, "module": String(module)])
    }
    if let missing = action.required.subtracting(parameters.keys).sorted().first {
      throw NatterError(
        .invalidInput, "error.missingParameter", ["name": name, "parameter": missing])
    }
    let known = action.required.union(action.optional)
    if let strange = parameters.keys.sorted().first(where: { !known.contains($0) }) {
      throw NatterError(
        .invalidInput, "error.unknownParameter", ["name": name, "parameter": strange])
    }
    try action.perform(parameters)
  }

  /// Opens an address.
  /// - Throws: `NatterError` when it is none, or asks for what there is not.
  package func open(_ text: String) throws {
    guard let address = ResourceAddress(text) else {
      throw NatterError(.invalidInput, "error.badURI", ["text": text])
    }
    switch address.scheme {
    case .natter: try perform(address.path, address.parameters)
    case .xmpp: try openXMPP(address)
    }
  }

  // The queries of XEP-0147. Parameters beyond those it knows are left alone, as it asks.
  private func openXMPP(_ address: ResourceAddress) throws {
    var parameters = ["jid": address.path]
    func take(_ names: String...) {
      for name in names { if let value = address.parameters[name] { parameters[name] = value } }
    }
    switch address.query {
    case "", "message":
      take("body")
      try perform("chats/open", parameters)
    case "join":
      take("password")
      try perform("rooms/join", parameters)
    case "roster", "subscribe":
      take("name")
      try perform("contacts/add", parameters)
    case "remove", "unsubscribe": try perform("contacts/remove", parameters)
    case "invite":
      guard let guest = address.parameters["jid"] else {
        return try perform("rooms/join", parameters)
      }
      try perform("rooms/invite", ["room": address.path, "jid": guest])
    case "disco": try perform("discover/open", parameters)
    default:
      throw NatterError(
        .invalidInput, "error.unknownAction", ["name": address.query, "module": "xmpp"])
    }
  }
}
