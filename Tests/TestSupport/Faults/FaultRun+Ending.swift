import Foundation

// Until nothing is under way any more, and what is left then.
extension FaultRun {
  /// Waits until nothing is under way any more.
  func settle() async throws {
    if relay.isRefusing {
      refusals = 0
      try relay.open()
      natter.type("/connect")
    }
    let last = plan.messages
    let (natter, peer) = (natter, speaker(of: last))
    natter.type("a-\(last). end")
    peer.send("b-\(last). end", to: everybody)
    offered.insert(last)
    try await helping {
      await peer.waits(upTo: $0) { $0.received["a-\(last). end"] != nil }
    }
    try await helping { await natter.waits(upTo: $0) { $0.received.contains(last) } }
    // The acknowledgement of the last one may still be on its way.
    try await polling {
      let rows = (try? await stored()) ?? []
      return !rows.isEmpty && !rows.contains { $0.delivery == "queued" }
    }
    collect(natter)
    guard await natter.quit() == .exited(0) else {
      throw Failure(description: "Natter did not end well\n" + failureText)
    }
  }

  private static let orderLimit = Duration.seconds(20)

  /// Returns the conversation in Natter's database, as far as it is there.
  func stored() async throws -> [FaultPeer.Row] {
    let reader: FaultPeer
    if let databaseReader {
      reader = databaseReader
    } else {
      reader = try await FaultPeer(alice, password: "", at: nil, talks: false)
      databaseReader = reader
    }
    do {
      return try await reader.database(databasePath, with: conversation).rows
    } catch {
      // The next look begins anew.
      databaseReader = nil
      await reader.stop()
      throw error
    }
  }

  /// A new session, in which Natter fetches what is missing.
  /// - Returns: the one that reads the server's archive.
  func signInOnceMore() async throws -> FaultPeer {
    let reader = try await Self.peer("alice", of: server, talks: false)
    if let archive = try? await archive(reader) {
      natter = try Self.natter(server, relay, home)
      let (natter, database, conversation) = (natter, databasePath, conversation)
      let count = Set(archive.map(\.body)).count
      // Holes are filled a page at a time: as long as there is more each minute, it goes on.
      var (stored, before) = (0, -1)
      while stored < count, stored > before {
        before = stored
        try await helping {
          guard await natter.waits(upTo: $0, until: { $0.isOnline }) else { return false }
          stored = (try? await reader.database(database, with: conversation).rows.count) ?? stored
          if stored <= before { try? await Task.sleep(for: .milliseconds(50)) }
          return stored > before
        }
      }
      // Messages that were delivered in another order are put right when the archive's pages have
      // been read; those that are not by then are reported.
      let bodies = archive.map(\.body)
      let deadline = ContinuousClock.now + Self.orderLimit.withPatience
      while ContinuousClock.now < deadline,
        let rows = try? await reader.database(database, with: conversation).rows,
        !FaultReport.areOrdered(rows, as: bodies)
      {
        try await Task.sleep(for: .milliseconds(100))
      }
      guard await natter.quit() == .exited(0) else {
        throw Failure(description: "Natter did not end well\n" + failureText)
      }
    }
    return reader
  }

  var databasePath: String {
    home.data.appending(path: "accounts/\(alice).db").path
  }

  /// - Parameter reader: the one that reads the server's archive; ends.
  func examine(_ reader: FaultPeer) async throws -> FaultReport {
    // The archive of a room is everybody's.
    let other = scene == .room ? nil : try await Self.peer("bob", of: server, talks: false)
    let (rows, faults) = try await reader.database(databasePath, with: conversation)
    var report = FaultReport(plan: plan, scene: scene, server: kind)
    report.serverKills = serverKills
    report.clientKills = clientKills
    report.databaseFaults = faults
    report.stuck = stuck
    report.seconds = (ContinuousClock.now - began).seconds
    report.examine(
      rows: rows, typed: typed, arrived: (earlierPeers + peers).map(\.state.received),
      own: try await archive(reader),
      other: try await other?.archive(with: alice),
      author: scene == .room ? "\(room)/alice" : alice)
    if !report.isClean {
      report.details = failureText
      keepFiles()
    }
    await reader.stop()
    await other?.stop()
    return report
  }

  /// Keeps the files for analysis: when something is stuck, and at the end.
  func keepFiles() {
    guard let folder = ProcessInfo.processInfo.environment["NATTER_FAULTS_KEEP"] else { return }
    try? FileManager.default.copyItem(
      atPath: home.folder.path(""), toPath: "\(folder)-\(getpid())-\(stuck.count)")
  }

  /// A description that helps to find the cause.
  var failureText: String {
    let log = home.state.appending(path: "natter.log").path
    return """
      \(plan)
      \(stuck.joined(separator: "\n"))
      line mode:
      \(natter.state.tail.joined(separator: "\n"))
      natter.log:
      \(tail(log, lines: 40))
      server:
      \(server.logTail())
      """
  }
}
