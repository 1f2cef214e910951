import Sockets
import Synchronization

/// One end of a connection that exists in memory only.
package final class MemoryByteStream: ByteStream {
  private let incoming: MemoryPipe
  private let outgoing: MemoryPipe
  package let isSecure: Bool
  package let isLoopback: Bool
  package let channelBindings: [ChannelBinding]

  private init(
    _ incoming: MemoryPipe, _ outgoing: MemoryPipe, isSecure: Bool, isLoopback: Bool,
    channelBindings: [ChannelBinding]
  ) {
    self.incoming = incoming
    self.outgoing = outgoing
    self.isSecure = isSecure
    self.isLoopback = isLoopback
    self.channelBindings = channelBindings
  }

  /// Two ends of one connection.
  package static func pair(
    isSecure: Bool = false, isLoopback: Bool = false, channelBindings: [ChannelBinding] = []
  ) -> (MemoryByteStream, MemoryByteStream) {
    let (a, b) = (MemoryPipe(), MemoryPipe())
    return (
      MemoryByteStream(
        a, b, isSecure: isSecure, isLoopback: isLoopback, channelBindings: channelBindings),
      MemoryByteStream(
        b, a, isSecure: isSecure, isLoopback: isLoopback, channelBindings: channelBindings)
    )
  }

  /// The same connection, as it is when TLS has begun on it.
  package func secured() -> MemoryByteStream {
    MemoryByteStream(
      incoming, outgoing, isSecure: true, isLoopback: isLoopback, channelBindings: channelBindings)
  }

  package func receive() async throws(SocketError) -> [UInt8]? { try await incoming.read() }
  package func send(_ bytes: [UInt8]) async throws(SocketError) { try outgoing.write(bytes) }

  package func close() {
    incoming.abort()
    outgoing.finish()
  }
}

/// Bytes on their way in one direction.
private final class MemoryPipe: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var isFinished = false
    var isAborted = false
    var reader: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func write(_ bytes: [UInt8]) throws(SocketError) {
    let isOpen = change { state in
      guard !state.isAborted, !state.isFinished else { return false }
      state.bytes += bytes
      return true
    }
    if !isOpen { throw .closed }
  }

  /// Nothing more will be written.
  func finish() { change { $0.isFinished = true } }

  /// Nothing more will be read.
  func abort() { change { $0.isAborted = true } }

  func read() async throws(SocketError) -> [UInt8]? {
    while true {
      enum Answer { case bytes([UInt8]), end, closed, wait }
      let answer = state.withLock { state -> Answer in
        if state.isAborted { return .closed }
        if !state.bytes.isEmpty {
          defer { state.bytes = [] }
          return .bytes(state.bytes)
        }
        return state.isFinished ? .end : .wait
      }
      switch answer {
      case .bytes(let bytes): return bytes
      case .end: return nil
      case .closed: throw .closed
      case .wait:
        if Task.isCancelled { throw .closed }
        await waitForChange()
      }
    }
  }

  private func waitForChange() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state -> Bool in
          let isReady =
            state.isAborted || state.isFinished || !state.bytes.isEmpty || Task.isCancelled
          if !isReady { state.reader = continuation }
          return isReady
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      change { _ in }
    }
  }

  /// Changes the state, and wakes who waits for that.
  @discardableResult
  private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, reader) = state.withLock { state in
      let result = body(&state)
      defer { state.reader = nil }
      return (result, state.reader)
    }
    reader?.resume()
    return result
  }
}
