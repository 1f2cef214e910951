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
let linking = "\(Context.packageDirectory)/Sources/natter/Linking"
let releaseLinking: [LinkerSetting] = [
  .unsafeFlags(
    [
      "-use-ld=lld",
      // Links libstdc++ and libgcc statically, so that neither has to be installed and loaded:
      // libstdc++.so in this folder is a linker script that takes the static library.
      "-L\(linking)", "-Xclang-linker", "-static-libgcc",
      // Makes the file smaller.
      "-Xlinker", "--no-export-dynamic",
      // Keeps libdispatch from waking an idle program (Sources/CHeap/rest.c).
      "-Xlinker", "--wrap=dispatch_source_create",
    ], .when(platforms: [.linux], configuration: .release))
]

/// Returns the target of a module and its dependencies on lower modules.
func module(
  _ name: String, on lower: Target.Dependency..., exclude: [String] = [],
  settings: [SwiftSetting] = common
) -> Target {
  .target(name: name, dependencies: lower, exclude: exclude, swiftSettings: settings)
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
    // Base: nothing about chat.
    .systemLibrary(name: "CNcurses"),
    // CSQLite and CCurl load their libraries at first use.
    .target(name: "CLibrary", cSettings: commonC),
    .target(name: "CSQLite", dependencies: ["CLibrary"], cSettings: commonC),
    .target(name: "CCurl", dependencies: ["CLibrary"], cSettings: commonC),
    .systemLibrary(name: "CResolv"),
    // Watches many descriptors at once.
    .systemLibrary(name: "CEpoll"),
    // Configures memory allocation.
    .target(name: "CHeap", cSettings: commonC),
    // Writes crash reports.
    .target(name: "CCrash", cSettings: commonC),
    module("BoundedText"),
    module("Diagnostics"),
    module("TOML", on: "BoundedText"),
    module("Terminal", on: "BoundedText", "TOML", exclude: ["Scripts"]),
    module(
      "TerminalNcurses", on: "BoundedText", "CEpoll", "CNcurses", "Terminal", settings: ui),
    module("SQLite", on: "BoundedText", "CSQLite"),
    module("Crypto", on: "CCurl"),
    module("Sockets", on: "CCurl", "CEpoll", "CResolv"),
    module("HTTP", on: "BoundedText", "CCurl", "CEpoll", "Sockets"),
    module("XMPP", on: "BoundedText", "Crypto", "Sockets", exclude: ["Scripts"]),

    // Middle: domain values, ports, events.
    module("NatterCore", on: "BoundedText", "Sockets", "XMPP"),

    // Business: none of these imports another.
    module("Storage", on: "NatterCore", "SQLite", "XMPP"),
    module("API", on: "BoundedText", "Crypto", "HTTP", "NatterCore", "Sockets", "XMPP"),
    module("FileService", on: "BoundedText", "Crypto", "Diagnostics", "NatterCore", "XMPP"),
    module("Configuration", on: "NatterCore", "TOML", "XMPP"),
    module("SessionService", on: "NatterCore", "XMPP"),
    module("ConnectionService", on: "Crypto", "Diagnostics", "NatterCore", "Sockets", "XMPP"),
    module("ReceiveService", on: "Diagnostics", "NatterCore", "XMPP"),
    module("SendService", on: "Diagnostics", "NatterCore", "XMPP"),
    module("SyncService", on: "Diagnostics", "NatterCore", "XMPP"),
    module("PeopleService", on: "Diagnostics", "NatterCore", "XMPP"),
    module("RoomService", on: "Diagnostics", "NatterCore", "XMPP"),
    module("DiscoverService", on: "Diagnostics", "NatterCore", "XMPP"),
    module(
      "LocalServer", on: "Crypto", "Diagnostics", "NatterCore", "Sockets", "SQLite", "XMPP"),

    // Screen.
    module(
      "ViewModels", on: "BoundedText", "NatterCore", "XMPP", exclude: ["Scripts"], settings: ui),
    module("Panes", on: "NatterCore", "Terminal", "ViewModels", settings: ui),

    // Programs: they can import every module, and no module imports them.
    .executableTarget(
      name: "natter",
      dependencies: [
        "API", "BoundedText", "CCrash", "CHeap", "Configuration", "ConnectionService", "Crypto",
        "Diagnostics",
        "DiscoverService", "FileService", "HTTP", "LocalServer",
        "NatterCore", "Panes", "PeopleService", "ReceiveService", "RoomService",
        "SendService",
        "SessionService", "Sockets", "SQLite", "Storage", "SyncService", "TOML", "Terminal",
        "TerminalNcurses",
        "ViewModels", "XMPP",
      ],
      exclude: ["Linking", "Scripts"],
      swiftSettings: ui, linkerSettings: releaseLinking),
    .executableTarget(
      name: "natter-bench",
      dependencies: [
        "API", "Configuration", "Crypto", "Diagnostics", "FileService", "FuzzTargets", "HTTP",
        "NatterCore",
        "Panes",
        "RoomService", "SQLite", "Sockets", "Storage", "SyncService", "Terminal", "TestSupport",
        "ViewModels",
        "XMPP",
      ],
      swiftSettings: common),

    // Tests.
    .target(name: "CPTY", path: "Tests/CPTY"),
    .target(
      name: "TestSupport", dependencies: ["CPTY", "NatterCore", "Sockets", "XMPP"],
      path: "Tests/TestSupport",
      exclude: ["Fixtures"], swiftSettings: common),
    .testTarget(
      name: "ArchitectureTests",
      dependencies: ["Configuration", "Panes", "Terminal", "TestSupport", "ViewModels"],
      swiftSettings: common),
    tests(of: "BoundedText"),
    tests(of: "Diagnostics"),
    tests(of: "TOML", with: "TestSupport"),
    tests(of: "Terminal", with: "TOML", "TestSupport", exclude: ["Fixtures"]),
    tests(
      of: "TerminalNcurses", with: "CPTY", "ChatsFixtures", "NatterCore", "Panes", "Terminal",
      "TestSupport", "ViewModels", "XMPP", settings: ui),
    tests(of: "SQLite", with: "TestSupport"),
    tests(of: "Crypto"),
    tests(of: "Sockets", with: "TestSupport"),
    tests(of: "HTTP", with: "Sockets", "TestSupport"),
    tests(of: "API", with: "Crypto", "HTTP", "NatterCore", "Sockets", "TestSupport", "XMPP"),
    tests(
      of: "FileService", with: "API", "Crypto", "HTTP", "NatterCore", "Storage", "TestSupport",
      "XMPP"),
    tests(of: "XMPP", with: "BoundedText", "Crypto", "Sockets", "TestSupport"),
    tests(of: "NatterCore", with: "Sockets", "XMPP"),
    tests(
      of: "Storage", with: "NatterCore", "SQLite", "TestSupport", "XMPP", exclude: ["Fixtures"]),
    tests(of: "Configuration", with: "NatterCore", "TOML", "TestSupport", "XMPP"),
    tests(of: "SessionService", with: "NatterCore", "TestSupport", "XMPP"),
    tests(
      of: "ConnectionService", with: "Crypto", "Diagnostics", "NatterCore", "Sockets",
      "TestSupport",
      "XMPP"),
    tests(of: "ReceiveService", with: "NatterCore", "TestSupport", "XMPP"),
    tests(of: "SendService", with: "NatterCore", "Storage", "TestSupport", "XMPP"),
    tests(
      of: "SyncService", with: "NatterCore", "ReceiveService", "SQLite", "Storage", "TestSupport",
      "XMPP"),
    tests(
      of: "PeopleService", with: "NatterCore", "SQLite", "Storage", "TestSupport", "XMPP"),
    tests(of: "RoomService", with: "NatterCore", "TestSupport", "XMPP"),
    tests(of: "DiscoverService", with: "NatterCore", "TestSupport", "XMPP"),
    tests(
      of: "LocalServer", with: "Crypto", "NatterCore", "SQLite", "Sockets", "TestSupport", "XMPP",
      exclude: ["Fixtures"]),
    // The fixtures that the tests of view models and panes share: a clock, timers, people.
    .target(
      name: "ChatsFixtures", dependencies: ["NatterCore", "TestSupport", "ViewModels", "XMPP"],
      path: "Tests/ChatsFixtures", swiftSettings: ui),
    tests(
      of: "ViewModels", with: "ChatsFixtures", "NatterCore", "TestSupport", "XMPP", settings: ui),
    tests(
      of: "Panes", with: "ChatsFixtures", "NatterCore", "TOML", "Terminal", "TestSupport",
      "ViewModels", "XMPP", exclude: ["Wireframes"], settings: ui),
    tests(
      of: "natter", with: "ChatsFixtures", "Configuration", "Crypto", "NatterCore", "Panes",
      "PeopleService", "Storage", "TOML", "Terminal", "TerminalNcurses", "TestSupport",
      "ViewModels", "XMPP", settings: ui
    ),
    // The targets of the fuzzer (.ci/fuzz), and the tests that replay the kept inputs.
    .target(
      name: "FuzzTargets",
      dependencies: [
        "API", "CSQLite", "Configuration", "ConnectionService", "Crypto", "Diagnostics",
        "DiscoverService", "FileService", "HTTP", "NatterCore", "PeopleService", "ReceiveService",
        "RoomService",
        "SendService", "SessionService", "Sockets", "Storage", "SyncService", "TOML",
        "Terminal", "TestSupport", "ViewModels", "XMPP",
      ],
      path: "Tests/FuzzTargets", swiftSettings: common),
    .testTarget(
      name: "FuzzCorpusTests", dependencies: ["FuzzTargets", "TestSupport"], swiftSettings: common),
    .testTarget(
      name: "EndToEndTests", dependencies: ["CPTY", "TestSupport", "natter"], swiftSettings: common),
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
