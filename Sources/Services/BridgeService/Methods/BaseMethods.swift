import Diagnostics
import JSONLines
import NatterCore
import XMPP

/// Methods that need no right.
enum BaseMethods {
  /// The method that comes before all others.
  static let greeting = "hello"

  static let all: [BridgeMethod] = [
    BridgeMethod(
      base: greeting, [.required("api", .integer(0...Int.max)), BridgeParameter("as", .filled(64))]
    ) { call in
      let options = call.bridge.options
      return BridgeAnswer(
        JSONLine {
          $0.add("api", BridgeVersion.current)
          $0.add("natter", options.version)
          $0.add("locale", options.locale)
          $0.add("limits") {
            $0.add("line", BridgeLimits.line)
            $0.add("open", BridgeLimits.open)
            $0.add("subscriptions", BridgeLimits.subscriptions)
          }
        })
    },
    BridgeMethod(base: "version") { call in
      BridgeAnswer(
        JSONLine {
          $0.add("api", BridgeVersion.current)
          $0.add("natter", call.bridge.options.version)
        })
    },
    BridgeMethod(base: "ping") { _ in BridgeAnswer(JSONLine()) },
    BridgeMethod(base: "methods") { call in BridgeAnswer(listing(of: call.bridge)) },
    BridgeMethod(
      base: "log",
      [
        .required("text", .text(16_384)),
        BridgeParameter("level", .choice(["error", "warning", "info", "debug"])),
      ]
    ) { call in
      let text = try call.text("text")
      let isLogged = await call.session.log(text, level: call.arguments.text("level"))
      return BridgeAnswer(JSONLine { $0.add("logged", isLogged) })
    },
    BridgeMethod(base: "permissions.list") { call in
      let rights = await call.session.rights ?? .none
      let accounts = call.bridge.accounts.map(\.jid)
      let held = BridgePermission.allCases.filter { permission in
        accounts.contains { (try? rights.scope(of: permission, in: $0)) != nil }
      }
      return BridgeAnswer(JSONLine { $0.add("permissions", held.map(\.rawValue)) })
    },
    BridgeMethod(
      base: "events.subscribe",
      [
        .required("events", .texts(most: 64)), BridgeParameter("in", .texts(most: 1000)),
        BridgeParameter("after", .cursors), BridgeParameter("history", .boolean),
        BridgeParameter("account", .address),
      ]
    ) { call in try await call.session.subscribe(subscription(call), by: call.number) },
    BridgeMethod(
      base: "events.unsubscribe", [.required("subscription", .filled(64))]
    ) { call in
      try await call.session.unsubscribe(call.text("subscription"))
      return BridgeAnswer(JSONLine())
    },
    BridgeMethod(base: "cancel", [.required("id", .requestID)]) { call in
      if let id = call.arguments.requestID("id") { await call.session.cancel(id) }
      return BridgeAnswer(JSONLine())
    },
  ]

  private static func listing(of bridge: Bridge) -> JSONLine {
    let methods = BridgeMethod.all.filter { bridge.methods[$0.name] != nil }.map { method in
      JSONLine {
        $0.add("name", method.name)
        $0.add("permission", method.permission?.rawValue)
        $0.add(
          "parameters",
          method.parameters.map { parameter in
            JSONLine {
              $0.add("name", parameter.name)
              $0.add("type", parameter.type)
              $0.add("required", parameter.isRequired)
            }
          })
      }
    }
    return JSONLine {
      $0.add("methods", methods)
      $0.add("events", BridgeEvent.names)
    }
  }

  private static func subscription(_ call: BridgeCall) throws -> SubscriptionRequest {
    var events: Set<BridgeEvent> = []
    for (index, name) in (call.arguments.texts("events") ?? []).enumerated() {
      guard let event = BridgeEvent(rawValue: name), event.permission != nil else {
        throw BridgeError.parameter("events.\(index)", "is no event")
      }
      events.insert(event)
    }
    if events.isEmpty { throw BridgeError.parameter("events", "is empty") }
    let names = call.arguments.texts("in") ?? ["all"]
    guard !names.isEmpty, let scope = BridgeScope(names) else {
      throw BridgeError.parameter("in", "has neither all, direct, rooms nor an address")
    }
    return SubscriptionRequest(
      events: events, scope: scope, after: call.arguments.cursors("after"),
      includesHistory: call.arguments.boolean("history"),
      account: call.arguments.address("account")?.bare)
  }
}

extension BridgeSession {
  /// Writes a text of the client to the log, made safe.
  /// - Returns: `false` if there were too many.
  func log(_ text: String, level: String?) -> Bool {
    guard rates.logging.take(at: options.clock.steady()) == nil else { return false }
    let line = (name.map { $0 + ": " } ?? "") + JSONValue.text(text.beginning(bytes: 500)).text
    switch level {
    case "error": options.log.error(line)
    case "warning": options.log.warning(line)
    default: options.log.info(line)
    }
    return true
  }
}
