import Synchronization

/// Brings requests to servers and replies back: libcurl, or what a test puts in its place.
package protocol HTTPTransport: Sendable {
  /// Sends `request` and waits for all of its reply, whatever the status.
  ///
  /// When this returns, also by throwing, no descriptor of the request is used any more. Cancelling the task ends the
  /// exchange.
  /// - Parameter control: tells how far it is, and can make it pause.
  func send(_ request: HTTPRequest, control: TransferControl?) async throws(HTTPError)
    -> HTTPResponse
}

extension HTTPTransport {
  package func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    try await send(request, control: nil)
  }
}

/// How far a transfer is.
package struct TransferProgress: Hashable, Sendable {
  /// Bytes of the file that have gone or come, with those of earlier attempts that need not go again.
  package let byteCount: Int
  /// All of them; `nil` when nobody knows.
  package let total: Int?

  package init(byteCount: Int, total: Int?) {
    self.byteCount = byteCount
    self.total = total
  }
}

/// A hand on one transfer: what it tells, and whether it pauses.
///
/// It may be used from any thread, before, during and after the transfer.
package final class TransferControl: Sendable {
  private struct State {
    var isPaused = false
    var apply: (@Sendable (Bool) -> Void)?
  }

  private let state = Mutex(State())
  let onProgress: (@Sendable (TransferProgress) -> Void)?

  /// - Parameter onProgress: called some ten times a second on the transport's queue, so it must be quick; and at the end.
  package init(onProgress: (@Sendable (TransferProgress) -> Void)? = nil) {
    self.onProgress = onProgress
  }

  package var isPaused: Bool { state.withLock { $0.isPaused } }

  /// Stops the bytes and keeps the connection, for as long as the server bears it.
  package func pause() { set(true) }
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
