import NatterCore
import TOML

/// Reads `manifest.toml`. Nothing of a file with a mistake is used.
package enum ManifestFile {
  /// The name of the file in the folder of a script.
  package static let name = "manifest.toml"

  /// Reads the content of a manifest.
  /// - Parameter languages: the tags of the user's languages, the preferred one first.
  /// - Returns: the manifest, and bytes that are the same for the same program and the same rights,
  ///   whatever their order and the user's languages.
  package static func read(
    _ bytes: [UInt8], languages: [String]
  ) throws(ManifestProblem) -> (manifest: ScriptManifest, canonical: [UInt8]) {
    guard bytes.count <= ManifestLimits.file else {
      throw ManifestProblem(nil, .tooLarge, ["limit": String(ManifestLimits.file)])
    }
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
      throw ManifestProblem(nil, .noText)
    }
    let (document, errors) = TOMLDocument.parseCollectingErrors(text, joinsDottedKeys: true)
    if let error = errors.first { throw ManifestProblem(error) }
    let reader = ManifestReader(document, languages)
    let manifest = try reader.manifest()
    return (manifest, ManifestDigest.canonical(manifest, document))
  }
}
