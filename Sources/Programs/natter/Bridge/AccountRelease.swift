import BridgeService
import JSONLines
import NatterCore
import Storage
import XMPP

/// Asks a `natter serve` that has an account open to give it over to this process.
nonisolated struct AccountRelease: Sendable {
  static let method = "account.release"
  /// The longest time that closing the account may take there.
  private static let limit = Duration.seconds(10)

  let socket: BridgeSocket

  /// - Returns: whether the account was given over; a Natter with a user keeps it. `nil`: none
  ///   listens.
  @Sendable func ask() async -> Bool? {
    guard let connection = await socket.connect() else { return nil }
    let timer = Task {
      // Cancelled: there is an answer.
      do { try await Task.sleep(for: Self.limit) } catch { return }
      connection.close()
    }
    defer {
      timer.cancel()
      connection.close()
    }
    let greeting = JSONValue.object(["api": .integer(BridgeVersion.current)])
    connection.send(BridgeEnvelope.request("hello", greeting, id: .integer(1)).text)
    connection.send(BridgeEnvelope.request(Self.method, id: .integer(2)).text)
    for await line in connection.lines {
      guard let answer = BridgeEnvelope(line), answer.id == .integer(2) else { continue }
      return answer.error == nil
    }
    return false
  }
}

extension AccountRelease {
  init(of account: JID, _ context: LaunchContext) {
    self.init(socket: BridgeSocket(of: account, context))
  }
}
