import Diagnostics
import FoundationEssentials
import JSONLines
import NatterCore
import XMPP

/// A request of a script that the host performs: its parameters are valid.
struct ScriptCall: Sendable {
  let session: ScriptSession
  let request: BridgeRequest
  let arguments: BridgeArguments

  var parts: ScriptParts { session.parts }
  var services: ScriptHostServices { session.parts.services }

  /// Returns the text of a required parameter.
  func text(_ name: String) throws(BridgeError) -> String {
    guard let text = arguments.text(name) else { throw .parameter(name, "is missing") }
    return text
  }
}

/// A method that the host performs, because it needs no account.
struct ScriptMethod: Sendable {
  static let greeting = "hello"

  let name: String
  let parameters: [BridgeParameter]
  /// Indicates whether it is performed after those before it, as what is stored has to be.
  var isStored = false
  /// Checks what `parameters` cannot.
  var check: @Sendable ([String: JSONValue]) throws(BridgeError) -> Void = { _ in }
  let perform: @Sendable (ScriptCall) async throws -> JSONLine

  init(
    _ name: String, _ parameters: [BridgeParameter] = [],
    _ perform: @escaping @Sendable (ScriptCall) async throws -> JSONLine
  ) {
    (self.name, self.parameters, self.perform) = (name, parameters, perform)
  }

  /// By name.
  static let all = Dictionary(
    uniqueKeysWithValues: (base + storage + rights + screen + panes).map { ($0.name, $0) })

  private static let base = [
    ScriptMethod(greeting, [.required("api", .integer(0...Int.max))]) { try await hello($0) },
    ScriptMethod("version") { call in
      let about = await call.services.about()
      return JSONLine {
        $0.add("api", BridgeVersion.current)
        $0.add("natter", about.version)
      }
    },
    ScriptMethod("ping") { _ in JSONLine() },
    ScriptMethod("progress", [.required("id", .filled(BridgeLimits.id))]) { call in
      let waits = call.session.requests.noteProgress(of: try call.text("id"))
      return JSONLine { $0.add("waits", waits) }
    },
    ScriptMethod(
      "log",
      [
        .required("text", .text(16_384)),
        BridgeParameter("level", .choice(["error", "warning", "info", "debug"])),
      ]
    ) { call in
      let isLogged = try await call.session.log(call.text("text"), call.arguments.text("level"))
      return JSONLine { $0.add("logged", isLogged) }
    },
    ScriptMethod("settings.get", [BridgeParameter("name", .filled(128))]) { try settings($0) },
  ]

  private static let storage = [
    ScriptMethod("storage.get", [.required("key", .filled(ScriptStorage.keyLimit))]) { call in
      let value = try await call.parts.storage.value(call.text("key"))
      return JSONLine { if let value { $0.add("value", value) } }
    },
    ScriptMethod("storage.set", [.required("key", .filled(ScriptStorage.keyLimit))]) { call in
      guard let value = call.request.parameters["value"] else {
        throw BridgeError.parameter("value", "is missing")
      }
      try await call.parts.storage.set(call.text("key"), to: value)
      return JSONLine()
    }.checking { members throws(BridgeError) in
      guard members["value"] != nil else { throw .parameter("value", "is missing") }
    },
    ScriptMethod("storage.delete", [.required("key", .filled(ScriptStorage.keyLimit))]) { call in
      let isDeleted = try await call.parts.storage.remove(call.text("key"))
      return JSONLine { $0.add("deleted", isDeleted) }
    },
    ScriptMethod(
      "storage.list",
      [
        BridgeParameter("prefix", .text(ScriptStorage.keyLimit)),
        BridgeParameter("skip", .integer(0...ScriptStorage.countLimit)),
      ]
    ) { call in
      let (keys, more) = try await call.parts.storage.keys(
        from: call.arguments.text("prefix") ?? "", skip: call.arguments.integer("skip") ?? 0)
      return JSONLine {
        $0.add("keys", keys)
        $0.add("more", more)
      }
    },
  ].map(\.stored)

  private static let rights = [
    ScriptMethod("permissions.list") { call in
      let grants = call.services.rights.listed()
      return JSONLine {
        $0.add(
          "permissions",
          ScriptRight.all.filter { right in
            grants.contains { $0.right == right }
          }.map(\.name))
        $0.add("grants", grants.map(\.line))
      }
    },
    ScriptMethod("permissions.request", [.required("permission", .filled(64))]) { call in
      let scope = try await scope(of: right(call), call)
      return JSONLine {
        $0.add("granted", true)
        $0.add("in", scope.names)
      }
    }.checking { members throws(BridgeError) in
      guard members["permission"]?.string.flatMap({ ScriptRight($0) }) != nil else {
        throw .parameter("permission", "is no right")
      }
    },
  ]

  private static let screen = [
    ScriptMethod("toast", [.required("text", .filled(ScriptLimits.toast))]) { call in
      let text = String(try call.text("text").prefix(ScriptLimits.shown.toast))
      guard await call.session.mayToast() else { return JSONLine { $0.add("shown", false) } }
      await call.services.report(.toast(text))
      return JSONLine { $0.add("shown", true) }
    },
    ScriptMethod(
      "ui.status.set",
      [
        .required("id", .filled(ScriptName.limit)), .required("text", .text(ScriptLimits.toast)),
        BridgeParameter("role", .choice(ScriptTextRole.allCases.map(\.rawValue))),
        BridgeParameter("ttl", .integer(1...ScriptLimits.statusTime)),
      ]
    ) { try await setStatus($0) },
  ]

  /// The same method, performed after those before it.
  private var stored: ScriptMethod {
    var method = self
    method.isStored = true
    return method
  }

  func checking(
    _ check: @escaping @Sendable ([String: JSONValue]) throws(BridgeError) -> Void
  ) -> ScriptMethod {
    var method = self
    method.check = check
    return method
  }
}

extension ScriptMethod {
  fileprivate static func hello(_ call: ScriptCall) async throws -> JSONLine {
    let (script, about) = (call.parts.script, await call.services.about())
    let (grants, cursors) = (call.services.rights.listed(), call.parts.traffic.cursors)
    return JSONLine {
      $0.add("api", BridgeVersion.current)
      $0.add("natter", about.version)
      $0.add("locale", about.locale)
      $0.add("theme") {
        $0.add("name", about.themeName)
        $0.add("dark", about.isDark)
      }
      $0.add("name", script.name)
      $0.add("storage", script.storage)
      $0.add("grants", grants.map(\.line))
      $0.add("limits") {
        $0.add("line", BridgeLimits.line)
        $0.add("open", BridgeLimits.open)
        $0.add("subscriptions", BridgeLimits.subscriptions)
        $0.add("storage", ScriptStorage.limit)
        $0.add("value", ScriptStorage.valueLimit)
        $0.add("messages_per_hour", script.sendingPerHour ?? ClientLimits.script.perHour)
      }
      $0.add("cursors") {
        for (account, cursor) in cursors.sorted(by: { $0.key < $1.key }) {
          $0.add(account, cursor)
        }
      }
    }
  }

  fileprivate static func settings(_ call: ScriptCall) throws(BridgeError) -> JSONLine {
    let script = call.parts.script
    let wanted = call.arguments.text("name")
    let settings = script.manifest.settings.filter { wanted == nil || $0.name == wanted }
    if let wanted, settings.isEmpty {
      throw BridgeError(.notFound, "the manifest has no setting \(JSONValue.text(wanted).text)")
    }
    return JSONLine {
      $0.add("settings") {
        for setting in settings {
          $0.add(setting.name, script.settings[setting.name] ?? setting.standard)
        }
      }
    }
  }

  fileprivate static func right(_ call: ScriptCall) throws(BridgeError) -> ScriptRight {
    guard let right = ScriptRight(try call.text("permission")) else {
      throw .parameter("permission", "is no right")
    }
    return right
  }

  /// Returns the conversations in which a right is held; the user may be asked.
  /// - Throws: `BridgeError.Code.permission`.
  static func scope(
    of right: ScriptRight, _ call: ScriptCall
  ) async throws(BridgeError) -> BridgeScope {
    guard call.parts.script.manifest.permission(right) != nil else {
      throw .permission(right, .notDeclared)
    }
    switch await call.services.rights.request(right) {
    case .held(let scope): return scope
    case .refused(let reason): throw .permission(right, reason)
    }
  }

  fileprivate static func setStatus(_ call: ScriptCall) async throws -> JSONLine {
    let (id, services) = (try call.text("id"), call.services)
    guard call.parts.script.manifest.statusItems.contains(id) else {
      throw BridgeError.parameter("id", "is no status item of the manifest")
    }
    if !services.rights.holds(.status) { _ = try await scope(of: .status, call) }
    let text = String(try call.text("text").prefix(ScriptLimits.shown.status))
    let seconds = call.arguments.integer("ttl")
    let role = call.arguments.text("role").flatMap(ScriptTextRole.init) ?? .plain
    let until = seconds.map { services.clock.now().addingTimeInterval(Double($0)) }
    let replaces = await call.session.screen.set(
      .status(id), .status(id: id, text: text, role: role, until: until), services)
    if replaces { call.parts.traffic.countDropped() }
    return JSONLine()
  }
}

extension ScriptSession {
  /// Writes a text of the script to the log, made safe.
  /// - Returns: `false` if there were too many.
  func log(_ text: String, _ level: String?) -> Bool {
    guard rates.logging.take(at: clock.steady()) == nil else {
      parts.traffic.countDropped()
      return false
    }
    let (log, line) = (parts.services.log, "\(parts.script.name): \(ScriptLog.safe(text))")
    switch level {
    case "error": log.error(line)
    case "warning": log.warning(line)
    default: log.info(line)
    }
    return true
  }

  /// Reports what is counted of the script.
  func reportCounts() async {
    await parts.services.report(.requests(parts.traffic.requests))
    let dropped = parts.traffic.dropped
    if dropped > 0 { await parts.services.report(.dropped(dropped)) }
  }

  /// Counts a text for the status line.
  /// - Returns: `false` if there were too many.
  func mayToast() -> Bool {
    let isAllowed = rates.toasts.take(at: clock.steady()) == nil
    if !isAllowed { parts.traffic.countDropped() }
    return isAllowed
  }
}

extension ScriptGrant {
  /// The object in `hello` and in the list of rights.
  fileprivate var line: JSONLine {
    JSONLine {
      $0.add("permission", right.name)
      if !accounts.isEmpty { $0.add("accounts", accounts.map(\.description).sorted()) }
      if right.hasScope { $0.add("in", scope.names) }
    }
  }
}
