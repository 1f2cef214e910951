import FoundationEssentials
import NatterCore
import TOML
import XMPP

/// The format of `grants.toml`. Everything in it has to be known: it decides what programs may do.
enum GrantText {
  enum Problem: Error, Equatable {
    /// The file was written by a newer Natter.
    case newer
    /// The line counts from 1; `nil`: the file as a whole.
    case damaged(line: Int?)
  }

  /// The version of the format that this program writes.
  private static let version = 1
  /// The section with the settings of a script; no right has this name.
  private static let settings = "settings"

  // MARK: Reading

  static func read(_ bytes: [UInt8]) throws(Problem) -> ScriptGrants {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .damaged(line: nil)
    }
    let document: TOMLDocument
    do { document = try TOMLDocument.parse(text) } catch { throw .damaged(line: error.line) }
    // First: a newer file may have sections that this program does not know.
    guard let version = document.root["version"]?.integer, version >= 1 else {
      throw .damaged(line: nil)
    }
    guard version <= Self.version else { throw .newer }
    try check(document.root, ["version"])
    var grants = ScriptGrants()
    // The number of sections of each right, by script: a file can have many of one right.
    var counts: [String: [String: Int]] = [:]
    for table in document.tables.dropFirst() {
      let path = table.path
      guard path.count >= 2, path[0] == "script", ScriptName.isValid(path[1]) else {
        throw .damaged(line: table.line)
      }
      let name = path[1]
      // The section of a script is the first of its sections, so that each has one.
      guard (path.count == 2) == (grants.entries[name] == nil) else {
        throw .damaged(line: table.line)
      }
      // The entries are changed without a copy, which would take its time for each section.
      switch path.count {
      case 2: grants.entries[name] = try entry(table)
      case 3 where path[2] == settings: grants.entries[name]?.settings = try settings(table)
      case 3, 4:
        let count = counts[name]?[path[2]] ?? 0
        // The first one has no number: it is the only section of that path.
        guard path.count == 3 || Int(path[3]) == count + 1 else {
          throw .damaged(line: table.line)
        }
        counts[name, default: [:]][path[2]] = count + 1
        grants.entries[name]?.grants.append(try grant(table))
      default: throw .damaged(line: table.line)
      }
    }
    return grants
  }

  private static func entry(_ table: TOMLTable) throws(Problem) -> ScriptGrants.Entry {
    try check(table, ["enabled", "digest", "never", "sending_per_hour", "restarted"])
    guard let isEnabled = table["enabled"]?.boolean, let digest = table["digest"]?.string else {
      throw .damaged(line: table.line)
    }
    var entry = ScriptGrants.Entry(isEnabled: isEnabled, digest: digest)
    if let value = table["never"] {
      for name in try strings(value) {
        guard let right = ScriptRight(name), !entry.never.contains(right) else {
          throw .damaged(line: value.line)
        }
        entry.never.append(right)
      }
    }
    if let value = table["sending_per_hour"] {
      guard let number = value.integer, number >= 0 else { throw .damaged(line: value.line) }
      entry.sendingPerHour = number
    }
    if let value = table["restarted"] {
      guard let date = value.string.flatMap({ XEP0082DateTime.date(from: $0) }) else {
        throw .damaged(line: value.line)
      }
      entry.restarted = date
    }
    return entry
  }

  private static func settings(_ table: TOMLTable) throws(Problem) -> [String: String] {
    var settings: [String: String] = [:]
    for entry in table.entries {
      guard ScriptName.isValid(entry.key), let text = entry.value.string else {
        throw .damaged(line: entry.line)
      }
      settings[entry.key] = text
    }
    return settings
  }

  private static func grant(_ table: TOMLTable) throws(Problem) -> ScriptGrants.StoredGrant {
    try check(table, ["accounts", "in", "given"])
    guard let right = ScriptRight(table.path[2]),
      let given = table["given"]?.string.flatMap({ XEP0082DateTime.date(from: $0) })
    else { throw .damaged(line: table.line) }
    var accounts: Set<JID> = []
    if let value = table["accounts"] {
      for name in try strings(value) {
        // No account would mean all of them.
        guard let jid = JID(parsing: name), jid.local != nil else {
          throw .damaged(line: value.line)
        }
        accounts.insert(jid.bare)
      }
      guard !accounts.isEmpty else { throw .damaged(line: value.line) }
    }
    // A right without scope has no key for it, and one with a scope cannot lack it.
    guard right.hasScope == (table["in"] != nil) else { throw .damaged(line: table.line) }
    var scope = BridgeScope.all
    if let value = table["in"] {
      guard let read = BridgeScope(try strings(value)), !read.isEmpty else {
        throw .damaged(line: value.line)
      }
      scope = read
    }
    return ScriptGrants.StoredGrant(
      ScriptGrant(right, accounts: accounts, scope: scope), given: given)
  }

  private static func check(_ table: TOMLTable, _ known: Set<String>) throws(Problem) {
    for entry in table.entries where !known.contains(entry.key) {
      throw .damaged(line: entry.line)
    }
  }

  private static func strings(_ value: TOMLValue) throws(Problem) -> [String] {
    guard let strings = value.strings else { throw .damaged(line: value.line) }
    return strings
  }

  // MARK: Writing

  static func text(of grants: ScriptGrants) -> String {
    var writer = TOMLWriter()
    writer.comment("The rights of scripts and other programs: natter scripts, or F6, Scripts.")
    writer.comment("Natter writes this file anew with each change.")
    writer.set("version", version)
    for (name, entry) in grants.entries.sorted(by: { $0.key < $1.key }) {
      writer.section("script", name)
      writer.set("enabled", .boolean(entry.isEnabled))
      writer.set("digest", .string(entry.digest))
      if !entry.never.isEmpty { writer.set("never", list(entry.never.map(\.name))) }
      writer.set("sending_per_hour", entry.sendingPerHour)
      if let restarted = entry.restarted {
        writer.set("restarted", .string(XEP0082DateTime.text(for: restarted)))
      }
      if !entry.settings.isEmpty {
        writer.section("script", name, settings)
        for (key, value) in entry.settings.sorted(by: { $0.key < $1.key }) {
          writer.set(key, .string(value))
        }
      }
      var counts: [ScriptRight: Int] = [:]
      for stored in entry.grants {
        let (grant, count) = (stored.grant, counts[stored.grant.right, default: 0] + 1)
        counts[grant.right] = count
        if count == 1 {
          writer.section("script", name, grant.right.name)
        } else {
          writer.section("script", name, grant.right.name, String(count))
        }
        if !grant.accounts.isEmpty {
          writer.set("accounts", list(grant.accounts.map(\.description).sorted()))
        }
        if grant.right.hasScope { writer.set("in", list(grant.scope.names)) }
        writer.set("given", XEP0082DateTime.text(for: stored.given))
      }
    }
    return writer.text
  }

  private static func list(_ texts: [String]) -> TOMLValue.ValueType {
    .array(texts.map { TOMLValue(.string($0), line: 0) })
  }
}
