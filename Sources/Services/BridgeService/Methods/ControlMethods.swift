import JSONLines
import NatterCore

/// Ending the program, or its use of an account.
enum ControlMethods {
  static let names = Set(all.map(\.name))

  static let all: [BridgeMethod] = [
    BridgeMethod("account.release", .control) { call in
      guard let control = call.bridge.options.control else { throw BridgeError(.busy) }
      _ = try call.services
      await control.release(try call.account.jid)
      return JSONLine()
    },
    BridgeMethod(
      "shutdown", .control, of: .none,
      answering: { call in
        guard let control = call.bridge.options.control else { throw BridgeError(.busy) }
        return BridgeAnswer(JSONLine()) { await control.shutDown() }
      }),
  ]
}
