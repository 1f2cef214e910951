import Foundation

/// The files of this checkout, for tests that read them.
enum Checkout {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The text of the file at `path`, which is relative to the checkout.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The names in the folder at `path`, without those that begin with a dot.
  static func names(in path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: path).path)
      .filter { !$0.hasPrefix(".") }.sorted()
  }

  /// The folders of the modules, by name: `Sources/LAYER/MODULE`.
  static let modules = Result {
    var folders: [String: String] = [:]
    for layer in try names(in: "Sources") {
      for module in try names(in: "Sources/\(layer)") {
        folders[module] = "Sources/\(layer)/\(module)"
      }
    }
    return folders
  }

  /// Returns the Swift files of a module.
  static func sources(of module: String) throws -> [SwiftFile] {
    let folder = try modules.get()[module].map { $0 + "/" } ?? ""
    return try sources.get().filter { !folder.isEmpty && $0.path.hasPrefix(folder) }
  }

  /// Returns the module that the file at `path` belongs to.
  static func module(of path: String) -> String {
    path.split(separator: "/").dropFirst(2).first.map(String.init) ?? ""
  }

  /// The texts of the Swift files below Sources and Tests by their paths in order, read once.
  static let texts = Result {
    try ["Sources", "Tests"].flatMap { folder in
      try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
        .filter { $0.hasSuffix(".swift") }.sorted()
        .map { (path: "\(folder)/\($0)", text: try text("\(folder)/\($0)")) }
    }
  }

  /// Returns those of the texts that are below `folder`.
  static func texts(below folder: String) throws -> [(path: String, text: String)] {
    try texts.get().filter { $0.path.hasPrefix(folder + "/") }
  }

  /// The program's sources, read once.
  static let sources = Result {
    try texts(below: "Sources").map { SwiftFile(path: $0.path, text: $0.text) }
  }

  /// The names of the tests below Tests: sentences between grave accents.
  static let testNames = Result {
    var names: Set<String> = []
    for file in try texts(below: "Tests") {
      let parts = file.text.components(separatedBy: "`")
      for (before, name) in zip(parts, parts.dropFirst())
      where before.contains("@Test")
        && before.trimmingCharacters(in: .whitespacesAndNewlines).hasSuffix("func")
      {
        names.insert(name)
      }
    }
    return names
  }
}
