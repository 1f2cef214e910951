import Dispatch
import Glibc

/// Tells when one descriptor can be read or written, once for each time it is armed.
///
/// While it is not armed it costs nothing: no wake-up, and no read-ahead of the peer's bytes.
///
/// The two directions never share a descriptor number. Dispatch on Linux keeps one note for each number and, when a read source
/// joins a write source that is waiting, files it among the writers: that it can be read is then told to nobody, ever.
/// `@unchecked Sendable`: it is used on `queue` only, and its sources run there.
final class DescriptorWatch: @unchecked Sendable {
  private let descriptor: CInt
  private let queue: DispatchQueue
  private var onReadable: (() -> Void)?
  private var onWritable: (() -> Void)?
  private var reader: (any DispatchSourceRead)?
  private var writer: (any DispatchSourceWrite)?
  private var readerIsArmed = false
  private var writerIsArmed = false
  /// The second number of the same descriptor, for `writer` alone; −1 when there is none.
  private var writeDescriptor: CInt = -1
  private var isCancelled = false
  private var sourcesToEnd = 0

  init(
    descriptor: CInt, queue: DispatchQueue, onReadable: @escaping () -> Void,
    onWritable: @escaping () -> Void = {}
  ) {
    self.descriptor = descriptor
    self.queue = queue
    self.onReadable = onReadable
    self.onWritable = onWritable
  }

  func armRead() {
    guard !isCancelled, !readerIsArmed else { return }
    let source = reader ?? makeReader()
    readerIsArmed = true
    source.resume()
  }

  func armWrite() {
    guard !isCancelled, !writerIsArmed else { return }
    let source = writer ?? makeWriter()
    writerIsArmed = true
    source.resume()
  }

  /// Stops watching, then calls `completion` (on the queue): only then may the descriptor be closed.
  func cancel(then completion: @escaping () -> Void) {
    guard !isCancelled else { return }
    isCancelled = true
    onReadable = nil
    onWritable = nil
    sourcesToEnd = (reader == nil ? 0 : 1) + (writer == nil ? 0 : 1)
    if sourcesToEnd == 0 { return completion() }
    let ended: @Sendable () -> Void = { [self] in
      sourcesToEnd -= 1
      if sourcesToEnd == 0 {
        reader = nil
        writer = nil
        if writeDescriptor >= 0 { Glibc.close(writeDescriptor) }
        finish()
      }
    }
    self.completion = completion
    if let reader { end(reader, isArmed: readerIsArmed, ended) }
    if let writer { end(writer, isArmed: writerIsArmed, ended) }
  }

  private var completion: (() -> Void)?

  private func finish() {
    let completion = completion
    self.completion = nil
    completion?()
  }

  private func end(
    _ source: some DispatchSourceProtocol, isArmed: Bool, _ ended: @escaping @Sendable () -> Void
  ) {
    source.setCancelHandler(handler: ended)
    source.cancel()
    // A suspended source neither runs its cancel handler nor may be released.
    if !isArmed { source.resume() }
  }

  private func makeReader() -> any DispatchSourceRead {
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { [self] in
      guard !isCancelled, readerIsArmed else { return }
      readerIsArmed = false
      reader?.suspend()
      onReadable?()
    }
    reader = source
    return source
  }

  private func makeWriter() -> any DispatchSourceWrite {
    writeDescriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    // Without a second number (the process has none left) the first must do.
    let source = DispatchSource.makeWriteSource(
      fileDescriptor: writeDescriptor >= 0 ? writeDescriptor : descriptor, queue: queue)
    source.setEventHandler { [self] in
      guard !isCancelled, writerIsArmed else { return }
      writerIsArmed = false
      writer?.suspend()
      onWritable?()
    }
    writer = source
    return source
  }
}
