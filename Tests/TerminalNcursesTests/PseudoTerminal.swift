import CPTY
import Foundation
import Synchronization

/// Both ends of a pseudo-terminal, the master's read all the time so that writers never wait.
final class PseudoTerminal {
  /// The end that programs use.
  let slave: CInt
  private let master: CInt
  private let received: Received
  private var markers = 0

  /// What the terminal got, shared with the thread that reads it.
  private nonisolated final class Received: Sendable {
    let bytes = Mutex<[UInt8]>([])
  }

  init(rows: UInt16 = 24, columns: UInt16 = 80) throws {
    var (master, slave): (CInt, CInt) = (-1, -1)
    let problem = cpty_open(rows, columns, &master, &slave)
    guard problem == 0 else { throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .EIO) }
    self.master = master
    self.slave = slave
    let received = Received()
    self.received = received
    // The thread ends by itself when the last descriptor of the slave is closed.
    let copy = dup(master)
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(copy, &buffer, buffer.count)
        guard count > 0 else { break }
        received.bytes.withLock { $0 += buffer[..<count] }
      }
      close(copy)
    }
  }

  isolated deinit {
    close(slave)
    close(master)
  }

  /// Everything that was written to the slave since the last call.
  func output() async throws -> String {
    markers += 1
    let marker = Array("<<\(ObjectIdentifier(self).hashValue).\(markers)>>".utf8)
    _ = marker.withUnsafeBytes { write(slave, $0.baseAddress, $0.count) }
    let limit = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < limit {
      let text: String? = received.bytes.withLock { bytes in
        guard bytes.count >= marker.count, bytes.suffix(marker.count).elementsEqual(marker) else {
          return nil
        }
        defer { bytes = [] }
        return String(decoding: bytes.dropLast(marker.count), as: UTF8.self)
      }
      if let text { return text }
      await Task.yield()
    }
    throw POSIXError(.ETIMEDOUT)
  }

  /// Types bytes at the terminal.
  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
  }

  func resize(rows: UInt16, columns: UInt16) {
    cpty_resize(master, rows, columns)
  }

  /// Whether lines are put together and echoed, as a shell leaves a terminal.
  var isCooked: Bool {
    var modes = termios()
    tcgetattr(slave, &modes)
    return modes.c_lflag & tcflag_t(ICANON) != 0 && modes.c_lflag & tcflag_t(ECHO) != 0
  }
}
