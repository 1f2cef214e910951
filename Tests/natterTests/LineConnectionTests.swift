import Foundation
import JSONLines
import Sockets
import Synchronization
import TestSupport
import Testing

@testable import natter

/// Lines over sockets, with clients that behave badly.
@Suite struct LineConnectionTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func `half lines are completed, and a half line at the end is none`() async throws {
    let (client, server) = try PlainSocket.pair()
    let connection = LineConnection(server)
    for part in ["{\"a\"", ":1}\n{}\n", "{\"half\":"] { try await client.send(bytes(part)) }
    client.close()
    var lines: [LineSplitter.Line] = []
    for await line in connection.lines { lines.append(line) }
    #expect(lines == [.line(bytes("{\"a\":1}")), .line(bytes("{}"))])
  }

  @Test func `a last line of standard input needs no line feed`() async throws {
    for (input, expected) in [("a\nb", ["a", "b"]), ("a\n", ["a"]), ("", [])] {
      let (client, server) = try PlainSocket.pair()
      let connection = LineConnection(server, completesLastLine: true)
      try await client.send(bytes(input))
      client.close()
      var lines: [LineSplitter.Line] = []
      for await line in connection.lines { lines.append(line) }
      #expect(lines == expected.map { .line(bytes($0)) })
    }
  }

  @Test func `what a client does not read is dropped beyond a thousand lines`() async throws {
    let (client, server) = try PlainSocket.pair()
    let connection = LineConnection(server)
    // More than the kernel takes, and more than waits.
    let line = String(repeating: "x", count: 900)
    var taken = 0
    while taken < 100_000, connection.send("\(taken) \(line)") { taken += 1 }
    #expect(taken >= LineConnection.maximumLines && taken < 100_000)
    connection.close()
    #expect(!connection.send("late"))
    // What was taken comes, in order.
    let reader = LineConnection(client)
    var number = 0
    for await case .line(let bytes) in reader.lines {
      #expect(bytes.starts(with: Array("\(number) ".utf8)))
      number += 1
    }
    #expect(number == taken)
  }

  @Test func `few long lines are too many, too, and one of any length is taken`() async throws {
    let (client, server) = try PlainSocket.pair()
    let connection = LineConnection(server)
    let long = String(repeating: "x", count: 2 * LineConnection.maximumBytes)
    #expect(connection.send(long))
    #expect(!connection.send("next"))
    var count = 0
    while count < long.utf8.count + 1, let part = try await client.receive() { count += part.count }
    #expect(count == long.utf8.count + 1)
    #expect(await connection.sendInTurn("next"))
    #expect(try await client.receive() == bytes("next\n"))
  }

  @Test func `all clients together have a limited memory for long lines to them`() async throws {
    let budget = LineBudget(bytes: 1 << 20)
    // More than the allowance, and with it more than the budget for two.
    let line = String(repeating: "x", count: (1 << 20) + 1)
    let (client, server) = try PlainSocket.pair()
    var connection: LineConnection? = LineConnection(server, budget: budget)
    #expect(connection?.send(line) == true)
    let (otherClient, otherServer) = try PlainSocket.pair()
    let other = LineConnection(otherServer, budget: budget)
    #expect(!other.send(line))
    // Short lines pass.
    #expect(other.send("short"))
    #expect(try await otherClient.receive() == bytes("short\n"))
    // What is written is free again.
    var count = 0
    while count <= line.utf8.count, let part = try await client.receive() { count += part.count }
    #expect(await other.sendInTurn(line))
    connection?.close()
    connection = nil
    client.close()
    otherClient.close()
  }

  @Test func `all clients together have a limited memory for long lines from them`() async throws {
    let budget = LineBudget(bytes: 1 << 20)
    let (client, server) = try PlainSocket.pair()
    let connection = LineConnection(server, budget: budget)
    // Others are in the middle of long lines.
    let held = LineBudget.Share(of: budget)
    #expect(held.resize(to: (1 << 20) - 1000 + LineBudget.allowance))
    // Longer than what the kernel and one reading take.
    let long = [UInt8](repeating: 0x78, count: 800_000)
    let text = long + [0x0A] + bytes("next\n")
    let sender = Task { try await client.send(text) }
    var iterator = connection.lines.makeAsyncIterator()
    #expect(await iterator.next() == .tooLong)
    #expect(await iterator.next() == .line(bytes("next")))
    try await sender.value
    // Only now, so that no reading has taken a part of the next long line.
    held.resize(to: 0)
    let nextSender = Task { try await client.send(text) }
    #expect(await iterator.next() == .line(long))
    #expect(await iterator.next() == .line(bytes("next")))
    try await nextSender.value
    client.close()
  }

  @Test func `waiting for room ends with the task, and with the connection`() async throws {
    let (client, server) = try PlainSocket.pair()
    let connection = LineConnection(server)
    #expect(connection.send(String(repeating: "x", count: 2 * LineConnection.maximumBytes)))
    let cancelled = Task { await connection.sendInTurn("next") }
    cancelled.cancel()
    #expect(await !cancelled.value)
    let closed = Task { await connection.sendInTurn("next") }
    connection.close()
    #expect(await !closed.value)
    client.close()
  }

  @Test func `closing gives up a client that does not read after a while`() async throws {
    let (client, server) = try PlainSocket.pair()
    let connection = LineConnection(server)
    #expect(connection.send(String(repeating: "x", count: 4 << 20)))
    connection.close()
    await connection.closed(within: .zero)
    #expect(!connection.isOpen)
    while let part = try? await client.receive() { #expect(!part.isEmpty) }
  }

  @Test func `the end of the other side ends it`() async throws {
    let (client, server) = try PlainSocket.pair()
    let connection = LineConnection(server)
    client.close()
    for await _ in connection.lines { Issue.record("nothing was sent") }
    connection.send("x")
    await connection.closed(within: .seconds(60))
    #expect(!connection.isOpen)
  }

  @Test func `an intercepted line is not among the others`() async throws {
    let (client, server) = try LineConnection.pair { line, connection in
      guard line == .line(Array("ask".utf8)) else { return false }
      connection.send("answer")
      return true
    }
    for line in ["one", "ask", "two"] { client.send(line) }
    var iterator = server.lines.makeAsyncIterator()
    #expect(await iterator.next() == .line(bytes("one")))
    #expect(await iterator.next() == .line(bytes("two")))
    var answers = client.lines.makeAsyncIterator()
    #expect(await answers.next() == .line(bytes("answer")))
  }
}
