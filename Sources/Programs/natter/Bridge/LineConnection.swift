import JSONLines
import NatterCore
import Sockets
import Synchronization

/// A connection of the bridge over a byte stream: a socket, or standard input and output.
nonisolated final class LineConnection: BridgeConnection {
  /// Takes a line of the client out of the stream of lines.
  /// - Returns: `true` if the line is answered already.
  typealias Interception = @Sendable (LineSplitter.Line, LineConnection) async -> Bool

  /// The most lines, and their most bytes, that wait to be written.
  static let maximumLines = 1000
  static let maximumBytes = 1 << 20

  private struct Output {
    /// The lines that no write has taken yet.
    var waiting: [UInt8] = []
    /// The lines and bytes that are not written yet, including those that a write has taken.
    var lines = 0
    var bytes = 0
    var isWriting = false
    /// Indicates that nothing more is taken: the connection is closed, or closes after the rest.
    var isClosing = false

    /// Indicates whether a line of so many bytes is taken: one of any length if nothing waits.
    func hasRoom(for size: Int) -> Bool {
      lines < maximumLines && (lines == 0 || bytes + size <= maximumBytes)
    }
  }

  private let stream: any ByteStream
  private let reader: LineReader
  private let interception: Interception?
  private let output = Mutex(Output())
  /// Wakes those that wait for room: there may be some, or the connection is closed.
  private let changed = ChangeSignal()
  private let share: LineBudget.Share
  private let closing = OneShot<Void>()

  /// - Parameters:
  ///   - completesLastLine: takes a last line without a line feed, as people and shells write it.
  ///   - interception: sees each line before `lines` has it.
  ///   - budget: the memory for long lines, which the clients of a socket share.
  init(
    _ stream: any ByteStream, completesLastLine: Bool = false, interception: Interception? = nil,
    budget: LineBudget = LineBudget()
  ) {
    self.stream = stream
    self.interception = interception
    share = LineBudget.Share(of: budget)
    reader = LineReader(
      stream, completesLastLine: completesLastLine, share: LineBudget.Share(of: budget))
  }

  /// Returns two connections that are each other's other end.
  /// - Throws: `SocketError` when the process has no descriptors left.
  static func pair(
    interception: Interception? = nil
  ) throws(SocketError) -> (client: LineConnection, server: LineConnection) {
    let (client, server) = try PlainSocket.pair()
    return (LineConnection(client), LineConnection(server, interception: interception))
  }

  /// Indicates whether lines are taken.
  var isOpen: Bool { output.withLock { !$0.isClosing } }

  /// The lines of the other end, read only as they are taken. There is one consumer.
  var lines: AsyncStream<LineSplitter.Line> {
    AsyncStream { [self] in
      while let line = await reader.next() {
        if let interception, await interception(line, self) { continue }
        return line
      }
      return nil
    }
  }

  @discardableResult func send(_ line: String) -> Bool {
    let size = line.utf8.count + 1
    let (isTaken, begins) = output.withLock { output in
      guard !output.isClosing, output.hasRoom(for: size),
        // Other clients leave room for it, too.
        share.resize(to: output.bytes + size)
      else { return (false, false) }
      output.waiting += line.utf8
      output.waiting.append(0x0A)
      output.lines += 1
      output.bytes += size
      defer { output.isWriting = true }
      return (true, !output.isWriting)
    }
    if begins { Task { await self.write() } }
    return isTaken
  }

  /// Queues a line as soon as there is room for it.
  /// - Returns: `false` if the connection is closed, or the task was cancelled.
  @discardableResult func sendInTurn(_ line: String) async -> Bool {
    while !send(line) {
      guard isOpen, !Task.isCancelled else { return false }
      await waitForRoom(for: line)
    }
    return true
  }

  func waitForRoom(for line: String) async {
    let size = line.utf8.count + 1
    await changed.wait {
      output.withLock { output in
        output.isClosing
          || output.hasRoom(for: size) && share.hasRoom(for: output.bytes + size, else: changed)
      }
    }
  }

  func close() {
    let isIdle = output.withLock { output in
      output.isClosing = true
      return !output.isWriting
    }
    changed.signal()
    if isIdle { end() }
  }

  /// Waits until the connection is closed: `close` was called and everything queued was written, or
  /// it broke.
  /// - Parameter limit: the time after which it is closed with the rest unwritten.
  func closed(within limit: Duration) async {
    let timer = Task { [weak self] in
      // Cancelled: it is closed.
      do { try await Task.sleep(for: limit) } catch { return }
      self?.end()
    }
    await closing.value()
    timer.cancel()
  }

  private func end() {
    output.withLock { output in
      output.isClosing = true
      output.waiting = []
    }
    stream.close()
    changed.signal()
    closing.settle(())
  }

  /// Writes everything that waits, and what is added meanwhile.
  private func write() async {
    while true {
      let (bytes, lines) = output.withLock { output in
        let taken = (output.waiting, output.lines)
        output.waiting = []
        output.isWriting = !taken.0.isEmpty
        return taken
      }
      if bytes.isEmpty { break }
      do { try await stream.send(bytes) } catch { return end() }
      output.withLock { output in
        output.lines -= lines
        output.bytes -= bytes.count
        share.resize(to: output.bytes)
      }
      changed.signal()
    }
    if output.withLock({ $0.isClosing }) { end() }
  }
}

/// Reads the lines of a stream.
private actor LineReader {
  private let stream: any ByteStream
  private var splitter = LineSplitter()
  private let share: LineBudget.Share
  private var completesLastLine: Bool
  /// The lines that were read and not taken yet, and the index of the next one.
  private var read: [LineSplitter.Line] = []
  private var position = 0

  init(_ stream: any ByteStream, completesLastLine: Bool, share: LineBudget.Share) {
    self.stream = stream
    self.share = share
    self.completesLastLine = completesLastLine
  }

  /// Waits for the next line; `nil`: the stream has ended, or the task is cancelled.
  func next() async -> LineSplitter.Line? {
    while position == read.count {
      position = 0
      // A broken connection ends as a closed one does.
      if let bytes = try? await stream.receive() {
        read = splitter.take(bytes)
        // Too many clients are in the middle of long lines: this one's is not read.
        if !share.resize(to: splitter.waitingCount) {
          splitter.skip()
          share.resize(to: 0)
        }
      } else if completesLastLine, !Task.isCancelled {
        completesLastLine = false
        read = splitter.take([0x0A]).filter { $0 != .line([]) }
        if read.isEmpty { return nil }
      } else {
        read = []
        return nil
      }
    }
    defer { position += 1 }
    return read[position]
  }
}
