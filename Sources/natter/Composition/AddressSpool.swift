import Configuration
import FoundationEssentials
import Glibc
import Sockets
import Storage
import ViewModels

/// Addresses (`xmpp:`, `natter:`) that a program was started with while another one has the account: one file for each, which
/// that one opens and gives another name. One that opens none, as line mode, where that would change whom the next line is for,
/// gives it a third name at once.
nonisolated struct AddressSpool: Sendable {
  private let spool: MessageSpool
  private static let left = ".address"
  private static let taken = ".opened"
  private static let refused = ".refused"
  /// How long the other one may take: one that does nothing with addresses, as `natter send`, says nothing.
  static let limit = Duration.seconds(3)

  init(_ spool: MessageSpool) { self.spool = spool }

  /// Leaves an address for the program that has the account.
  /// - Returns: whether it has taken it within `limit`, and has not refused it; else nothing is left of it.
  @concurrent func hand(_ address: String, within limit: Duration = limit) async -> Bool {
    // Where the folder cannot be made, nobody else can be asked.
    guard (try? spool.prepare()) != nil else { return false }
    let watch = FolderWatch(spool.folder)
    let name = path(UUID().uuidString)
    defer {
      unlink(name + Self.left)
      unlink(name + Self.taken)
      unlink(name + Self.refused)
    }
    guard PrivateText.write(address, to: name + Self.left) else { return false }
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        repeat {
          if access(name + Self.taken, F_OK) == 0 { return true }
          if access(name + Self.refused, F_OK) == 0 { return false }
        } while await watch.arrives()
        return false
      }
      group.addTask {
        // It ends early only when the other one has told.
        try? await Task.sleep(for: limit)
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }

  /// Opens what is left from now on, until the task is cancelled.
  /// - Parameter watch: tells when something comes into a folder; `nil` where it cannot be watched.
  func follow(
    watch: (String) -> FolderWatch? = { FolderWatch($0) },
    _ open: @MainActor @Sendable (String) -> Void
  ) async {
    await answer(Self.taken, watch, open)
  }

  /// Refuses what is left from now on, until the task is cancelled.
  func refuseAll() async { await answer(Self.refused, { FolderWatch($0) }) { _ in } }

  private func answer(
    _ ending: String, _ watch: (String) -> FolderWatch?,
    _ open: @MainActor @Sendable (String) -> Void
  ) async {
    guard (try? spool.prepare()) != nil else { return }
    let watch = watch(spool.folder)
    // Of programs that wait no more.
    for name in [Self.left, Self.taken, Self.refused].flatMap(names) where isOld(path(name)) {
      unlink(path(name))
    }
    repeat {
      for name in names(Self.left) {
        let file = path(name)
        guard let address = try? String(contentsOfFile: file, encoding: .utf8),
          rename(file, file.dropLast(Self.left.count) + ending) == 0
        else { continue }
        await open(address)
      }
    } while await watch.arrives()
  }

  /// Whether whoever left it waits for it no more.
  private func isOld(_ file: String) -> Bool {
    var facts = stat()
    guard stat(file, &facts) == 0 else { return false }
    let age = Date().timeIntervalSince1970 - TimeInterval(facts.st_mtim.tv_sec)
    return abs(age) > 5
  }

  private func path(_ name: String) -> String { "\(spool.folder)/\(name)" }

  private func names(_ ending: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: spool.folder)) ?? []
    return names.filter { $0.hasSuffix(ending) }.sorted()
  }
}
