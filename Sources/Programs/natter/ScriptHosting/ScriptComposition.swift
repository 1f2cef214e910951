import BridgeService
import Diagnostics
import FoundationEssentials
import NatterCore
import ScriptService
import Terminal
import Text
import ViewModels

/// Composes the scripts of the program: what starts them, what they may do, and the accounts that
/// they work with. Nothing is read or started before `begin`.
final class ScriptComposition {
  let scripts: Scripts
  let bridges: AccountBridges
  private let surroundings: ScriptSurroundings
  private var beginning: Task<Void, Never>?
  private var printing: Task<Void, Never>?

  /// The most time that scripts have to end with the program, in which each is killed at last.
  private static let endingLimit = Duration.seconds(4)

  /// - Parameter mayAsk: `false`: there is no user to ask.
  init(_ context: LaunchContext, mayAsk: Bool) {
    let (localizer, log) = (context.localizer, context.log.category("scripts"))
    let surroundings = ScriptSurroundings(locale: localizer.tag)
    self.surroundings = surroundings
    bridges = AccountBridges { account in
      var options = BridgeOptions(localizer: localizer, account: account)
      options.log = log
      return options
    }
    let (catalogue, folders) = (ScriptCatalogue(context), ScriptFolders(context))
    let (environment, paths) = (context.environment, context.paths)
    let own = [paths.config, paths.data, paths.state, paths.cache, paths.runtime].map(\.path)
    var setup = ScriptsSetup(
      folders, read: { catalogue.read() },
      starter: { await ScriptLauncher.make(environment: environment, ownFolders: own) },
      bridging: bridges, log: log)
    setup.find = { catalogue.read($0) }
    setup.about = { await surroundings.current() }
    setup.problem = { catalogue.problem() }
    setup.mayAsk = mayAsk
    setup.texts = { localizer($0) }
    let starts = ScriptStarts(
      folders.state + "/starts", CrashReports(directory: context.paths.state))
    let areWanted = context.options.startsScripts
    setup.permit = {
      guard areWanted else { return StatusNotice(.info, "error.script.start.none") }
      do {
        return try starts.begin(at: Date())
          ? nil : StatusNotice(.warning, "error.script.start.afterCrashes")
      } catch {
        // Without the files it is not known that there was a crash.
        log.warning("the start with scripts could not be noted: \(error)")
        return nil
      }
    }
    scripts = Scripts(setup)
  }

  /// Has scripts know the theme.
  /// - Parameter theme: returns its name, and whether it is dark.
  func follow(theme: @escaping () -> (name: String, isDark: Bool)) { surroundings.theme = theme }

  /// Begins, off the main actor.
  func begin() {
    guard beginning == nil else { return }
    beginning = Task { [scripts] in await scripts.begin() }
  }

  /// Prints notices on standard error, where no user is asked or shown anything.
  func printNotices(_ localizer: Localizer) {
    let changes = scripts.changes()
    printing = Task {
      for await case .notice(let notice) in changes {
        let text = SafeText.line(localizer(notice.key, notice.arguments))
        StandardStreams.printError("natter: " + text)
      }
    }
  }

  /// Ends all scripts in order.
  func end() async {
    let (ended, end) = AsyncStream<Never>.makeStream()
    let ending = Task { [scripts] in
      await scripts.end()
      end.finish()
    }
    let limit = Task {
      // Cancelled: they have ended.
      do { try await Task.sleep(for: Self.endingLimit) } catch { return }
      end.finish()
    }
    for await _ in ended {}
    limit.cancel()
    ending.cancel()
    beginning?.cancel()
    printing?.cancel()
  }
}

/// The program around the scripts, as `hello` describes it.
private final class ScriptSurroundings {
  private let locale: String
  var theme: () -> (name: String, isDark: Bool) = { ("", true) }

  init(locale: String) { self.locale = locale }

  func current() -> ScriptEnvironment {
    let theme = theme()
    return ScriptEnvironment(
      version: ClientIdentity.version, locale: locale, themeName: theme.name,
      isDark: theme.isDark)
  }
}
