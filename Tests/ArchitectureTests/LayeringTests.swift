import Foundation
import Testing

/// The layers as a table: which of our own modules each module may import.
private let layers: [String: Set<String>] = {
  // Base: nothing about chat.
  var layers: [String: Set<String>] = [
    "BoundedText": [],
    "Diagnostics": [],
    "System": ["CLinux"],
    "TOML": ["BoundedText"],
    "Terminal": ["BoundedText", "TOML"],
    "TerminalNcurses": ["BoundedText", "CLinux", "CNcurses", "Terminal"],
    "SQLite": ["BoundedText", "CSQLite", "System"],
    "Crypto": ["CCurl"],
    "Sockets": ["System", "CCurl", "CLinux", "CResolv"],
    "HTTP": ["BoundedText", "CCurl", "CLinux", "Sockets"],
    "XML": ["BoundedText"],
    "JSONLines": ["BoundedText"],
    "XMPP": ["BoundedText", "Crypto", "Sockets", "XML"],
    "Ratchet": ["Crypto"],
  ]
  // Core: the address type, the contents of a message, and why a certificate does not hold.
  layers["NatterCore"] = ["BoundedText", "JSONLines", "Sockets", "XML", "XMPP"]
  // Services: what each drives, and no other service.
  layers["Storage"] = ["Diagnostics", "NatterCore", "SQLite", "XML", "XMPP"]
  layers["Configuration"] = ["System", "Diagnostics", "NatterCore", "TOML", "XML", "XMPP"]
  layers["API"] = ["BoundedText", "Crypto", "HTTP", "NatterCore", "Sockets", "XML", "XMPP"]
  layers["ConnectionService"] = ["Crypto", "Diagnostics", "NatterCore", "Sockets", "XML", "XMPP"]
  for name in [
    "SessionService", "MessagingService", "PeopleService", "RoomService", "DiscoverService",
  ] {
    layers[name] = ["Diagnostics", "NatterCore", "XML", "XMPP"]
  }
  layers["FileService"] = ["BoundedText", "Crypto", "Diagnostics", "NatterCore", "XML", "XMPP"]
  layers["BridgeService"] = ["Diagnostics", "JSONLines", "NatterCore", "XMPP"]
  // Scripts are folders with a manifest, and grants are in a file: both are TOML.
  layers["ScriptService"] = [
    "BoundedText", "Diagnostics", "JSONLines", "NatterCore", "System", "TOML", "XMPP",
  ]
  // The importer reads the databases of other programs, and libz is loaded at run time.
  layers["ImportService"] = [
    "BoundedText", "CLinux", "Crypto", "JSONLines", "NatterCore", "SQLite", "XML", "XMPP",
  ]
  layers["ExportService"] = ["BoundedText", "Crypto", "JSONLines", "NatterCore", "System", "XMPP"]
  layers["LocalServer"] = [
    "System",
    "Crypto", "Diagnostics", "NatterCore", "SQLite", "Sockets", "XML", "XMPP",
  ]
  // Screen: text does not know the terminal, cells do not know the services.
  layers["Text"] = ["NatterCore", "XMPP"]
  layers["Keys"] = ["NatterCore", "TOML", "Terminal", "Text"]
  layers["ViewModels"] = ["Keys", "Text", "BoundedText", "NatterCore", "XML", "XMPP"]
  layers["Panes"] = ["Keys", "Text", "NatterCore", "Terminal", "ViewModels"]
  // Programs see every module, but none of the C libraries; the main program says how it allocates
  // memory.
  let modules = Set(layers.keys)
  layers["natter"] = modules.union(["CLinux", "CSandbox"])
  // All of Foundation has ICU in it, which would be read and relocated at each start of the
  // program. What the bench measures under faults, and what it reads, is set up by what the tests
  // use.
  layers["natter-bench"] = modules.union(["Foundation", "FuzzTargets", "TestSupport"])
  return layers
}()

private let libraries: Set<String> = [
  "CCurl", "CLinux", "CNcurses", "CResolv", "CSQLite", "CSandbox",
]

/// The modules of the toolchain and the system.
private let system: Set<String> = [
  "Dispatch", "FoundationEssentials", "Glibc", "Swift", "Synchronization",
]

@Suite struct LayeringTests {
  @Test func `the table knows every folder of Sources`() throws {
    let folders = Set(try Checkout.modules.get().keys)
    #expect(folders.subtracting(layers.keys).subtracting(libraries) == [])
  }

  @Test(arguments: try Checkout.modules.get().keys.sorted())
  func `a module imports only what its layer allows`(module: String) throws {
    let allowed = layers[module, default: []].union(system)
    for file in try Checkout.sources(of: module) {
      let others = Set(file.imports).subtracting(allowed)
      #expect(others.isEmpty, "\(file.path) imports \(others.sorted())")
    }
  }

  @Test func `the table itself points down only`() {
    // A module's rank is the length of the longest way to the bottom; a circle has no rank.
    var ranks = Dictionary(uniqueKeysWithValues: libraries.map { ($0, 0) })
    var rest = layers.filter { $0.key != "natter" && $0.key != "natter-bench" }
    var isMoving = true
    while isMoving {
      isMoving = false
      for (module, lower) in rest where lower.allSatisfy({ ranks[$0] != nil }) {
        ranks[module] = (lower.compactMap { ranks[$0] }.max() ?? 0) + 1
        rest[module] = nil
        isMoving = true
      }
    }
    #expect(rest.keys.sorted() == [])
    for service in layers.keys where service.hasSuffix("Service") {
      #expect(layers[service, default: []].filter { $0.hasSuffix("Service") } == [], "\(service)")
    }
  }

  @Test func `Package.swift lets no module depend on more than its layer allows`() throws {
    let manifest = try Checkout.text("Package.swift")
    let declaration =
      /\bmodule\(\s*"(?<name>\w+)",\s*in: \.(?<layer>\w+)(?:,\s*on:\s*(?<lower>"\w+"(?:,\s*"\w+")*))?/
    let found = manifest.matches(of: declaration)
    #expect(found.count > 15, "Package.swift is written in another way than this test reads")
    for match in found {
      let name = String(match.output.name)
      let lower = (match.output.lower ?? "").matches(of: /"(\w+)"/).map { String($0.output.1) }
      let folder = Checkout.root.appending(
        path: "Sources/\(match.output.layer.capitalized)/\(name)")
      #expect(FileManager.default.fileExists(atPath: folder.path), "\(name)")
      let forbidden = Set(lower).subtracting(layers[name, default: []])
      #expect(forbidden.isEmpty, "\(name) depends on \(forbidden.sorted())")
    }
  }

  @Test func `only TerminalNcurses calls ncurses`() throws {
    for file in try Checkout.sources.get() where file.imports.contains("CNcurses") {
      #expect(file.path.hasPrefix("Sources/Base/TerminalNcurses/"), "\(file.path)")
    }
  }
}
