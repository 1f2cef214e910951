import Foundation

extension Home {
  /// The process that has the account of the built-in server open; `nil`: none ever had.
  package var holder: pid_t? {
    let lock = data.appending(path: "accounts/me@localhost.db.lock")
    let text = try? String(contentsOf: lock, encoding: .utf8)
    return text.flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
  }

  /// The sockets of accounts for other programs.
  package var bridgeSockets: [String] {
    folder.socketNames(in: "runtime/natter").filter { !$0.hasPrefix("local-") }
      .map { folder.path("runtime/natter/\($0)") }
  }

  /// Those of them on which a process listens.
  package var listeningSockets: [String] { bridgeSockets.filter(Self.listens) }

  private static func listens(on path: String) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: path.utf8.prefix($0.count - 1))
    }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
    } == 0
  }

  /// Waits until a process has the account.
  package func waits(forHolder process: pid_t) async throws -> Bool {
    try await polls { holder == process }
  }
}

extension TemporaryFolder {
  /// The names of a folder's entries.
  fileprivate func socketNames(in name: String) -> [String] {
    // A folder that is not there has none.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path(name))) ?? []
    return names.filter { $0.hasSuffix(".sock") }
  }
}
