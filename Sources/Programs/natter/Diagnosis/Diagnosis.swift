import ConnectionService
import FoundationEssentials
import Glibc
import NatterCore
import Sockets
import Terminal
import TerminalNcurses
import Text
import ViewModels
import XMPP

/// The diagnosis for `natter doctor` and for the page About: what works and what does not, one
/// finding at a time. It contains no secrets.
nonisolated struct Diagnosis: Sendable {
  enum Verdict: Sendable { case good, note, bad }

  /// The result of one check, with its final texts.
  struct Finding: Sendable {
    let topic: String
    let verdict: Verdict
    let text: String
  }

  let localizer: Localizer
  let environment: [String: String]
  /// Indicates whether standard input and output are a terminal.
  let isOnTerminal: Bool
  let resources: URL
  let directories: [URL]
  let configurationFile: URL
  let crashes: CrashReports
  /// The mistakes in the files that the user wrote, one line each.
  let warnings: [String]
  /// Indicates whether none of them is in the configuration itself.
  let isConfigurationGood: Bool
  /// `nil`: there is none.
  let account: Account?
  /// The accounts whose messages are stored here, and where; a named account comes first.
  let databases: @Sendable () async throws -> [Database]
  let credential: @Sendable () async throws -> Credential?
  let connector: StreamConnector
  /// Signs in once, as the program does, and returns the features of the server.
  let visit: @Sendable (Account, Credential) async throws -> Set<ServerFeature>
  /// The terminfo entry that is used instead of the terminal's own; `nil` if that exists.
  let substitute: String?
  /// The number of colours of the terminal; `nil` if unknown.
  let colours: String?
  /// Queries the character widths that differ between terminals; `nil` if the terminal does not
  /// answer.
  let widths: @Sendable () async -> WidthProbe?
  /// How far programs of scripts are confined here.
  var confinement: @Sendable () async -> ScriptConfinement = {
    await ConfinementCheck.run(searchPath: ProcessInfo.processInfo.environment["PATH"] ?? "").level
  }
  /// Describes an error in sentences.
  let explain: @MainActor @Sendable (any Error) -> [String]

  /// Runs the checks one after the other, away from the main actor.
  /// - Parameter report: receives each finding as soon as it is known.
  @concurrent func run(_ report: @MainActor @Sendable (Finding) -> Void) async {
    await report(terminal())
    if let finding = console() { await report(finding) }
    for finding in await look() + [locale()] + files() { await report(finding) }
    await report(scripts(await confinement()))
    await lookAtDatabases(report)
    if let account {
      await look(at: account, report)
    } else {
      await report(finding("doctor.account", .note, "doctor.no-account"))
    }
  }

  private func terminal() -> Finding {
    let term = environment["TERM"] ?? ""
    if !isOnTerminal { return finding("doctor.terminal", .note, "doctor.terminal-none") }
    if term.isEmpty || term == "dumb" {
      return finding("doctor.terminal", .note, "doctor.terminal-dumb", ["term": term])
    }
    if let substitute {
      return finding(
        "doctor.terminal", .note, "status.terminalUnknown", ["term": term, "entry": substitute])
    }
    return finding(
      "doctor.terminal", .good, "doctor.terminal-type",
      ["term": term, "colorterm": environment["COLORTERM"] ?? ""])
  }

  /// Reports that the kernel's console has no Chinese characters (interface.md, "Terminals"), if
  /// the user reads Chinese there.
  private func console() -> Finding? {
    guard environment["TERM"] == "linux" else { return nil }
    let tags =
      [localizer.tag]
      + ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"].compactMap {
        environment[$0]
      }
    guard tags.contains(where: { $0.hasPrefix("zh") }) else { return nil }
    return finding("doctor.terminal", .note, "doctor.terminal-console")
  }

  private func scripts(_ confinement: ScriptConfinement) -> Finding {
    finding(
      "doctor.scripts", confinement == .open ? .note : .good,
      "doctor.scripts-\(confinement.rawValue)")
  }

  /// The capabilities of the terminal, if there is one.
  private func look() async -> [Finding] {
    guard isOnTerminal else { return [] }
    var found: [Finding] = []
    if let colours {
      let isOff = environment["NO_COLOR"]?.isEmpty == false
      found.append(
        finding(
          "doctor.colours", .good, isOff ? "doctor.colours-off" : "doctor.colours-are",
          ["count": colours]))
    }
    guard let widths = await widths() else {
      return found + [finding("doctor.widths", .note, "doctor.widths-untold")]
    }
    guard widths.isUTF8 == true else {
      return found + [finding("doctor.widths", .note, "status.notUTF8")]
    }
    found.append(
      finding(
        "doctor.widths", .good, "doctor.widths-are", ["list": localizer.list(of: widths)]))
    return found
  }

  private func locale() -> Finding {
    let isUTF8 = CharacterSet.isUTF8(in: environment)
    return finding(
      "doctor.locale", isUTF8 ? .good : .note,
      isUTF8 ? "doctor.locale-utf8" : "doctor.locale-other",
      ["name": CharacterSet.name(in: environment)])
  }

  private func files() -> [Finding] {
    var found = [
      Finding(topic: localizer("doctor.resources"), verdict: .good, text: resources.path)
    ]
    found += directories.map { look(at: $0) }
    let file = configurationFile.path
    if isConfigurationGood {
      let isThere = FileManager.default.fileExists(atPath: file)
      found.append(
        finding(
          "doctor.files", .good,
          isThere ? "doctor.configuration-good" : "doctor.configuration-none", ["path": file]))
    }
    return found
      + warnings.map { Finding(topic: localizer("doctor.files"), verdict: .note, text: $0) }
      + crashReports()
  }

  /// The number of crash reports, if there are any, or why it is not known.
  private func crashReports() -> [Finding] {
    do {
      let count = try crashes.all().count
      guard count > 0 else { return [] }
      return [
        Finding(
          topic: localizer("doctor.crashes"), verdict: .note,
          text: localizer.plural("doctor.crashes-are", count))
      ]
    } catch {
      let text = (error as? NatterError).map { localizer($0) } ?? "\(error)"
      return [Finding(topic: localizer("doctor.crashes"), verdict: .note, text: text)]
    }
  }

  private func look(at directory: URL) -> Finding {
    // The attributes that Foundation returns have different types on each system.
    var status = stat()
    guard stat(directory.path, &status) == 0 else {
      if let reason = Paths.fault(of: directory) {
        return finding(
          "doctor.files", .bad, "doctor.directory-unusable",
          ["path": directory.path, "reason": reason])
      }
      return finding("doctor.files", .good, "doctor.directory-missing", ["path": directory.path])
    }
    if let reason = Self.failureToWrite(in: directory) {
      return finding(
        "doctor.files", .bad, "doctor.directory-unusable",
        ["path": directory.path, "reason": reason])
    }
    let mode = status.st_mode & 0o7777
    let isOpen = mode & 0o077 != 0
    return finding(
      "doctor.files", isOpen ? .note : .good, isOpen ? "doctor.directory-open" : "doctor.directory",
      ["path": directory.path, "mode": String(mode, radix: 8)])
  }

  /// Why nothing can be stored in a directory, as the system's error number; `nil`: it can. Only
  /// writing a file detects a full disk.
  private static func failureToWrite(in directory: URL) -> String? {
    let path = directory.appending(path: ".natter-doctor-\(getpid())").path
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return String(errno) }
    defer {
      Glibc.close(descriptor)
      unlink(path)
    }
    let bytes = [UInt8](repeating: 0, count: 4096)
    guard write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
      return String(errno)
    }
    return nil
  }

  private func look(at account: Account, _ report: @MainActor @Sendable (Finding) -> Void) async {
    let credential: Credential?
    var isReadable = true
    do { credential = try await self.credential() } catch {
      for line in await explain(error) {
        await report(Finding(topic: localizer("doctor.account"), verdict: .bad, text: line))
      }
      credential = nil
      isReadable = false
    }
    if isReadable {
      let isKept = credential != nil || account.isLocal
      await report(
        finding(
          "doctor.account", isKept ? .good : .note,
          isKept ? "doctor.account-is" : "doctor.account-without",
          ["address": account.jid.description]))
    }
    // The built-in server needs no look-up, and does not accept this check.
    guard !account.isLocal else {
      return await report(finding("doctor.connection", .good, "doctor.local"))
    }
    do {
      var missing: Set<String> = []
      for endpoint in try await connector.endpoints(of: account)
      where !missing.contains(endpoint.host) {
        // A host name in the domain's records need not have an address.
        guard await endpoint.hasAddress(limit: .seconds(10)) else {
          // One line for each name, however many ports were to be tried there.
          missing.insert(endpoint.host)
          await report(
            finding(
              account.server == nil ? "doctor.dns" : "doctor.server", .bad, "doctor.no-address",
              ["host": endpoint.host]))
          continue
        }
        await report(
          account.server == nil
            ? finding("doctor.dns", .good, "doctor.endpoint", arguments(of: endpoint))
            : finding("doctor.server", .good, "doctor.endpoint-named", arguments(of: endpoint)))
      }
      for finding in findings(in: try await connector.offer(of: account), account) {
        await report(finding)
      }
      guard let credential else {
        // The problem with the password has already been reported.
        guard isReadable else { return }
        return await report(finding("doctor.connection", .note, "doctor.not-tried"))
      }
      let features = try await visit(account, credential)
      await report(
        finding(
          "doctor.connection", .good, "doctor.signed-in", ["address": account.jid.description]))
      for finding in findings(in: features) { await report(finding) }
    } catch {
      for line in await explain(error) {
        await report(Finding(topic: localizer("doctor.connection"), verdict: .bad, text: line))
      }
    }
  }

  private func findings(in offer: ServerOffer, _ account: Account) -> [Finding] {
    [
      account.security == .off && offer.tlsVersion == nil
        ? finding("doctor.tls", .note, "doctor.tls-off")
        : finding(
          "doctor.tls", .good, "doctor.tls-is",
          [
            "version": offer.tlsVersion ?? localizer("doctor.tls-unknown"),
            "domain": account.jid.domain,
          ]),
      finding(
        "doctor.sasl", offer.mechanisms.isEmpty ? .note : .good,
        offer.mechanisms.isEmpty ? "doctor.sasl-none" : "doctor.sasl-are",
        ["list": offer.mechanisms.joined(separator: ", ")]),
    ]
  }

  /// The features of XEP-0479 that the server has and lacks.
  private func findings(in features: Set<ServerFeature>) -> [Finding] {
    func list(_ wanted: (ServerFeature) -> Bool) -> String {
      localizer.list(
        ServerFeature.allCases.filter(wanted).map {
          "\(localizer("doctor.feature-\($0.rawValue)")) (XEP-\($0.rawValue))"
        })
    }
    let (there, missing) = (list(features.contains), list { !features.contains($0) })
    var found: [Finding] = []
    if !there.isEmpty {
      found.append(finding("doctor.features", .good, "doctor.features-there", ["list": there]))
    }
    if !missing.isEmpty {
      found.append(finding("doctor.features", .note, "doctor.features-missing", ["list": missing]))
    }
    return found
  }

  private func arguments(of endpoint: Endpoint) -> [String: String] {
    let mode =
      switch endpoint.mode {
      case .directTLS: "doctor.mode-direct"
      case .startTLS: "doctor.mode-starttls"
      case .plain: "doctor.mode-plain"
      }
    return [
      "host": endpoint.host, "port": String(endpoint.port), "mode": localizer(mode),
      "source": localizer(endpoint.fromSRV ? "doctor.source-srv" : "doctor.source-default"),
    ]
  }

  func finding(
    _ topic: String, _ verdict: Verdict, _ key: String, _ arguments: [String: String] = [:]
  ) -> Finding {
    Finding(
      topic: localizer(topic), verdict: verdict, text: localizer(key, arguments))
  }
}

extension Diagnosis.Finding {
  /// The label of the verdict.
  nonisolated func mark(_ localizer: Localizer) -> String {
    switch verdict {
    case .good: localizer("doctor.ok")
    case .note: localizer("doctor.warning")
    case .bad: localizer("doctor.bad")
    }
  }
}
