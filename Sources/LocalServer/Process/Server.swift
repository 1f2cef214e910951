import Crypto
import SQLite
import Sockets
import Synchronization
import XMPP

/// A running server: brings the events of its connections to the router, turn by turn, and the
/// router's words to the connections.
///
/// Each turn takes all events that have come meanwhile, follows them in one transaction, and speaks
/// only when that is committed: what a client was told is in the database.
actor Server {
  let settings: ServerSettings
  private let database: Database
  private var router: Router
  let mailbox = Mailbox()
  private var queues: [ConnectionID: OutboundQueue] = [:]
  private var connectionCount = 0
  /// Few, and for the server's whole life.
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

  /// How many connections there are, now and at each change.
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

  /// Makes an account for somebody who asks over HTTP.
  /// - Returns: why there is none; `nil`: it is made.
  nonisolated func register(_ name: String, _ password: String, key: String?) async
    -> StanzaRefusal?
  {
    await mailbox.post(.newcomer(Newcomer(name: name, password: password, key: key))).refusal
  }

  // MARK: Turns

  /// Follows events until `stop()`, or until its task is cancelled.
  func run() async {
    for await _ in mailbox.signals {
      let entries = mailbox.take()
      if !entries.isEmpty { await turn(entries) }
    }
    mailbox.close()
    for queue in queues.values { queue.close() }
  }

  /// Says goodbye to all clients; their connections end soon after.
  nonisolated func dismissClients() async { _ = await mailbox.post(.shutdown) }

  /// Ends `run()`.
  nonisolated func stop() { mailbox.close() }

  private func turn(_ entries: [Mailbox.Entry]) async {
    do {
      try await follow(entries.map(\.event))
      speak(to: entries)
    } catch {
      // Something did not fit on the disk, or the like. What it was shows when everything comes one
      // by one.
      for entry in entries {
        var outputs: [ConnectionID: Outbound] = [:]
        for event in entry.event.parts {
          do {
            try await follow([event])
          } catch {
            // The sender is told; the router is as it was before the event.
            router.refuse(event)
          }
          outputs.merge(router.takeOutputs()) { $0.followed(by: $1) }
        }
        router.outputs = outputs
        speak(to: [entry])
      }
    }
  }

  /// Takes the router a step further, if the step can be committed. Only `turn` calls it, so
  /// nothing comes between.
  private func follow(_ events: [ServerEvent]) async throws {
    router = try await database.write { [router] connection in
      var next = router
      let ledger = ServerTransaction(connection)
      for event in events { try next.handle(event, ledger) }
      return next
    }
  }

  /// Hands the turn's words to the connections and lets those go on who waited for it.
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
