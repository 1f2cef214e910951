import FoundationEssentials
import NatterCore

/// The messages of the fakes by id.
package actor TestLog: MessageLogReading {
  private let ports: FakePorts
  /// The number of readings after a cursor.
  package private(set) var readings = 0
  private var whenRead: (@Sendable () async -> Void)?

  package init(_ ports: FakePorts) { self.ports = ports }

  /// Has `body` run after the rows of the next page were read, and before they are returned.
  package func interrupt(_ body: @escaping @Sendable () async -> Void) { whenRead = body }

  package func newestMessage() async -> Message.ID {
    await ports.messages.map(\.id).max() ?? Message.ID(0)
  }

  package func messages(storedAfter cursor: Message.ID, limit: Int) async -> [LoggedMessage] {
    readings += 1
    let (messages, conversations) = await (ports.messages, ports.stored)
    let rows = messages.filter { $0.id > cursor }.sorted { $0.id < $1.id }.prefix(limit).map {
      LoggedMessage($0, in: conversations[$0.conversation]?.kind ?? .direct)
    }
    let body = whenRead
    whenRead = nil
    await body?()
    return rows
  }

  package func timeOfMessage(upTo cursor: Message.ID) async -> Date? {
    await ports.messages.filter { $0.id <= cursor }.max { $0.id < $1.id }?.sentAt
  }

  package func firstText(of id: Message.ID) -> String? { nil }
}
