import API
import Crypto
import Diagnostics
import Foundation
import HTTP
import NatterCore
import Storage
import TestSupport
import XML
import XMPP

@testable import FileService

/// A queue on a database in memory, a server that a test makes, and a folder of its own.
struct FileFixture {
  static let alice = JID(local: "alice", domain: "natter.test", resource: nil)
  static let bob = JID(local: "bob", domain: "natter.test", resource: nil)

  /// Notes the messages that offer files.
  actor Messages: FileMessageSending {
    private(set) var sent: [(file: SharedFile, originID: String, to: JID)] = []
    private(set) var texts: [(text: String, originID: String)] = []
    /// The origin-ids of all of them, as they came.
    private(set) var order: [String] = []
    /// Called before a message is taken.
    private var before: (@Sendable () async -> Void)?

    func wait(_ before: @escaping @Sendable () async -> Void) { self.before = before }

    func send(_ texts: String, originID: String, to conversation: JID) async -> Message {
      await Task.yield()
      order.append(originID)
      self.texts.append((texts, originID))
      return Message(
        id: .init(Int64(100 + self.texts.count)), conversation: conversation,
        sender: FileFixture.alice, direction: .outgoing, body: texts,
        sentAt: Date(timeIntervalSince1970: 0), originID: originID)
    }

    func send(_ file: SharedFile, originID: String, to conversation: JID) async -> Message {
      await before?()
      order.append(originID)
      sent.append((file, originID, conversation))
      return Message(
        id: .init(Int64(sent.count)), conversation: conversation, sender: FileFixture.alice,
        direction: .outgoing, body: file.address, sentAt: Date(timeIntervalSince1970: 0),
        originID: originID, file: file)
    }
  }

  let folder: TemporaryFolder
  let database: AccountDatabase
  let messages = Messages()
  let hub = EventHub()
  let queue: TransferQueue
  let news: Observed<[FileTransfer.ID: FileTransfer]>
  /// Every reported state, in order.
  let states: Observed<[FileTransfer.TransferStatus]>
  /// The delays before the further attempts.
  let pauses = Observed<[Duration]>([])
  /// The reported changes of messages.
  let messageNews = Observed<[Message]>([])
  private let tasks: [Task<Void, Never>]

  init(
    database: AccountDatabase? = nil, folder: TemporaryFolder? = nil, room: Int? = nil,
    automaticLimit: Int = 0, standstill: Duration = .seconds(60),
    transport: (any FileTransporting)? = nil, takesOwnMachine: Bool = false,
    store: (any TransferStoring)? = nil
  ) async throws {
    let folder = try folder ?? TemporaryFolder("files")
    self.folder = folder
    let database = if let database { database } else { try await AccountDatabase.inMemory() }
    self.database = database
    queue = TransferQueue(
      account: Self.alice, store: store ?? database.transfers,
      transport: transport
        ?? APIClient(
          transport: CurlTransport(),
          transferLimits: .init(total: nil, standstill: standstill)), messages: messages,
      roster: database.roster, hub: hub, log: .none,
      options: TransferOptions(
        folder: folder.path("downloads"), automaticLimit: automaticLimit,
        takesOwnMachine: takesOwnMachine),
      sleep: { [pauses] pause in
        pauses.update { $0.append(pause) }
        await Task.yield()
      }, room: { _ in room })
    let news = Observed<[FileTransfer.ID: FileTransfer]>([:])
    let states = Observed<[FileTransfer.TransferStatus]>([])
    (self.news, self.states) = (news, states)
    let events = hub.events()
    let automatic = hub.events()
    tasks = [
      Task { [messageNews] in
        for await event in events {
          switch event {
          case .messagesChanged(let changed): messageNews.update { $0 += changed }
          case .transfersChanged(let changed):
            news.update { all in for one in changed { all[one.id] = one } }
            states.update { $0 += changed.map(\.state) }
          case .transfersRemoved(let ids): news.update { all in for id in ids { all[id] = nil } }
          default: break
          }
        }
      },
      Task { [queue] in await queue.run() },
      Task { [queue] in await queue.follow(automatic) },
    ]
  }

  func stop() async {
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }

  func write(_ bytes: [UInt8], to name: String) throws -> String {
    try Data(bytes).write(to: folder.url(name))
    return folder.path(name)
  }

  /// A connection to a server whose upload service gives slots at `address`.
  func connect(
    _ slot: @escaping @Sendable (_ name: String) throws -> XEP0363Slot, limit: Int? = nil
  ) async -> RecordingChannel {
    let channel = RecordingChannel { iq in
      var answer = Element("iq", Namespace.client, ["type": "result"])
      guard let payload = iq.elements.first else { return answer }
      switch (payload.name, payload.namespace, iq["to"]) {
      case ("query", Namespace.discoInfo, "upload.natter.test"):
        var forms: [XEP0004DataForm] = []
        if let limit {
          forms = [
            XEP0004DataForm(
              .result,
              fields: [
                .init("FORM_TYPE", kind: .hidden, values: [XEP0363Slot.namespace]),
                .init("max-file-size", values: [String(limit)]),
              ])
          ]
        }
        answer.append(
          XEP0030Discovery(features: [XEP0363Slot.namespace], forms: forms).element())
      case ("query", Namespace.discoInfo, _): answer.append(XEP0030Discovery().element())
      case ("query", Namespace.discoItems, _):
        answer.append(
          Element(
            "query", Namespace.discoItems, [:],
            [Element("item", Namespace.discoItems, ["jid": "upload.natter.test"])]))
      case ("request", _, _): answer.append(try slot(payload["filename"] ?? "").element)
      default: break
      }
      return answer
    }
    await queue.channelOpened(channel)
    await queue.sessionStarted(.fixture, over: channel)
    return channel
  }

  /// A message of Bob's that offers `file`.
  func offer(_ file: SharedFile, from sender: JID = bob) async throws -> Message {
    let stored = try await database.messages.insert([
      IncomingMessage(
        conversation: sender, sender: sender, body: file.address,
        sentAt: Date(timeIntervalSince1970: 10), originID: UUID().uuidString, file: file)
    ]) { _ in true }
    return stored.messages[0]
  }

  /// Waits until a transfer is over.
  /// - Returns: how it ended; `nil` when it did not.
  func end(of id: FileTransfer.ID) async -> FileTransfer.TransferStatus? {
    _ = await news.waits(upTo: .seconds(60)) { $0[id]?.state.isOver ?? false }
    return news.value[id].flatMap { $0.state.isOver ? $0.state : nil }
  }

  /// The key of the failure that a transfer ended with.
  func failure(of id: FileTransfer.ID) async -> String? {
    guard case .failed(let error) = await end(of: id) else { return nil }
    return error.key
  }
}
