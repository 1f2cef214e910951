import NatterCore
import TOML
import XMPP

/// Reads the sections of a manifest.
struct ManifestReader {
  private let document: TOMLDocument
  private let languages: [String]

  init(_ document: TOMLDocument, _ languages: [String]) {
    (self.document, self.languages) = (document, languages)
  }

  /// The sections, by the first part of their names: the most of each.
  private static let sections = [
    "permission": ManifestLimits.permissions, "command": ManifestLimits.commands,
    "setting": ManifestLimits.settings, "status": ManifestLimits.others,
    "pane": ManifestLimits.others, "url": ManifestLimits.others,
    "decorate": ManifestLimits.others,
  ]

  func manifest() throws(ManifestProblem) -> ScriptManifest {
    var manifest = try head(ManifestTable(document.root))
    var counts: [String: Int] = [:]
    for table in document.tables.dropFirst() {
      let kind = table.path[0]
      try checkPath(of: table)
      counts[kind, default: 0] += 1
      if let limit = Self.sections[kind], counts[kind, default: 0] > limit {
        throw ManifestProblem(table.line, .tooMany, ["what": kind, "limit": String(limit)])
      }
      try add(ManifestTable(table), to: &manifest)
    }
    guard manifest.prefixes.count <= ManifestLimits.elements else {
      throw ManifestProblem(
        nil, .tooMany, ["what": "prefixes", "limit": String(ManifestLimits.elements)])
    }
    return manifest
  }

  /// Checks the name of a section: its kind, and a name of its own.
  private func checkPath(of table: TOMLTable) throws(ManifestProblem) {
    let (path, written) = (table.path, table.path.joined(separator: "."))
    guard Self.sections[path[0]] != nil, path.count >= 2 else {
      throw ManifestProblem(
        table.line, .unknownSection,
        ["section": written, "names": Self.sections.keys.sorted().joined(separator: ", ")])
    }
    guard path.count == 2 else {
      let name = path.dropFirst().joined(separator: ".")
      guard path[0] == "permission", ScriptRight(name) != nil else {
        throw ManifestProblem(
          table.line, .unknownSection,
          ["section": written, "names": Self.sections.keys.sorted().joined(separator: ", ")])
      }
      throw ManifestProblem(
        table.line, .unquoted, ["section": written, "right": "[permission.\"\(name)\"]"])
    }
    guard path[0] == "permission" || ScriptName.isValid(path[1]) else {
      throw ManifestProblem(table.line, .name, ["name": path[1]])
    }
  }

  private func add(
    _ table: ManifestTable, to manifest: inout ScriptManifest
  ) throws(ManifestProblem) {
    let name = table.table.path[1]
    switch table.table.path[0] {
    case "permission": manifest.permissions.append(try permission(name, table))
    case "command": manifest.commands.append(try command(name, table))
    case "setting": manifest.settings.append(try setting(name, table))
    case "status":
      try table.check([])
      manifest.statusItems.append(name)
    case "pane":
      try table.check([])
      manifest.panes.append(name)
    case "url": manifest.prefixes += try prefixes(table)
    default:
      try table.check(["in"])
      guard let scope = try table.scope("in") else {
        throw ManifestProblem(table.line, .missingKey, ["key": "in"])
      }
      manifest.decorated = (manifest.decorated ?? BridgeScope()).union(scope)
    }
  }

  // MARK: The head

  private func head(_ root: ManifestTable) throws(ManifestProblem) -> ScriptManifest {
    // First: a manifest of another interface may have other rules.
    guard let api = root.table["api"] else {
      throw ManifestProblem(nil, .missingKey, ["key": "api"])
    }
    guard let number = api.integer else {
      throw ManifestProblem(api.line, .needsNumber, ["key": "api"])
    }
    guard number == BridgeVersion.current else {
      throw ManifestProblem(
        api.line, .api, ["api": String(number), "speaks": String(BridgeVersion.current)])
    }
    try root.check(["version", "api", "run", "start", "events"], localized: ["title"])
    var manifest = ScriptManifest(
      title: try root.needed("title", limit: ManifestLimits.title, in: languages),
      version: try root.text("version", limit: ManifestLimits.version) ?? "", run: try run(root))
    if let word = try root.text("start", limit: ManifestLimits.word) {
      guard let start = ScriptManifest.Start(rawValue: word) else {
        let names = ScriptManifest.Start.allCases.map(\.rawValue).joined(separator: ", ")
        throw ManifestProblem(
          root.line(of: "start"), .needsChoice, ["key": "start", "value": word, "names": names])
      }
      manifest.start = start
    }
    if let events = try root.texts("events", limit: ManifestLimits.word) {
      for event in events where !ScriptEvents.names.contains(event) {
        throw ManifestProblem(
          root.line(of: "events"), .unknownEvent,
          ["event": event, "names": ScriptEvents.names.joined(separator: ", ")])
      }
      manifest.events = events
    }
    return manifest
  }

  private func run(_ root: ManifestTable) throws(ManifestProblem) -> [String] {
    guard let run = try root.texts("run", limit: ManifestLimits.argument) else {
      throw ManifestProblem(nil, .missingKey, ["key": "run"])
    }
    guard Self.isProgram(run[0]) else {
      throw ManifestProblem(root.line(of: "run"), .program, ["program": run[0]])
    }
    return run
  }

  /// Returns whether a word names a program in PATH, or a file in the folder of the script.
  private static func isProgram(_ word: String) -> Bool {
    let parts = pathParts(word)
    let names = parts.count > 1 ? parts.dropFirst() : parts[...]
    return (parts.count == 1 || parts[0].elementsEqual(".".utf8))
      && names.allSatisfy { !$0.isEmpty && !leadsElsewhere($0) }
  }

  // MARK: Sections

  private func permission(
    _ name: String, _ table: ManifestTable
  ) throws(ManifestProblem) -> ScriptManifest.Permission {
    guard let right = ScriptRight(name) else {
      throw ManifestProblem(
        table.line, .unknownRight,
        ["right": name, "names": ScriptRight.all.map(\.name).joined(separator: ", ")])
    }
    let isFolder = right == .readFolder || right == .writeFolder
    try table.check(
      (right.hasScope ? ["in"] : []) + (right == .network ? ["hosts"] : [])
        + (isFolder ? ["paths"] : []), localized: ["why"])
    var permission = ScriptManifest.Permission(
      right, why: try table.needed("why", limit: ManifestLimits.sentence, in: languages),
      scope: try table.scope("in") ?? .all)
    permission.hosts = try table.texts("hosts", limit: ManifestLimits.word) ?? []
    permission.paths = try table.texts("paths", limit: ManifestLimits.argument) ?? []
    if isFolder, permission.paths.isEmpty {
      throw ManifestProblem(table.line, .missingKey, ["key": "paths"])
    }
    for path in permission.paths where !Self.isPath(path) {
      throw ManifestProblem(table.line(of: "paths"), .path, ["path": path])
    }
    return permission
  }

  /// Returns whether a path is absolute, and leads nowhere else than it says.
  private static func isPath(_ path: String) -> Bool {
    path.utf8.first == slash && !pathParts(path).contains(where: leadsElsewhere)
  }

  private static let slash = UInt8(ascii: "/")

  /// The parts of a path, by bytes as the system reads it: a name may begin with a mark, which
  /// forms one character with the slash.
  private static func pathParts(_ path: String) -> [Substring.UTF8View] {
    path.utf8.split(separator: slash, omittingEmptySubsequences: false)
  }

  private static func leadsElsewhere(_ part: Substring.UTF8View) -> Bool {
    part.elementsEqual(".".utf8) || part.elementsEqual("..".utf8)
  }

  private func command(
    _ name: String, _ table: ManifestTable
  ) throws(ManifestProblem) -> ScriptManifest.Command {
    try table.check(["arguments", "palette"], localized: ["help"])
    var isInPalette = false
    if let value = table.table["palette"] {
      guard let boolean = value.boolean else {
        throw ManifestProblem(value.line, .needsBoolean, ["key": "palette"])
      }
      isInPalette = boolean
    }
    return ScriptManifest.Command(
      name: name,
      arguments: try table.text(
        "arguments", limit: ManifestLimits.arguments, mayBeEmpty: true) ?? "",
      help: try table.needed("help", limit: ManifestLimits.sentence, in: languages),
      isInPalette: isInPalette)
  }

  private func setting(
    _ name: String, _ table: ManifestTable
  ) throws(ManifestProblem) -> ScriptManifest.Setting {
    try table.check(["default"], localized: ["help"])
    return ScriptManifest.Setting(
      name: name,
      help: try table.needed("help", limit: ManifestLimits.sentence, in: languages),
      standard: try table.text(
        "default", limit: ManifestLimits.argument, mayBeEmpty: true) ?? "")
  }

  private func prefixes(_ table: ManifestTable) throws(ManifestProblem) -> [String] {
    try table.check(["prefixes"])
    guard let prefixes = try table.texts("prefixes", limit: ManifestLimits.word) else {
      throw ManifestProblem(table.line, .missingKey, ["key": "prefixes"])
    }
    for prefix in prefixes where !Self.isPrefix(prefix) {
      throw ManifestProblem(table.line(of: "prefixes"), .prefix, ["prefix": prefix])
    }
    return prefixes
  }

  /// Returns whether a text begins with the scheme of an address (RFC 3986 §3.1).
  private static func isPrefix(_ text: String) -> Bool {
    guard let colon = text.firstIndex(of: ":"), let first = text.utf8.first, isLetter(first)
    else { return false }
    return !text.utf8.contains(UInt8(ascii: " "))
      && text[..<colon].utf8.allSatisfy {
        isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
      }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte)
  }
}
