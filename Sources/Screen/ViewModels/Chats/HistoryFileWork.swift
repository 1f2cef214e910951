import NatterCore
import XMPP

/// An export or an import that runs beside everything else; one at a time.
package final class HistoryFileWork {
  /// The work that is being done.
  package struct Progress: Hashable {
    /// With an absolute path.
    package let request: HistoryFileRequest
    /// The conversation that is exported, or is open.
    package let conversation: JID?
    /// The number of messages so far.
    package fileprivate(set) var count = 0
  }

  /// The result.
  package enum End {
    case exported(ExportedHistory)
    case imported(ImportedHistory)
    case undone(UndoneImport?)
    case cancelled
    case failed(any Error)
  }

  /// `nil`: nothing runs.
  package private(set) var progress: Progress? {
    didSet { if progress != oldValue { onChange(progress) } }
  }
  /// Called with each change of `progress`.
  package var onChange: (Progress?) -> Void = { _ in }
  /// Called at the end, when `progress` is already `nil`.
  package var onEnd: (Progress, End) -> Void = { _, _ in }
  /// Runs the work. The end of the program does not wait for it: an export that is cut off leaves
  /// at most the part (`PATH.part`), which the next one overwrites, and an import what was stored
  /// until then.
  let lifetime = Lifetime()

  private let files: any HistoryFiling
  private var running: Task<Void, Never>?

  package init(_ files: any HistoryFiling) { self.files = files }

  /// Begins; only when nothing runs.
  /// - Parameters:
  ///   - request: not `cancel`.
  ///   - absolute: returns the absolute path of a typed one.
  package func start(
    _ request: HistoryFileRequest, in conversation: JID?, absolute: (String) -> String
  ) {
    guard progress == nil else { return }
    let progress = Progress(request: request.mapPath(absolute), conversation: conversation)
    self.progress = progress
    running = lifetime.aside { [weak self, files] in
      let end = await Self.run(progress, files) { count in
        Task { @MainActor in self?.advance(to: count) }
      }
      self?.end(progress, end)
    }
  }

  /// Ends it. Messages that an import has stored stay.
  package func cancel() { running?.cancel() }

  private static func run(
    _ progress: Progress, _ files: any HistoryFiling,
    report: @escaping @Sendable (Int) -> Void
  ) async -> End {
    do {
      switch (progress.request, progress.conversation) {
      case (.export(let format, let path), let conversation?):
        return .exported(
          try await files.export(conversation, as: format, to: path, progress: report))
      case (.load(let path), _):
        return .imported(try await files.importHistory(at: path, progress: report))
      case (.undo, _): return .undone(try await files.undoLastImport())
      case (.export, nil): throw NatterError(.invalidInput, "error.noConversation")
      case (.cancel, _): return .cancelled
      }
    } catch is CancellationError {
      return .cancelled
    } catch {
      return .failed(error)
    }
  }

  private func advance(to count: Int) {
    if let progress, count > progress.count { self.progress?.count = count }
  }

  private func end(_ progress: Progress, _ end: End) {
    self.progress = nil
    running = nil
    onEnd(progress, end)
  }
}

extension HistoryFileRequest {
  /// Returns the same with another path.
  fileprivate func mapPath(_ transform: (String) -> String) -> Self {
    switch self {
    case .export(let format, let path): .export(format, path: path.map(transform))
    case .load(let path): .load(path: transform(path))
    case .undo, .cancel: self
    }
  }
}
