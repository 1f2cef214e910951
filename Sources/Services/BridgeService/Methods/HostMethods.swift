import JSONLines
import NatterCore
import Synchronization

/// The user's screen and settings.
enum HostMethods {
  static let all: [BridgeMethod] = [
    BridgeMethod(
      "notify", .notify,
      [
        .required("text", .filled(BridgeNotification.textLimit)),
        BridgeParameter("title", .filled(BridgeNotification.titleLimit)),
        BridgeParameter("conversation", .address),
      ]
    ) { call in
      let account = try call.account
      _ = try account.services
      var conversation = call.arguments.address("conversation")
      if conversation != nil {
        let jid = try await call.conversation()
        _ = try await account.known(jid)
        conversation = jid
      }
      let host = try call.host
      let (now, limit) = (call.bridge.options.clock.steady(), call.bridge.notifications)
      if let pause = limit.take(at: now) { throw BridgeError.tooFast(pause) }
      let text = try call.text("text")
      var title = call.arguments.text("title") ?? "Natter"
      // The user sees which program it is from; only their own programs choose the whole title.
      if let name = call.clientName { title = "\(name): \(title)" }
      let isShown = await host.notify(
        BridgeNotification(title: title, text: text, conversation: conversation), of: account.jid)
      return JSONLine { $0.add("shown", isShown) }
    },
    BridgeMethod("settings.list", .control, of: .none, [ObjectPage.skip]) { call in
      let settings = try await call.host.settings()
      return JSONLine {
        $0.add("settings", call.page(settings) { setting in JSONLine { $0.add(setting) } })
      }
    },
  ]
}

/// Limits how often clients show notifications: 5 at once, then one in 5 seconds.
final class NotificationLimit: Sendable {
  private let rate = Mutex(RateLimit(0.2, burst: 5))

  /// Counts one more.
  /// - Parameter now: of a clock that never goes back.
  /// - Returns: `nil`; or the time after which it is allowed again, if it is not now.
  func take(at now: Duration) -> Duration? { rate.withLock { $0.take(at: now) } }
}

extension BridgeCall {
  /// The program around the accounts.
  /// - Throws: `BridgeError.Code.busy` without one.
  var host: any BridgeHosting {
    get throws(BridgeError) {
      guard let host = bridge.options.host else { throw BridgeError(.busy) }
      return host
    }
  }
}

extension JSONLine {
  /// Adds the members of a setting.
  mutating func add(_ setting: BridgeSetting) {
    add("section", setting.section)
    add("key", setting.key)
    if let value = setting.value { add("value", value) }
    if setting.isHidden { add("hidden", true) }
  }
}
