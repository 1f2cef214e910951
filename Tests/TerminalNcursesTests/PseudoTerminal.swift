import CPTY
import Foundation
import TestSupport

/// Both ends of a pseudo-terminal, the master's read all the time so that writers never wait.
final class PseudoTerminal {
  /// The end that programs use.
  let slave: CInt
  private let master: CInt
  /// What the terminal got, shared with the thread that reads it.
  private let received = Observed<[UInt8]>([])
  private var markers = 0

  init(rows: UInt16 = 24, columns: UInt16 = 80) throws {
    var (master, slave): (CInt, CInt) = (-1, -1)
    let problem = cpty_open(rows, columns, &master, &slave)
    guard problem == 0 else { throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .EIO) }
    self.master = master
    self.slave = slave
    let received = received
    // The thread ends by itself when the last descriptor of the slave is closed.
    let copy = dup(master)
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(copy, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        received.update { $0 += buffer[..<count] }
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
    // Waits without a turn of the main actor: other tests may keep that for a while.
    let came = await received.waits(upTo: .seconds(60)) { $0.ends(with: marker) }
    guard came else { throw NeverCame(got: String(decoding: received.value, as: UTF8.self)) }
    let text = String(decoding: received.value.dropLast(marker.count), as: UTF8.self)
    received.update { $0 = [] }
    return text
  }

  /// What was written did not arrive; tells what did.
  nonisolated struct NeverCame: Error {
    let got: String
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

extension [UInt8] {
  fileprivate nonisolated func ends(with bytes: [UInt8]) -> Bool {
    suffix(bytes.count).elementsEqual(bytes)
  }
}
