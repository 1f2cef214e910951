import FoundationEssentials
import Glibc
import NatterCore
import Sockets
import XML
import XMPP

/// The Unix socket of an account, on which the Natter that has it open answers (interface.md,
/// "Access for programs").
nonisolated struct BridgeSocket: Sendable {
  /// The path to listen on: `natter/HASH.sock` in XDG_RUNTIME_DIR or, without that, `run/HASH.sock`
  /// in the folder of the state. `nil`: it would be longer than a socket's path can be (107 bytes).
  let path: String?
  /// The paths where a Natter that was started with another environment may listen, the own first.
  let candidates: [String]

  private static let maximumLength = 107

  /// - Parameters:
  ///   - database: the path of the account's database, which names the socket.
  ///   - runtime: XDG_RUNTIME_DIR; `nil` where it is not set.
  ///   - state: the folder of the profile's state.
  init(database: String, runtime: String?, state: String, user: uid_t = geteuid()) {
    var hash = StableHash()
    hash.add(Self.canonical(database).utf8)
    let text = hash.text
    let name = String(repeating: "0", count: max(0, 16 - text.utf8.count)) + text + ".sock"
    let inState = "\(state)/run/\(name)"
    // A job of cron has no such variable, though the user's session has the folder.
    let inRuntime = "\(runtime ?? "/run/user/\(user)")/natter/\(name)"
    let own = runtime == nil ? inState : inRuntime
    let fits = { (path: String) in path.utf8.count <= Self.maximumLength }
    path = fits(own) ? own : nil
    candidates = [own, own == inState ? inRuntime : inState].filter(fits)
  }

  /// The path with the folder's links resolved, as far as there is one.
  private static func canonical(_ path: String) -> String {
    guard let end = path.utf8.lastIndex(of: UInt8(ascii: "/")),
      let resolved = realpath(String(path[..<end]), nil)
    else { return path }
    defer { free(resolved) }
    return String(cString: resolved) + path[end...]
  }

  /// Connects to the Natter that listens.
  /// - Returns: `nil`: none does.
  func connect() async -> LineConnection? {
    for candidate in candidates {
      // A missing file needs no attempt.
      guard access(candidate, F_OK) == 0,
        let stream = try? await PlainSocket.connect(path: candidate, limit: .seconds(2))
      else { continue }
      if stream.peerCredentials?.userID == geteuid() { return LineConnection(stream) }
      stream.close()
    }
    return nil
  }
}

extension BridgeSocket {
  /// The socket of an account of the profile.
  init(of account: JID, _ context: LaunchContext) {
    let runtime = context.environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : $0 }
    self.init(
      database: context.databaseFile(of: account).path, runtime: runtime,
      state: context.paths.state.path)
  }
}
