import FoundationEssentials
import Glibc
import NatterCore
import System

/// Finds the scripts in their folders, and reads their manifests. Nothing is started.
package struct ScriptCatalogue: Sendable {
  /// The most scripts of a folder; further ones are passed over.
  private static let limit = 256

  private let folders: ScriptFolders
  private let languages: [String]
  private let hash: @Sendable ([UInt8]) -> String?
  /// Returns whether only the user is in the group of a file: what it can write, the user writes.
  package var isPrivate: @Sendable (_ path: String, _ group: gid_t) -> Bool = { _, _ in false }

  /// - Parameters:
  ///   - languages: the tags of the user's languages, the preferred one first.
  ///   - hash: returns the SHA-256 of bytes in hexadecimal; `nil`: it cannot be computed.
  package init(
    _ folders: ScriptFolders, languages: [String], hash: @escaping @Sendable ([UInt8]) -> String?
  ) {
    (self.folders, self.languages, self.hash) = (folders, languages, hash)
  }

  /// Returns the scripts by name; one of the user hides a shipped one of the same name. A folder
  /// that cannot be read has none: see `problem()`. It blocks.
  package func read() -> [FoundScript] {
    var found: [String: FoundScript] = [:]
    for (folder, isShipped) in roots {
      let shown = DirectoryNames.all(in: folder).filter {
        !$0.hasPrefix(".") && Self.isFolder(folder + "/" + $0)
      }.sorted()
      for name in shown.prefix(Self.limit) where found[name] == nil {
        found[name] = script(name, in: folder, isShipped: isShipped)
      }
    }
    return found.values.sorted { $0.name < $1.name }
  }

  /// Returns the script of a name; `nil`: there is none. It blocks.
  package func read(_ name: String) -> FoundScript? {
    guard ScriptName.isValid(name) else { return nil }
    for (folder, isShipped) in roots where Self.isFolder(folder + "/" + name) {
      return script(name, in: folder, isShipped: isShipped)
    }
    return nil
  }

  /// Reads the script in a folder anywhere, as one of the user's own; `nil`: there is no folder at
  /// that path. It blocks.
  package func read(at folder: String) -> FoundScript? {
    guard Self.isFolder(folder) else { return nil }
    let path = URL(filePath: folder).standardizedFileURL.path
    let name = URL(filePath: path).lastPathComponent
    return FoundScript(
      name: name, folder: path, isShipped: false, reading: reading(of: path, name, isShipped: false)
    )
  }

  /// Returns why the folder with the user's scripts cannot be read; `nil`: it can, or it is not
  /// there. It blocks.
  package func problem() -> StatusNotice? {
    do { _ = try DirectoryNames.read(folders.user) } catch {
      guard error.code != .ENOENT else { return nil }
      let reason = String(error.code.rawValue)
      return ManifestProblem(nil, .unreadable, ["path": folders.user, "reason": reason]).notice
    }
    return nil
  }

  private var roots: [(folder: String, isShipped: Bool)] {
    [(folders.user, false)] + (folders.shipped.map { [($0, true)] } ?? [])
  }

  private func script(_ name: String, in root: String, isShipped: Bool) -> FoundScript {
    let folder = root + "/" + name
    var reading: FoundScript.Reading
    do {
      // Others could replace the folder by another one.
      try FolderExamination(isShipped: isShipped, isPrivate: isPrivate).checkOnly(root)
      reading = self.reading(of: folder, name, isShipped: isShipped)
    } catch { reading = Self.reading(error) }
    return FoundScript(name: name, folder: folder, isShipped: isShipped, reading: reading)
  }

  private func reading(
    of folder: String, _ name: String, isShipped: Bool
  ) -> FoundScript.Reading {
    guard ScriptName.isValid(name) else {
      return Self.bad(ManifestProblem(nil, .folderName, ["name": name]))
    }
    var examination = FolderExamination(isShipped: isShipped, isPrivate: isPrivate)
    do { try examination.check(folder) } catch { return Self.reading(error) }
    let path = folder + "/" + ManifestFile.name
    let content: Data?
    do {
      content = try PrivateFile.read(path, limit: ManifestLimits.file)
    } catch {
      guard error.kind != .tooLarge else {
        return Self.bad(
          ManifestProblem(nil, .tooLarge, ["limit": String(ManifestLimits.file)]))
      }
      return Self.bad(
        ManifestProblem(nil, .unreadable, ["path": path, "reason": error.reason]))
    }
    guard let content else { return Self.bad(ManifestProblem(nil, .missing, ["path": path])) }
    do {
      let (manifest, canonical) = try ManifestFile.read(Array(content), languages: languages)
      guard let digest = hash(canonical) else { return Self.bad(ManifestProblem(nil, .noDigest)) }
      return .good(manifest, digest: digest)
    } catch { return Self.bad(error) }
  }

  private static func bad(_ problem: ManifestProblem) -> FoundScript.Reading {
    .bad(line: problem.line, problem.notice)
  }

  private static func reading(_ finding: FolderExamination.Finding) -> FoundScript.Reading {
    switch finding {
    case .unsafe(let path): .unsafe(path: path)
    case .unreadable(let path, let reason):
      bad(ManifestProblem(nil, .unreadable, ["path": path, "reason": String(reason)]))
    case .tooManyFiles:
      bad(ManifestProblem(nil, .tooManyFiles, ["limit": String(FolderExamination.limit)]))
    }
  }

  /// Returns whether there is a folder, or a symbolic link to one, at a path.
  private static func isFolder(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
  }
}
