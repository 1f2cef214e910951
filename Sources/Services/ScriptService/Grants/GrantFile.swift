import FoundationEssentials
import Glibc
import NatterCore
import System

/// The file of the rights, `grants.toml`: 0600, replaced as a whole, read again at each call.
/// Several processes may change it at once, without losing each other's changes.
///
/// It decides what programs may do. So nothing of a file counts that is not understood as a whole.
package struct GrantFile: Sendable {
  /// The maximum size, in bytes.
  private static let sizeLimit = 1 << 20

  private let path: String

  /// - Parameter path: the file; it need not exist.
  package init(_ path: String) { self.path = path }

  /// Returns the content of the file; a missing one is empty. It blocks.
  package func read() throws(GrantFileError) -> ScriptGrants {
    var isForeign = true
    let found: Data?
    do {
      found = try PrivateFile.read(path, limit: Self.sizeLimit) { descriptor in
        var facts = stat()
        isForeign =
          fstat(descriptor, &facts) != 0 || facts.st_uid != geteuid()
          || facts.st_mode & (S_IWGRP | S_IWOTH) != 0
      }
    } catch {
      throw GrantFileError(error)
    }
    guard let found else { return ScriptGrants() }
    guard !isForeign else { throw .foreign(path: path) }
    do { return try GrantText.read(Array(found)) } catch {
      switch error {
      case .newer: throw .newer(path: path)
      case .damaged(let line): throw .damaged(path: path, line: line)
      }
    }
  }

  /// Changes the present content of the file. It waits for other processes that change it.
  /// - Throws: `GrantFileError`, and the errors of `body`; the file is unchanged then.
  package func change<Result>(_ body: (inout ScriptGrants) throws -> Result) async throws
    -> Result
  {
    let lock: PrivateFile.Lock
    do { lock = try await PrivateFile.locked(path) } catch { throw GrantFileError(error) }
    defer { withExtendedLifetime(lock) {} }
    let before = try read()
    var grants = before
    let result = try body(&grants)
    guard grants != before else { return result }
    do {
      try PrivateFile.replace(path, with: Data(GrantText.text(of: grants).utf8))
    } catch {
      throw GrantFileError(error)
    }
    return result
  }
}
