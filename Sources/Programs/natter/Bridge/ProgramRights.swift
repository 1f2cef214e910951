import Diagnostics
import FoundationEssentials
import NatterCore
import ScriptService
import Synchronization
import System

/// The rights of the user's other programs, which say a name in `hello`: what `grants.toml` has for
/// it (interface.md, "Bridge").
nonisolated struct ProgramRights: Sendable {
  /// The path of the file; it need not exist.
  private let file: String
  private let log: Log

  init(file: String, log: Log = .none) { (self.file, self.log) = (file, log) }

  init(_ context: LaunchContext) {
    self.init(
      file: context.paths.data.appending(path: "scripts/grants.toml").path,
      log: context.log.category("bridge"))
  }

  /// Returns the rights of a program, which change with the file while they are followed. It reads
  /// the file.
  func rights(of name: String) -> BridgeRights {
    let grants = ProgramGrants(of: name, in: file, log)
    return BridgeRights(
      held: { grants.rights.current($0, in: $1) }, revocations: { grants.revocations() },
      // Nobody can be asked.
      confirm: { _ in .notAsked })
  }
}

/// What the file has for one program.
nonisolated private final class ProgramGrants: Sendable {
  private let name: String
  private let file: String
  private let log: Log
  private let grants: Mutex<ScriptGrants>

  init(of name: String, in file: String, _ log: Log) {
    (self.name, self.file, self.log) = (name, file, log)
    grants = Mutex(Self.read(file, log))
  }

  var rights: BridgeRights { grants.withLock { $0 }.rights(of: name) }

  /// Follows the file. A folder that is not there yet is not watched: nothing was granted then.
  func revocations() -> AsyncStream<BridgeRights.Revocation> {
    let (stream, continuation) = AsyncStream<BridgeRights.Revocation>.makeStream()
    guard let end = file.lastIndex(of: "/"), let monitor = FolderMonitor(String(file[..<end]))
    else {
      continuation.finish()
      return stream
    }
    let following = Task {
      // It may have changed since it was read.
      for revocation in self.refresh() { continuation.yield(revocation) }
      for await _ in monitor.arrivals {
        for revocation in self.refresh() { continuation.yield(revocation) }
      }
    }
    continuation.onTermination = { _ in following.cancel() }
    return stream
  }

  /// Reads the file again.
  /// - Returns: the rights that were taken back, or may have been.
  private func refresh() -> [BridgeRights.Revocation] {
    let new = Self.read(file, log)
    return grants.withLock { grants in
      let (before, after) = (grants.entries[name], new.entries[name])
      grants = new
      return BridgePermission.allCases.filter { permission in
        Self.grants(of: permission, in: before) != Self.grants(of: permission, in: after)
      }.map { BridgeRights.Revocation($0, in: nil) }
    }
  }

  private static func grants(
    of permission: BridgePermission, in entry: ScriptGrants.Entry?
  ) -> [ScriptGrant] {
    (entry?.grants ?? []).map(\.grant).filter { $0.right == .bridge(permission) }
  }

  /// A file that cannot be read grants nothing.
  private static func read(_ file: String, _ log: Log) -> ScriptGrants {
    do { return try GrantFile(file).read() } catch {
      log.warning("no program with a name has any right: \(error.natterError.key)")
      return ScriptGrants()
    }
  }
}
