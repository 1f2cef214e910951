import NatterCore
import Text

/// The messages of the palette: the newest matches in all accounts, while the query begins with a
/// quotation mark.
final class PaletteMessageSearch {
  private let context: SearchContext
  private weak var palette: PaletteViewModel?
  private var running: Task<Void, Never>?
  /// Opens the accounts, at the first query.
  private var opening: Task<[SearchedAccount], Never>?

  init(_ context: SearchContext, palette: PaletteViewModel) {
    (self.context, self.palette) = (context, palette)
  }

  /// Lists the matches of a query, and gives up the one before it.
  func look(for text: String) {
    running?.cancel()
    let vocabulary = SearchVocabulary(format: context.format, now: context.now())
    let query = SearchQuery(text, vocabulary: vocabulary)
    guard !query.isEmpty else {
      // A filter that is not valid finds nothing, and what was found before is no match of it.
      if !text.isEmpty { palette?.show(messages: []) }
      return
    }
    running = context.lifetime.aside { [weak self] in
      do { try await self?.find(query) } catch {
        if !Task.isCancelled { self?.context.report(error) }
      }
    }
  }

  private func find(_ query: SearchQuery) async throws {
    let opening = opening ?? Task { [context] in [context.own] + (await context.others()) }
    self.opening = opening
    let accounts = await opening.value
    try Task.checkCancellation()
    let found = try await FoundMessages(query, in: accounts, context)
    try Task.checkCancellation()
    let words = query.terms.map(\.text)
    palette?.show(messages: found.rows.map { entry(of: $0, words) })
  }

  private func entry(of row: FoundMessages.Row, _ words: [String]) -> PaletteEntry {
    let detail = [row.account?.name ?? "", row.time].filter { !$0.isEmpty }
    return PaletteEntry(
      id: "message \(row.id.account) \(row.id.message.rawValue)", kind: .message,
      title: "\(row.conversation): \(row.text)",
      detail: context.format.localizer.list(detail)
    ) { [context] in context.open(row, words) }
  }
}

extension PaletteViewModel {
  /// Lists the messages of a shell's account, and of the others, where the query asks for them.
  func findMessages(of shell: ShellViewModel) {
    guard let searching = shell.ports.searching else { return }
    let search = PaletteMessageSearch(SearchContext(of: shell, searching), palette: self)
    onMessageSearch = { search.look(for: $0) }
  }
}
