import JSONLines
import NatterCore
import ScriptService
import Terminal
import Text
import ViewModels
import XMPP

/// The list of `natter scripts`: the scripts, and other programs that have rights.
struct ScriptListing {
  let localizer: Localizer
  let found: [FoundScript]
  let grants: ScriptGrants

  /// The states of a script that is not running: whether it runs is known to a running Natter only.
  enum State: String {
    case on, off, changed, bad, unsafe
    /// Another program that has rights, or had some.
    case program
  }

  static func state(of script: FoundScript, _ entry: ScriptGrants.Entry?) -> State {
    switch script.reading {
    case .bad: return .bad
    case .unsafe: return .unsafe
    case .good(_, let digest):
      guard let entry, entry.isEnabled else { return .off }
      return entry.digest == digest ? .on : .changed
    }
  }

  /// The names of programs that have rights and no folder.
  private var programs: [String] {
    let names = Set(found.map(\.name))
    return grants.entries.filter { !names.contains($0.key) && !$0.value.grants.isEmpty }
      .map(\.key).sorted()
  }

  // MARK: Lines

  var lines: [String] {
    var lines: [String] = []
    let description = ScriptDescription(localizer: localizer)
    func add(_ name: String, _ state: String, _ text: String = "") {
      let parts = [SafeText.line(name), state, SafeText.line(text)]
      lines.append(parts.filter { !$0.isEmpty }.joined(separator: "\t"))
      lines += (grants.entries[name]?.grants ?? []).map { "  " + description.line(of: $0.grant) }
    }
    for script in found {
      let state = Self.state(of: script, grants.entries[script.name])
      add(script.name, words(for: state), script.manifest?.title ?? "")
      if let problem = ScriptProblem(script, localizer) { lines.append("  " + problem.text) }
    }
    for name in programs {
      add(name, localizer("cli.scripts.program", ["name": SafeText.line(name)]))
    }
    return lines
  }

  private func words(for state: State) -> String {
    switch state {
    case .on: localizer("cli.scripts.on")
    case .off: localizer("cli.scripts.off")
    case .changed: localizer("cli.scripts.changed")
    case .bad: localizer("cli.scripts.bad")
    case .unsafe: localizer("cli.scripts.unsafe")
    case .program: ""
    }
  }

  // MARK: Objects

  var objects: [JSONLine] {
    found.map { object($0) }
      + programs.map { name in
        JSONLine {
          $0.add("name", name)
          $0.add("state", State.program.rawValue)
          add(grants.entries[name], to: &$0)
        }
      }
  }

  private func object(_ script: FoundScript) -> JSONLine {
    let entry = grants.entries[script.name]
    return JSONLine {
      $0.add("name", script.name)
      $0.add("state", Self.state(of: script, entry).rawValue)
      $0.add("folder", script.folder)
      $0.add("shipped", script.isShipped)
      switch script.reading {
      case .good(let manifest, _):
        $0.add("title", manifest.title)
        $0.add("version", manifest.version.isEmpty ? nil : manifest.version)
        $0.add("asks", manifest.permissions.map(\.right.name))
      case .bad(let line, _):
        $0.add("line", line)
        $0.add("problem", ScriptProblem(script, localizer)?.text)
      case .unsafe(let path): $0.add("path", path)
      }
      add(entry, to: &$0)
    }
  }

  private func add(_ entry: ScriptGrants.Entry?, to line: inout JSONLine) {
    line.add(
      "rights",
      (entry?.grants ?? []).map { stored in
        JSONLine {
          $0.add("right", stored.grant.right.name)
          if !stored.grant.accounts.isEmpty {
            $0.add("accounts", stored.grant.accounts.map(\.description).sorted())
          }
          if stored.grant.right.hasScope { $0.add("in", stored.grant.scope.names) }
          $0.add("given", stored.given)
        }
      })
    if let never = entry?.never, !never.isEmpty { line.add("never", never.map(\.name)) }
  }
}

/// Why nothing of a script is used.
struct ScriptProblem {
  /// Safe for display.
  let text: String
  let code: ExitCode

  /// `nil`: the script is good.
  init?(_ script: FoundScript, _ localizer: Localizer) {
    switch script.reading {
    case .good: return nil
    case .bad(let line, let notice):
      let place = ManifestFile.name + (line.map { ":\($0)" } ?? "") + ": "
      text = SafeText.line(place + localizer(notice.key, notice.arguments))
      code = .badData
    case .unsafe(let path):
      text = SafeText.line(localizer("cli.scripts.unsafe-path", ["path": path]))
      code = .badConfiguration
    }
  }
}
