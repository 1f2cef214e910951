import NatterCore

/// A script in the folders, as its files describe it. Nothing of it was started.
package struct FoundScript: Sendable {
  /// The result of reading its manifest.
  package enum Reading: Sendable {
    /// - Parameter digest: SHA-256, in hexadecimal, of the program and of the rights it asks for.
    case good(ScriptManifest, digest: String)
    /// Nothing of the manifest is used. The line counts from 1; `nil`: the file as a whole.
    case bad(line: Int?, StatusNotice)
    /// Other users of the computer can change the file or the folder at this path, or it leads out
    /// of the script's folder.
    case unsafe(path: String)
  }

  /// The name of its folder. Only that of a script that is not `bad` is certainly a `ScriptName`.
  package let name: String
  /// The path of its folder.
  package let folder: String
  /// Indicates whether it is one of those that come with Natter.
  package let isShipped: Bool
  package let reading: Reading

  package init(name: String, folder: String, isShipped: Bool, reading: Reading) {
    (self.name, self.folder) = (name, folder)
    (self.isShipped, self.reading) = (isShipped, reading)
  }

  /// The manifest, if it is valid and safe.
  package var manifest: ScriptManifest? {
    if case .good(let manifest, _) = reading { manifest } else { nil }
  }

  /// The digest, if the manifest is valid and safe.
  package var digest: String? {
    if case .good(_, let digest) = reading { digest } else { nil }
  }
}

extension StatusNotice {
  /// Reports that a script needs a right, and that there is no user to ask.
  init(notAsked right: ScriptRight, of name: String) {
    self.init(
      .warning, "error.script.rights.notAsked", ["name": name, "right": right.name])
  }

  /// Reports that a script was ended because of its files.
  /// - Parameter found: the script as its files describe it now; `nil`: it is not there.
  init(endOf name: String, _ found: FoundScript?) {
    switch found?.reading {
    case .good: self.init(.warning, "error.script.state.changed", ["name": name])
    case .bad(_, let notice): self = notice
    case .unsafe(let path):
      self.init(.warning, "error.script.state.unsafe", ["name": name, "path": path])
    case nil: self.init(.warning, "error.script.state.unknown", ["name": name])
    }
  }
}
