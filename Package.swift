// swift-tools-version: 6.2
import PackageDescription

let common: [SwiftSetting] = [
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  // The program is the same from every build folder.
  .unsafeFlags(
    ["-file-prefix-map", "\(Context.packageDirectory)=."], .when(configuration: .release)),
]
let ui = common + [.defaultIsolation(MainActor.self)]
/// The same for C targets.
let commonC: [CSetting] = [
  .unsafeFlags(
    ["-ffile-prefix-map=\(Context.packageDirectory)=."], .when(configuration: .release))
]

/// The linker settings of the released program (Resources/docs/release.md has the gain of each).
let linking = "\(Context.packageDirectory)/Sources/Programs/natter/Linking"
let releaseLinking: [LinkerSetting] = [
  .unsafeFlags(
    [
      "-use-ld=lld",
      // Links libstdc++ and libgcc statically, so that neither has to be installed and loaded:
      // libstdc++.so in this folder is a linker script that takes the static library.
      "-L\(linking)", "-Xclang-linker", "-static-libgcc",
      // Makes the file smaller.
      "-Xlinker", "--no-export-dynamic",
      // Keeps libdispatch from waking an idle program (Sources/C/CLinux/dispatch.c).
      "-Xlinker", "--wrap=dispatch_source_create",
    ], .when(platforms: [.linux], configuration: .release))
]

/// The folders of `Sources`, one for each layer.
enum Layer: String {
  case c = "C"
  case base = "Base"
  case core = "Core"
  case services = "Services"
  case screen = "Screen"
  case programs = "Programs"

  func path(_ name: String) -> String { "Sources/\(rawValue)/\(name)" }
}

/// Returns the target of a module and its dependencies on lower modules.
func module(
  _ name: String, in layer: Layer, on lower: Target.Dependency..., exclude: [String] = [],
  settings: [SwiftSetting] = common
) -> Target {
  .target(
    name: name, dependencies: lower, path: layer.path(name), exclude: exclude,
    swiftSettings: settings)
}

/// Returns the target of a module in C.
func moduleInC(_ name: String, on lower: Target.Dependency...) -> Target {
  .target(name: name, dependencies: lower, path: Layer.c.path(name), cSettings: commonC)
}

/// Returns the target of a library of the system.
func library(_ name: String) -> Target {
  .systemLibrary(name: name, path: Layer.c.path(name))
}

/// Returns the target of a module's unit tests.
func tests(
  of name: String, with lower: Target.Dependency..., exclude: [String] = [],
  settings: [SwiftSetting] = common
) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: [.target(name: name)] + lower, exclude: exclude,
    swiftSettings: settings)
}

// From the bottom to the top: this list is the layer diagram.
let package = Package(
  name: "natter",
  products: [
    .executable(name: "natter", targets: ["natter"]),
    .executable(name: "natter-bench", targets: ["natter-bench"]),
  ],
  targets: [
    // C.
    library("CNcurses"),
    // Watches descriptors, configures memory allocation, writes crash reports and loads libraries.
    moduleInC("CLinux"),
    // Confines programs of scripts.
    moduleInC("CSandbox"),
    // CSQLite and CCurl load their libraries at first use.
    moduleInC("CSQLite", on: "CLinux"),
    moduleInC("CCurl", on: "CLinux"),
    library("CResolv"),

    // Base: nothing about chat.
    module("BoundedText", in: .base),
    module("Diagnostics", in: .base),
    module("System", in: .base, on: "CLinux"),
    module("TOML", in: .base, on: "BoundedText"),
    module("Terminal", in: .base, on: "BoundedText", "TOML", exclude: ["Scripts"]),
    module(
      "TerminalNcurses", in: .base, on: "BoundedText", "CLinux", "CNcurses", "Terminal",
      settings: ui),
    module("SQLite", in: .base, on: "BoundedText", "CSQLite", "System"),
    module("Crypto", in: .base, on: "CCurl"),
    module("Sockets", in: .base, on: "CCurl", "CLinux", "CResolv", "System"),
    module("HTTP", in: .base, on: "BoundedText", "CCurl", "CLinux", "Sockets"),
    module("XML", in: .base, on: "BoundedText"),
    module("JSONLines", in: .base, on: "BoundedText"),
    module("XMPP", in: .base, on: "BoundedText", "Crypto", "Sockets", "XML", exclude: ["Scripts"]),
    module("Ratchet", in: .base, on: "Crypto"),

    // Core: domain values, ports, events.
    module("NatterCore", in: .core, on: "BoundedText", "JSONLines", "Sockets", "XML", "XMPP"),

    // Services: none of these imports another.
    module("Storage", in: .services, on: "NatterCore", "SQLite", "XML", "XMPP"),
    module(
      "API", in: .services, on: "BoundedText", "Crypto", "HTTP", "NatterCore", "Sockets", "XML",
      "XMPP"),
    module(
      "FileService", in: .services, on: "BoundedText", "Crypto", "Diagnostics", "NatterCore", "XML",
      "XMPP"
    ),
    module("Configuration", in: .services, on: "NatterCore", "System", "TOML", "XML", "XMPP"),
    module("SessionService", in: .services, on: "NatterCore", "XML", "XMPP"),
    module(
      "ConnectionService", in: .services, on: "Crypto", "Diagnostics", "NatterCore", "Sockets",
      "XML", "XMPP"),
    module("MessagingService", in: .services, on: "Diagnostics", "NatterCore", "XML", "XMPP"),
    module("PeopleService", in: .services, on: "Diagnostics", "NatterCore", "XML", "XMPP"),
    module("RoomService", in: .services, on: "Diagnostics", "NatterCore", "XML", "XMPP"),
    module("DiscoverService", in: .services, on: "Diagnostics", "NatterCore", "XML", "XMPP"),
    module("BridgeService", in: .services, on: "Diagnostics", "JSONLines", "NatterCore", "XMPP"),
    module(
      "ScriptService", in: .services, on: "BoundedText", "Diagnostics", "JSONLines", "NatterCore",
      "System", "TOML", "XMPP"),
    module(
      "ImportService", in: .services, on: "BoundedText", "Crypto", "CLinux", "JSONLines",
      "NatterCore", "SQLite", "XML", "XMPP"),
    module(
      "ExportService", in: .services, on: "BoundedText", "Crypto", "JSONLines", "NatterCore",
      "System", "XMPP"),
    module(
      "LocalServer", in: .services, on: "Crypto", "Diagnostics", "NatterCore", "Sockets", "SQLite",
      "System", "XML", "XMPP"),

    // Screen.
    module(
      "Text", in: .screen, on: "NatterCore", "XMPP", exclude: ["Scripts"], settings: ui),
    module("Keys", in: .screen, on: "NatterCore", "Terminal", "Text", "TOML", settings: ui),
    module(
      "ViewModels", in: .screen, on: "BoundedText", "Keys", "NatterCore", "Text", "XML", "XMPP",
      settings: ui),
    module(
      "Panes", in: .screen, on: "Keys", "NatterCore", "Terminal", "Text", "ViewModels", settings: ui
    ),

    // Programs: they can import every module, and no module imports them.
    .executableTarget(
      name: "natter",
      dependencies: [
        "API", "BoundedText", "BridgeService", "CLinux", "Configuration", "ConnectionService",
        "CSandbox", "Crypto", "Diagnostics", "DiscoverService", "ExportService", "FileService",
        "HTTP",
        "ImportService", "JSONLines", "Keys", "LocalServer",
        "MessagingService", "NatterCore", "Panes", "PeopleService", "RoomService",
        "ScriptService", "SessionService", "Sockets", "SQLite", "Storage", "System", "Terminal",
        "TerminalNcurses", "Text", "TOML", "ViewModels", "XML", "XMPP",
      ],
      path: Layer.programs.path("natter"), exclude: ["Linking", "Scripts"],
      swiftSettings: ui, linkerSettings: releaseLinking),
    .executableTarget(
      name: "natter-bench",
      dependencies: [
        "API", "Configuration", "Crypto", "Diagnostics", "FileService", "FuzzTargets", "HTTP",
        "Keys", "MessagingService", "NatterCore", "Panes", "RoomService", "Sockets", "SQLite",
        "Storage", "System", "Terminal", "TestSupport", "Text", "ViewModels", "XML", "XMPP",
      ],
      path: Layer.programs.path("natter-bench"), swiftSettings: common),

    // Tests.
    .target(name: "CPTY", path: "Tests/CPTY"),
    .target(
      name: "TestSupport",
      dependencies: ["CPTY", "Diagnostics", "JSONLines", "NatterCore", "Sockets", "XML", "XMPP"],
      path: "Tests/TestSupport",
      exclude: ["Fixtures"], swiftSettings: common),
    .testTarget(
      name: "ArchitectureTests",
      dependencies: [
        "Configuration", "Keys", "Panes", "Terminal", "TestSupport", "Text", "ViewModels",
      ],
      swiftSettings: common),
    tests(of: "BoundedText"),
    tests(of: "Diagnostics"),
    tests(of: "System", with: "Sockets", "TestSupport"),
    tests(of: "TOML", with: "TestSupport"),
    tests(of: "Terminal", with: "TOML", "TestSupport", exclude: ["Fixtures"]),
    tests(
      of: "TerminalNcurses", with: "ChatsFixtures", "CPTY", "Keys", "NatterCore", "Panes",
      "Terminal", "TestSupport", "Text", "ViewModels", "XML", "XMPP", settings: ui),
    tests(of: "SQLite", with: "TestSupport"),
    tests(of: "Crypto", exclude: ["Fixtures"]),
    tests(of: "Sockets", with: "TestSupport"),
    tests(of: "HTTP", with: "Sockets", "TestSupport"),
    tests(of: "API", with: "Crypto", "HTTP", "NatterCore", "Sockets", "TestSupport", "XML", "XMPP"),
    tests(
      of: "FileService", with: "API", "Crypto", "HTTP", "MessagingService", "NatterCore", "Storage",
      "TestSupport", "XML", "XMPP"),
    tests(of: "XML", with: "BoundedText", "TestSupport", "XMPP"),
    tests(of: "JSONLines"),
    tests(of: "XMPP", with: "BoundedText", "Crypto", "Sockets", "TestSupport"),
    tests(of: "Ratchet", with: "Crypto", exclude: ["Fixtures"]),
    tests(of: "NatterCore", with: "Sockets", "XML", "XMPP"),
    tests(
      of: "Storage", with: "NatterCore", "SQLite", "TestSupport", "XML", "XMPP",
      exclude: ["Fixtures"]),
    tests(of: "Configuration", with: "NatterCore", "TOML", "TestSupport", "XML", "XMPP"),
    tests(of: "SessionService", with: "NatterCore", "TestSupport", "XML", "XMPP"),
    tests(
      of: "ConnectionService", with: "Crypto", "Diagnostics", "NatterCore", "Sockets",
      "TestSupport", "XML", "XMPP"),
    tests(
      of: "MessagingService", with: "NatterCore", "SQLite", "Storage", "TestSupport", "XML", "XMPP"),
    tests(
      of: "PeopleService", with: "NatterCore", "SQLite", "Storage", "TestSupport", "XML", "XMPP"),
    tests(of: "RoomService", with: "NatterCore", "TestSupport", "XML", "XMPP"),
    tests(of: "DiscoverService", with: "NatterCore", "TestSupport", "XML", "XMPP"),
    tests(of: "BridgeService", with: "JSONLines", "NatterCore", "TestSupport", "XMPP"),
    tests(
      of: "ScriptService", with: "BoundedText", "BridgeService", "Diagnostics", "JSONLines",
      "NatterCore", "System", "TestSupport", "TOML", "XMPP"),
    tests(
      of: "ImportService", with: "Crypto", "JSONLines", "NatterCore", "SQLite", "TestSupport",
      "XMPP",
      exclude: ["Fixtures"]),
    tests(of: "ExportService", with: "JSONLines", "NatterCore", "System", "TestSupport", "XMPP"),
    tests(
      of: "LocalServer", with: "Crypto", "NatterCore", "SQLite", "Sockets", "TestSupport", "XML",
      "XMPP",
      exclude: ["Fixtures"]),
    // The fixtures that the tests of view models and panes share: a clock, timers, people.
    .target(
      name: "ChatsFixtures",
      dependencies: ["Keys", "NatterCore", "TestSupport", "Text", "ViewModels", "XML", "XMPP"],
      path: "Tests/ChatsFixtures", swiftSettings: ui),
    tests(of: "Text", with: "NatterCore", "TestSupport", "XMPP", settings: ui),
    tests(of: "Keys", with: "TOML", "Terminal", "TestSupport", settings: ui),
    tests(
      of: "ViewModels", with: "ChatsFixtures", "Keys", "NatterCore", "TestSupport", "Text", "XML",
      "XMPP",
      settings: ui),
    tests(
      of: "Panes", with: "ChatsFixtures", "Keys", "NatterCore", "Terminal", "TestSupport", "Text",
      "TOML", "ViewModels", "XML", "XMPP", exclude: ["Wireframes"], settings: ui),
    tests(
      of: "natter", with: "BridgeService", "ChatsFixtures", "Configuration", "ConnectionService",
      "Crypto", "ExportService", "ImportService", "JSONLines", "Keys", "ScriptService",
      "NatterCore", "Panes", "PeopleService", "SQLite", "Storage", "Terminal", "TerminalNcurses",
      "TestSupport", "Text", "TOML", "ViewModels", "XML", "XMPP", settings: ui
    ),
    // The targets of the fuzzer (.ci/fuzz), and the tests that replay the kept inputs.
    .target(
      name: "FuzzTargets",
      dependencies: [
        "API", "Configuration", "ConnectionService", "Crypto", "CSQLite", "Diagnostics",
        "DiscoverService", "FileService", "HTTP", "Keys", "MessagingService", "NatterCore",
        "PeopleService", "Ratchet", "RoomService", "SessionService", "Sockets", "Storage",
        "Terminal", "TestSupport", "Text", "TOML", "ViewModels", "XML", "XMPP",
      ],
      path: "Tests/FuzzTargets", swiftSettings: common),
    .testTarget(
      name: "FuzzCorpusTests", dependencies: ["FuzzTargets", "TestSupport"], swiftSettings: common),
    .testTarget(
      name: "EndToEndTests",
      dependencies: ["CPTY", "NatterCore", "Storage", "TestSupport", "XMPP", "natter"],
      swiftSettings: common),
  ]
)

/// Removes all targets except these and their dependencies.
@MainActor func keepOnly(_ names: [String]) {
  let byName = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var kept: Set<String> = []
  func keep(_ name: String) {
    guard let target = byName[name], kept.insert(name).inserted else { return }
    for dependency in target.dependencies {
      switch dependency {
      case .targetItem(let name, _), .byNameItem(let name, _): keep(name)
      default: break
      }
    }
  }
  for name in names { keep(name) }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products = []
}

// With NATTER_TESTS_OF, only the tests of these modules and their dependencies: building all the
// others with sanitizers takes longer than running the tests in question (.ci/run). With
// NATTER_FUZZ, the fuzzer, which is built with its own instrumentation (.ci/fuzz).
var parts = Context.environment["NATTER_TESTS_OF"]?.split(separator: " ").map { "\($0)Tests" } ?? []
if Context.environment["NATTER_FUZZ"] != nil {
  package.targets += [
    .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
    .executableTarget(
      name: "natter-fuzz", dependencies: ["CFuzzer", "FuzzTargets"], path: "Tests/Fuzz/Program",
      swiftSettings: common, linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]),
  ]
  parts.append("natter-fuzz")
}
if !parts.isEmpty { keepOnly(parts) }
