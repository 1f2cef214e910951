import FoundationEssentials
import NatterCore
import Panes
import SessionService
import Terminal
import TerminalNcurses
import Text
import ViewModels
import XMPP

// The page about the program itself.
extension FullScreen {
  /// - Parameter crashes: the page that it leads to; `nil` without one.
  func aboutPage(of services: AccountServices, _ crashes: CrashPage?) -> MeFactory.Page {
    let (context, account) = (context, services.account)
    return .about { [weak self] shell in
      var sources = AboutViewModel.Sources(
        version: ClientIdentity.version, facts: { self?.facts(of: account) ?? [] },
        diagnose: { report in
          let (localizer, credentials) = (shell.format.localizer, context.credentials)
          let (colours, widths) = (self?.terminalColors.count, self?.widths)
          await context.diagnosis(
            of: account, in: localizer, substitute: self?.terminal.screen.entry.substitute,
            colours: colours, widths: { widths }
          ) {
            try await credentials.credential(for: account.jid)
          }.run {
            report(
              DetailItem($0.topic, "[\($0.mark(localizer))] \(SafeText.line($0.text))"))
          }
        },
        components: { [resources = context.resources] in await DetailItem.components(in: resources)
        })
      if let crashes { sources.crashes = crashes.newest }
      return AboutViewModel(shell: shell, sources: sources)
    }
  }

  /// The columns that the terminal gives to what terminals disagree about.
  private var widthText: String {
    guard let widths, let isUTF8 = widths.isUTF8 else { return localizer("about.noWidths") }
    guard isUTF8 else { return localizer("status.notUTF8") }
    return localizer.list(of: widths)
  }

  private func facts(of account: Account) -> [DetailItem] {
    let items = [
      DetailItem(localizer("about.account"), account.jid.description),
      DetailItem(
        localizer("about.data"), context.databaseFile(of: account.jid).path),
      DetailItem(localizer("about.settings"), context.paths.configurationFile.path),
      DetailItem(localizer("about.log"), context.paths.state.appending(path: "natter.log").path),
      DetailItem(localizer("about.widths"), widthText),
      DetailItem(localizer("about.theme"), nameOfTheme(themeName)),
      DetailItem(localizer("about.language"), localizer.tag),
    ]
    return items + keys.problems.map { DetailItem(localizer("about.problem"), localizer($0)) }
  }
}

extension DetailItem {
  /// The components that Natter contains, as `Resources/components.tsv` lists them.
  @concurrent nonisolated fileprivate static func components(in resources: URL) async
    -> [DetailItem]
  {
    let file = resources.appending(path: "components.tsv").path
    // Without the list there is nothing to show, and nothing else depends on it.
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return [] }
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
      let columns = line.split(separator: "\t").map(String.init)
      guard columns.count == 3 else { return nil }
      return DetailItem(columns[0], "\(columns[1]), \(columns[2])")
    }
  }
}
