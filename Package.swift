// swift-tools-version: 6.2
import PackageDescription

let common: [SwiftSetting] = [
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  // The same program from whatever folder it is built in.
  .unsafeFlags(
    ["-file-prefix-map", "\(Context.packageDirectory)=."], .when(configuration: .release)),
]
let ui = common + [.defaultIsolation(MainActor.self)]
/// The same for what is written in C.
let commonC: [CSetting] = [
  .unsafeFlags(
    ["-ffile-prefix-map=\(Context.packageDirectory)=."], .when(configuration: .release))
]

/// How the released program is linked (Resources/docs/release.md has what each part gains).
let linking = "\(Context.packageDirectory)/Sources/natter/Linking"
let releaseLinking: [LinkerSetting] = [
  .unsafeFlags(
    [
      "-use-ld=lld",
      // No libstdc++ and libgcc_s to be installed and loaded: the libstdc++.so there is a script that takes the static library.
      "-L\(linking)", "-Xclang-linker", "-static-libgcc",
      // A smaller file.
      "-Xlinker", "--no-export-dynamic",
      // An idle program is not woken (Sources/CHeap/rest.c).
      "-Xlinker", "--wrap=dispatch_source_create",
    ], .when(platforms: [.linux], configuration: .release))
]

/// One module of the program: what it is called and what it stands on.
func module(
  _ name: String, on lower: Target.Dependency..., exclude: [String] = [],
  settings: [SwiftSetting] = common
) -> Target {
  .target(name: name, dependencies: lower, exclude: exclude, swiftSettings: settings)
}

/// The unit tests of one module.
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
    // Base: no business.
    .systemLibrary(name: "CNcurses"),
    // These load SQLite and libcurl when they are first needed.
    .target(name: "CLibrary", cSettings: commonC),
    .target(name: "CSQLite", dependencies: ["CLibrary"], cSettings: commonC),
    .target(name: "CCurl", dependencies: ["CLibrary"], cSettings: commonC),
    .systemLibrary(name: "CResolv"),
    // What of many descriptors is ready.
    .systemLibrary(name: "CEpoll"),
    // How the program allocates memory.
    .target(name: "CHeap", cSettings: commonC),
    // What a crash leaves behind.
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

    // Programs: they see every module and are seen by none.
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
        "API", "Configuration", "Crypto", "Diagnostics", "FileService", "HTTP", "NatterCore",
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
    // What the tests of view models and panes have in common: a clock, timers, people.
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
    // What the fuzzer feeds (.ci/fuzz), and the tests of the inputs that are kept.
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

/// Leaves out all targets but these and what they stand on.
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

// With the tests of these modules alone, and what they stand on: to build all the others takes the sanitizers longer than what
// they look at (.ci/run). And the fuzzer, which is built with instrumentation of its own (.ci/fuzz).
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
