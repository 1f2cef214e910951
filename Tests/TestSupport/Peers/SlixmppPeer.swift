import Foundation
import XMPP

/// A client that we did not write, slixmpp, driven line by line through `slixmpp_peer.py`.
package final class SlixmppPeer: Sendable {
  /// One thing that happened to it.
  package struct Event: Decodable, Hashable, Sendable {
    /// `online`, `message`, `stanza` (a message without a text), `presence`, `roster`,
    /// `subscription`, `receipt`, `failed`, `disconnected`, `done` (a command's answer), `error`,
    /// `seat` (presence from a room, or one that came back).
    package let event: String
    package var from: String?
    package var body: String?
    package var id: String?
    /// The stanza's type; of a presence also its show.
    package var type: String?
    package var jid: String?
    package var text: String?
    /// Of `online`: `TLSv1.3` or such.
    package var tls: String?
    /// Of `roster`: address → subscription.
    package var roster: [String: String]?
    /// The command that this answers.
    package var command: Int?
    /// The whole stanza.
    package var xml: String?
    /// Of `slot`: where to put the file, and with what header fields.
    package var put: String?
    package var headers: [String: String]?
  }

  package enum Security: String, Sendable {
    case starttls, direct, off
  }

  package struct Failure: Error, CustomStringConvertible {
    package let what: String
    package let events: [Event]
    package let log: String
    package var description: String {
      "slixmpp: \(what); it saw:\n"
        + events.suffix(20).map { "  \($0)" }.joined(separator: "\n") + "\n\(log)"
    }
  }

  /// Debian's Python, which has Debian's slixmpp.
  private static let python = "/usr/bin/python3"
  static let isInstalled =
    FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/slixmpp")

  private let child: ChildProcess
  private let input: Int32
  private let folder: TemporaryFolder
  private let observed = Observed<[Event]>([])
  private let lastCommand = Observed(0)

  /// Starts it and signs in.
  /// - Parameters:
  ///   - jid: bare or full.
  ///   - security: in the clear in any case where the server does not encrypt.
  ///   - registers: makes the account first (XEP-0077).
  ///   - key: what the built-in server takes accounts for; `nil`: it is another server.
  /// - Throws: `Failure` when it could not sign in, `Programs.Missing`.
  package convenience init(
    _ jid: String, password: String, server: any XMPPServer, security: Security = .starttls,
    registers: Bool = false, key: String? = nil
  ) async throws {
    let encryption = server.encryption
    let directPort = security == .direct ? encryption?.directPort : nil
    try await self.init(
      jid, password: password, host: server.host, port: directPort ?? server.port,
      security: encryption == nil ? .off : security, authority: encryption?.certificate,
      registers: registers, key: key)
  }

  /// It was to be a part of a server that takes none.
  package struct NoParts: Error {}

  /// Starts a component of a server (XEP-0114) instead of a client: a search over the rooms of many
  /// servers (XEP-0433), written by the examples of its specification. Each query is reported as a
  /// `search`.
  package convenience init(searchOf server: any XMPPServer) async throws {
    guard let port = server.partPort else { throw NoParts() }
    try await self.init(
      "search.\(server.domain)", password: "secret", host: server.host, port: port,
      security: .off, authority: nil, script: "search_part.py")
  }

  /// Has a search answer as `manner` says: `open`, `closed` (it does not list all rooms), `busy`
  /// (it rejects queries for two seconds, once), `unsorted` (it does not sort by people).
  package func behaves(_ manner: String) async throws {
    try await perform(["do": "behave", "how": manner])
  }

  /// - Parameter authority: the PEM file of the CA that it trusts; `nil` for a server without TLS.
  package init(
    _ jid: String, password: String, host: String, port: UInt16, security: Security,
    authority: String?, registers: Bool = false, key: String? = nil,
    script: String = "slixmpp_peer.py"
  ) async throws {
    guard Self.isInstalled else { throw Programs.Missing(name: "python3-slixmpp") }
    folder = try TemporaryFolder("slixmpp")
    var toChild: [Int32] = [-1, -1]
    var fromChild: [Int32] = [-1, -1]
    pipe(&toChild)
    pipe(&fromChild)
    for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let log = open(folder.path("stderr.log"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/\(script)").path
    input = toChild[1]
    defer { for end in [toChild[0], fromChild[1], log] { close(end) } }
    child = try ChildProcess(
      Self.python,
      [
        script, jid, host, String(port), security.rawValue, authority ?? "",
        registers ? "register" : "",
      ],
      environment: [
        "PATH": Programs.searchPath, "HOME": folder.root.path, "LANG": "C.UTF-8",
        // Not on the command line, where every user of the machine could read it.
        "PEER_PASSWORD": password, "PEER_KEY": key ?? "", "PYTHONUNBUFFERED": "1",
      ], directory: folder.root.path, descriptors: (toChild[0], fromChild[1], log))
    Self.follow(fromChild[0], observed)
    guard
      await waits(until: {
        $0.contains { ["online", "failed", "disconnected"].contains($0.event) }
      }),
      events.contains(where: { $0.event == "online" })
    else { throw failure("could not sign in as \(jid)") }
  }

  deinit {
    close(input)
    child.release()
  }

  private static func follow(_ output: Int32, _ observed: Observed<[Event]>) {
    Thread.detachNewThread {
      var pending: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 16384)
      while true {
        let count = read(output, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        pending += buffer[..<count]
        while let end = pending.firstIndex(of: 0x0a) {
          let line = Data(pending[..<end])
          pending.removeSubrange(...end)
          let event =
            (try? JSONDecoder().decode(Event.self, from: line))
            ?? Event(event: "error", text: String(decoding: line, as: UTF8.self))
          observed.update { $0.append(event) }
        }
      }
      close(output)
      observed.finish()
    }
  }

  /// Everything that has happened so far.
  package var events: [Event] { observed.value }

  package func waits(
    upTo limit: Duration = .seconds(30), until condition: @escaping @Sendable ([Event]) -> Bool
  ) async -> Bool {
    await observed.waits(upTo: limit, until: condition)
  }

  /// Waits for a message.
  /// - Throws: `Failure` when none satisfies `condition` within `limit`.
  @discardableResult
  package func message(
    upTo limit: Duration = .seconds(30),
    where condition: @escaping @Sendable (Event) -> Bool = { _ in true }
  ) async throws -> Event {
    try await event("message", upTo: limit, where: condition)
  }

  /// Waits for an event of a kind; those that have happened already count.
  @discardableResult
  package func event(
    _ kind: String, upTo limit: Duration = .seconds(30),
    where condition: @escaping @Sendable (Event) -> Bool = { _ in true }
  ) async throws -> Event {
    _ = await waits(upTo: limit) { $0.contains { $0.event == kind && condition($0) } }
    guard let event = events.first(where: { $0.event == kind && condition($0) }) else {
      throw failure("no such \(kind) came")
    }
    return event
  }

  /// Sends a chat message.
  /// - Returns: its id.
  @discardableResult
  package func send(_ body: String, to jid: String) async throws -> String {
    try await perform(["do": "send", "to": jid, "body": body]).id ?? ""
  }

  /// Sends numbered messages one after another until `isOver`.
  /// - Returns: the text of the last.
  package func talk(to jid: String, perSecond rate: Int, until isOver: Observed<Bool>) async throws
    -> String
  {
    async let talk = perform(["do": "talk", "to": jid, "rate": String(rate)])
    _ = await isOver.waits(upTo: .seconds(600)) { $0 }
    try await perform(["do": "hush"])
    return try await talk.text ?? ""
  }

  /// Sends a stanza or anything else as it is.
  package func send(xml: String) async throws { try await perform(["do": "raw", "xml": xml]) }

  /// Sends a request to `jid`, or to its own server if that is empty.
  /// - Parameter type: `get` or `set`.
  /// - Returns: the whole answer, be it an error.
  package func ask(_ type: String, _ payload: String, of jid: String = "") async throws -> String {
    try await perform(["do": "ask", "type": type, "xml": payload, "to": jid]).xml ?? ""
  }

  /// Offers a command of two steps with a field of each type; the answers are reported as a
  /// `survey`.
  package func offerCommand() async throws { try await perform(["do": "offer"]) }

  /// Fetches what is at an address.
  /// - Returns: its SHA-256 in hexadecimal digits.
  package func fetch(_ url: String) async throws -> String {
    try await perform(["do": "fetch", "url": url]).text ?? ""
  }

  /// Requests a slot for a file (XEP-0363 §4).
  package func slot(_ name: String, byteCount: Int, type: String) async throws -> XEP0363Slot {
    let answer = try await perform([
      "do": "slot", "name": name, "size": String(byteCount), "type": type,
    ])
    return XEP0363Slot(
      put: answer.put ?? "", get: answer.text ?? "",
      headers: (answer.headers ?? [:]).map { .init(name: $0.key, value: $0.value) })
  }

  /// Uploads a file (XEP-0363).
  /// - Returns: where it can be had.
  package func upload(_ path: String, type: String) async throws -> String {
    try await perform(["do": "upload", "path": path, "type": type]).text ?? ""
  }

  /// Sends presence: `available`, `away`, `dnd`, `xa`, `chat` or `unavailable`.
  package func presence(_ show: String, status: String = "") async throws {
    try await perform(["do": "presence", "show": show, "status": status])
  }

  /// Sends a subscription stanza to `jid`: `subscribe`, `subscribed`, `unsubscribe`,
  /// `unsubscribed`.
  package func subscription(_ type: String, to jid: String) async throws {
    try await perform(["do": "subscription", "type": type, "to": jid])
  }

  /// Adds a contact to its roster.
  package func addContact(_ jid: String, name: String = "") async throws {
    try await perform(["do": "add", "to": jid, "name": name])
  }

  /// The roster as the server has it: address → subscription.
  package func roster() async throws -> [String: String] {
    try await perform(["do": "roster"]).roster ?? [:]
  }

  /// Closes the stream properly and ends.
  package func signOut() async {
    command(["do": "quit"])
    if await child.waitsForEnd(upTo: .seconds(10)) == nil { await child.stop(SIGKILL) }
  }

  @discardableResult
  private func perform(_ fields: [String: String]) async throws -> Event {
    let number = command(fields)
    _ = await waits { $0.contains { $0.command == number } }
    guard let answer = events.first(where: { $0.command == number }), answer.event == "done" else {
      throw failure("the command \(fields) failed")
    }
    return answer
  }

  @discardableResult
  private func command(_ fields: [String: String]) -> Int {
    lastCommand.update { $0 += 1 }
    let number = lastCommand.value
    var fields: [String: Any] = fields
    fields["command"] = number
    guard let line = try? JSONSerialization.data(withJSONObject: fields) else { return number }
    (line + [0x0a]).withUnsafeBytes { _ = writeToPipe(input, $0) }
    return number
  }

  private func failure(_ what: String) -> Failure {
    Failure(what: what, events: events, log: tail(folder.path("stderr.log")))
  }
}
