import FoundationEssentials
import NatterCore
import Text

/// The age of a list that the server keeps, shown while there is no connection.
final class SnapshotAge {
  private let shell: ShellViewModel
  private let read: () async throws -> Date?
  private let onChange: () -> Void
  private var date: Date?
  private var wasOnline: Bool

  /// - Parameters:
  ///   - read: returns when the list was last up to date with the server; `nil`: never.
  ///   - onChange: called when the text changes.
  init(
    shell: ShellViewModel, read: @escaping () async throws -> Date?,
    onChange: @escaping () -> Void
  ) {
    self.shell = shell
    self.read = read
    self.onChange = onChange
    wasOnline = shell.connectionState.isOnline
    load()
  }

  func handle(_ event: DomainEvent) {
    guard case .connectionChanged(let state) = event, state.isOnline != wasOnline else { return }
    wasOnline = state.isOnline
    // While online, the server pushes every change.
    if !wasOnline { date = shell.now() }
    onChange()
  }

  private func load() {
    shell.lifetime.inOrder { [weak self] in
      guard let self else { return }
      do {
        let read = try await read()
        date = [date, read].compactMap { $0 }.max()
        onChange()
      } catch {
        shell.report(error)
      }
    }
  }

  /// The text; `nil` while there is a connection.
  var text: String? {
    if wasOnline { return nil }
    guard let date else { return shell.format.localizer("contacts.neverRead") }
    return shell.format.localizer(
      "contacts.asOf", ["time": shell.format.moment(date, now: shell.now())])
  }
}
