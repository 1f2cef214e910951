import FoundationEssentials
import NatterCore

/// How old a list of the server's is, for as long as there is no connection.
final class SnapshotAge {
  private let shell: ShellViewModel
  private let read: () async throws -> Date?
  private let onChange: () -> Void
  private var date: Date?
  private var wasOnline: Bool

  /// - Parameters:
  ///   - read: when the list was last known to be as the server has it; `nil`: never.
  ///   - onChange: called when there is something else to say.
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
    // Until now every change came by itself.
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

  /// `nil` while there is a connection.
  var text: String? {
    if wasOnline { return nil }
    guard let date else { return shell.format.localizer("contacts.neverRead") }
    return shell.format.localizer(
      "contacts.asOf", ["time": shell.format.moment(date, now: shell.now())])
  }
}
