import FoundationEssentials
import NatterCore
import Synchronization
import System

/// Watches `grants.toml`, the folders of the scripts that are enabled, and the folder around them.
final class ScriptWatch: Sendable {
  enum Change: Hashable, Sendable {
    /// The grants may have changed.
    case grants
    /// A folder of a script may have appeared, or disappeared.
    case list
    /// The files of a script have changed.
    case script(String)
  }

  private let folders: ScriptFolders
  private let monitor: ChangeMonitor
  /// The watched folders of scripts, by name.
  private let scripts = Mutex<[String: String]>([:])

  /// Returns `nil` where the system has no watches left.
  init?(_ folders: ScriptFolders) {
    guard let monitor = ChangeMonitor() else { return nil }
    (self.folders, self.monitor) = (folders, monitor)
  }

  /// One element for all changes since the last one was taken; a single consumer.
  var signals: AsyncStream<Void> { monitor.signals }

  /// Watches these scripts, given as folders by name, and no others. A folder that is another one
  /// under the same path is watched anew.
  func follow(_ scripts: [String: String]) {
    let old = self.scripts.withLock { current in
      defer { current = scripts }
      return current
    }
    for folder in old.values where !scripts.values.contains(folder) { monitor.unwatch(folder) }
    for folder in scripts.values { monitor.watch(folder) { Self.isProgram($0) } }
    watchGrants(names: Set(scripts.keys))
  }

  private func watchGrants(names: Set<String>) {
    let (data, user) = (folders.data, folders.user)
    if user != data {
      if names.isEmpty {
        monitor.unwatch(user)
      } else {
        monitor.watch(user) { names.contains($0) }
      }
    }
    let file = URL(filePath: folders.grants).lastPathComponent
    let isShared = user == data
    let parent = URL(filePath: data).deletingLastPathComponent().path
    if monitor.watch(data, for: { $0 == file || isShared && names.contains($0) }) {
      monitor.unwatch(parent)
    } else {
      // Nothing was granted yet: the folder is made with the first grant.
      let name = URL(filePath: data).lastPathComponent
      monitor.watch(parent) { $0 == name }
    }
  }

  /// Returns what has changed since the last call.
  func takeChanges() -> Set<Change> {
    let changed = monitor.takeChanged()
    let parent = URL(filePath: folders.data).deletingLastPathComponent().path
    var changes: Set<Change> = []
    if changed.contains(folders.data) || changed.contains(parent) { changes.insert(.grants) }
    if changed.contains(folders.user) { changes.insert(.list) }
    for (name, folder) in scripts.withLock(\.self) where changed.contains(folder) {
      changes.insert(.script(name))
    }
    return changes
  }

  /// Indicates whether a name in the folder of a script is not one that editors and interpreters
  /// leave there.
  private static func isProgram(_ name: String) -> Bool {
    !name.hasPrefix(".") && !name.hasSuffix("~") && name != "__pycache__"
  }
}
