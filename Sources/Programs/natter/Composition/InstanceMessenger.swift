import BoundedText
import Configuration
import FoundationEssentials
import Glibc
import Sockets
import Storage
import System
import ViewModels

/// Sends a request to the instance that owns the account. Each request is a file: the owner
/// performs it and renames the file, or refuses it and renames it differently.
nonisolated struct InstanceMessenger: Sendable {
  enum Matter: CaseIterable {
    /// An address (`xmpp:`, `natter:`) from the command line is to be opened. Line mode opens none
    /// that would change the recipient of the next line.
    case address
    /// The account was signed out of, and is to be closed.
    case signOut

    fileprivate var left: String {
      switch self {
      case .address: ".address"
      case .signOut: ".signout"
      }
    }
    fileprivate var taken: String {
      switch self {
      case .address: ".opened"
      case .signOut: ".leaving"
      }
    }
    fileprivate var refused: String {
      switch self {
      case .address: ".refused"
      case .signOut: ".staying"
      }
    }
  }

  private let spool: MessageSpool
  /// The time that the owner has; an owner that does not handle requests, such as `natter send`,
  /// never answers.
  static let limit = Duration.seconds(3)
  private let limit: Duration

  /// - Parameter limit: how long the sender of a request waits for the owner.
  init(_ spool: MessageSpool, within limit: Duration = limit) {
    (self.spool, self.limit) = (spool, limit)
  }

  /// Sends a request to the owner of the account.
  /// - Returns: whether the owner performed it within `limit`; otherwise the request is withdrawn.
  @concurrent func hand(_ text: String, as matter: Matter) async -> Bool {
    // If the folder cannot be created, there is no owner to ask.
    guard (try? spool.prepare()) != nil else { return false }
    let watch = FolderMonitor(spool.folder)
    let name = path(UUID().uuidString)
    defer {
      unlink(name + matter.left)
      unlink(name + matter.taken)
      unlink(name + matter.refused)
    }
    guard PrivateText.write(text, to: name + matter.left) else { return false }
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        repeat {
          if access(name + matter.taken, F_OK) == 0 { return true }
          if access(name + matter.refused, F_OK) == 0 { return false }
        } while await watch.arrives()
        return false
      }
      group.addTask {
        // Ends early only when the owner has answered.
        try? await Task.sleep(for: limit)
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }

  /// Performs requests from now on, until the task is cancelled.
  /// - Parameters:
  ///   - watch: reports new files in a folder; `nil` where it cannot be watched.
  ///   - open: receives an address.
  ///   - signOut: closes the account.
  func follow(
    watch: (String) -> FolderMonitor? = { FolderMonitor($0) },
    open: @MainActor @Sendable (String) -> Void, signOut: @MainActor @Sendable () -> Void
  ) async {
    await answer(\.taken, watch) { matter, text in
      switch matter {
      case .address: open(text)
      case .signOut: signOut()
      }
    }
  }

  /// Refuses all requests from now on, until the task is cancelled.
  func refuseAll() async { await answer(\.refused, { FolderMonitor($0) }) { _, _ in } }

  private func answer(
    _ ending: (Matter) -> String, _ watch: (String) -> FolderMonitor?,
    _ act: @MainActor @Sendable (Matter, String) -> Void
  ) async {
    guard (try? spool.prepare()) != nil else { return }
    let watch = watch(spool.folder)
    // Left by programs that no longer wait.
    let endings = Matter.allCases.flatMap { [$0.left, $0.taken, $0.refused] }
    for name in endings.flatMap(names) where isOld(path(name)) { unlink(path(name)) }
    repeat {
      for matter in Matter.allCases {
        for name in names(matter.left) {
          let file = path(name)
          let text: String
          do { text = try String(contentsOfFile: file, encoding: .utf8) } catch {
            spool.reportUnreadable(name, "\(error)")
            continue
          }
          // What cannot be renamed would be performed again.
          guard rename(file, file.dropLast(matter.left.count) + ending(matter)) == 0 else {
            spool.reportUnreadable(name, String(cString: strerror(errno)))
            continue
          }
          await act(matter, text.bounded)
        }
      }
    } while await watch.arrives()
  }

  /// Returns whether the sender no longer waits for it.
  private func isOld(_ file: String) -> Bool {
    var facts = stat()
    guard stat(file, &facts) == 0 else { return false }
    let age = Date().timeIntervalSince1970 - TimeInterval(facts.st_mtim.tv_sec)
    // Sender and owner may differ by some moments about when it was written.
    return .seconds(abs(age)) > limit + .seconds(2)
  }

  private func path(_ name: String) -> String { "\(spool.folder)/\(name)" }

  private func names(_ ending: String) -> [String] { spool.contents(ending).sorted() }
}
