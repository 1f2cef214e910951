import Foundation
import TestSupport
import Testing

/// A team's server that is two: one of them is killed, and the conversation goes on.
@Suite(.requires(.ejabberd, .slixmpp, .openssl)) struct ClusterTests {
  @Test func `the node in use is killed: Natter goes to the other, nothing is lost or doubled`()
    async throws
  {
    let cluster = try await EjabberdCluster(users: ["alice": "a", "bob": "b"])
    let (alice, bob) = ("alice@\(cluster.domain)", "bob@\(cluster.domain)")
    let home = try Home()
    try home.folder.write("a\n", to: "password")
    let options = [
      "--account", alice, "--tls", "starttls", "--ca-file", cluster.authority,
      "--password-file", home.folder.path("password"),
    ]
    let natter = try LineNatter(options, home: home, ["NATTER_NAME_SERVER": cluster.nameServer])
    let endpoint = FaultPeer.Endpoint(port: cluster.second.port, authority: cluster.authority)
    let peer = try await FaultPeer(bob, password: "b", at: endpoint, talks: true)
    natter.type("/chat \(bob)")
    #expect(await natter.waits(upTo: .seconds(30)) { $0.isOnline })

    let count = 60
    for number in 0..<count {
      if number == count / 2 {
        // In the middle of the traffic, once both sides have heard each other.
        #expect(await natter.waits(upTo: .seconds(30)) { !$0.received.isEmpty })
        #expect(await peer.waits(upTo: .seconds(30)) { !$0.received.isEmpty })
        await cluster.first.kill()
      }
      natter.type("a-\(number). one")
      peer.send("b-\(number). two", to: alice)
    }
    #expect(await natter.waits(upTo: .seconds(30)) { $0.problems > 0 })
    // It moves by itself: nobody says where to, or when.
    #expect(await natter.waits(upTo: .seconds(60)) { $0.isOnline })
    natter.type("a-\(count). end")
    #expect(await peer.waits(upTo: .seconds(60)) { $0.received["a-\(count). end"] != nil })
    peer.send("b-\(count). end", to: alice)
    #expect(await natter.waits(upTo: .seconds(60)) { $0.received.contains(count) })
    #expect(await natter.quit() == .exited(0))

    let reader = try await FaultPeer(alice, password: "a", at: endpoint, talks: false)
    let other = try await FaultPeer(bob, password: "b", at: endpoint, talks: false)
    let database = home.data.appending(path: "accounts/\(alice).db").path
    let archive = try await reader.archive(with: bob)
    // A new session reads the archive's pages, and puts right what was delivered in another order.
    let again = try LineNatter(options, home: home, ["NATTER_NAME_SERVER": cluster.nameServer])
    #expect(await again.waits(upTo: .seconds(60)) { $0.isOnline })
    try await until("the archive's order") {
      FaultReport.areOrdered(
        try await reader.database(database, with: bob).rows, as: archive.map(\.body))
    }
    #expect(await again.quit() == .exited(0))
    let (rows, faults) = try await reader.database(database, with: bob)
    var report = FaultReport(
      plan: FaultPlan(seed: 0, messages: count, faults: 0), server: .ejabberd)
    report.serverKills = 1
    report.databaseFaults = faults
    report.examine(
      rows: rows, typed: natter.state.typed, arrived: [peer.state.received],
      own: archive, other: try await other.archive(with: alice),
      author: alice)
    #expect(report.isClean && report.lostByServer.isEmpty, "\(report)")
    #expect(report.failed == 0)
    #expect(rows.count { $0.outgoing == true } == count + 1)
    await peer.stop()
    await reader.stop()
    await other.stop()
    await cluster.stop()
  }
}
