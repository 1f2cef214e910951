import CPTY
import Foundation
import TestSupport

/// Both ends of a pseudo-terminal, the master's read all the time so that writers never wait.
final class PseudoTerminal {
  /// The end that programs use.
  let slave: CInt
  private let master: CInt
  /// The received output, shared with the thread that reads it.
  private let received = Observed<[UInt8]>([])
  private var markers = 0
  /// The pending answer and its question.
  private let answer = Observed<(text: String, question: String)?>(nil)

  init(rows: UInt16 = 24, columns: UInt16 = 80) throws {
    var (master, slave): (CInt, CInt) = (-1, -1)
    let problem = cpty_open(rows, columns, &master, &slave)
    guard problem == 0 else { throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .EIO) }
    self.master = master
    self.slave = slave
    let (received, answer) = (received, answer)
    // The thread ends by itself when the last descriptor of the slave is closed.
    let copy = dup(master)
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(copy, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        received.update { $0 += buffer[..<count] }
        guard let (text, question) = answer.value, received.value.ends(with: Array(question.utf8))
        else { continue }
        answer.update { $0 = nil }
        _ = Array(text.utf8).withUnsafeBytes { write(copy, $0.baseAddress, $0.count) }
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
    // Waits without using the main actor: other tests may occupy it for a while.
    let came = await received.waits(upTo: .seconds(60)) { $0.ends(with: marker) }
    guard came else { throw NeverCame(got: String(decoding: received.value, as: UTF8.self)) }
    let text = String(decoding: received.value.dropLast(marker.count), as: UTF8.self)
    received.update { $0 = [] }
    return text
  }

  /// The error when expected output does not arrive; it contains the output that did.
  nonisolated struct NeverCame: Error {
    let got: String
  }

  /// Types bytes at the terminal; returns when there is something for the slave to read.
  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
    var state = pollfd(fd: slave, events: Int16(POLLIN), revents: 0)
    poll(&state, 1, 60_000)
  }

  /// Has it answer once to a question that has not come yet.
  func answers(_ text: String, to question: String) {
    answer.update { $0 = (text, question) }
  }

  /// Indicates whether a question is still pending.
  var isAnswering: Bool { answer.value != nil }

  /// Bytes that nobody has read.
  var waiting: Int {
    var count: CInt = 0
    return ioctl(slave, UInt(FIONREAD), &count) == 0 ? Int(count) : -1
  }

  func resize(rows: UInt16, columns: UInt16) {
    cpty_resize(master, rows, columns)
  }

  /// Indicates whether the terminal is line by line with echo, as a shell leaves it.
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
