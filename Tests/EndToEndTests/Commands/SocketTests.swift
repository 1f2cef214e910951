import Foundation
import TestSupport
import Testing

/// The socket of an account that is open, and the commands that use it.
@Suite(.limitedConcurrency) struct SocketTests {
  private static let account = ["--account", "me@localhost"]

  private func mode(of path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  /// Line mode with an account of the built-in server, and the path of its socket.
  private func owner(_ home: Home) async throws -> (line: LineNatter, socket: String) {
    let line = try LineNatter(["--local"], home: home)
    #expect(try await polls { !home.listeningSockets.isEmpty })
    return (line, try #require(home.bridgeSockets.first))
  }

  /// Runs a client in Python, which prints what the test expects.
  private func client(_ socket: String, _ body: String, home: Home) async throws -> String {
    let head = """
      import socket, sys, json
      def connect():
          client = socket.socket(socket.AF_UNIX)
          client.settimeout(60)
          client.connect(sys.argv[1])
          return client
      def line(client):
          data = b""
          while not data.endswith(b"\\n"):
              more = client.recv(1)
              if not more: return ""
              data += more
          return data.decode()
      hello = b'{"jsonrpc":"2.0","id":1,"method":"hello","params":{"api":1}}\\n'

      """
    let run = try await CommandRun(
      "python3", ["-c", head + body, socket], environment: home.environment())
    #expect(run.status == .exited(0), "\(run.errorText)")
    return run.text
  }

  @Test func `the socket and its folder are the user's alone, also where the folder was open`()
    async throws
  {
    let home = try Home()
    let folder = home.folder.path("runtime/natter")
    try home.folder.makeFolder("runtime/natter")
    chmod(folder, 0o755)
    let (line, socket) = try await owner(home)
    #expect(try mode(of: folder) == 0o700 && mode(of: socket) == 0o600)
    #expect(await line.quit() == .exited(0))
    #expect(home.bridgeSockets == [])
    // One that a dead process left is replaced.
    let (again, _) = try await owner(home)
    await again.kill()
    #expect(home.bridgeSockets == [socket])
    let (third, other) = try await owner(home)
    #expect(other == socket)
    #expect(
      try await client(socket, "c = connect(); c.sendall(hello); print(line(c)[:1])", home: home)
        == "{\n")
    #expect(await third.quit() == .exited(0))
  }

  @Test func `clients that send halves or never read do not disturb others`() async throws {
    let home = try Home()
    let (line, socket) = try await owner(home)
    let text = try await client(
      socket,
      """
      deaf = connect()
      deaf.setblocking(False)
      try:
          for _ in range(20000): deaf.send(b"nonsense\\n" * 10)
      except OSError: pass
      half = connect()
      half.sendall(hello[:20])
      gone = connect()
      gone.sendall(hello[:20])
      gone.close()
      good = connect()
      good.sendall(hello)
      print(json.loads(line(good))["result"]["api"])
      half.sendall(hello[20:])
      print(json.loads(line(half))["id"])
      """, home: home)
    #expect(text == "1\n1\n")
    #expect(await line.quit() == .exited(0))
  }

  @Test func `call prints results and ends as its error says, tail prints what comes`()
    async throws
  {
    let home = try Home()
    let (line, _) = try await owner(home)
    func call(_ arguments: String...) async throws -> CommandRun {
      try await CommandRun(
        Programs.natter, ["call"] + arguments + Self.account, environment: home.environment())
    }
    let version = try await call("version")
    #expect(version.status == .exited(0) && version.text.hasPrefix("{\"api\":1,"))
    #expect(try await call("no.method").status == .exited(2))
    #expect(try await call("messages.get", #"{"message":"999999"}"#).status == .exited(1))
    // A Natter with a user does not give its account away.
    let release = try await call("account.release")
    #expect(release.status == .exited(2), "\(release.text)")

    let tail = try BridgeRun(["tail", "--json", "natter@localhost"] + Self.account, home: home)
    // A message of each moment, until one came after the beginning of tail.
    var number = 0
    let hasCome = try await polls {
      number += 1
      line.type("/msg natter@localhost message \(number)")
      return !tail.lines.isEmpty
    }
    #expect(hasCome)
    let first = BridgeRun.Line(text: try #require(tail.lines.first))
    #expect(first.members["conversation"] as? String == "natter@localhost")
    // It goes on with the account itself.
    #expect(await line.quit() == .exited(0))
    #expect(try await home.waits(forHolder: tail.identifier))
    tail.signal(SIGINT)
    #expect(await tail.waitsForEnd() == .exited(130))
  }

  @Test func `tail ends with its reader, and serve with its input`() async throws {
    let home = try Home()
    let (line, _) = try await owner(home)
    let script = """
      "$1" tail --account me@localhost | true; echo "${PIPESTATUS[0]}"
      "$1" serve --account me@localhost < /dev/null; echo "$?"
      """
    let shell = try await CommandRun(
      "bash", ["-c", script, "bash", Programs.natter], environment: home.environment())
    #expect(shell.text == "0\n0\n", "\(shell.errorText)")
    let serve = try await CommandRun(
      Programs.natter, ["serve"] + Self.account, environment: home.environment(),
      input: #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"api":1}}"#)
    #expect(serve.status == .exited(0) && serve.text.contains(#""id":1"#), "\(serve.errorText)")
    #expect(await line.quit() == .exited(0))
  }
}
