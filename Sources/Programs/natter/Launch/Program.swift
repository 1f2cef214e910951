import CLinux
import Configuration
import Diagnostics
import FoundationEssentials
import Glibc
import Keys
import LocalServer
import NatterCore
import Panes
import Terminal
import Text
import ViewModels

/// The entry point: from the command line to one way of running, and from an error to a sentence
/// and an exit code.
enum Program {
  static func run(_ arguments: [String]) async -> Int32 {
    let environment = ProgramArguments.environment
    let parsed: (CommandLineOptions, CommandLineOptions.Command)
    let usage: UsageError?
    do {
      parsed = try CommandLineOptions.parse(arguments)
      usage = nil
    } catch {
      parsed = (CommandLineOptions(), .help(nil))
      usage = error
    }
    let (options, command) = parsed
    // The version needs no texts: it has to work in a broken installation.
    if usage == nil, command == .version {
      do { try StandardStreams.show("natter \(ClientIdentity.version)") } catch {
        say("standard output: " + String(cString: strerror(error.code.rawValue)))
        return ExitCode.outputFailed.rawValue
      }
      return ExitCode.done.rawValue
    }
    let resources: URL
    var localizer: Localizer
    do {
      resources = try ResourceLocator.directory(
        environment: environment, executable: ResourceLocator.executable,
        name: ProgramArguments.name)
      localizer = try Self.localizer(options, environment, resources)
    } catch { return reportMissing(error) }
    // The other commands read the settings themselves.
    if usage != nil || command.isForItself {
      localizer = LaunchContext.localizer(options, environment, resources, else: localizer)
    }
    if let usage {
      return report(
        CommandFailure(code: .usage, text: localizer(usage.key, usage.arguments)), localizer)
    }
    do {
      return try await run(command, options, environment, resources, localizer)
    } catch let error as MissingResources {
      return reportMissing(error)
    } catch {
      return report(LaunchFailure.commandFailure(error, localizer: localizer), localizer)
    }
  }

  /// Reports in English that the texts are missing or cannot be read.
  /// - Returns: the exit code.
  private static func reportMissing(_ error: any Error) -> Int32 {
    let missing = (error as? MissingResources).map {
      "the themes and languages are missing. Looked in: " + $0.locations.joined(separator: ", ")
        + ". Install them in share/natter beside bin, or name their directory in NATTER_RESOURCES."
    }
    say(missing ?? "\(error)")
    return ExitCode.internalError.rawValue
  }

  private static func run(
    _ command: CommandLineOptions.Command, _ options: CommandLineOptions,
    _ environment: [String: String], _ resources: URL, _ localizer: Localizer
  ) async throws -> Int32 {
    var options = options
    if command.isForPeople {
      try LaunchContext.checkLanguage(options, environment, resources, localizer)
      try LaunchContext.checkTheme(options, environment, resources, localizer)
    }
    switch command {
    case .version: return ExitCode.done.rawValue
    case .help(let name):
      try StandardStreams.report(
        localizer(name.map { "help-text.\($0)" } ?? "help-text.main"), localizer)
      return ExitCode.done.rawValue
    case .printConfiguration:
      try StandardStreams.report(
        defaults(localizer, LaunchContext.names(options, environment, resources)), localizer)
      return ExitCode.done.rawValue
    case .printKeys:
      try StandardStreams.report(KeyBindingTable.natter.commentedFile(localizer), localizer)
      return ExitCode.done.rawValue
    case .printCompletion(let shell):
      try StandardStreams.report(CompletionScript.text(for: shell), localizer)
      return ExitCode.done.rawValue
    case .checkTheme(let file):
      return try ThemeCheckCommand(
        localizer: localizer, environment: environment, resources: resources,
        isTerminal: isatty(STDOUT_FILENO) == 1
      ).run(file, paths: Paths(environment: environment, profile: nil, config: nil)).rawValue
    case .localServer(let directory, let program):
      // The socket's name is derived from the data's path, so that profiles do not collide in one
      // directory.
      let paths = try? Paths(environment: environment, profile: nil, config: nil)
      return try await LocalServerCommand(localizer: localizer).run(
        directory: directory, runtimeDirectory: paths?.runtime, isFresh: options.isFresh,
        program: program)
    default: break
    }
    let context = try LaunchContext(
      options: options, environment: environment, resources: resources, localizer: localizer)
    // A running instance does not need this terminal.
    if command == .fullScreen, !options.isPlain, let holder = try await handOver(in: context) {
      say(context.localizer("cli.address-handed", ["pid": String(holder)]))
      return ExitCode.done.rawValue
    }
    if command == .fullScreen, !options.isPlain, let reason = try lineModeReason(in: context) {
      say(reason)
      options.isPlain = true
    }
    if !command.onlyReads { try context.prepareDirectories() }
    natter_report_crashes(
      context.paths.state.appending(path: "crash-").path, "natter \(ClientIdentity.version)",
      "natter: " + context.localizer("cli.crashed"),
      // The path is appended by the handler, which alone knows all of it.
      "  " + context.localizer("cli.crash-report", ["path": ""]))
    if command.printsWarnings(options) {
      for mistake in context.mistakes + context.languageMistakes { say(context.localizer(mistake)) }
    }
    do {
      // Mistakes on the command line are reported first, even where nothing connects, and go to the
      // terminal they were typed in.
      try context.choice.check()
      switch command {
      case .fullScreen where options.isPlain: return try await PlainProgram(context: context).run()
      case .fullScreen:
        var context = context
        if options.isLocal, let name = options.account {
          _ = try LocalAccounts(context: context).address(named: name)
        }
        context.given = try context.choice.givenCredential(allowsStandardInput: false)
        if context.given != nil { try await context.checkGivenAccount() }
        return try await FullScreen(context: context).run()
      case .send(let to, let text, let file?):
        try await SendCommand(context: context).run(to: to, file: file, text: text)
      case .send(let to, let text, nil):
        try await SendCommand(context: context).run(to: to, text: text)
      case .read(let request):
        return try await ReadingCommand(context: context).run(request).rawValue
      case .export(let request):
        return try await ExportCommand(request: request, context: context).run().rawValue
      case .bridge(let request):
        return try await BridgeCommand(context: context).run(request)
      case .importHistory(let request):
        return try await ImportCommand(context: context, request: request).run().rawValue
      case .scripts(let request):
        return try await ScriptsCommand(context: context).run(request).rawValue
      case .accounts: try await AccountCommands(context: context).list()
      case .login(let jid): try await AccountCommands(context: context).login(jid)
      case .logout(let jid): try await AccountCommands(context: context).logout(jid)
      case .doctor(let jid): return try await DoctorCommand(context: context).run(jid)
      case .crash(let number):
        try CrashCommand(
          localizer: context.localizer, reports: CrashReports(directory: context.paths.state),
          executable: ResourceLocator.executable.path
        ).run(number)
      case .version, .help, .printConfiguration, .printKeys, .printCompletion, .checkTheme,
        .localServer:
        break
      }
      return ExitCode.done.rawValue
    } catch {
      return report(
        LaunchFailure.commandFailure(error, localizer: context.localizer), context.localizer)
    }
  }

  /// Hands the address of the command line to a running instance.
  /// - Returns: its process id; `nil`: there is none, or an error that the next step will report.
  private static func handOver(in context: LaunchContext) async throws -> Int32? {
    guard context.options.address != nil else { return nil }
    try context.choice.check()
    do { return try await context.handOverAddress() } catch {
      context.log.info("no address was handed over: \(type(of: error))")
      return nil
    }
  }

  /// Why line mode is used though the command line does not ask for it; `nil`: the full screen is
  /// used.
  /// - Throws: `CommandFailure` when there is no terminal for that.
  private static func lineModeReason(in context: LaunchContext) throws -> String? {
    if context.settings.ui.mode == .plain, !context.options.wantsScreen {
      return context.localizer("cli.plain-setting")
    }
    return try TerminalCheck.run(context.environment, context.localizer)
  }

  /// - Returns: the exit code.
  private static func report(_ failure: CommandFailure, _ localizer: Localizer) -> Int32 {
    say(failure.text)
    if failure.code == .usage { StandardStreams.printError(localizer("cli.try-help")) }
    return failure.code.rawValue
  }

  /// The default configuration, its comments in the language of `localizer`.
  /// - Parameter names: the available themes and languages.
  private static func defaults(_ localizer: Localizer, _ names: KnownNames) -> String {
    ConfigurationFile.commentedDefaults(
      head: localizer("settings.fileHead").split(separator: "\n").map(String.init)
    ) { setting in
      // The texts of the settings pages refer to labels where the file has values and keys.
      let key = "setting.\(setting.section).\(setting.key)-help"
      var help = localizer(key).filter { $0 != "{" && $0 != "}" }
      if case .choice(let values) = setting.form(names: names),
        localizer.unreported(values, in: key)
      {
        let list = localizer("settings.oneOf", ["names": localizer.list(values)])
        help = localizer("settings.sentences", ["first": help, "second": list])
      }
      return LineWrap.rows(of: help, width: 96).map(String.init)
    }
  }

  private static func say(_ text: String) {
    for (index, line) in text.split(separator: "\n").enumerated() {
      StandardStreams.printError((index == 0 ? "natter: " : "  ") + SafeText.line(String(line)))
    }
  }

  /// The texts of the language that the command line or the environment asks for, or English.
  private static func localizer(
    _ options: CommandLineOptions, _ environment: [String: String], _ resources: URL
  ) throws -> Localizer {
    let folders = LanguageChoice.folders(resources: resources)
    let tag = LanguageChoice.tag(
      wanted: options.language, environment: environment,
      available: LanguageChoice.available(in: folders))
    return try LanguageChoice.localizer(tag, in: folders)
  }
}
