import Synchronization

/// Transfers requests and replies: by libcurl, or by a replacement in a test.
package protocol HTTPTransport: Sendable {
  /// Sends `request` and waits for the complete reply, with any status.
  ///
  /// When this returns or throws, no descriptor of the request is in use any more. Cancelling the
  /// task ends the exchange.
  /// - Parameter control: reports the progress and can pause the transfer.
  func send(_ request: HTTPRequest, control: TransferControl?) async throws(HTTPError)
    -> HTTPResponse
}

extension HTTPTransport {
  package func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    try await send(request, control: nil)
  }
}

/// The progress of a transfer.
package struct TransferProgress: Hashable, Sendable {
  /// The transferred bytes of the file, including those of earlier attempts that are not
  /// transferred again.
  package let byteCount: Int
  /// The total number of bytes; `nil` if unknown.
  package let total: Int?

  package init(byteCount: Int, total: Int?) {
    self.byteCount = byteCount
    self.total = total
  }
}

/// The control of one transfer: its progress reports, and its pause.
///
/// It may be used from any thread, before, during and after the transfer.
package final class TransferControl: Sendable {
  private struct State {
    var isPaused = false
    var apply: (@Sendable (Bool) -> Void)?
  }

  private let state = Mutex(State())
  let onProgress: (@Sendable (TransferProgress) -> Void)?

  /// - Parameter onProgress: called some ten times a second on the transport's queue, so it must be
  ///   quick; and at the end.
  package init(onProgress: (@Sendable (TransferProgress) -> Void)? = nil) {
    self.onProgress = onProgress
  }

  /// Indicates whether the transfer is paused.
  package var isPaused: Bool { state.withLock { $0.isPaused } }

  /// Stops the transfer and keeps the connection for as long as the server permits.
  package func pause() { set(true) }
  /// Resumes the transfer.
  package func resume() { set(false) }

  private func set(_ isPaused: Bool) {
    let apply = state.withLock { state in
      guard state.isPaused != isPaused else { return nil as (@Sendable (Bool) -> Void)? }
      state.isPaused = isPaused
      return state.apply
    }
    apply?(isPaused)
  }

  /// - Parameter apply: called at each change; `nil` when the transfer is over.
  /// - Returns: whether it is paused now.
  @discardableResult
  func attach(_ apply: (@Sendable (Bool) -> Void)?) -> Bool {
    state.withLock { state in
      state.apply = apply
      return state.isPaused
    }
  }
}
