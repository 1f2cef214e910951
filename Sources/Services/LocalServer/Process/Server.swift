import Crypto
import SQLite
import Sockets
import Synchronization
import XMPP

/// A running server: passes the events of its connections to the router, batch by batch, and the
/// router's output to the connections.
///
/// Each batch takes all events that have arrived, handles them in one transaction, and sends output
/// only after the commit: everything that a client has received is in the database.
actor Server {
  let settings: ServerSettings
  private let database: Database
  private var router: Router
  let mailbox = Mailbox()
  private var queues: [ConnectionID: OutboundQueue] = [:]
  private var connectionCount = 0
  /// Few, and never removed.
  private var observers: [AsyncStream<Int>.Continuation] = []

  init(settings: ServerSettings, database: Database, crypto: CryptoLibrary) throws {
    self.settings = settings
    self.database = database
    router = try Router(settings: settings, crypto: crypto)
  }

  // MARK: Connections

  func attach() -> (ConnectionID, OutboundQueue) {
    connectionCount += 1
    let connection = ConnectionID(number: connectionCount)
    let queue = OutboundQueue(limit: settings.queueLimit)
    queues[connection] = queue
    reportPopulation()
    return (connection, queue)
  }

  func detach(_ connection: ConnectionID) {
    queues[connection] = nil
    reportPopulation()
  }

  /// The number of connections, now and after each change.
  func population() -> AsyncStream<Int> {
    let (counts, report) = AsyncStream<Int>.makeStream(bufferingPolicy: .bufferingNewest(1))
    observers.append(report)
    report.yield(queues.count)
    return counts
  }

  private func reportPopulation() {
    for observer in observers { observer.yield(queues.count) }
  }

  // MARK: Accounts

  /// Creates an account on a request over HTTP.
  /// - Returns: the reason for a refusal, or `nil` if the account was created.
  nonisolated func register(_ name: String, _ password: String, key: String?) async
    -> StanzaRefusal?
  {
    await mailbox.post(.newcomer(Newcomer(name: name, password: password, key: key))).refusal
  }

  // MARK: Batches

  /// Handles events until `stop()` is called or the task is cancelled.
  func run() async {
    for await _ in mailbox.signals {
      let entries = mailbox.take()
      if !entries.isEmpty { await turn(entries) }
    }
    mailbox.close()
    for queue in queues.values { queue.close() }
  }

  /// Ends the streams of all clients; their connections close soon after.
  nonisolated func dismissClients() async { _ = await mailbox.post(.shutdown) }

  /// Ends `run()`.
  nonisolated func stop() { mailbox.close() }

  private func turn(_ entries: [Mailbox.Entry]) async {
    do {
      try await follow(entries.map(\.event))
      speak(to: entries)
    } catch {
      // A commit failed, for example because the disk is full. Handling the events one by one finds
      // the one that fails.
      for entry in entries {
        var outputs: [ConnectionID: Outbound] = [:]
        for event in entry.event.parts {
          do {
            try await follow([event])
          } catch {
            // The sender receives an error; the router's state is as before the event.
            router.refuse(event)
          }
          outputs.merge(router.takeOutputs()) { $0.followed(by: $1) }
        }
        router.outputs = outputs
        speak(to: [entry])
      }
    }
  }

  /// Advances the router by `events` if the transaction commits. Only `turn` calls it, so that no
  /// other change can come between reading and setting `router`.
  private func follow(_ events: [ServerEvent]) async throws {
    router = try await database.write { [router] connection in
      var next = router
      let ledger = ServerTransaction(connection)
      for event in events { try next.handle(event, ledger) }
      return next
    }
  }

  /// Passes the batch's output to the connections and resumes the tasks that wait for a reply.
  private func speak(to entries: [Mailbox.Entry]) {
    let outputs = router.takeOutputs()
    for (connection, output) in outputs {
      guard let queue = queues[connection] else { continue }
      if !queue.append(output.bytes, messages: output.messages, isLast: output.ends) {
        mailbox.send(.overflowed(connection))
      }
    }
    for entry in entries {
      var reply = Mailbox.Reply()
      switch entry.event {
      case .received(let connection, _):
        reply.restartsParser = outputs[connection]?.restartsParser ?? false
        reply.isAuthenticated = outputs[connection]?.isAuthenticated ?? false
      case .closed(let connection): reply.waiting = router.takeWaiting(connection)
      case .newcomer(let newcomer): reply.refusal = router.takeVerdict(on: newcomer)
      default: break
      }
      entry.reply?.resume(returning: reply)
    }
  }
}
