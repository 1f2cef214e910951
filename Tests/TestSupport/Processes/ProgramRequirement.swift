import Foundation

// There is no Swift Testing to be linked statically: what only tests call is left out where
// `natter-bench` is.
#if canImport(Testing)
  import Testing
#endif

/// A program that is no part of Natter and that a test needs.
///
/// Where it is not installed the test is skipped and says so; with NATTER_REQUIRE_SERVERS=1, as in
/// CI, it runs all the same and fails, because what it starts throws `Programs.Missing`.
package enum ProgramRequirement: String, CaseIterable, Sendable {
  case prosody, ejabberd, postgresql, tmux, profanity, slixmpp, openssl, faketime, xmlwf, mandoc,
    tic, chafa, node, python3, jq, cc

  /// Indicates whether tests that lack a program have to fail.
  package static var areAllRequired: Bool {
    ProcessInfo.processInfo.environment["NATTER_REQUIRE_SERVERS"] == "1"
  }

  /// The missing program, in a sentence; `nil` where it is installed.
  package var problem: String? {
    isInstalled ? nil : "needs \(rawValue) (apt-get install \(package))"
  }

  private var isInstalled: Bool {
    switch self {
    case .ejabberd: EjabberdServer.libraries != nil && Programs.exists("erl")
    case .postgresql: PostgreSQLServer.isInstalled
    case .slixmpp: SlixmppPeer.isInstalled
    default: Programs.exists(rawValue)
    }
  }

  private var package: String {
    switch self {
    case .prosody: "prosody lua-dbi-sqlite3"
    case .ejabberd: "ejabberd erlang-p1-sqlite3"
    case .postgresql: "postgresql erlang-p1-pgsql"
    case .slixmpp: "python3-slixmpp"
    case .xmlwf: "expat"
    case .tic: "ncurses-bin"
    case .cc: "gcc libc6-dev"
    case .node: "nodejs"
    default: rawValue
    }
  }
}

#if canImport(Testing)
  extension Trait where Self == ConditionTrait {
    /// Runs the test or suite only where these programs are installed, or in any case where CI
    /// requires them.
    package static func requires(_ programs: ProgramRequirement...) -> Self {
      let problems = programs.compactMap(\.problem)
      return .enabled(
        if: problems.isEmpty || ProgramRequirement.areAllRequired,
        Comment(rawValue: problems.joined(separator: "; ")))
    }
  }
#endif
