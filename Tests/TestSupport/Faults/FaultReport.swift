import Foundation

/// The result of a disturbed conversation, compared with the server's copy.
package struct FaultReport: Sendable, CustomStringConvertible {
  package let plan: FaultPlan
  package let scene: FaultScene
  package let server: FaultServerKind
  package var seconds = 0.0
  package var serverKills = 0
  package var clientKills = 0

  /// Messages in the account's archive and in the database.
  package var archived = 0
  package var stored = 0
  /// The faults, each as a text, beginning with the missing messages.
  package var missing: [String] = []
  package var doubled: [String] = []
  package var outOfOrder: [String] = []
  /// Typed, and neither at the recipient nor failed.
  package var lost: [String] = []
  /// At the recipient more than once.
  package var sentTwice: [String] = []
  package var databaseFaults: [String] = []
  package var stuck: [String] = []

  /// The same of live messages: the server delivered them in another order, and the comparison with
  /// the archive corrects it.
  package var reorderedLive: [String] = []
  /// The messages that the server itself lost: in one archive or at one client, and not where they
  /// belong. It may lose some where it is killed.
  package var lostByServer: [String] = []
  /// Typed and shown as failed.
  package var failed = 0
  /// Of those what the recipient has all the same: who sees that would say it once more.
  package var wronglyFailed: [String] = []
  package var details = ""

  package init(plan: FaultPlan, scene: FaultScene = .direct, server: FaultServerKind) {
    self.plan = plan
    self.scene = scene
    self.server = server
  }

  /// Indicates whether every message that the server accepted is stored once and in its order, and
  /// no typed message is lost or sent twice.
  package var isClean: Bool {
    missing.isEmpty && doubled.isEmpty && outOfOrder.isEmpty && reorderedLive.isEmpty
      && lost.isEmpty && wronglyFailed.isEmpty && sentTwice.isEmpty && databaseFaults.isEmpty
      && stuck.isEmpty
      && lostByServer.allSatisfy { wasKilled(near: $0) }
  }

  /// The numbers of messages before and after a kill that the server may lose by it: those not yet
  /// written, and those in transfer while it started.
  private static let reach = (before: 200, after: 100)

  /// Indicates whether the server was killed near the message that `text` begins with.
  private func wasKilled(near text: String) -> Bool {
    guard serverKills > 0, let number = Self.number(text) else { return false }
    // A message that only checks whether anything passes is not in the plan.
    if number >= FaultRun.firstProbe { return true }
    return plan.steps.contains { step in
      // Of an archive in Mnesia all may go that was said since the server was started.
      step.fault == .killServer && number <= step.message + Self.reach.after
        && (server == .mnesia || number >= step.message - Self.reach.before)
    }
  }

  /// - Parameters:
  ///   - rows: the database's messages in its order.
  ///   - typed: numbers that line mode has confirmed as stored.
  ///   - arrived: how often each of the others has seen each text live, in one session.
  ///   - own: the account's archive, or the room's.
  ///   - other: the recipient's archive; `nil`: it is the same one, a room's.
  ///   - author: how the archives name the account as a sender.
  package mutating func examine(
    rows: [FaultPeer.Row], typed: Set<Int>, arrived: [[String: Int]], own: [FaultPeer.Row],
    other: [FaultPeer.Row]?, author: String
  ) {
    stored = rows.count
    let counts = Self.counts(rows)
    doubled = counts.filter { $0.value > 1 }.map { Self.short($0.key) }.sorted()
    archived = own.count
    let accepted = Set(own.map(\.body))
    missing = own.map(\.body).filter { counts[$0] == nil }.map(Self.short)
    sentTwice += Self.counts(own.filter { $0.from?.hasPrefix(author) == true }).filter {
      $0.value > 1
    }
    .map { "\(Self.short($0.key)) in the own archive" }
    (outOfOrder, reorderedLive) = Self.disorder(rows, as: own.map(\.body))
    lostByServer += rows.filter { $0.outgoing == false && !accepted.contains($0.body) }
      .map { "\(Self.short($0.body)) came and is not in the archive" }
    var there = Set(arrived.flatMap(\.keys))
    let twice = Set(arrived.flatMap { $0.filter { $0.value > 1 }.keys })
    sentTwice += twice.sorted().map { "\(Self.short($0)) came twice in one session" }
    // What a room's archive has is with everybody.
    if scene == .room { there.formUnion(accepted) }
    if let other {
      let sent = other.filter { $0.from == author }
      there.formUnion(sent.map(\.body))
      sentTwice += Self.counts(sent).filter { $0.value > 1 }.map { Self.short($0.key) }
    }
    for row in rows where row.outgoing == true {
      switch row.delivery {
      case "failed":
        failed += 1
        if there.contains(row.body) { wronglyFailed.append(Self.short(row.body)) }
      case "queued": lost.append("\(Self.short(row.body)) is still queued")
      default:
        // The archive outlives the server's end: what that has, the server had.
        switch (there.contains(row.body), accepted.contains(row.body)) {
        case (true, true): break
        case (true, false):
          lostByServer.append("\(Self.short(row.body)) arrived and is not in the own archive")
        case (false, true):
          lostByServer.append("\(Self.short(row.body)) was accepted and did not arrive")
        case (false, false): lost.append("\(Self.short(row.body)), \(row.delivery ?? "")")
        }
      }
    }
    let numbers = Set(rows.lazy.filter { $0.outgoing == true }.compactMap { Self.number($0.body) })
    lost += typed.subtracting(numbers).sorted().map { "a-\($0). was shown and is not stored" }
  }

  private static func counts(_ rows: [FaultPeer.Row]) -> [String: Int] {
    Dictionary(rows.map { ($0.body, 1) }, uniquingKeysWith: +)
  }

  /// Indicates whether all rows are in the order of `archive`.
  package static func areOrdered(_ rows: [FaultPeer.Row], as archive: [String]) -> Bool {
    let (here, there) = disorder(rows, as: archive)
    return here.isEmpty && there.isEmpty
  }

  /// Texts that are behind one that `archive` has behind them: `there`, where both came live.
  private static func disorder(_ rows: [FaultPeer.Row], as archive: [String]) -> (
    here: [String], there: [String]
  ) {
    let positions = Dictionary(
      archive.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    var last: (position: Int, row: FaultPeer.Row)?
    var found: (here: [String], there: [String]) = ([], [])
    for row in rows {
      guard let position = positions[row.body] else { continue }
      if let last, position < last.position {
        let text =
          "\(short(row.body)) (\(position)) after \(short(last.row.body)) (\(last.position))"
        if row.delayed == false, last.row.delayed == false, row.outgoing == false {
          found.there.append(text)
        } else {
          found.here.append(text)
        }
      } else {
        last = (position, row)
      }
    }
    return found
  }

  private static func short(_ text: String) -> String {
    text.firstIndex(of: ".").map { String(text[...$0]) } ?? text
  }

  /// Returns the number of a message among those of one side.
  private static func number(_ text: String) -> Int? {
    text.hasPrefix("a-") || text.hasPrefix("b-")
      ? Int(text.dropFirst(2).prefix { $0.isNumber }) : nil
  }

  package var description: String {
    var lines = [
      String(
        format:
          "%@, %@, seed %llu: %d messages each way, %d faults (%d server kills, %d client kills), %.1f s",
        server.rawValue, scene.rawValue, plan.seed, plan.messages, plan.steps.count, serverKills,
        clientKills,
        seconds),
      "archived \(archived), stored \(stored), shown as failed \(failed)",
    ]
    for (name, texts) in [
      ("missing", missing), ("doubled", doubled), ("out of order", outOfOrder), ("lost", lost),
      ("shown as failed though it arrived", wronglyFailed),
      ("sent twice", sentTwice), ("database", databaseFaults), ("stuck", stuck),
      ("lost by the server", lostByServer), ("live, out of order", reorderedLive),
    ] {
      let some = texts.prefix(8).joined(separator: "; ")
      lines.append("\(name): \(texts.count)\(texts.isEmpty ? "" : " (\(some))")")
    }
    return lines.joined(separator: "\n") + (details.isEmpty ? "" : "\n\(details)")
  }
}
