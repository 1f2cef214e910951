import Dispatch
import System

/// The result of a read without waiting.
enum TransportRead {
  case bytes([UInt8])
  case again
  case end
  case failed(SocketError)
}

/// The result of a write without waiting.
enum TransportWrite {
  case wrote(Int)
  case again
  case failed(SocketError)
}

/// A descriptor that can be read and written without waiting. Used on its engine's queue only.
protocol Transport: AnyObject {
  var descriptor: CInt { get }
  func read() -> TransportRead
  func write(_ bytes: UnsafeRawBufferPointer) -> TransportWrite
  /// Releases the descriptor and everything else. Called once, last.
  func dispose()
}

/// The waiting half of a byte stream: keeps at most one `receive` and one `send` until the
/// transport can serve them.
///
/// Nothing is read unless a `receive` waits, so that a slow reader slows the peer down.
/// `@unchecked Sendable`: all mutable state is accessed on `queue` only.
final class StreamEngine: @unchecked Sendable {
  private typealias Receiving = OneShot<Result<[UInt8]?, SocketError>>

  /// Outgoing bytes. `bytes` never moves: OpenSSL requires a retry from the same memory.
  private final class Sending: @unchecked Sendable {
    let bytes: [UInt8]
    let outcome = OneShot<Result<Void, SocketError>>()
    var offset = 0
    init(_ bytes: [UInt8]) { self.bytes = bytes }
  }

  let queue: DispatchQueue
  private var transport: (any Transport)?
  private var watch: DescriptorSource?
  private var receiving: Receiving?
  private var sending: Sending?
  /// The reason why the stream is unusable.
  private var failure: SocketError?
  /// The reason why nothing can be sent any more.
  private var sendFailure: SocketError?
  private var hasEnded = false
  /// The number of consecutive times that the descriptor was writable and the transport still
  /// accepted nothing.
  private var fruitlessWrites = 0
  private var triesLater = false

  /// The number of bytes written before other work on the queue runs.
  private static let chunkLimit = 256 * 1024
  private static let chunk = 64 * 1024

  init(_ transport: any Transport, queue: DispatchQueue) {
    self.queue = queue
    self.transport = transport
    watch = DescriptorSource(
      descriptor: transport.descriptor, queue: queue,
      onReadable: { [self] in
        pumpReceive()
        // A TLS layer may have to read before it can continue to write (renegotiation, RFC 5246
        // §7.4.1.1).
        if fruitlessWrites > 0 { pumpSend() }
      },
      onWritable: { [self] in pumpSend(isWritable: true) })
  }

  func receive() async throws(SocketError) -> [UInt8]? {
    let outcome = Receiving()
    let result = await withTaskCancellationHandler {
      queue.async { [self] in start(outcome) }
      return await outcome.value()
    } onCancel: {
      queue.async { [self] in
        if receiving === outcome { receiving = nil }
        outcome.settle(.failure(.closed))
      }
    }
    return try result.get()
  }

  func send(_ bytes: [UInt8]) async throws(SocketError) {
    let item = Sending(bytes)
    let result = await withTaskCancellationHandler {
      queue.async { [self] in start(item) }
      return await item.outcome.value()
    } onCancel: {
      queue.async { [self] in
        // A part may have been sent: anything after it would be garbage to the peer.
        if sending === item { end(.closed) }
        item.outcome.settle(.failure(.closed))
      }
    }
    try result.get()
  }

  func close() {
    queue.async { [self] in end(.closed) }
  }

  /// Ends the engine without disposing of its transport.
  /// - Returns: the transport's descriptor, which the caller closes; `nil` when the stream was
  ///   closed or is in use.
  func detach() async -> CInt? {
    let outcome = OneShot<CInt?>()
    queue.async { [self] in
      guard let transport, let watch, receiving == nil, sending == nil else {
        outcome.settle(nil)
        return
      }
      self.transport = nil
      self.watch = nil
      failure = .closed
      watch.cancel { outcome.settle(transport.descriptor) }
    }
    return await outcome.value()
  }

  // MARK: On the queue

  private func start(_ outcome: Receiving) {
    if outcome.isSettled { return }
    if let failure {
      outcome.settle(.failure(failure))
      return
    }
    if hasEnded {
      outcome.settle(.success(nil))
      return
    }
    precondition(receiving == nil, "one task at a time receives")
    receiving = outcome
    pumpReceive()
  }

  private func start(_ item: Sending) {
    if item.outcome.isSettled { return }
    if let failure = failure ?? sendFailure {
      item.outcome.settle(.failure(failure))
      return
    }
    precondition(sending == nil, "one task at a time sends")
    sending = item
    pumpSend()
  }

  private func pumpReceive() {
    guard let receiving, let transport else { return }
    switch transport.read() {
    case .bytes(let bytes):
      self.receiving = nil
      receiving.settle(.success(bytes))
    case .again:
      watch?.armRead()
    case .end:
      hasEnded = true
      self.receiving = nil
      receiving.settle(.success(nil))
    case .failed(let error):
      end(error)
    }
  }

  /// - Parameter isWritable: the descriptor was just reported as writable.
  private func pumpSend(isWritable: Bool = false) {
    guard let sending, let transport else { return }
    var written = 0
    while sending.offset < sending.bytes.count {
      let step = sending.bytes.withUnsafeBytes { all in
        let last = min(sending.offset + Self.chunk, all.count)
        return transport.write(UnsafeRawBufferPointer(rebasing: all[sending.offset..<last]))
      }
      switch step {
      case .wrote(let count):
        fruitlessWrites = 0
        sending.offset += count
        written += count
        if written >= Self.chunkLimit {
          queue.async { [self] in pumpSend() }
          return
        }
      case .again:
        if isWritable { fruitlessWrites += 1 }
        waitToWrite()
        return
      case .failed(let error):
        // The peer's last bytes (the reason, perhaps) can still be received.
        sendFailure = error
        self.sending = nil
        sending.outcome.settle(.failure(error))
        return
      }
    }
    fruitlessWrites = 0
    self.sending = nil
    sending.outcome.settle(.success(()))
  }

  private func waitToWrite() {
    if fruitlessWrites < 8 {
      watch?.armWrite()
    } else if !triesLater {
      // The descriptor is writable, but the TLS layer waits for the peer. Do not spin.
      triesLater = true
      queue.asyncAfter(deadline: .now() + .milliseconds(20)) { [self] in
        triesLater = false
        pumpSend()
      }
    }
  }

  private func end(_ error: SocketError) {
    guard let transport, let watch else { return }
    self.transport = nil
    self.watch = nil
    failure = error
    receiving?.settle(.failure(error))
    sending?.outcome.settle(.failure(error))
    receiving = nil
    sending = nil
    watch.cancel { transport.dispose() }
  }
}
