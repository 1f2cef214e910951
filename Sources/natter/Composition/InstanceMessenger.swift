import BoundedText
import Configuration
import FoundationEssentials
import Glibc
import Sockets
import Storage
import ViewModels

/// What a program says to another one that has the account: one file for each word, which that one does and gives another name.
/// One that does not do it gives it a third name at once.
nonisolated struct InstanceMessenger: Sendable {
  enum Matter: CaseIterable {
    /// An address (`xmpp:`, `natter:`) that the program was started with is to be opened. Line mode opens none, where that would
    /// change whom the next line is for.
    case address
    /// The account is signed out of, and is to be left.
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
  /// How long the other one may take: one that does nothing with words, as `natter send`, says nothing.
  static let limit = Duration.seconds(3)
  private let limit: Duration

  /// - Parameter limit: how long whoever leaves a word waits for the other one.
  init(_ spool: MessageSpool, within limit: Duration = limit) {
    (self.spool, self.limit) = (spool, limit)
  }

  /// Leaves a word for the program that has the account.
  /// - Returns: whether it has taken it within `limit`, and has not refused it; else nothing is left of it.
  @concurrent func hand(_ text: String, as matter: Matter) async -> Bool {
    // Where the folder cannot be made, nobody else can be asked.
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
        // It ends early only when the other one has told.
        try? await Task.sleep(for: limit)
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }

  /// Does what is left from now on, until the task is cancelled.
  /// - Parameters:
  ///   - watch: tells when something comes into a folder; `nil` where it cannot be watched.
  ///   - open: gets an address.
  ///   - signOut: leaves the account.
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

  /// Refuses what is left from now on, until the task is cancelled.
  func refuseAll() async { await answer(\.refused, { FolderMonitor($0) }) { _, _ in } }

  private func answer(
    _ ending: (Matter) -> String, _ watch: (String) -> FolderMonitor?,
    _ act: @MainActor @Sendable (Matter, String) -> Void
  ) async {
    guard (try? spool.prepare()) != nil else { return }
    let watch = watch(spool.folder)
    // Of programs that wait no more.
    let endings = Matter.allCases.flatMap { [$0.left, $0.taken, $0.refused] }
    for name in endings.flatMap(names) where isOld(path(name)) { unlink(path(name)) }
    repeat {
      for matter in Matter.allCases {
        for name in names(matter.left) {
          let file = path(name)
          guard let text = try? String(contentsOfFile: file, encoding: .utf8),
            rename(file, file.dropLast(matter.left.count) + ending(matter)) == 0
          else { continue }
          await act(matter, text.bounded)
        }
      }
    } while await watch.arrives()
  }

  /// Whether whoever left it waits for it no more.
  private func isOld(_ file: String) -> Bool {
    var facts = stat()
    guard stat(file, &facts) == 0 else { return false }
    let age = Date().timeIntervalSince1970 - TimeInterval(facts.st_mtim.tv_sec)
    // They may be some moments apart about when it was left.
    return .seconds(abs(age)) > limit + .seconds(2)
  }

  private func path(_ name: String) -> String { "\(spool.folder)/\(name)" }

  private func names(_ ending: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: spool.folder)) ?? []
    return names.filter { $0.hasSuffix(ending) }.sorted()
  }
}
