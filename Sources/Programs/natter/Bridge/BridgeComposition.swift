import JSONLines
import NatterCore
import Storage
import Text
import XMPP

/// The place where the bridge's service is put together: all that answers clients comes from here.
nonisolated struct BridgeComposition: Sendable {
  /// Answers for an account that this process has open.
  var running: @Sendable (AccountServices) -> any BridgeServing
  /// Answers from stored data, while a Natter that does not listen has the account open. It reads
  /// only: what would change something is answered before it gets there.
  var reading: @Sendable (AccountDatabase, JID, Localizer) -> any BridgeServing

  /// The composition of the program.
  static let natter = BridgeComposition(
    running: { _ in UnansweredBridge() }, reading: { _, _, _ in UnansweredBridge() })
}

/// A bridge without methods: it only says hello.
nonisolated struct UnansweredBridge: BridgeServing {
  func serve(_ connection: any BridgeConnection) async {
    for await line in connection.lines {
      guard let request = BridgeEnvelope(line), let id = request.id else { continue }
      let answer: BridgeEnvelope =
        request.method == "hello"
        ? .result(
          .object(["api": .integer(1), "natter": .text(ClientIdentity.version)]), id: id)
        : .error(.method, "there is no such method", id: id)
      guard connection.send(answer.text) else { break }
    }
    connection.close()
  }
}
