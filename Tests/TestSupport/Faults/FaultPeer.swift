import Foundation

/// The other side of a fault test: a slixmpp client that talks, or one that reads archives
/// (`fault_peer.py`).
package final class FaultPeer: Sendable {
  /// One message as an archive or a database has it.
  package struct Row: Decodable, Hashable, Sendable {
    package let body: String
    /// The archive's id.
    package var archive: String?
    /// In an archive: the bare address that sent it; in that of a room the occupant's.
    package var from: String?
    package var id: String?
    /// In a database: whether it was typed there.
    package var outgoing: Bool?
    package var delivery: String?
    /// In a database: whether it came from an archive, or late.
    package var delayed: Bool?
  }

  /// The course of events so far.
  package struct State: Sendable {
    package var isOnline = false
    package var hasFailed = false
    /// The number of arrivals of each text.
    package var received: [String: Int] = [:]
    /// Ids of own messages that came back, with the reason.
    package var bounced: [String: String] = [:]
    fileprivate var answers: [Int: Event] = [:]
  }

  fileprivate struct Event: Decodable, Sendable {
    let event: String
    var body: String?
    var id: String?
    var text: String?
    var number: Int?
    var rows: [Row]?
    var check: [String]?
    var ranges: Int?
  }

  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private static let python = "/usr/bin/python3"
  private let child: ChildProcess
  private let input: Int32
  private let folder: TemporaryFolder
  private let observed = Observed(State())
  private let lastOrder = Observed(0)

  /// The way of a peer to its account.
  package struct Endpoint: Sendable {
    package var host: String
    package var port: UInt16
    /// The PEM file of the authority that is trusted; `nil`: no TLS.
    package var authority: String?
    package init(host: String = "127.0.0.1", port: UInt16, authority: String?) {
      self.host = host
      self.port = port
      self.authority = authority
    }
  }

  /// Starts it and signs in.
  /// - Parameters:
  ///   - endpoint: `nil` for one that only looks into a database.
  ///   - talks: whether it is available; else it sends no presence and reads the archive.
  package init(
    _ jid: String, password: String, at endpoint: Endpoint?, talks: Bool
  ) async throws {
    guard SlixmppPeer.isInstalled else { throw Programs.Missing(name: "python3-slixmpp") }
    folder = try TemporaryFolder("peer")
    var toChild: [Int32] = [-1, -1]
    var fromChild: [Int32] = [-1, -1]
    pipe(&toChild)
    pipe(&fromChild)
    for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let log = open(folder.path("stderr.log"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/fault_peer.py").path
    input = toChild[1]
    defer { for end in [toChild[0], fromChild[1], log] { close(end) } }
    child = try ChildProcess(
      Self.python,
      [
        script, jid, endpoint?.host ?? "", String(endpoint?.port ?? 0),
        endpoint?.authority == nil ? "off" : "starttls", endpoint?.authority ?? "",
        talks ? "talks" : "reads",
      ],
      environment: [
        "PATH": Programs.searchPath, "HOME": folder.root.path, "LANG": "C.UTF-8",
        "PEER_PASSWORD": password, "PYTHONUNBUFFERED": "1",
      ], directory: folder.root.path, descriptors: (toChild[0], fromChild[1], log))
    follow(fromChild[0])
    guard endpoint != nil else { return }
    let isUp = await waits(upTo: .seconds(60)) { $0.isOnline || $0.hasFailed }
    guard isUp, state.isOnline else { throw failure("could not sign in as \(jid)") }
  }

  deinit {
    close(input)
    child.release()
  }

  /// Takes what the script says, on a thread of its own.
  private func follow(_ output: Int32) {
    let observed = observed
    PipeLines.read(output) { line in
      guard let event = try? JSONDecoder().decode(Event.self, from: Data(line.utf8)) else { return }
      observed.update { state in
        switch event.event {
        case "online": state.isOnline = true
        case "disconnected": state.isOnline = false
        case "failed": state.hasFailed = true
        case "message": state.received[event.body ?? "", default: 0] += 1
        case "bounce": state.bounced[event.id ?? ""] = event.text
        default: if let number = event.number { state.answers[number] = event }
        }
      }
    } end: {
      observed.finish()
    }
  }

  package var state: State { observed.value }

  package func waits(
    upTo limit: Duration, until condition: @escaping @Sendable (State) -> Bool
  ) async -> Bool {
    await observed.waits(upTo: limit, until: condition)
  }

  /// Hands a message over; whether the server takes it shows in the archive.
  package func send(_ body: String, to jid: String) { order("send", "\(jid) \(body)") }

  /// Goes into a room as `nick`, and makes it where there is none: what is sent there is for
  /// everybody in it.
  /// - Throws: `Failure`, also where the room does not let it in.
  package func join(_ room: String, as nick: String) async throws {
    _ = try await answer(to: order("join", "\(room)/\(nick)"))
  }

  /// Returns the conversation with `jid` from the archive of its account, oldest first.
  /// - Throws: `Failure`, also where there is no archive.
  package func archive(with jid: String) async throws -> [Row] {
    try await answer(to: order("archive", jid)).rows ?? []
  }

  /// Returns the content of a room's archive, oldest first.
  package func archive(ofRoom room: String) async throws -> [Row] {
    try await answer(to: order("archive", "\(room) room")).rows ?? []
  }

  /// The messages of a conversation in Natter's database, in its order, and the faults of the file.
  package func database(_ path: String, with jid: String) async throws -> (
    rows: [Row], faults: [String]
  ) {
    let answer = try await answer(to: order("database", "\(path) \(jid)"))
    return (answer.rows ?? [], (answer.check ?? []).filter { $0 != "ok" })
  }

  /// Returns the number of complete ranges that the database has of the archive of `owner`, an
  /// account or a room.
  package func ranges(in path: String, of owner: String) async throws -> Int {
    try await answer(to: order("database", "\(path) \(owner)")).ranges ?? 0
  }

  package func stop() async { await child.stop(SIGKILL) }

  private func answer(to number: Int) async throws -> Event {
    _ = await waits(upTo: .seconds(180)) { $0.answers[number] != nil }
    guard let answer = state.answers[number] else { throw failure("no answer") }
    if let text = answer.text { throw failure(text) }
    return answer
  }

  @discardableResult
  private func order(_ name: String, _ rest: String) -> Int {
    lastOrder.update { $0 += 1 }
    let number = lastOrder.value
    Array("\(name) \(number) \(rest)\n".utf8).withUnsafeBytes { _ = writeToPipe(input, $0) }
    return number
  }

  private func failure(_ what: String) -> Failure {
    Failure(description: "slixmpp: \(what)\n\(tail(folder.path("stderr.log")))")
  }
}

/// The lines that come out of a pipe.
enum PipeLines {
  /// Reads on a thread of its own until the pipe ends, then closes it.
  static func read(
    _ pipe: Int32, _ take: @escaping @Sendable (String) -> Void,
    end: @escaping @Sendable () -> Void
  ) {
    Thread.detachNewThread {
      var pending: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = Foundation.read(pipe, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        pending += buffer[..<count]
        var start = 0
        while let stop = pending[start...].firstIndex(of: 0x0a) {
          take(String(decoding: pending[start..<stop], as: UTF8.self))
          start = stop + 1
        }
        pending.removeFirst(start)
      }
      close(pipe)
      end()
    }
  }
}
