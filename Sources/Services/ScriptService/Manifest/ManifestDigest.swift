import NatterCore
import TOML

/// The part of a manifest that the user looks at before a script is enabled, as bytes: the same for
/// the same content.
enum ManifestDigest {
  /// Each text with its length, so that no two contents are the same bytes.
  static func canonical(_ manifest: ScriptManifest, _ document: TOMLDocument) -> [UInt8] {
    var bytes: [UInt8] = []
    append("natter-script 1", to: &bytes)
    append(manifest.run, to: &bytes)
    for permission in manifest.permissions.sorted(by: { $0.right.name < $1.right.name }) {
      append(permission.right.name, to: &bytes)
      append(permission.right.hasScope ? permission.scope.names : [], to: &bytes)
      append(permission.hosts.sorted(), to: &bytes)
      append(permission.paths.sorted(), to: &bytes)
      // In all languages: the digest does not change with the user's.
      let reasons = document.table(["permission", permission.right.name])?.entries.filter {
        $0.key == "why" || $0.key.hasPrefix("why.")
      }
      append(
        (reasons ?? []).map { "\($0.key)=\($0.value.string ?? "")" }.sorted(), to: &bytes)
    }
    return bytes
  }

  private static func append(_ texts: [String], to bytes: inout [UInt8]) {
    bytes += "\(texts.count);".utf8
    for text in texts { append(text, to: &bytes) }
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes += "\(text.utf8.count):".utf8
    bytes += text.utf8
  }
}
