import NatterCore

/// Finds the scripts in their folders, and reads their manifests. Nothing is started.
package struct ScriptCatalogue: Sendable {
  private let folders: ScriptFolders
  private let languages: [String]
  private let hash: @Sendable ([UInt8]) -> String?

  /// - Parameters:
  ///   - languages: the tags of the user's languages, the preferred one first.
  ///   - hash: returns the SHA-256 of bytes in hexadecimal; `nil`: it cannot be computed.
  package init(
    _ folders: ScriptFolders, languages: [String], hash: @escaping @Sendable ([UInt8]) -> String?
  ) {
    (self.folders, self.languages, self.hash) = (folders, languages, hash)
  }

  /// Returns the scripts by name; one of the user hides a shipped one of the same name. It blocks.
  package func read() -> [FoundScript] { [] }

  /// Returns the script of a name; `nil`: there is none. It blocks.
  package func read(_ name: String) -> FoundScript? { nil }
}
